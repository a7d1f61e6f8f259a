import { prepareNameHolder } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cleanLine } from "../language/clean.ts";
import { findInstruction, findMarkup, type InstructionKind } from "../language/instruction.ts";
import {
  lowerAscii,
  makePersonToken,
  namesToRedact,
  removeTokens,
  type UnnamedPerson,
} from "../language/people.ts";
import { readAllFacts } from "../memory/note-reads-store.ts";
import { NoteStore, updateWords } from "../memory/note-store.ts";

/** A column with words. A forget removes names from it. A restore checks it if `charsMax` is not null. */
interface TextColumn {
  readonly table: string;
  readonly column: string;
  /** The columns that identify its row. */
  readonly key: readonly [string, string];
  /** True: a text with a removed name is removed itself. */
  readonly isDropped: boolean;
  /**
   * SQL for rows with the bot's own words: a forget removes every word that equals the name. null: only certain
   * mentions.
   */
  readonly own: string | null;
  /** The most characters that this program writes; null: a restore does not check this column here. */
  readonly charsMax: number | null;
  /** The name on the page; null if the page does not search the column for bare words. */
  readonly label: "note" | "summary" | "stream" | null;
  /** The column of the viewer whom the text is about; null if none. Undefined if its sentences name no others. */
  readonly subject?: string | null;
}

const NOTE_CHARS_MAX = 400;

/** Every column with words of chat or memory: a new one is one line here. */
const TEXTS: readonly TextColumn[] = [
  text("events", "text"),
  text("events", "text", { own: "kind = 'bot'" }),
  text("replies", "text", { own: "1" }),
  text("action_log", "args_json", { isDropped: true }),
  text("episodes", "topic", { charsMax: 4_000, label: "summary" }),
  text("episodes", "summary", { charsMax: 4_000, label: "summary", subject: null }),
  text("episodes", "unproven", { charsMax: 4_000, label: "summary", subject: null }),
  text("episode_claims", "statement", {
    key: ["episode_id", "n"],
    charsMax: 1_000,
    subject: "subject_id",
  }),
  text("semantic_notes", "fact", { label: "note", subject: "subject_id" }),
  text("semantic_notes", "topics"),
  text("semantic_notes", "property_value", { isDropped: true }),
  text("note_candidates", "fact", { isDropped: true }),
  text("note_candidates", "offer_json", { isDropped: true }),
  text("stream_sessions", "recap", { charsMax: 4_000, label: "stream", subject: null }),
];

function text(table: string, column: string, more: Partial<TextColumn> = {}): TextColumn {
  const standard = { key: ["id", "0"], isDropped: false, own: null, charsMax: null, label: null };
  return { ...standard, table, column, ...more } as TextColumn;
}

interface Found {
  readonly a: number;
  readonly b: number;
  readonly text: string;
}

/**
 * Returns a function that replaces people by `someone` in each column of `TEXTS`, and returns how many summaries
 * changed. Their tokens go, and their names as `redact` or `redactWords` find them. A name that another viewer has
 * stays. Where `isDropped`, the whole text goes. Call it inside a transaction.
 */
export function nameRemover(db: Db): (people: readonly UnnamedPerson[]) => number {
  const columns = TEXTS.map((one) => ({ ...one, rewrite: textRewriter(db, one) }));
  const isHeldByOther = prepareNameHolder(db);
  return (people) => {
    const ids = people.map(({ userId }) => userId);
    const names = namesToRedact(people).filter(({ needle }) => !isHeldByOther(needle, ids));
    const summaries = new Set<number>();
    for (const { table, own, rewrite } of columns) {
      const changed = [
        ...ids.flatMap((id) =>
          rewrite(lowerAscii(makePersonToken(id)), (stored) => removeTokens(stored, [id])),
        ),
        ...names.flatMap((name) => rewrite(name.needle, own ? name.redactWords : name.redact)),
      ];
      if (table === "episodes") for (const id of changed) summaries.add(id);
    }
    return summaries.size;
  };
}

/**
 * Returns a function that applies `change` to each text of a column that contains `needle` in any case. It returns the
 * first key of each changed row. `needle` must be in lower case. It reads the whole table.
 */
function textRewriter(db: Db, { table, column, key: [a, b], isDropped, own }: TextColumn) {
  const find = db.prepare<[string], Found>(
    `SELECT ${a} AS a, ${b} AS b, ${column} AS text FROM ${table}
     WHERE ${own ?? "1"} AND ${column} IS NOT NULL AND instr(lower(${column}), ?) > 0`,
  );
  const put = db.prepare<[string | null, number, number]>(
    `UPDATE ${table} SET ${column} = ? WHERE ${a} = ? AND ${b} = ?`,
  );
  return (needle: string, change: (stored: string) => string): number[] =>
    find.all(needle).flatMap((row) => {
      const left = change(row.text);
      if (left === row.text) return [];
      put.run(isDropped ? null : left, row.a, row.b);
      if (table === "semantic_notes") updateWords(db, row.a);
      return [row.a];
    });
}

