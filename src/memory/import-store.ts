import { AccountStore, IdentityStore, prepareAccountWrites } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cleanLine } from "../language/clean.ts";
import { findPeople } from "../language/people.ts";
import { makeSaidOrigin, SaidEpisodes, type SaidFact } from "./episode-store.ts";
import type { ExportContent, ExportedNote } from "./export-store.ts";
import { endOf, type NoteSettings } from "./note-settings.ts";
import { NoteStore } from "./note-store.ts";
import type { NoteWriter } from "./note-writer.ts";

export interface ImportParts {
  readonly db: Db;
  readonly writer: NoteWriter;
  readonly channels: readonly string[];
  readonly settings: (channel: string) => NoteSettings;
  /** When a viewer was forgotten; null if never. */
  readonly forgottenAtMs: (userId: string) => number | null;
  readonly isOptedOut: (userId: string) => boolean;
  readonly now: () => number;
}

/** The result of an import. */
export interface ImportReport {
  readonly notes: number;
  readonly written: number;
  readonly confirmed: number;
  /** Written, replacing one that it contradicts. */
  readonly superseded: number;
  readonly dropped: number;
  /** By `written new`, `dropped sensitive` and so on. */
  readonly byReason: Readonly<Record<string, number>>;
  /** Accounts that were made one person. */
  readonly merged: number;
}

/** The most notes of one import episode. */
const EPISODE_NOTES_MAX = 10;
/** Pause between two transactions for a running bot. It blocks, so import runs in its own process. */
const PAUSE_MS = 15;

