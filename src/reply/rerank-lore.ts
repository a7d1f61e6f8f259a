import { fillNames } from "../language/people.ts";
import type { RecallStore } from "../memory/recall/recall-store.ts";
import type { Reranked, Reranker } from "../memory/recall/rerank.ts";
import type { RerankMode } from "../platform/config/names.ts";
import type { TailRead } from "./read.ts";
import type { Ticket } from "./reply-queue.ts";
import type { Trail } from "./trail.ts";

/** What became of asking a model for the order of a speaker's notes. */
type RerankTrail = NonNullable<Trail["rerank"]>;

export interface LoreOrder {
  /** Best first, the whole pool; null where the order of the database serves. */
  readonly ids: readonly number[] | null;
  readonly trail: RerankTrail;
}

export interface LoreReranking {
  mode(): RerankMode;
  /** Never rejects, and takes 1.5 s at most. */
  order(ticket: Ticket, read: TailRead, signal: AbortSignal): Promise<LoreOrder>;
}

export interface LoreRerankingParts {
  readonly mode: () => RerankMode;
  readonly rerank: Reranker;
  readonly recall: Pick<RecallStore, "namesFor">;
}

/** Lets a model order the pool that a turn read. `read` has to hold the whole pool, not only what is shown. */
export function loreReranking({ mode, rerank, recall }: LoreRerankingParts): LoreReranking {
  return {
    mode,
    order: async (ticket, { candidates, tail }, signal) => {
      const nameOf = recall.namesFor(ticket.userId);
      const pool = candidates.map(({ id, fact, topics }) => ({
        id,
        fact: fillNames(fact, nameOf),
        topics: fillNames(topics, nameOf),
      }));
      const recent = tail.own.map(({ text }) => text);
      const reranked = await rerank({ message: ticket.question, recent, pool }, signal);
      const database = pool.map(({ id }) => id);
      return { ids: reranked.ids, trail: trailOf(database, reranked) };
    },
  };
}

/** Begins to ask for an order of what `read` gives, where the configuration wants that; null where it does not. */
export function orderFor(
  reranking: LoreReranking,
  ticket: Ticket,
  read: () => TailRead,
  signal: AbortSignal,
): Promise<LoreOrder> | null {
  return reranking.mode() === "off" ? null : reranking.order(ticket, read(), signal);
}

/** A trail with both orders. */
export function withOrder(trail: Trail, order: LoreOrder | null): Trail {
  return order === null ? trail : { ...trail, rerank: order.trail };
}

function trailOf(database: readonly number[], reranked: Reranked): RerankTrail {
  const { outcome, ids, latencyMs } = reranked;
  return {
    mode: "on",
    outcome,
    latencyMs,
    database: [...database],
    model: ids === null ? null : [...ids],
  };
}
