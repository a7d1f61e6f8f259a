import { fillNames } from "../language/people.ts";
import type { Reranker } from "../memory/recall/rerank.ts";
import type { SnapshotTaken } from "../memory/recall/snapshot.ts";
import type { Config } from "../platform/config/load.ts";
import { isWithinHours } from "../platform/config/local-time.ts";
import type { Switches } from "../platform/database/runtime-store.ts";
import { type ReadParts, readTail, type TailRead } from "./read.ts";
import type { Obstacle, Ticket } from "./reply-queue.ts";
import type { Trail } from "./trail.ts";

export interface PreflightParts extends ReadParts {
  readonly config: Config;
  /** Rereads the switches where another process changed them. Throws where they cannot be read. */
  readonly switches: () => Switches;
  /** Whether Twitch lets nothing of the bot through in a channel now: an answer would be paid for and not be seen. */
  readonly isShut: (channel: string) => boolean;
}

/** An order of the speaker's notes that a model gave, or did not give. */
export interface LoreOrder {
  /** Best first, the whole pool; null where the order of the database serves. */
  readonly ids: readonly number[] | null;
  readonly trail: NonNullable<Trail["rerank"]>;
}

type Preflight =
  | { readonly obstacle: Obstacle }
  | {
      readonly obstacle: null;
      readonly taken: SnapshotTaken;
      /** null where the order is the database's: no model is to be asked. */
      readonly order: LoreOrder | null;
    };

/**
 * Whether an answer may be given now, from which snapshot, and in which order the speaker's notes stand. What was
 * removed while a model put them in order must not be shown: then all is looked at anew.
 */
export async function preflight(
  parts: PreflightParts,
  {
    snapshot,
    rerank,
  }: {
    readonly snapshot: (channel: string) => SnapshotTaken;
    readonly rerank: Reranker;
  },
  { ticket, signal }: { readonly ticket: Ticket; readonly signal: AbortSignal },
): Promise<Preflight> {
  const { channel } = ticket;
  const first = look(parts, channel, snapshot);
  if (first.obstacle !== null || parts.config.memory.recall.rerank === "off") return first;
  const pool = readTail(parts, ticket, first.taken.snapshot, []);
  const order = await orderLore(parts, rerank, { ticket, pool, signal });
  const again = look(parts, channel, snapshot);
  return again.obstacle === null ? { ...again, order } : again;
}

function look(
  parts: PreflightParts,
  channel: string,
  snapshot: (channel: string) => SnapshotTaken,
): Preflight {
  const obstacle = closedBy(parts, channel);
  if (obstacle !== null) return { obstacle };
  const taken = snapshot(channel);
  if (isOffline(parts.config, taken.snapshot.state.isLive)) return { obstacle: "offline" };
  return { obstacle: null, taken, order: null };
}

/** Why nobody is answered in a channel now, live or not; null where people are. */
export function closedBy(
  { config, switches, isShut, now }: PreflightParts,
  channel: string,
): Exclude<Obstacle, "offline"> | null {
  if (switches().paused) return "paused";
  if (isWithinHours(config.replies.quietHours, now())) return "quiet_hours";
  return isShut(channel) ? "not_let_through" : null;
}

/** Whether a channel's state keeps the bot silent. What is not known does not. */
export function isOffline({ replies }: Config, isLive: boolean | null): boolean {
  return !replies.whenOffline && isLive === false;
}

/** Lets a model order the whole pool that was read. Never rejects, and takes 1.5 s at most. */
async function orderLore(
  { recall }: PreflightParts,
  rerank: Reranker,
  {
    ticket,
    pool: { candidates, tail },
    signal,
  }: { readonly ticket: Ticket; readonly pool: TailRead; readonly signal: AbortSignal },
): Promise<LoreOrder> {
  const nameOf = recall.namesFor(ticket.userId);
  const pool = candidates.map(({ id, fact, topics }) => ({
    id,
    fact: fillNames(fact, nameOf),
    topics: fillNames(topics, nameOf),
  }));
  const recent = tail.own.map(({ text }) => text);
  const { outcome, ids, latencyMs } = await rerank(
    { message: ticket.question, recent, pool },
    signal,
  );
  const database = pool.map(({ id }) => id);
  const model = ids === null ? null : [...ids];
  return { ids, trail: { mode: "on", outcome, latencyMs, database, model } };
}
