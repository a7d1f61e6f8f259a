import { nameReader } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { normalWords } from "../language/words.ts";
import {
  type EpisodeDetail,
  type EpisodeView,
  type NoteDetail,
  type NoteReviewStore,
  type NoteView,
  noteReviewStore,
  reviewStore,
} from "../memory/review-store.ts";
import { sessionStore } from "../memory/summarised-store.ts";
import { localTime } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import { plural } from "../telemetry/figures.ts";
import {
  accountsOf,
  type CommandOutput,
  channelName,
  noSuch,
  type Opened,
  type Options,
} from "./open-folder.ts";
import { when } from "./terminal.ts";

const ABOUT_WIDTH_MIN = 16;
/** So many rows are looked through for a word, newest first. */
const LOOKED_THROUGH_MAX = 10_000;
const DAY_MS = 86_400_000;
/** What the importance `high` adds to a score. */
const HIGH_IMPORTANCE = 0.2;

interface NotesOptions extends Options {
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

/** Lists notes, newest first. */
export function tellNotes(opened: Opened, options: NotesOptions): CommandOutput {
  return notesWith("", opened, options);
}

/** Lists notes that hold one of these words, or are about a person called so. */
export function searchNotes(opened: Opened, words: string, options: NotesOptions): CommandOutput {
  if (words.trim() !== "") return notesWith(words, opened, options);
  throw wrongUse(
    "nothing to look for",
    "such as `forgetmenot memory search guitar`, or a person's name; `forgetmenot memory list` shows all",
  );
}

function notesWith(words: string, { db, now }: Opened, options: NotesOptions): CommandOutput {
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
  const { viewer = 0, channel: ofChannel = 0, bit = 0 } = review.countsByScope(channel);
  return {
    value: shown,
    text:
      notes.length === 0
        ? ["No notes.", ...elsewhere(words, { db, review }, options)]
        : [
            ...noteLines(shown),
            `In force: ${viewer} about viewers, ${ofChannel} about the channel, ${plural(bit, "running joke")}.`,
            ...when(notes.length > limit, `There are more: --limit ${2 * limit}`),
          ],
  };
}

/** Where what was looked for stands else: in notes that the options leave out, in what was dropped, in summaries. */
function elsewhere(
  words: string,
  { db, review }: { readonly db: Db; readonly review: NoteReviewStore },
  { config: _, json: __, limit, ...asked }: NotesOptions,
): string[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
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
    ...when(
      unfiltered.length > 0,
      `Without ${filters.join(", ")}: ${plural(unfiltered.length, "note")}.`,
    ),
    ...when(
      dropped.length > 0,
      `Offered and not kept: ${plural(dropped.length, "fact")}; \`forgetmenot memory candidates\` says why.`,
    ),
    ...when(
      episodes.length > 0,
      `In ${plural(episodes.length, "summary")}: \`forgetmenot memory episode ${episodes[0]?.id}\` shows the newest.`,
    ),
  ];
}

function sought(words: string) {
  return { words, stems: normalWords(words) };
}

const EVERY = { accounts: null, channel: null, status: null };

/** Shows one note, and why it is there. */
export function tellNote({ db, now }: Opened, id: number): CommandOutput {
  const note = noteReviewStore(db, now()).note(id);
  if (note === null) throw noSuch("note", id, "memory list");
  return { value: note, text: noteText(note, now()) };
}

function noteLines(notes: readonly NoteView[]): string[] {
  const width = Math.max(ABOUT_WIDTH_MIN, ...notes.map((note) => aboutText(note).length));
  return notes.map((note) => {
    const marks = [
      ...when(note.status !== "active", note.status),
      ...when(note.pinned, "pinned"),
      ...when(note.persona !== null, `of ${note.persona} only`),
    ];
    const status = marks.length === 0 ? "" : ` [${marks.join(", ")}]`;
    return `${String(note.id).padStart(6)}  ${note.kind.padEnd(11)} ${aboutText(note).padEnd(width)} ${note.fact}${status}`;
  });
}

function aboutText({ about, scope }: NoteView): string {
  return about ?? (scope === "bit" ? "(a joke)" : "(channel)");
}

function noteText(note: NoteDetail, nowMs: number): string[] {
  const { property, propertyValue, propertyGame, useCount, lastUsedAtMs } = note;
  const game = propertyGame === null ? "" : ` in ${propertyGame}`;
  const used =
    lastUsedAtMs === null
      ? "not used yet"
      : `used in ${plural(useCount, "reply")}, last ${localTime(lastUsedAtMs)}`;
  const about =
    property === null ? "no property" : `${property}${game}: ${propertyValue ?? "not told"}`;
  return [
    `Note ${note.id} in #${note.channel}: ${note.fact}`,
    `${note.kind} about ${note.about ?? "the channel"} · ${note.status}${note.pinned ? ", pinned" : ""} · confidence ${note.confidence.toFixed(2)} · last confirmed ${localTime(note.lastConfirmedAtMs)}`,
    `${lifeText(note, nowMs)} · importance ${importanceText(note.importance)} · ${about} · topics: ${note.topics === "" ? "none" : note.topics}`,
    `rests on ${plural(note.evidence, "episode")} · ${used} · ${note.persona === null ? "shared by all personas" : `persona ${note.persona}`}`,
    ...when(
      note.successors.length > 0,
      `Its place was taken by note ${note.successors.join(", then by note ")}.`,
    ),
    ...note.superseded.map((id) => `It took the place of note ${id}.`),
    "",
    "Because of:",
    ...note.evidenceRows.map(
      ({ episodeId, episodeKind, topic, claim, method, createdAtMs }) =>
        `  ${localTime(createdAtMs)}  episode ${episodeId} (${[episodeKind, topic].filter(Boolean).join(", ")}), ${method}: ${claim ?? "its claim was withdrawn"}`,
    ),
  ];
}

