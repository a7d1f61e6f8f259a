import { AccountStore, IdentityStore, prepareAccountWrites } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cleanLine } from "../language/clean.ts";
import { findPeople } from "../language/people.ts";
import { SaidEpisodes, type SaidFact } from "./episode-store.ts";
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
 * Imports a checked file under the write policy; a known fact stays as it is. Blocks, but pauses after every ten notes
 * of a viewer, so that a running bot can write. An interrupted import can be repeated. Leaves out viewers who opted
 * out, were forgotten after the export, or were forgotten before it and are still unknown.
 */
export function importContent(
  parts: ImportParts,
  content: ExportContent,
  isDryRun: boolean,
): ImportReport {
  const { db } = parts;
  const work = new Import(parts, content);
  if (!isDryRun) {
    for (const step of work.steps()) {
      db.transaction(step).immediate();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
    return work.report();
  }
  // A transaction that is rolled back must not have been written to the log: the file may hold private text.
  const spill = db.pragma("cache_spill", { simple: true });
  db.pragma("cache_spill = OFF");
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const step of work.steps()) step();
    return work.report();
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
    db.pragma(`cache_spill = ${Number(spill)}`);
  }
}

/** The parts, the steps and the counts of one import. */
class Import {
  readonly #parts: ImportParts;
  readonly #content: ExportContent;
  readonly #said: SaidEpisodes;
  readonly #notes: NoteStore;
  readonly #people: ReadonlyMap<string, ExportContent["people"][number]>;
  readonly #accounts: AccountStore;
  /** Viewers who came with this import. */
  readonly #newcomers = new Set<string>();
  /** Notes that this import wrote: it never replaces them. */
  readonly #written = new Set<number>();
  readonly #counts = new Map<string, number>();
  #merged = 0;

  constructor(parts: ImportParts, content: ExportContent) {
    const { db, now } = parts;
    this.#parts = parts;
    this.#content = content;
    this.#said = new SaidEpisodes(db, "import");
    this.#notes = new NoteStore(db, now);
    this.#people = new Map(content.people.map((person) => [person.userId, person]));
    this.#accounts = new AccountStore(db);
  }

