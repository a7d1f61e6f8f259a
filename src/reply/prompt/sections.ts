// Pure: values in, values out.

import {
  NOTE_KIND_LIST,
  NOTE_PROPERTIES,
  NOTE_PROPERTY_NAMES,
} from "../../catalogue/note-kinds.ts";
import type { ChannelState } from "../../chat/channel-store.ts";
import { formatLocalDay, formatLocalTime } from "../../config/local-time.ts";
import { collapseRepeats } from "../../language/clean.ts";
import { type Fence, formatFenceHeader, quoteData } from "../../language/fence.ts";
import { clipToTokens, estimateTokens } from "../../language/tokens.ts";
import type { RecalledEpisode } from "../../memory/episode-store.ts";
import type { OwnMoment } from "../../memory/recall/moments.ts";
import { LORE_LINES, type Pace } from "../../memory/recall/pace.ts";
import type { KnownItem } from "../../memory/recall/related.ts";
import type { PrefixSnapshot } from "../../memory/recall/snapshot.ts";
import type { RecalledNote } from "../../memory/recall/weigh.ts";
import { formatRules } from "./rules.ts";

interface SectionKind {
  /** Names the section on pages and in reports. */
  readonly words: string;
  /** The end that the ladder keeps. */
  readonly keeps: "first" | "last";
}

/** Every block of the prompt. Blocks that no step of the ladder names are its floor. */
export const SECTIONS = {
  persona: { words: "persona and rules", keeps: "first" },
  channel: { words: "channel", keeps: "first" },
  channelNotes: { words: "channel notes", keeps: "first" },
  episodes: { words: "episodes", keeps: "first" },
  now: { words: "date, time and pace", keeps: "first" },
  speaker: { words: "who asks", keeps: "first" },
  lore: { words: "notes on who asks", keeps: "first" },
  related: { words: "channel knowledge that fits", keeps: "first" },
  chat: { words: "chat", keeps: "last" },
  replies: { words: "the bot's last lines", keeps: "last" },
  thread: { words: "the conversation so far", keeps: "last" },
  own: { words: "their last lines", keeps: "last" },
  current: { words: "the message itself", keeps: "first" },
} as const satisfies Readonly<Record<string, SectionKind>>;

export type SectionName = keyof typeof SECTIONS;

/** A block of the prompt. It costs nothing while it has no lines. */
export interface Section {
  readonly name: SectionName;
  readonly header: string;
  readonly headerTokens: number;
  readonly lines: readonly Line[];
  readonly keeps: SectionKind["keeps"];
}

export interface Line {
  /** Text with its line break. */
  readonly text: string;
  readonly tokens: number;
  /** Ids of the notes, episodes, replies or events that it shows. */
  readonly ids: readonly number[];
}

export interface Persona {
  readonly name: string;
  readonly voice: string;
}

export type SpeakerRole = "streamer" | "moderator" | "vip" | "regular" | "newcomer" | "viewer";

export interface ChatLine {
  readonly id: number;
  /** The writer's user id. No prompt shows it. */
  readonly userId?: string;
  readonly name: string;
  readonly text: string;
  /** Only of the bot's own messages: the name of the viewer that it answered; null if unknown. */
  answers?: string | null;
  /** Whole hours since it was written; missing in the first hour. */
  hoursAgo?: number;
}

/** A line of the conversation with the speaker. */
export interface ThreadLine extends ChatLine {
  /** True if the current message replies to it. */
  readonly isRepliedTo: boolean;
}

/** Since when a viewer has been here; times in epoch ms. */
interface Visits {
  readonly sinceMs: number;
  readonly streams: number;
  /** When they were last here before this visit; null if unknown. */
  readonly lastHereMs: number | null;
}

