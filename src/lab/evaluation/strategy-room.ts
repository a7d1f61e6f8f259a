import { fillNames } from "../../language/people.ts";
import { type LoreAsked, type RecallStore, recallStore } from "../../memory/recall/recall-store.ts";
import { inOrder, RERANK_POOL, reranker } from "../../memory/recall/rerank.ts";
import { prefixSnapshots } from "../../memory/recall/snapshot.ts";
import type { LoreNote } from "../../memory/recall/weigh.ts";
import type { RecallPolicy } from "../../platform/config/memory-schema.ts";
import { NOTE_KINDS, type NoteKind } from "../../platform/config/names.ts";
import { personaFor } from "../../platform/config/personas.ts";
import type { Llm } from "../../platform/models/model-port.ts";
import { type Assembled, assembler } from "../../reply/assemble.ts";
import { readTail } from "../../reply/read.ts";
import type { Ticket } from "../../reply/reply-queue.ts";
import type { ReplayRoom } from "./replay-room.ts";
import type { StrategyName } from "./strategies.ts";

/** More than anybody has: everything is fetched, and put in order here. */
const ALL_NOTES = 10_000;
const RECENCY_DAYS = 7;

/** Makes the prompt that a strategy would have made for a ticket, from the database as it is. */
export function strategyRoom(room: ReplayRoom, llm: Llm) {
  const shipped = recallWith(room, {});
  const recency = recallWith(room, PLAIN_RECENCY);
  const noLexical = recallWith(room, { lexicalWeight: 0 });
  const assemble = assemblerOf(room);
  const snapshots = prefixSnapshots(shipped, () => room.clock.nowMs);
  const promptWith = (lore: RecallStore["lore"], ticket: Ticket): Assembled => {
    const taken = snapshots(ticket.channel);
    const parts = {
      ...room.stores,
      recall: {
        ...shipped,
        loreOrLast: (asked: LoreAsked) => ({ notes: lore(asked), fresh: true }),
      },
      now: () => room.clock.nowMs,
      paceOf: room.paceNow,
    };
    return assemble({
      taken,
      ...readTail(parts, ticket, taken.snapshot),
      messageKind: ticket.trigger,
      correction: room.corrections.factor(room.config.llm.model),
    });
  };
  const poolFor = (ticket: Ticket) => {
    let found: { pool: readonly LoreNote[]; recent: readonly string[] } = { pool: [], recent: [] };
    promptWith((asked) => {
      const recent = asked.conversation.recent.map(({ text }) => text);
      found = { pool: shipped.lore({ ...asked, limit: RERANK_POOL }), recent };
      return [];
    }, ticket);
    return found;
  };
  const order = reranker(llm, room.fence);
  return async (name: StrategyName, ticket: Ticket): Promise<ReturnType<typeof shown>> => {
    switch (name) {
      case "shipped":
        return shown(promptWith(shipped.lore, ticket));
      case "no-lexical":
        return shown(promptWith(noLexical.lore, ticket));
      case "recency": {
        const all = (asked: LoreAsked) => recency.lore({ ...asked, limit: ALL_NOTES });
        return shown(promptWith((asked) => byBase(all(asked)).slice(0, asked.limit), ticket));
      }
      case "rerank": {
        const { pool, recent } = poolFor(ticket);
        const named = pool.map((one) => ({
          ...one,
          fact: fillNames(one.fact, shipped.displayName),
        }));
        const { ids, outcome } = await order({ message: ticket.question, recent, pool: named });
        const prompt = promptWith(({ limit }) => inOrder(pool, ids ?? []).slice(0, limit), ticket);
        return shown(prompt, outcome !== "ordered" && outcome !== "none");
      }
    }
  };
}

/** `confidence / (1 + age / 7)`: what its words say, how important it is and of what kind counts for nothing. */
const PLAIN_RECENCY: Partial<RecallPolicy> = {
  lexicalWeight: 0,
  topicWeight: 0,
  profilePlaces: 0,
  newestPlaces: 0,
  perKindMax: ALL_NOTES,
  scales: Object.fromEntries(NOTE_KINDS.map((kind) => [kind, RECENCY_DAYS])) as Record<
    NoteKind,
    number
  >,
};

/** The product's own statement, with other weights. */
function recallWith({ config, stores }: ReplayRoom, change: Partial<RecallPolicy>): RecallStore {
  const { memory } = config;
  return recallStore(stores.db, {
    settings: () => ({ ...memory, recall: { ...memory.recall, ...change } }),
    personaOf: (channel) => personaFor(config, channel).memoryScope,
  });
}

function assemblerOf({ config, fence }: ReplayRoom) {
  return assembler({
    personaOf: (channel) => personaFor(config, channel),
    fence,
    budgetTokens: config.prompt.budgetTokens,
    offered: () => [],
  });
}

function byBase(notes: readonly LoreNote[]): LoreNote[] {
  return [...notes].sort((one, other) => other.terms.base - one.terms.base || other.id - one.id);
}

/** What of memory a prompt showed. */
function shown({ prompt, trail }: Assembled, fellBack = false) {
  return {
    noteIds: [...prompt.keptIds.notes],
    episodeIds: [...prompt.keptIds.episodes],
    /** Estimated tokens of what was shown about the speaker. */
    loreTokens: trail.sections["lore"] ?? 0,
    /** Whether the database's order served, because the model gave none. */
    fellBack,
  };
}
