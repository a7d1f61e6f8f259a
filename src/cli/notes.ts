import { type Fault, wrongUse } from "../errors.ts";
import { normalWords } from "../language/words.ts";
import {
  type CandidateView,
  type NoteDetail,
  type NoteView,
  noteReviewStore,
  reviewStore,
} from "../memory/review-store.ts";
import { localTime } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import { plural } from "../telemetry/figures.ts";
import { accountsOf, channelName, type Options, reading, tell } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

const ABOUT_WIDTH_MIN = 16;
/** So many rows are looked through for a word, newest first. */
const LOOKED_THROUGH_MAX = 10_000;
const DAY_MS = 86_400_000;
/** What the importance `high` adds to a score. */
const HIGH_IMPORTANCE = 0.2;

export interface NotesOptions extends Options {
  readonly viewer?: string;
  readonly channel?: string;
  readonly status?: string;
  readonly kind?: string;
  readonly scope?: string;
  readonly property?: string;
  /** Not confirmed for so many days. */
  readonly older?: number;
  readonly limit: number;
}

/** Lists notes, newest first; with words, those that hold one of them or are about a person called so. */
export function printNotes(words: string | null, options: NotesOptions, terminal: Terminal): void {
  if (words?.trim() === "") throw nothingToSearch();
  reading(options.config, ({ db, now }) => {
    const review = noteReviewStore(db, now());
    const channel = options.channel === undefined ? null : channelName(options.channel);
    const { older, status = null, kind = null, scope = null, property = null, limit } = options;
    const notes = review.notes({
      accounts: options.viewer === undefined ? null : accountsOf(db, options.viewer),
      ...{ channel, status, kind, scope, property },
      confirmedBeforeMs: older === undefined ? null : now() - older * DAY_MS,
      ...sought(words),
      // One more than is shown tells whether there are more.
      limit: limit + 1,
    });
    const shown = notes.slice(0, limit);
    const more = notes.length > limit ? [`There are more: --limit ${2 * limit}`] : [];
    tell(terminal, options, shown, () =>
      notes.length === 0
        ? ["No notes.", ...elsewhere({ db, nowMs: now() }, words, options)]
        : [...noteLines(shown), countsLine(review.countsByScope(channel)), ...more],
    );
  });
}

/** Where what was looked for stands else: in notes that the options leave out, in what was dropped, in summaries. */
function elsewhere(
  { db, nowMs }: { readonly db: Db; readonly nowMs: number },
  words: string | null,
  { config: _, json: __, limit, ...asked }: NotesOptions,
): string[] {
  const review = noteReviewStore(db, nowMs);
  const wanted = words?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const holds = (text: string | null): boolean =>
    wanted.some((word) => text?.toLowerCase().includes(word));
  const filters = Object.keys(asked).map((name) => `--${name}`);
  const unfiltered =
    filters.length === 0 ? [] : review.notes({ ...EVERY, ...sought(words), limit });
  const dropped = review
    .candidates({ reason: null, limit: LOOKED_THROUGH_MAX })
    .filter(({ fact, noteId }) => noteId === null && holds(fact));
  const episodes = reviewStore(db)
    .episodes(null, LOOKED_THROUGH_MAX)
    .filter(({ topic, summary }) => holds(topic) || holds(summary));
  return [
    ...(unfiltered.length === 0
      ? []
      : [`Without ${filters.join(", ")}: ${plural(unfiltered.length, "note")}.`]),
    ...(dropped.length === 0
      ? []
      : [
          `Offered and not kept: ${plural(dropped.length, "fact")}; \`forgetmenot memory candidates\` says why.`,
        ]),
    ...(episodes.length === 0
      ? []
      : [
          `In ${plural(episodes.length, "summary")}: \`forgetmenot memory episode ${episodes[0]?.id}\` shows the newest.`,
        ]),
  ];
}

function sought(words: string | null) {
  return { words: words ?? "", stems: normalWords(words ?? "") };
}

const EVERY = {
  ...{ accounts: null, channel: null, status: null, kind: null, scope: null, property: null },
  confirmedBeforeMs: null,
};

/** Of all that are in force, whatever was asked for. */
function countsLine(counts: Readonly<Record<string, number>>): string {
  const { viewer = 0, channel = 0, bit = 0 } = counts;
  return `In force: ${viewer} about viewers, ${channel} about the channel, ${bit} running jokes.`;
}

/** Shows one note, and why it is there. */
export function printNote(id: number, options: Options, terminal: Terminal): void {
  reading(options.config, ({ db, now }) => {
    const note = noteReviewStore(db, now()).note(id);
    if (note === null) {
      throw wrongUse(`there is no note ${id}`, "see `forgetmenot memory list` for the numbers");
    }
    tell(terminal, options, note, () => noteText(note, now()));
  });
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

function noteText(note: NoteDetail, nowMs: number): string {
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
    `${lifeText(note, nowMs)} · importance ${importanceText(note.importance)} · ${propertyText(note)} · topics: ${note.topics === "" ? "none" : note.topics}`,
    `rests on ${plural(note.evidence, "episode")} · ${usedText(note)} · ${note.persona === null ? "shared by all personas" : `persona ${note.persona}`}`,
    ...chain,
    "",
    "Because of:",
    ...why,
  ].join("\n");
}

function lifeText(note: NoteDetail, nowMs: number): string {
  const { lifetime, pinned, expiresAtMs } = note;
  const given = lifetime === null ? "by its kind" : `lifetime ${lifetime}`;
  return expiresAtMs === null
    ? `stays for good (${given})`
    : `${!pinned && expiresAtMs <= nowMs ? "ran out" : "runs out"} ${localTime(expiresAtMs)} (${given})`;
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
  return wrongUse(
    "nothing to look for",
    "such as `forgetmenot memory search guitar`, or a person's name; `forgetmenot memory list` shows all",
  );
}

function usedText({ useCount, lastUsedAtMs }: NoteDetail): string {
  return lastUsedAtMs === null
    ? "not used yet"
    : `used in ${plural(useCount, "reply")}, last ${localTime(lastUsedAtMs)}`;
}

export interface CandidatesOptions extends Options {
  readonly reason?: string;
  readonly limit: number;
}

/** Lists what was offered for memory and what became of it, newest first, and counts all of it by reason. */
export function listCandidates(options: CandidatesOptions, terminal: Terminal): void {
  const { config, reason = null, limit } = options;
  reading(config, ({ db, now }) => {
    const review = noteReviewStore(db, now());
    const candidates = review.candidates({ reason, limit });
    const byReason = review.candidateCounts();
    const counts = byReason.map((one) => `${one.decision} ${one.reason} ${one.count}`);
    tell(terminal, options, { candidates, byReason }, () => [
      ...(candidates.length === 0 ? ["No candidates."] : candidateLines(candidates)),
      "",
      `In the last 30 days, by reason: ${counts.join(", ") || "none"}`,
    ]);
  });
}

function candidateLines(candidates: readonly CandidateView[]): string[] {
  const verdict = ({ decision, reason }: CandidateView): string => `${decision} (${reason})`;
  const width = Math.max(...candidates.map((one) => verdict(one).length));
  return candidates.map((one) => {
    const note = one.noteId === null ? "" : `, note ${one.noteId}`;
    return `${localTime(one.createdAtMs)}  ${verdict(one).padEnd(width)}  ${one.fact ?? "(not kept)"}  [episode ${one.episodeId}${note}]`;
  });
}