export interface TailInput {
  readonly pace: Pace;
  readonly nowMs: number;
  /** null if no stream is live. */
  readonly liveSinceMs: number | null;
  readonly speaker: {
    readonly name: string;
    readonly standing: SpeakerRole;
    /** null if unknown. */
    readonly visits: Visits | null;
    /** The name that they asked for; null if none. */
    readonly calledName: string | null;
    readonly pronouns: string | null;
    /** Twitch's reports about them: subs, gifts, cheers, raids. */
    readonly moments: readonly OwnMoment[];
  };
  /** Notes about the speaker, in the prompt's order. */
  readonly lore: readonly RecalledNote[];
  /** Upper limit for all lore. */
  readonly loreTokensMax: number;
  /** True if the notes behind the first ten are shown too. */
  readonly hasMoreLore: boolean;
  /** Channel knowledge that the message touches, best first. */
  readonly related: readonly KnownItem[];
  /** Messages of this stream that the message touches and the chat does not show, oldest first. */
  readonly oldLines: readonly ChatLine[];
  /** The speaker's last messages, oldest first. */
  readonly own: readonly ChatLine[];
  /** Messages of other viewers, and the bot's to them, oldest first. */
  readonly chat: readonly ChatLine[];
  /** The last exchanges with the speaker, and the message that the current one replies to, oldest first. */
  readonly thread: readonly ThreadLine[];
  /** The bot's last replies, oldest first. */
  readonly replies: readonly { readonly id: number; readonly text: string }[];
  /** `pieceIds`: the events of earlier messages whose words it includes. */
  readonly current: ChatLine & { readonly pieceIds?: readonly number[] };
  /** True if the speaker and the bot are in a conversation. */
  readonly continues: boolean;
  /** False if the message did not address the bot. */
  readonly isAddressed: boolean;
}

/** A tail without the lines that the ladder may cut or that may be missing. */
export const EMPTY_TAIL = {
  ...{ lore: [], loreTokensMax: 0, hasMoreLore: false, related: [], oldLines: [] },
  ...{ own: [], chat: [], thread: [], replies: [] },
} satisfies Partial<TailInput>;

/** Tokens that one line may take; start-up uses the same figures to see whether the floor fits. */
export const LINE_TOKENS_MAX = {
  name: 27,
  moments: 60,
  title: 60,
  note: 90,
  episode: 260,
  related: 60,
  own: 60,
  chat: 60,
  thread: 60,
  reply: 60,
  current: 250,
};
const RELATED_TOKENS_MAX = 300;

const POSTURES: Record<SpeakerRole, string> = {
  streamer: "It is the streamer: your host. Be loyal, be quick, let them have the last word.",
  moderator: "They moderate this channel: show them respect, and do as they ask where you may.",
  vip: "They are a VIP here: a friend of the house.",
  regular: "They are a regular: be familiar.",
  newcomer:
    "They are new here, whatever they say: be welcoming and curious, assume no shared history.",
  viewer: "They have been here before: be friendly.",
};

/**
 * Makes the sections that stay the same between messages. Of these, the ladder cuts only channel notes and episodes.
 * `offered`: a line for each action that the model may propose.
 */
export function makePrefixSections(
  persona: Persona,
  snapshot: PrefixSnapshot,
  fence: Fence,
  offered: readonly string[] = [],
): Section[] {
  const { state } = snapshot;
  return [
    formatSection(
      fence,
      "persona",
      [toLine(formatRules(persona, snapshot.channel, fence, offered))],
      "",
    ),
    formatSection(fence, "channel", makeChannelLines(snapshot, fence), "channel"),
    formatSection(
      fence,
      "channelNotes",
      snapshot.notes.map((note) => {
        const mark = note.scope === "bit" ? "joke: " : "";
        const text = clipToTokens(`${mark}${formatNote(note, fence)}`, LINE_TOKENS_MAX.note);
        return toLine(`- ${text}`, [note.id]);
      }),
      "channel notes",
    ),
    formatSection(
      fence,
      "episodes",
      snapshot.episodes.map((episode) => makeEpisodeLine(episode, state, fence)),
      "earlier in this channel",
    ),
  ];
}

/** Makes the sections that may change with every message, the current message last. Empty ones have no lines. */
export function makeTailSections(input: TailInput, persona: Persona, fence: Fence): Section[] {
  const person = clipName(input.speaker.name, fence);
  const bot = persona.name;
  const { chat, own, reply } = LINE_TOKENS_MAX;
  const replies = input.replies.map(({ id, text }) =>
    toLine(`- ${clipToTokens(quoteData(text, fence), reply)}`, [id]),
  );
  return [
    formatSection(fence, "now", [makeNowLine(input)], "now"),
    formatSection(fence, "speaker", [makeSpeakerLine(input, person, fence)], "speaker"),
    formatSection(fence, "lore", makeLoreLines(input, fence), `what you remember about ${person}`),
    formatSection(fence, "related", makeRelatedLines(input, persona, fence), RELATED_TITLE),
    formatSection(
      fence,
      "chat",
      input.chat.map((line) => makeChatLine(line, bot, chat, fence)),
      "chat",
    ),
    formatSection(fence, "replies", replies, REPLIES_TITLE),
    formatSection(
      fence,
      "thread",
      input.thread.map((line) => makeThreadLine(line, person, bot, fence)),
      `your conversation with ${person}`,
    ),
    formatSection(
      fence,
      "own",
      input.own.map((line) => makeChatLine(line, bot, own, fence)),
      `${person}'s own last messages`,
    ),
    makeCurrentSection(input, persona, fence),
  ];
}

