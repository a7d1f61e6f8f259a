import type { RecallPolicy } from "../config/memory-schema.ts";
import type { Db } from "../db/open.ts";
import { type Conversation, conversationReader } from "./asked.ts";
import type { RecalledNote, ScoreTerms } from "./note.ts";
import { baseScores } from "./score.ts";
import { scalesOf } from "./sql-functions.ts";
import { type Weighed, weighing } from "./weigh.ts";

/** A note about the person who speaks, with what its place in the prompt rests on. */
export interface LoreNote extends RecalledNote {
  readonly terms: ScoreTerms;
  /** See `Weighed.place`. */
  readonly place: number;
}

export interface LoreQuestion {
  readonly channel: string;
  /** Every account of the person, at least one. */
  readonly accounts: readonly string[];
  /** Whose notes are shown besides the shared ones; null: the shared ones alone. */
  readonly persona: string | null;
  readonly nowMs: number;
  readonly limit: number;
  /** How many of them a prompt shows, where that is fewer than `limit`. */
  readonly shown?: number;
  readonly conversation: Conversation;
  readonly isStrict: boolean;
  readonly policy: RecallPolicy;
}

/**
 * The ranking of what is known about a person, best first: one statement over their own few rows, found by index, with
 * one ORDER BY. What that goes by is weighed by functions that the connection has for it.
 */
export function loreRanking(db: Db): (question: LoreQuestion) => LoreNote[] {
  const withScales = scalesOf(db);
  const read = conversationReader();
  const statements = new Map<string, ReturnType<typeof prepare>>();
  const statementFor = (accounts: number, isStrict: boolean) => {
    const key = `${accounts} ${isStrict}`;
    const known = statements.get(key) ?? prepare(db, accounts, isStrict);
    statements.set(key, known);
    return known;
  };
  return ({ accounts, conversation, policy, isStrict, nowMs, ...question }) => {
    const { channel, persona, limit, shown = limit } = question;
    const said = isStrict ? conversation : { ...conversation, others: [] };
    const base = baseScores(nowMs, policy.scales);
    const lore = weighing(read(said), base, { ...policy, shown });
    const slots = withScales({ base, lore }, () =>
      statementFor(accounts.length, isStrict).all(
        { channel, persona, limit, floor: policy.readFloor },
        ...accounts,
      ),
    );
    return slots.map((slot) => loreNote(lore.note(slot)));
  };
}

function loreNote(weighed: Weighed): LoreNote {
  const { id, fact, topics, kind, score, place, base, importance, lexical, topic } = weighed;
  return { id, fact, topics, kind, score, place, terms: { base, importance, lexical, topic } };
}

interface Parameters {
  readonly channel: string;
  readonly persona: string | null;
  readonly limit: number;
  readonly floor: number;
}

/**
 * Every row is weighed before the first is ranked, since how rare a word is depends on all of them: hence MATERIALIZED.
 * What a note says lies in its slot, and its rank is one number: carrying texts and keys through two sorted tables
 * would cost more than the ranking.
 */
function prepare(db: Db, accounts: number, isStrict: boolean) {
  const subjects = Array.from({ length: accounts }, () => "?").join(", ");
  return db
    .prepare<[Parameters, ...string[]], number>(
      `WITH own AS MATERIALIZED (
         SELECT lore_weigh(id, kind, confidence, pinned, last_confirmed_at, importance, fact, words, topics) AS slot
         FROM semantic_notes
         WHERE channel = :channel AND scope = 'viewer' AND subject_id IN (${subjects}) AND status = 'active'
           AND (persona IS NULL OR persona = :persona) AND confidence >= :floor
       )
       SELECT slot FROM own ${isStrict ? "WHERE lore_is_on_topic(slot)" : ""}
       ORDER BY lore_rank(slot) LIMIT :limit`,
    )
    .pluck();
}