/**
 * Imports a checked file under the write policy. Each viewer's notes become episodes of kind `import`, each in one
 * transaction, so that a running bot can write. An interrupted import can be repeated. Viewers who opted out, were
 * forgotten after the export, or were forgotten and did not return, stay out. With `isDryRun` nothing changes.
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

type ImportState = ReturnType<typeof openImport>;

/** The parts and counts of one import. */
function openImport(parts: ImportParts, { people, exportedAtMs }: ExportContent) {
  const { db } = parts;
  const counts = new Map<string, number>();
  const viewers = new AccountStore(db);
  return {
    ...parts,
    exportedAtMs,
    said: new SaidEpisodes(db, "import"),
    people: new Map(people.map((person) => [person.userId, person])),
    person: (id: string) => viewers.findById(id),
    accounts: prepareAccountWrites(db),
    identities: new IdentityStore(db, parts.now),
    notes: new NoteStore(db, parts.now),
    /** Viewers who came with this import. */
    newcomers: new Set<string>(),
    /** Notes that this import wrote: it never replaces them. */
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
  const taking = openImport(parts, content);
  for (const group of groupNotes(content.notes)) {
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
 * Merges accounts if both came with this file, and returns how many pairs. Leaves others apart: a changed file could
 * show a known viewer's notes to someone else.
 */
function mergeNewcomers(taking: ImportState, aliases: ExportContent["aliases"]): number {
  const { newcomers, identities, count } = taking;
  const isNew = (userId: string): boolean => newcomers.has(userId);
  const own = aliases.filter(({ userId, sameAs }) => isNew(userId) && isNew(sameAs));
  // A dry run removed them again.
  for (const { userId, sameAs } of own) for (const id of [userId, sameAs]) addPerson(taking, id);
  for (let n = own.length; n < aliases.length; n += 1) count("accounts", "left apart");
  return own.filter(({ userId, sameAs }) => identities.merge(userId, sameAs)).length;
}

/** Groups notes by subject and channel. */
function groupNotes(notes: readonly ExportedNote[]): ExportedNote[][] {
  const groups = new Map<string, ExportedNote[]>();
  for (const note of notes) {
    const key = `${note.channel} ${note.subjectId ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), note]);
  }
  return [...groups.values()];
}

function takeGroup(taking: ImportState, notes: readonly ExportedNote[]): void {
  const { said, accounts, newcomers, now } = taking;
  const fit = notes.filter((note) => {
    const reason = findRefusal(taking, note);
    if (reason !== null) taking.count("dropped", reason);
    return reason === null;
  });
  const [first] = fit;
  if (first === undefined) return;
  const { channel, subjectId } = first;
  const isNewcomer = subjectId !== null && addPerson(taking, subjectId);
  const startedAtMs = Math.min(...fit.map(({ createdAtMs }) => createdAtMs), now());
  const episodeId = said.begin(channel, subjectId, now(), startedAtMs);
  const kept = fit.filter((note, at) => takeNote(taking, note, { episodeId, n: at + 1 }));
  if (kept.length > 0) return;
  said.remove(episodeId);
  if (!isNewcomer) return;
  accounts.remove(subjectId);
  newcomers.delete(subjectId);
}

/** Why a note is left out before the write policy judges it. */
type ImportRefusal =
  | "other_channel"
  | "other_persona"
  | "expired"
  | "unseen_characters"
  | "names_other"
  | "opted_out"
  | "forgotten";

function findRefusal(taking: ImportState, note: ExportedNote): ImportRefusal | null {
  const { channel, subjectId, persona, expiresAtMs, fact, topics } = note;
  if (!taking.channels.includes(channel)) return "other_channel";
  if (persona !== null && persona !== taking.settings(channel).persona) return "other_persona";
  if (expiresAtMs !== null && expiresAtMs <= taking.now()) return "expired";
  if ([fact, ...topics].some((text) => cleanLine(text) !== text)) return "unseen_characters";
  const named = findPeople(fact);
  // A viewer's note is shown to that viewer only, so it must not name others.
  if (subjectId !== null && named.some((id) => id !== subjectId)) return "names_other";
  const subjects = subjectId === null ? named : [subjectId];
  if (subjects.some(taking.isOptedOut)) return "opted_out";
  return subjects.some((userId) => wasForgotten(taking, userId)) ? "forgotten" : null;
}

/**
 * Returns true if a viewer was forgotten after the export, or earlier and did not return. Ignores the dates of notes.
 */
function wasForgotten(
  { forgottenAtMs, exportedAtMs, person }: ImportState,
  userId: string,
): boolean {
  const atMs = forgottenAtMs(userId);
  return atMs !== null && (atMs >= exportedAtMs || person(userId) === null);
}

/**
 * Adds a viewer of the file. Returns true if they were unknown. Twitch's name replaces the file's at their next
 * message.
 */
function addPerson(taking: ImportState, userId: string): boolean {
  const person = taking.people.get(userId);
  if (person === undefined || taking.person(userId) !== null) return false;
  const displayName = cleanLine(person.displayName) || person.login;
  taking.accounts.add({ ...person, displayName }, taking.now());
  taking.newcomers.add(userId);
  return true;
}

/** Imports one note. Returns true if it was written. */
function takeNote(
  taking: ImportState,
  note: ExportedNote,
  { episodeId, n }: { readonly episodeId: number; readonly n: number },
): boolean {
  const { said, count } = taking;
  const candidate = said.claim(episodeId, n, toSaidFact(note));
  const origin = makeSaidOrigin(note.channel, taking.written);
  const { verdict, noteId } = taking.writer.write(candidate, origin);
  if (noteId === null || verdict.kind === "confirm") {
    // A known fact stays as it is: a file is not evidence, and does not extend its life.
    said.dropClaim(episodeId, n);
    count(verdict.kind === "confirm" ? "confirmed" : "dropped", verdict.reason);
    return false;
  }
  taking.written.add(noteId);
  // Dates stay as in the file: an import does not confirm a note.
  const nowMs = taking.now();
  taking.notes.backdate(noteId, {
    createdAtMs: Math.min(note.createdAtMs, nowMs),
    lastConfirmedAtMs: Math.min(note.lastConfirmedAtMs, nowMs),
    expiresAtMs: chooseEnd(note, taking.notes.get(noteId).expiresAtMs, nowMs),
  });
  count(verdict.kind === "supersede" ? "superseded" : "written", verdict.reason);
  return true;
}

/**
 * Returns the end of an imported note, epoch ms; null is never. It is the file's, but no later than a lifetime in days
 * from now, or else than the kind's, `kindEndMs`. The file may only make a note endless by a request or a given life.
 */
function chooseEnd(
  { expiresAtMs, source, lifetime = null }: ExportedNote,
  kindEndMs: number | null,
  nowMs: number,
): number | null {
  if (expiresAtMs === null)
    return source !== "extracted" || lifetime === "permanent" ? null : kindEndMs;
  const latestMs = (lifetime === null ? null : endOf(lifetime, nowMs)) ?? kindEndMs;
  return latestMs === null ? expiresAtMs : Math.min(expiresAtMs, latestMs);
}

function toSaidFact(note: ExportedNote): SaidFact {
  const { scope, subjectId, kind, fact, topics, confidence, importance } = note;
  return {
    ...{ scope, subjectId, kind, fact, topics, confidence, importance, source: "import" },
    ...{ lifetime: note.lifetime ?? null, property: note.property ?? null },
    happensOn: note.happensOn ?? null,
  };
}