const RELATED_TITLE = "what you know about this channel that may fit the message";
const REPLIES_TITLE = "your own last replies: do not reuse these openers, shapes, or phrases";

/** Replaces an empty message: an empty line would read as a missing one. */
const ONLY_CALLED = "(your name alone)";

function makeCurrentSection(input: TailInput, persona: Persona, fence: Fence): Section {
  const name = clipName(input.speaker.name, fence);
  const text =
    clipToTokens(quoteData(input.current.text, fence), LINE_TOKENS_MAX.current) || ONLY_CALLED;
  const continuation = input.continues ? `${name} goes on, to you` : `${name}, to you`;
  const how = input.isAddressed ? continuation : `${name}, to the chat (nobody addressed you)`;
  const title = `your one-line answer as ${quoteData(persona.name, fence)}`;
  const line = toLine(`${how}: ${text}\n${formatFenceHeader(fence, title).trimEnd()}`, [
    input.current.id,
  ]);
  return formatSection(fence, "current", [line], "current message");
}

function makeChannelLines(snapshot: PrefixSnapshot, fence: Fence): Line[] {
  const { title, category, isLive, recap } = snapshot.state;
  const clip = (text: string) => clipToTokens(quoteData(text, fence), LINE_TOKENS_MAX.title);
  const live = isLive === null ? "" : ` · ${isLive ? "live now" : "offline"}`;
  return [
    toLine(`#${snapshot.channel}${live}`),
    ...(title === "" ? [] : [toLine(`title: ${clip(title)}`)]),
    ...(category === "" ? [] : [toLine(`category: ${clip(category)}`)]),
    ...(recap === null
      ? []
      : [toLine(`last stream: ${clipToTokens(quoteData(recap, fence), LINE_TOKENS_MAX.episode)}`)]),
  ];
}

const PACE_LINES: Record<Pace, string> = {
  quiet: "chat is quiet",
  normal: "chat is moving",
  busy: "chat is fast: be short",
  raid: "chat is very fast: be very short",
};

const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Makes a line such as "Wednesday 25 Nov 2026, 20:05; live since 18:30; chat is quiet", in the machine's time zone. */
function makeNowLine({ nowMs, liveSinceMs, pace }: TailInput): Line {
  const weekday = WEEKDAYS[new Date(nowMs).getDay()] ?? "";
  const live = liveSinceMs === null ? "" : `; live since ${formatClock(liveSinceMs)}`;
  const today = formatDay(formatLocalDay(nowMs));
  return toLine(`${weekday} ${today}, ${formatClock(nowMs)}${live}; ${PACE_LINES[pace]}`);
}

function formatClock(atMs: number): string {
  return formatLocalTime(atMs).slice("2026-05-01 ".length, "2026-05-01 20:00".length);
}

function makeSpeakerLine({ speaker, nowMs }: TailInput, person: string, fence: Fence): Line {
  const { standing, visits, calledName, pronouns, moments } = speaker;
  const quoteName = (text: string) => clipToTokens(quoteData(text, fence), LINE_TOKENS_MAX.name);
  const reported = moments.map(
    ({ text, atMs }) => `${quoteData(text, fence)} (${formatAgo(atMs, nowMs)})`,
  );
  const facts = [
    ...(calledName === null ? [] : [`They want to be called ${quoteName(calledName)}.`]),
    ...(pronouns === null ? [] : [`Pronouns: ${quoteName(pronouns)}.`]),
    ...(visits === null ? [] : [formatVisits(visits, nowMs)]),
    ...(moments.length === 0
      ? []
      : [clipToTokens(`Twitch reported: ${reported.join("; ")}.`, LINE_TOKENS_MAX.moments)]),
  ];
  return toLine([`${person}.`, POSTURES[standing], ...facts].join(" "));
}

