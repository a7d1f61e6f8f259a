import { keyedHash } from "../../language/keyed-hash.ts";
import type { RecallPolicy } from "../../platform/config/memory-schema.ts";
import type { Db } from "../../platform/database/open-database.ts";
import { hashedTable } from "./hashed-table.ts";
import { type Conversation, conversationReader } from "./recall-query.ts";
import type { RecalledNote, ScoreTerms } from "./recalled-note.ts";
import { baseScores } from "./score.ts";
import { scalesOf } from "./sql-functions.ts";
import { type Weighed, weighing } from "./weigh.ts";
import { type WordHasher, wordHasher } from "./word-hasher.ts";

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
export function loreRanking(
  db: Db,
  hasher: WordHasher = wordHasher(keyedHash("")),
): (question: LoreQuestion) => LoreNote[] {
  const withScales = scalesOf(db);
  const read = conversationReader();
  const statements = new Map<number, ReturnType<typeof prepare>>();
  const statementFor = (accounts: number) => {
    const known = statements.get(accounts) ?? prepare(db, accounts);
    statements.set(accounts, known);
    return known;
  };
  return ({ accounts, conversation, policy, isStrict, nowMs, ...question }) => {
    const { channel, persona, limit, shown = limit } = question;
    const said = isStrict ? conversation : { ...conversation, others: [] };
    const base = baseScores(nowMs, policy.scales);
    const asked = read(said);
    const table = hashedTable(asked.sought, hasher);
    const lore = weighing(asked, table, base, { ...policy, shown, isStrict });
    const rows = withScales({ base, lore, hasher }, () =>
      statementFor(accounts.length).all(
        { channel, persona, limit, floor: policy.readFloor, hashedBy: hasher.number },
        ...accounts,
      ),
    );
    return rows.map((row) => loreNote(row, lore.note(row.id)));
  };
}

function loreNote({ id, fact, topics, createdAtMs }: Row, weighed: Weighed): LoreNote {
  const { kind, score, place, base, importance, lexical, topic } = weighed;
  const terms = { base, importance, lexical, topic };
  return { id, fact, topics, createdAtMs, kind, score, place, terms };
}

interface Parameters {
  readonly channel: string;
  readonly persona: string | null;
  readonly limit: number;
  readonly floor: number;
  /** Whose hashes can be compared. */
  readonly hashedBy: number;
}

interface Row {
  readonly id: number;
  readonly fact: string;
  readonly topics: string;
  readonly createdAtMs: number;
}

/**
 * Every note is weighed before the first is ranked, since how rare a word is depends on all of them: hence an aggregate.
 * What that needs lies in the index, but for words that are not hashed; the notes themselves, each on another page, are
 * read for the best alone.
 */
function prepare(db: Db, accounts: number) {
  const subjects = Array.from({ length: accounts }, () => "?").join(", ");
  return db.prepare<[Parameters, ...string[]], Row>(
    `SELECT id, fact, topics, created_at AS createdAtMs FROM semantic_notes WHERE id IN (
       SELECT value FROM json_each((
         SELECT lore_best(id, kind, confidence, pinned, last_confirmed_at, importance,
           iif(hashed_by = :hashedBy AND word_hashes IS NOT NULL, word_hashes, lore_hashes(words, topics)))
         FROM semantic_notes
         WHERE channel = :channel AND scope = 'viewer' AND subject_id IN (${subjects}) AND status = 'active'
           AND (persona IS NULL OR persona = :persona) AND confidence >= :floor
       )) WHERE key < :limit
     )
     ORDER BY lore_rank(id)`,
  );
}