function lifeText({ lifetime, pinned, expiresAtMs }: NoteDetail, nowMs: number): string {
  const given = lifetime === null ? "by its kind" : `lifetime ${lifetime}`;
  if (expiresAtMs === null) return `stays for good (${given})`;
  const runs = !pinned && expiresAtMs <= nowMs ? "ran out" : "runs out";
  return `${runs} ${localTime(expiresAtMs)} (${given})`;
}

function importanceText(importance: number): string {
  if (importance <= 0) return "low";
  return importance < HIGH_IMPORTANCE ? "medium" : "high";
}

/** Lists what was offered for memory and what became of it, newest first, and counts all of it by reason. */
export function listCandidates(
  { db, now }: Opened,
  { reason = null, limit }: { reason?: string | null; limit: number },
): CommandOutput {
  const review = noteReviewStore(db, now());
  const candidates = review.candidates({ reason, limit });
  const byReason = review.candidateCounts();
  const counts = byReason.map((one) => `${one.decision} ${one.reason} ${one.count}`);
  const verdicts = candidates.map((one) => `${one.decision} (${one.reason})`);
  const width = Math.max(...verdicts.map((verdict) => verdict.length));
  return {
    value: { candidates, byReason },
    text: [
      ...when(candidates.length === 0, "No candidates."),
      ...candidates.map(({ createdAtMs, fact, episodeId, noteId }, at) => {
        const note = noteId === null ? "" : `, note ${noteId}`;
        return `${localTime(createdAtMs)}  ${verdicts[at]?.padEnd(width)}  ${fact ?? "(not kept)"}  [episode ${episodeId}${note}]`;
      }),
      "",
      `In the last 30 days, by reason: ${counts.join(", ") || "none"}`,
    ],
  };
}

/** Lists episodes, newest first; of every channel where none is named. */
export function listEpisodes(
  { db }: Opened,
  { channel, limit }: { channel?: string; limit: number },
): CommandOutput {
  const named = channel === undefined ? null : channelName(channel);
  const episodes = reviewStore(db).episodes(named, limit);
  const none = "No episodes yet: 25 messages, or a pause, make one.";
  return { value: episodes, text: episodes.length === 0 ? none : episodes.map(episodeLine) };
}

/** Shows one episode whole: who took part, and what it claims. */
export function tellEpisode({ db }: Opened, id: number): CommandOutput {
  const episode = reviewStore(db).episode(id);
  if (episode === null) throw noSuch("episode", id, "memory episodes");
  return { value: episode, text: episodeLines(episode) };
}

/** Makes a failed episode due at once; the daemon takes it up at its next look. */
export function retryEpisode({ db }: Opened, id: number): string {
  const review = reviewStore(db);
  if (review.episode(id) === null) throw noSuch("episode", id, "memory episodes");
  return review.retry(id)
    ? `episode ${id} is tried again at the next look`
    : `episode ${id} is finished, or its chat is gone: there is nothing to try again`;
}

/** Tells the recap of each channel's last stream that has one. */
export function showRecap({ config, db }: Opened): CommandOutput {
  const sessions = sessionStore(db);
  const displayName = nameReader(db);
  const streams = config.channels.map((channel) => {
    const stream = sessions.lastRecap(channel);
    const told = stream && { ...stream, recap: fillNames(stream.recap, displayName) };
    return { channel, told };
  });
  return {
    value: streams.flatMap(({ told }) => told ?? []),
    text: streams.map(({ channel, told }) =>
      told === null
        ? `#${channel}: no stream with a recap yet`
        : `#${channel}, ${localTime(told.startedAtMs)} to ${localTime(told.endedAtMs)}\n${told.recap}`,
    ),
  };
}

function episodeLine(episode: EpisodeView): string {
  const about = episode.topic || episode.summary.slice(0, 60) || `(no topic; ${stateOf(episode)})`;
  return `${String(episode.id).padStart(6)}  ${localTime(episode.startedAtMs)}  ${episode.kind.padEnd(7)} ${String(episode.eventCount).padStart(4)} events  ${about}`;
}

function episodeLines(episode: EpisodeDetail): string[] {
  const claims = episode.claims.map(
    ({ n, scope, subject, statement, support, withdrawn }) =>
      `  ${n}. ${statement} (${subject ?? scope}, ${support} events${withdrawn ? ", withdrawn" : ""})`,
  );
  return [
    `Episode ${episode.id} in #${episode.channel}: ${episode.topic || "no topic"}`,
    `${localTime(episode.startedAtMs)} to ${localTime(episode.endedAtMs)} · ${episode.kind} · ${episode.eventCount} events · ${stateOf(episode)}`,
    `With ${episode.participants.join(", ")}`,
    "",
    episode.summary || "(no summary: not written yet, or taken back with chat that was removed)",
    "",
    ...(claims.length === 0 ? ["No claims."] : ["Claims:", ...claims]),
  ];
}

function stateOf({ kind, status, stage, attempts, nextAttemptAtMs }: EpisodeView): string {
  if (kind === "gap") return "a gap: this stretch could not be remembered";
  if (status !== "pending") return status;
  const next = nextAttemptAtMs ? `, next try ${localTime(nextAttemptAtMs)}` : "";
  return stage === "claimed" ? `waiting for a summary, ${attempts} tries so far${next}` : stage;
}