const BARE_WORDS_MAX = 200;

/**
 * Finds at most 200 notes, topics, summaries and recaps with a login (without `@`) as a whole word, in any case. A
 * forget leaves bare words, which may mean something else.
 */
export function findBareWords(db: Db, login: string) {
  const needle = lowerAscii(login);
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${needle}(?![\\p{L}\\p{N}_])`, "iu");
  return TEXTS.flatMap(({ table, column, label }) =>
    label === null
      ? []
      : db
          .prepare<[string], { id: number; text: string }>(
            `SELECT id, ${column} AS text FROM ${table} WHERE instr(lower(${column}), ?) > 0`,
          )
          .all(needle)
          .filter((found) => whole.test(found.text))
          .map((found) => ({ of: label, ...found })),
  ).slice(0, BARE_WORDS_MAX);
}

/**
 * Returns whole summaries, claims, notes and recaps that hold the token `{u:id}` of one of these viewers. Leaves out
 * claims and notes about these viewers. The tokens stay: use `fillNames`. Reads whole tables.
 */
export function findTextsNaming(db: Db, userIds: readonly string[]): string[] {
  const ids = JSON.stringify(userIds);
  const found = TEXTS.flatMap(({ table, column, subject }) =>
    subject === undefined
      ? []
      : db
          .prepare<[object], string>(
            `SELECT ${column} FROM ${table} JOIN json_each(:ids) AS id ON instr(${column}, '{u:' || id.value || '}') > 0
             WHERE ${subject === null ? "1" : `coalesce(${subject}, '') NOT IN (SELECT value FROM json_each(:ids))`}`,
          )
          .pluck()
          .all({ ids }),
  );
  return [...new Set(found)];
}

/** No stored text has line breaks: in a prompt it would be more than one line. */
const BREAKS = /[\p{Cc}\u2028\u2029]/u;

/**
 * Removes notes, and empties summaries, claims and recaps, that the program would not have written: too long, several
 * lines, invisible characters, a link, action syntax or marks of a prompt. Also removes empty notes and notes that
 * order a bot. The streamer's and imported notes about the channel may hold links and orders; a note with a property,
 * orders. Returns how many texts were unfit. One transaction.
 */
export function removeUnfitTexts(db: Db, now: () => number): number {
  const notes = new NoteStore(db, now);
  const removeFrom = ({ table, column, key: [a, b], charsMax }: TextColumn): number => {
    if (charsMax === null) return 0;
    const rows = db.prepare<[], Found>(
      `SELECT ${a} AS a, ${b} AS b, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    // A copy may hold anything: its texts are not all read into memory.
    const unfit: { readonly a: number; readonly b: number }[] = [];
    for (const { text: stored, ...at } of rows.iterate()) {
      if (isUnfit(stored, charsMax)) unfit.push(at);
    }
    const empty = db.prepare<[number, number]>(
      `UPDATE ${table} SET ${column} = '' WHERE ${a} = ? AND ${b} = ?`,
    );
    for (const found of unfit) empty.run(found.a, found.b);
    return unfit.length;
  };
  return db.transaction(() => {
    const unfitNotes = readAllFacts(db).filter(({ fact, property, isStreamers }) => {
      const findReason = property === null ? findInstruction : findNonOrder;
      return fact === "" || isUnfit(fact, NOTE_CHARS_MAX, isStreamers ? findMarkup : findReason);
    });
    for (const { id } of unfitNotes) notes.remove(id);
    return TEXTS.reduce((sum, one) => sum + removeFrom(one), unfitNotes.length);
  })();
}

/** Returns true if a text is too long, has line breaks or unclean characters, or if `findReason` returns a reason. */
function isUnfit(stored: string, charsMax: number, findReason = findNonOrder): boolean {
  if (stored.length > charsMax || BREAKS.test(stored)) return true;
  // Where a name was removed, spaces may be left.
  const spaced = stored.normalize("NFC").replaceAll(/\s+/g, " ").trim();
  return cleanLine(stored) !== spaced || findReason(stored) !== null;
}

/** Returns why a text must not become a fact; null if it may, or if the only reason is an order to a bot. */
function findNonOrder(text: string): InstructionKind | null {
  const kind = findInstruction(text);
  return kind === "instruction" ? null : kind;
}
