import type { RecallPolicy } from "../config/memory-schema.ts";
import type { Db } from "../db/open.ts";
import { type Conversation, conversationReader } from "./asked.ts";
import type { RecalledNote, ScoreTerms } from "./note.ts";
import { BASE_SCORE, type ScaleParameters, scaleParameters } from "./score.ts";
import { type Weighed, type WeighedRow, type Weighing, weighing } from "./weigh.ts";

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
 * The ranking of what is known about a person, best first: one statement over their own few rows, found by index. Its
 * order is the ORDER BY; what depends on words is weighed by functions that the connection has for it.
 */
export function loreRanking(db: Db): (question: LoreQuestion) => LoreNote[] {
  const connection = weighedBy(db);
  const read = conversationReader();
  const statements = new Map<string, ReturnType<typeof prepare>>();
  const statementFor = (accounts: number, isStrict: boolean) => {
    const key = `${accounts} ${isStrict}`;
    const known = statements.get(key) ?? prepare(db, accounts, isStrict);
    statements.set(key, known);
    return known;
  };
  return ({ accounts, conversation, policy, isStrict, nowMs, ...question }) => {
    const said = isStrict ? conversation : { ...conversation, others: [] };
    const weigh = weighing(read(said), { ...policy, shown: question.shown ?? question.limit });
    connection.weigh = weigh;
    try {
      const slots = statementFor(accounts.length, isStrict).all(
        {
          ...question,
          ...scaleParameters(policy.scales),
          now: nowMs,
          floor: policy.readFloor,
        },
        ...accounts,
      );
      return slots.map((slot) => loreNote(weigh.note(slot)));
    } finally {
      connection.weigh = null;
    }
  };
}

function loreNote(weighed: Weighed): LoreNote {
  const { id, fact, topics, kind, score, place, base, importance, lexical, topic } = weighed;
  return { id, fact, topics, kind, score, place, terms: { base, importance, lexical, topic } };
}

interface Parameters extends ScaleParameters {
  readonly channel: string;
  readonly persona: string | null;
  readonly limit: number;
  readonly now: number;
  readonly floor: number;
}

/**
 * Every row is weighed before the first is ranked, since how rare a word is depends on all of them: hence MATERIALIZED.
 * What a note says lies in its slot: carrying texts through two sorted tables would cost more than ranking them.
 */
function prepare(db: Db, accounts: number, isStrict: boolean) {
  const subjects = Array.from({ length: accounts }, () => "?").join(", ");
  return db
    .prepare<[Parameters, ...string[]], number>(
      `WITH own AS MATERIALIZED (
         SELECT id, last_confirmed_at,
           lore_weigh(id, kind, last_confirmed_at, ${BASE_SCORE}, importance, fact, words, topics) AS slot
         FROM semantic_notes
         WHERE channel = :channel AND scope = 'viewer' AND subject_id IN (${subjects}) AND status = 'active'
           AND (persona IS NULL OR persona = :persona) AND confidence >= :floor
       )
       SELECT slot FROM own ${isStrict ? "WHERE lore_is_on_topic(slot)" : ""}
       ORDER BY lore_order(slot), last_confirmed_at DESC, id DESC LIMIT :limit`,
    )
    .pluck();
}

interface Connection {
  /** Of the statement that runs; null between. */
  weigh: Weighing | null;
}

/** More than any score, by the bounds of the configuration. */
const PLACE_APART = 1_000;

const connections = new WeakMap<Db, Connection>();

/** The functions of a connection stand for whichever weighing is under way on it: a statement never waits half-way. */
function weighedBy(db: Db): Connection {
  const known = connections.get(db);
  if (known !== undefined) return known;
  const connection: Connection = { weigh: null };
  connections.set(db, connection);
  const current = (): Weighing => {
    if (connection.weigh === null) throw new Error("lore is weighed by its own statement alone");
    return connection.weigh;
  };
  db.function("lore_weigh", { directOnly: true, varargs: true }, (...row: WeighedRow) =>
    current().add(row),
  );
  // Place first, then score, as one number: a call for each note is what ranking costs.
  db.function("lore_order", { directOnly: true }, (slot: number) => {
    const { place, score } = current().note(slot);
    return place * PLACE_APART - score;
  });
  db.function("lore_is_on_topic", { directOnly: true }, (slot: number) =>
    Number(current().note(slot).isOnTopic),
  );
  return connection;
}
