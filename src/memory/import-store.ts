import { accountStore, accountWriter } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cleanLine } from "../language/clean.ts";
import { peopleIn } from "../language/people.ts";
import { type SaidFact, saidEpisodes, saidOrigin } from "./episode-store.ts";
import type { ExportContent, ExportedNote } from "./export-store.ts";
import { endOf, type NoteSettings } from "./note-settings.ts";
import { noteStore } from "./note-store.ts";
import type { NoteWriter } from "./note-writer.ts";

export interface ImportParts {
  readonly db: Db;
  readonly writer: NoteWriter;
  readonly channels: readonly string[];
  readonly settings: (channel: string) => NoteSettings;
  /** When somebody was forgotten; null: never. */
  readonly forgottenAtMs: (userId: string) => number | null;
  readonly isOptedOut: (userId: string) => boolean;
  /** Makes two accounts one person; whether that was new. */
  readonly merge: (userId: string, into: string) => boolean;
  readonly now: () => number;
}

/** What became of the notes of a file. */
export interface ImportReport {
  readonly notes: number;
  readonly written: number;
  readonly confirmed: number;
  /** Written in the place of one that it contradicts. */
  readonly superseded: number;
  readonly dropped: number;
  /** By `written new`, `dropped sensitive` and so on. */
  readonly byReason: Readonly<Record<string, number>>;
  /** Accounts that were made one person. */
  readonly merged: number;
}

/** One person's notes become one episode with at most so many claims. */
const EPISODE_NOTES_MAX = 10;
/** Between two transactions a running bot gets the database. Blocks, so it is for a process of its own. */
const PAUSE_MS = 15;

/**
 * Takes over what a checked file holds, under the write policy of learned notes: each person's notes become episodes of kind
 * `import` first, each in a transaction of its own, so that a bot that runs meanwhile can write. An import that was cut off
 * is done again from the same file. Viewers who were forgotten since the file was made, or who opted out, do not
 * come back. With `isDryRun` nothing is changed.
 */
export function importContent(
  parts: ImportParts,
  content: ExportContent,
  isDryRun: boolean,
): ImportReport {
  const { db } = parts;
  if (!isDryRun) {
    return take(parts, content, (work) => {
      db.transaction(work).immediate();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    });
  }
  // A transaction that is rolled back must not have been written to the log: the file may hold private text.
  const spill = db.pragma("cache_spill", { simple: true });
  db.pragma("cache_spill = OFF");
  db.exec("BEGIN IMMEDIATE");
  try {
    return take(parts, content, (work) => work());
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
    db.pragma(`cache_spill = ${Number(spill)}`);
  }
}

type Taking = ReturnType<typeof opened>;

