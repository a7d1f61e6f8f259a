import { accountStore } from "../chat/account-store.ts";
import { identityStore } from "../chat/identity-store.ts";
import { Fault } from "../errors.ts";
import { type NoteDetail, type NoteView, noteReviewStore } from "../memory/note-review-store.ts";
import { loadConfig } from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import type { Terminal } from "./terminal.ts";

const ABOUT_WIDTH_MIN = 16;
const DAY_MS = 86_400_000;
/** What the importance `high` adds to a score. */
const HIGH_IMPORTANCE = 0.2;

export interface NotesOptions {
  readonly config: string;
  readonly viewer?: string;
  readonly channel?: string;
  readonly status?: string;
  readonly kind?: string;
  readonly scope?: string;
  readonly property?: string;
  /** Not confirmed for so many days. */
  readonly older?: number;
  readonly limit: number;
  readonly json?: true;
}

/** Lists notes, newest first; with words, those that hold one of them or are about a person called so. */
export function listNotes(words: string | null, options: NotesOptions, terminal: Terminal): void {
  if (words?.trim() === "") throw nothingToSearch();
  withDatabase(options.config, (db) => {
    const review = noteReviewStore(db);
    const channel = options.channel?.toLowerCase().replace(/^#/, "") ?? null;
    const { older, status = null, kind = null, scope = null, property = null } = options;
    const notes = review.notes({
      accounts: options.viewer === undefined ? null : accountsOf(db, options.viewer),
      channel,
      ...{ status, kind, scope, property },
      confirmedBeforeMs: older === undefined ? null : Date.now() - older * DAY_MS,
      words: words ?? "",
      // One more than is shown tells whether there are more.
      limit: options.limit + 1,
    });
    const shown = notes.slice(0, options.limit);
    if (options.json === true) return terminal.print(JSON.stringify(shown, null, 2));
    const more =
      notes.length > shown.length
        ? [`There are more: --limit ${Math.max(1, 2 * options.limit)}`]
        : [];
    terminal.print(
      notes.length === 0
        ? "No notes."
        : [...noteLines(shown), countsLine(review.countsByScope(channel)), ...more].join("\n"),
    );
  });
}

/** Of all that are in force, whatever was asked for. */
function countsLine(counts: Readonly<Record<string, number>>): string {
  const { viewer = 0, channel = 0, bit = 0 } = counts;
  return `In force: ${viewer} about viewers, ${channel} about the channel, ${bit} running jokes.`;
}

/** Of one person, whichever of their accounts was named: what was learned of either is known of both. */
function accountsOf(db: Db, viewer: string): readonly string[] {
  return identityStore(db, Date.now).accountsOf(accountStore(db).named(viewer).userId);
}

/** Shows one note, and why it is there. */
export function showNote(
  id: number,
  { config, json }: { readonly config: string; readonly json?: true },
  terminal: Terminal,
): void {
  withDatabase(config, (db) => {
    const note = noteReviewStore(db).note(id);
    if (note === null) {
      throw new Fault(`there is no note ${id}`, {
        code: "usage",
        mend: "see `forgetmenot memory list` for the numbers",
      });
    }
    terminal.print(json === true ? JSON.stringify(note, null, 2) : noteText(note));
  });
}

function withDatabase(configFile: string, work: (db: Db) => void): void {
  const db = openDatabase(loadConfig(configFile).databaseFile, { readOnly: true });
  try {
    work(db);
  } finally {
    db.close();
  }
}

function noteLines(notes: readonly NoteView[]): string[] {
  const width = Math.max(ABOUT_WIDTH_MIN, ...notes.map((note) => aboutText(note).length));
  return notes.map((note) => {
    const marks = [
      ...(note.status === "active" ? [] : [note.status]),
      ...(note.pinned ? ["pinned"] : []),
      ...(note.persona === null ? [] : [`of ${note.persona} only`]),
    ];
    const status = marks.length === 0 ? "" : ` [${marks.join(", ")}]`;
    return `${String(note.id).padStart(6)}  ${note.kind.padEnd(11)} ${aboutText(note).padEnd(width)} ${note.fact}${status}`;
  });
}

function aboutText({ about, scope }: NoteView): string {
  return about ?? (scope === "bit" ? "(a joke)" : "(channel)");
}

function noteText(note: NoteDetail): string {
  const chain = [
    ...(note.successors.length === 0
      ? []
      : [`Its place was taken by note ${note.successors.join(", then by note ")}.`]),
    ...note.superseded.map((id) => `It took the place of note ${id}.`),
  ];
  const why = note.evidenceRows.map(
    ({ episodeId, episodeKind, topic, claim, method, createdAtMs }) =>
      `  ${localTime(createdAtMs)}  episode ${episodeId} (${[episodeKind, topic].filter((part) => part !== "").join(", ")}), ${method}: ${claim ?? "its claim was withdrawn"}`,
  );
  return [
    `Note ${note.id} in #${note.channel}: ${note.fact}`,
    `${note.kind} about ${note.about ?? "the channel"} · ${note.status}${note.pinned ? ", pinned" : ""} · confidence ${note.confidence.toFixed(2)} · last confirmed ${localTime(note.lastConfirmedAtMs)}`,
    `${lifeText(note)} · importance ${importanceText(note.importance)} · ${propertyText(note)} · topics: ${note.topics === "" ? "none" : note.topics}`,
    `rests on ${note.evidence} ${note.evidence === 1 ? "episode" : "episodes"} · ${usedText(note)} · ${note.persona === null ? "shared by all personas" : `persona ${note.persona}`}`,
    ...chain,
    "",
    "Because of:",
    ...why,
  ].join("\n");
}

function lifeText({ lifetime, expiresAtMs }: NoteDetail): string {
  const given = lifetime === null ? "by its kind" : `lifetime ${lifetime}`;
  return expiresAtMs === null
    ? `stays for good (${given})`
    : `runs out ${localTime(expiresAtMs)} (${given})`;
}

function importanceText(importance: number): string {
  if (importance <= 0) return "low";
  return importance < HIGH_IMPORTANCE ? "medium" : "high";
}

function propertyText({ property, propertyValue, propertyGame }: NoteDetail): string {
  if (property === null) return "no property";
  const game = propertyGame === null ? "" : ` in ${propertyGame}`;
  return `${property}${game}: ${propertyValue ?? "not told"}`;
}

function nothingToSearch(): Fault {
  return new Fault("nothing to look for", {
    code: "usage",
    mend: "such as `forgetmenot memory search guitar`, or a person's name; `memory list` shows all",
  });
}

function usedText({ useCount, lastUsedAtMs }: NoteDetail): string {
  return lastUsedAtMs === null
    ? "not used yet"
    : `used in ${useCount} ${useCount === 1 ? "reply" : "replies"}, last ${localTime(lastUsedAtMs)}`;
}