/** Formats visits, such as "Here since May 2026, in 14 streams; before this visit last here 3 days ago." */
function formatVisits({ sinceMs, streams, lastHereMs }: Visits, nowMs: number): string {
  const inStreams = streams === 0 ? "" : `, in ${streams} stream${streams === 1 ? "" : "s"}`;
  const last =
    lastHereMs === null ? "" : `; before this visit last here ${formatAgo(lastHereMs, nowMs)}`;
  return `Here since ${formatMonth(sinceMs)}${inStreams}${last}.`;
}

const DAY_MS = 86_400_000;
const DAYS_AGO_MAX = 27;

/** Formats an age in UTC days: "earlier today", "yesterday", "3 days ago", and beyond 27 days "in May 2026". */
function formatAgo(atMs: number, nowMs: number): string {
  const days = Math.floor(nowMs / DAY_MS) - Math.floor(atMs / DAY_MS);
  if (days <= 0) return "earlier today";
  if (days === 1) return "yesterday";
  return days <= DAYS_AGO_MAX ? `${days} days ago` : `in ${formatMonth(atMs)}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Formats a month, such as "Oct 2026", in UTC: a prompt's prefix must not change with the machine's time zone. */
function formatMonth(atMs: number): string {
  const date = new Date(atMs);
  return `${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
}

/** Formats the day "2026-05-01" as "1 May 2026". */
function formatDay(day: string): string {
  const [year, month, date] = day.split("-").map(Number);
  return `${date} ${MONTHS[(month ?? 1) - 1] ?? ""} ${year}`;
}

const MORE_LORE = "More about them, for when their message touches it; never list it: ";

/**
 * Makes a line for each of the first ten notes, up to the first that does not fit. With `hasMoreLore`, if all ten fit,
 * one more line has the others, up to the first that does not fit. Together they take at most `loreTokensMax`.
 */
export function makeLoreLines(
  { lore, loreTokensMax, hasMoreLore }: Pick<TailInput, "lore" | "loreTokensMax" | "hasMoreLore">,
  fence: Fence,
): Line[] {
  const first = lore.slice(0, LORE_LINES).map((note) => {
    const text = clipToTokens(`${note.id} ${formatNote(note, fence)}`, LINE_TOKENS_MAX.note);
    return toLine(text, [note.id]);
  });
  const shown = fitLines(first, loreTokensMax);
  if (!hasMoreLore || shown.length < LORE_LINES) return shown;
  const shownTokens = shown.reduce((sum, { tokens }) => sum + tokens, 0);
  let left = loreTokensMax - shownTokens - estimateTokens(`${MORE_LORE}\n`);
  const facts: string[] = [];
  const ids: number[] = [];
  for (const note of lore.slice(LORE_LINES)) {
    const fact = clipToTokens(formatNote(note, fence), LINE_TOKENS_MAX.note);
    left -= estimateTokens(`${fact}; `);
    if (left < 0) break;
    facts.push(fact);
    ids.push(note.id);
  }
  return ids.length === 0 ? shown : [...shown, toLine(MORE_LORE + facts.join("; "), ids)];
}

const DATED_KINDS: ReadonlySet<string> = new Set(
  NOTE_KIND_LIST.filter(([, { isDated }]) => isDated).map(([name]) => name),
);
const DATED_PROPERTIES: ReadonlySet<string> = new Set(
  NOTE_PROPERTY_NAMES.filter((name) => NOTE_PROPERTIES[name].isDated),
);

/**
 * Returns a suffix such as " (1 May 2026)": the day that a note is about. Without one, the month in which it was made,
 * if its kind or property is dated; else "".
 */
function formatDateSuffix({
  happensOn = null,
  kind,
  property = null,
  createdAtMs,
}: RecalledNote): string {
  if (happensOn !== null) return ` (${formatDay(happensOn)})`;
  const isDated = DATED_KINDS.has(kind) || (property !== null && DATED_PROPERTIES.has(property));
  return isDated ? ` (${formatMonth(createdAtMs)})` : "";
}

function formatNote(note: RecalledNote, fence: Fence): string {
  return `${quoteData(note.fact, fence)}${formatDateSuffix(note)}`;
}

const RELATED_MARKS: Readonly<Record<KnownItem["kind"], string>> = {
  channel: "",
  bit: "joke: ",
  moment: "",
  episode: "earlier stream: ",
};
/** How many of the best items come before old messages; the others come after them. */
const RELATED_FIRST = 6;

/**
 * Makes lines of the six best known items, of old messages and of the other items, up to the first that does not fit.
 */
function makeRelatedLines(input: TailInput, persona: Persona, fence: Fence): Line[] {
  const line = (text: string, ids: readonly number[]) =>
    toLine(`- ${clipToTokens(quoteData(text, fence), LINE_TOKENS_MAX.related)}`, ids);
  const known = input.related.map(({ kind, text, id, atMs, happensOn = null }) => {
    const isNote = kind === "channel" || kind === "bit";
    const day = happensOn === null ? "" : ` (${formatDay(happensOn)})`;
    const when = isNote ? day : ` (${formatAgo(atMs, input.nowMs)})`;
    return line(`${RELATED_MARKS[kind]}${text}${when}`, isNote ? [id] : []);
  });
  const old = input.oldLines.map((said) =>
    line(`earlier today, ${formatWriter(said, persona.name, fence)}: ${said.text}`, []),
  );
  return fitLines(
    [...known.slice(0, RELATED_FIRST), ...old, ...known.slice(RELATED_FIRST)],
    RELATED_TOKENS_MAX,
  );
}

function makeEpisodeLine(
  episode: RecalledEpisode,
  { sessionId, lastSessionId }: ChannelState,
  fence: Fence,
): Line {
  const isOf = (session: number | null) => session !== null && episode.sessionId === session;
  const before = isOf(lastSessionId) ? "last stream" : formatMonth(episode.endedAtMs);
  const when = isOf(sessionId) ? "this stream" : before;
  const topic = quoteData(episode.topic, fence);
  const text = `${topic === "" ? "" : `${topic}: `}${quoteData(episode.summary, fence)}`;
  return toLine(`- (${when}) ${clipToTokens(text, LINE_TOKENS_MAX.episode)}`, [episode.id]);
}

/** Makes a line such as "(2 h ago) Bo: hi". */
function makeChatLine(line: ChatLine, bot: string, tokensMax: number, fence: Fence): Line {
  const text = clipToTokens(collapseRepeats(quoteData(line.text, fence)), tokensMax);
  const age = line.hoursAgo === undefined ? "" : `(${line.hoursAgo} h ago) `;
  return toLine(`${age}${formatWriter(line, bot, fence)}: ${text}`, [line.id]);
}

/** Returns the writer of a message, such as "Bo". With `answers` it is the bot's: "Mark (you) to Bo". */
function formatWriter({ name, answers }: ChatLine, bot: string, fence: Fence): string {
  if (answers === undefined) return clipName(name, fence);
  const to = answers === null ? "" : ` to ${clipName(answers, fence)}`;
  return `${clipName(bot, fence)} (you)${to}`;
}

/** Makes a line of the conversation. If the current message replies to it, the line says so. */
function makeThreadLine(line: ThreadLine, speaker: string, bot: string, fence: Fence): Line {
  const shown = makeChatLine(line, bot, LINE_TOKENS_MAX.thread, fence);
  if (!line.isRepliedTo) return shown;
  return toLine(`(${speaker} replies to this) ${shown.text.trimEnd()}`, shown.ids);
}

/** Makes a line from a text without a line break, which it adds. */
function toLine(text: string, ids: readonly number[] = []): Line {
  const whole = `${text}\n`;
  return { text: whole, tokens: estimateTokens(whole), ids };
}

/** Returns a name for the prompt, cut to 27 tokens, which fit any login; "someone" if it is empty then. */
function clipName(name: string, fence: Fence): string {
  return clipToTokens(quoteData(name, fence), LINE_TOKENS_MAX.name) || "someone";
}

function formatSection(
  fence: Fence,
  name: SectionName,
  lines: readonly Line[],
  title: string,
): Section {
  const header = title === "" ? "" : formatFenceHeader(fence, title);
  const { keeps } = SECTIONS[name];
  return { name, header, headerTokens: estimateTokens(header), lines, keeps };
}

/** Returns the lines before the first that does not fit: a worse line must not stay because it is short. */
function fitLines(lines: readonly Line[], tokensMax: number): Line[] {
  let left = tokensMax;
  return lines.filter(({ tokens }) => {
    left -= tokens;
    return left >= 0;
  });
}