/** What an import works with. */
function opened(parts: ImportParts, { people, exportedAtMs }: ExportContent) {
  const { db } = parts;
  const counts = new Map<string, number>();
  return {
    ...parts,
    exportedAtMs,
    said: saidEpisodes(db, "import"),
    people: new Map(people.map((person) => [person.userId, person])),
    person: accountStore(db).byId,
    accounts: accountWriter(db),
    backdate: noteStore(db, parts.now).backdate,
    /** Who is known since this import alone. */
    newcomers: new Set<string>(),
    /** Notes that this file has made: it never supersedes what it wrote itself. */
    written: new Set<number>(),
    counts,
    count: (what: string, reason: string): void => {
      for (const key of [what, `${what} ${reason}`]) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  };
}

function take(
  parts: ImportParts,
  content: ExportContent,
  inStep: (work: () => void) => void,
): ImportReport {
  const taking = opened(parts, content);
  for (const group of grouped(content.notes)) {
    for (let from = 0; from < group.length; from += EPISODE_NOTES_MAX) {
      inStep(() => takeGroup(taking, group.slice(from, from + EPISODE_NOTES_MAX)));
    }
  }
  let merged = 0;
  inStep(() => {
    merged = mergeNewcomers(taking, content.aliases);
  });
  const count = (what: string): number => taking.counts.get(what) ?? 0;
  return {
    notes: content.notes.length,
    written: count("written"),
    confirmed: count("confirmed"),
    superseded: count("superseded"),
    dropped: count("dropped"),
    byReason: Object.fromEntries([...taking.counts].filter(([key]) => key.includes(" ")).sort()),
    merged,
  };
}

/**
 * Two accounts are one person on the word of a file only where both came in with it: whoever can change a file could
 * else be somebody who is known here, and see their notes.
 */
function mergeNewcomers(taking: Taking, aliases: ExportContent["aliases"]): number {
  const { newcomers, merge, count } = taking;
  const isNew = (userId: string): boolean => newcomers.has(userId);
  const own = aliases.filter(({ userId, sameAs }) => isNew(userId) && isNew(sameAs));
  // Where it is only tried, they are gone again.
  for (const { userId, sameAs } of own) for (const id of [userId, sameAs]) introduce(taking, id);
  for (let n = own.length; n < aliases.length; n += 1) count("accounts", "left apart");
  return own.filter(({ userId, sameAs }) => merge(userId, sameAs)).length;
}

/** Notes about one subject in one channel. */
function grouped(notes: readonly ExportedNote[]): ExportedNote[][] {
  const groups = new Map<string, ExportedNote[]>();
  for (const note of notes) {
    const key = `${note.channel} ${note.subjectId ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), note]);
  }
  return [...groups.values()];
}

function takeGroup(taking: Taking, notes: readonly ExportedNote[]): void {
  const { said, accounts, newcomers, now } = taking;
  const fit = notes.filter((note) => {
    const reason = refusal(taking, note);
    if (reason !== null) taking.count("dropped", reason);
    return reason === null;
  });
  const [first] = fit;
  if (first === undefined) return;
  const { channel, subjectId } = first;
  const isNewcomer = subjectId !== null && introduce(taking, subjectId);
  const startedAtMs = Math.min(...fit.map(({ createdAtMs }) => createdAtMs), now());
  const episodeId = said.begin(channel, subjectId, now(), startedAtMs);
  const kept = fit.filter((note, at) => takeNote(taking, note, { episodeId, n: at + 1 }));
  if (kept.length > 0) return;
  said.remove(episodeId);
  if (!isNewcomer) return;
  accounts.remove(subjectId);
  newcomers.delete(subjectId);
}

/** Why a note of a file is not even judged: what the write policy cannot know. */
type ImportRefusal =
  | "other_channel"
  | "other_persona"
  | "expired"
  | "unseen_characters"
  | "names_other"
  | "opted_out"
  | "forgotten";

function refusal(taking: Taking, note: ExportedNote): ImportRefusal | null {
  const { channel, subjectId, persona, expiresAtMs, fact, topics } = note;
  if (!taking.channels.includes(channel)) return "other_channel";
  if (persona !== null && persona !== taking.settings(channel).persona) return "other_persona";
  if (expiresAtMs !== null && expiresAtMs <= taking.now()) return "expired";
  if ([fact, ...topics].some((text) => cleanLine(text) !== text)) return "unseen_characters";
  const named = peopleIn(fact);
  // A viewer's note is shown to that viewer only: it says nothing of others.
  if (subjectId !== null && named.some((id) => id !== subjectId)) return "names_other";
  const meant = subjectId === null ? named : [subjectId];
  if (meant.some(taking.isOptedOut)) return "opted_out";
  return meant.some((userId) => isGone(taking, userId)) ? "forgotten" : null;
}

/** Who was forgotten and did not come back since stays forgotten, whatever time the file claims to be from. */
function isGone({ forgottenAtMs, exportedAtMs, person }: Taking, userId: string): boolean {
  const atMs = forgottenAtMs(userId);
  return atMs !== null && (atMs >= exportedAtMs || person(userId) === null);
}

/** Whether the person was not known yet. Their name now is what Twitch says at their next message. */
function introduce(taking: Taking, userId: string): boolean {
  const person = taking.people.get(userId);
  if (person === undefined || taking.person(userId) !== null) return false;
  const displayName = cleanLine(person.displayName) || person.login;
  taking.accounts.add({ ...person, displayName }, taking.now());
  taking.newcomers.add(userId);
  return true;
}

/** Whether anything rests on the episode for it. */
function takeNote(
  taking: Taking,
  note: ExportedNote,
  { episodeId, n }: { readonly episodeId: number; readonly n: number },
): boolean {
  const { said, count } = taking;
  const told = said.claim(episodeId, n, asSaid(note));
  const origin = saidOrigin(note.channel, taking.written);
  const { verdict, noteId } = taking.writer.write(told, origin);
  if (noteId === null || verdict.kind === "confirm") {
    // What is known already is: a file is no evidence for it, and no reason to keep it longer.
    said.dropClaim(episodeId, n);
    count(verdict.kind === "confirm" ? "confirmed" : "dropped", verdict.reason);
    return false;
  }
  taking.written.add(noteId);
  // It is as old as it was: a file is no reason to believe anything anew.
  const { createdAtMs, lastConfirmedAtMs, expiresAtMs, source, lifetime } = note;
  const nowMs = taking.now();
  taking.backdate({
    noteId,
    createdAtMs: Math.min(createdAtMs, nowMs),
    lastConfirmedAtMs: Math.min(lastConfirmedAtMs, nowMs),
    expiresAtMs,
    isForGood: expiresAtMs === null && (source !== "extracted" || lifetime === "permanent") ? 1 : 0,
    // A file may bring a life that was given to a note, but none that is longer than that from now.
    givenUntilMs: lifetime ? endOf(lifetime, nowMs) : null,
  });
  count(verdict.kind === "supersede" ? "superseded" : "written", verdict.reason);
  return true;
}

function asSaid(note: ExportedNote): SaidFact {
  const { scope, subjectId, kind, fact, topics, confidence, importance } = note;
  return {
    ...{ scope, subjectId, kind, fact, topics, confidence, importance, source: "import" },
    ...{ lifetime: note.lifetime ?? null, property: note.property ?? null },
    happensOn: note.happensOn ?? null,
  };
}