  /** Returns the steps in order. Each imports at most ten notes of one subject; the last one merges accounts. */
  steps(): (() => void)[] {
    const groups = new Map<string, ExportedNote[]>();
    for (const note of this.#content.notes) {
      const key = `${note.channel} ${note.subjectId ?? ""}`;
      const group = groups.get(key) ?? [];
      group.push(note);
      groups.set(key, group);
    }
    const steps: (() => void)[] = [];
    for (const group of groups.values())
      for (let from = 0; from < group.length; from += EPISODE_NOTES_MAX)
        steps.push(() => this.#importEpisode(group.slice(from, from + EPISODE_NOTES_MAX)));
    return [...steps, () => this.#mergeNewcomers()];
  }

  report(): ImportReport {
    const count = (what: string): number => this.#counts.get(what) ?? 0;
    return {
      notes: this.#content.notes.length,
      written: count("written"),
      confirmed: count("confirmed"),
      superseded: count("superseded"),
      dropped: count("dropped"),
      byReason: Object.fromEntries([...this.#counts].filter(([key]) => key.includes(" ")).sort()),
      merged: this.#merged,
    };
  }

  #count(result: string, reason: string): void {
    for (const key of [result, `${result} ${reason}`])
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /**
   * Merges the file's accounts of one person if this import added both. Leaves others apart: a changed file could show
   * a known viewer's notes to someone else.
   */
  #mergeNewcomers(): void {
    const identities = new IdentityStore(this.#parts.db, this.#parts.now);
    for (const { userId, sameAs } of this.#content.aliases) {
      if (!this.#newcomers.has(userId) || !this.#newcomers.has(sameAs))
        this.#count("accounts", "left apart");
      else if (identities.merge(userId, sameAs)) this.#merged += 1;
    }
  }

  /**
   * Imports notes about one viewer, or about the channel, as an episode. If none is written, adds no episode. Else adds
   * the viewer if they are unknown.
   */
  #importEpisode(notes: readonly ExportedNote[]): void {
    const { now } = this.#parts;
    const fit = notes.filter((note) => {
      const reason = this.#findRefusal(note);
      if (reason !== null) this.#count("dropped", reason);
      return reason === null;
    });
    const [first] = fit;
    if (first === undefined) return;
    const { channel, subjectId } = first;
    const startedAtMs = Math.min(...fit.map(({ createdAtMs }) => createdAtMs), now());
    const episodeId = this.#said.begin(channel, subjectId, now(), startedAtMs);
    const kept = fit.filter((note, at) => this.#importNote(note, episodeId, at + 1));
    if (kept.length === 0) this.#said.deleteEpisode(episodeId);
    else if (subjectId !== null) this.#addViewer(subjectId);
  }

  /** Returns why a note is not even offered to the write policy; null if it may be. */
  #findRefusal(note: ExportedNote): ImportRefusal | null {
    const { channels, settings, now, isOptedOut } = this.#parts;
    const { channel, subjectId, persona, expiresAtMs, fact, topics } = note;
    if (!channels.includes(channel)) return "other_channel";
    if (persona !== null && persona !== settings(channel).persona) return "other_persona";
    if (expiresAtMs !== null && expiresAtMs <= now()) return "expired";
    if ([fact, ...topics].some((text) => cleanLine(text) !== text)) return "unseen_characters";
    const named = findPeople(fact);
    // A viewer's note is shown to that viewer only, so it must not name others.
    if (subjectId !== null && named.some((id) => id !== subjectId)) return "names_other";
    const subjects = subjectId === null ? named : [subjectId];
    if (subjects.some(isOptedOut)) return "opted_out";
    return subjects.some((userId) => this.#wasForgotten(userId)) ? "forgotten" : null;
  }

  /** Returns true if a viewer was forgotten after the export, or was forgotten before it and is still unknown. */
  #wasForgotten(userId: string): boolean {
    const atMs = this.#parts.forgottenAtMs(userId);
    if (atMs === null) return false;
    return atMs >= this.#content.exportedAtMs || this.#accounts.findById(userId) === null;
  }

  /** Adds a viewer of the file if they are unknown. Twitch's name replaces the file's at their next message. */
  #addViewer(userId: string): void {
    const person = this.#people.get(userId);
    if (person === undefined || this.#accounts.findById(userId) !== null) return;
    const displayName = cleanLine(person.displayName) || person.login;
    const { db, now } = this.#parts;
    prepareAccountWrites(db).add({ ...person, displayName }, now());
    this.#newcomers.add(userId);
  }

  /** Imports one note as claim `n` of an episode. Returns false, and adds no claim, if it is refused or known. */
  #importNote(note: ExportedNote, episodeId: number, n: number): boolean {
    const candidate = this.#said.claim(episodeId, n, toSaidFact(note));
    const origin = { channel: note.channel, freshNoteIds: this.#written };
    const { verdict, noteId } = this.#parts.writer.write(candidate, origin);
    if (noteId === null || verdict.kind === "confirm") {
      // A known fact stays as it is: a file is not evidence, and does not extend its life.
      this.#said.deleteClaim(episodeId, n);
      this.#count(verdict.kind === "confirm" ? "confirmed" : "dropped", verdict.reason);
      return false;
    }
    this.#written.add(noteId);
    // Dates stay as in the file: an import does not confirm a note.
    const nowMs = this.#parts.now();
    this.#notes.backdate(noteId, {
      createdAtMs: Math.min(note.createdAtMs, nowMs),
      lastConfirmedAtMs: Math.min(note.lastConfirmedAtMs, nowMs),
      expiresAtMs: chooseEnd(note, this.#notes.get(noteId).expiresAtMs, nowMs),
    });
    this.#count(verdict.kind === "supersede" ? "superseded" : "written", verdict.reason);
    return true;
  }
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

/**
 * Returns when an imported note ends, epoch ms; null if never. It ends as in the file, but at most its lifetime from
 * now. Without a lifetime in days, it ends at `kindEndMs` at the latest. A note without an end in the file gets
 * `kindEndMs` only if it was extracted, and not as `permanent`.
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
