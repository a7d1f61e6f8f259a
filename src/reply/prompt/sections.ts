import type { Pace } from "../../memory/recall/weigh.ts";
// Pure: values in, values out.

import { collapseRepeats } from "../../language/clean.ts";
import { type Fence, fenceHeader, quoteData } from "../../language/fence.ts";
import { clipToTokens, estimateTokens } from "../../language/tokens.ts";
import type { ChannelState, RecalledEpisode } from "../../memory/recall/recall-store.ts";
import type { PrefixSnapshot } from "../../memory/recall/snapshot.ts";
import type { RecalledNote } from "../../memory/recall/weigh.ts";
import { rulesText } from "./rules.ts";

export type SectionName =
  | "persona"
  | "channel"
  | "channelNotes"
  | "episodes"
  | "pace"
  | "speaker"
  | "lore"
  | "chat"
  | "replies"
  | "thread"
  | "own"
  | "current";

/** A block of the prompt. It costs nothing while it has no lines. */
export interface Section {
  readonly name: SectionName;
  readonly header: string;
  readonly headerTokens: number;
  readonly lines: readonly Line[];
  /** Which end survives when the ladder cuts. */
  readonly keeps: "first" | "last";
}

export interface Line {
  /** With its line break. */
  readonly text: string;
  readonly tokens: number;
  /** Of the note, episode or event it shows. */
  readonly id: number | null;
}

/** Gives the line of a source, which names everything that the line depends on. */
export type LineOf = (source: readonly (string | number)[], make: () => Line) => Line;

export interface Persona {
  readonly name: string;
  readonly voice: string;
}

export type Standing = "streamer" | "moderator" | "vip" | "regular" | "newcomer" | "viewer";

export interface ChatLine {
  readonly id: number;
  /** Who said it; stands in no prompt. */
  readonly userId?: string;
  readonly name: string;
  readonly text: string;
  /** Of the bot's own: whom it answered; null where nobody knows. */
  readonly answers?: string | null;
  /** Whole hours since it was said, where that is one at least. */
  readonly hoursAgo?: number;
}

/** A line of the conversation with the speaker. */
export interface ThreadLine extends ChatLine {
  /** What is said now replies to it. */
  readonly isRepliedTo: boolean;
}

/** How long somebody has been around; times in epoch ms. */
export interface Visits {
  readonly sinceMs: number;
  readonly streams: number;
  readonly messages: number;
  /** When they were last here before this visit; null where nobody knows. */
  readonly lastHereMs: number | null;
  readonly nowMs: number;
}

export interface TailInput {
  readonly pace: Pace;
  readonly speaker: {
    readonly name: string;
    readonly standing: Standing;
    /** null where nothing is known. */
    readonly visits?: Visits | null;
  };
  /** Best first. */
  readonly lore: readonly RecalledNote[];
  /** What all lore may take, where it is not the standard. */
  readonly loreTokensMax?: number;
  /** The speaker's own last messages, oldest first. */
  readonly own: readonly ChatLine[];
  /** What others said, and the bot to whom, oldest first. */
  readonly chat: readonly ChatLine[];
  /** The last exchanges with the speaker, and what the current message replies to, oldest first. */
  readonly thread: readonly ThreadLine[];
  /** The bot's own last replies, oldest first. */
  readonly replies: readonly { readonly id: number; readonly text: string }[];
  /** `pieceIds`: the events of earlier lines whose words stand in it too. */
  readonly current: ChatLine & { readonly pieceIds?: readonly number[] };
  /** Whether the two are in a conversation already. */
  readonly continues: boolean;
}

/** Tokens that one line may take; start-up uses the same figures to see whether the floor fits. */
export const LINE_TOKENS_MAX = {
  name: 27,
  title: 60,
  note: 90,
  episode: 260,
  own: 60,
  chat: 60,
  thread: 60,
  reply: 60,
  current: 250,
};
/** All lore together, by default. */
const LORE_TOKENS_MAX = 800;

const POSTURES: Record<Standing, string> = {
  streamer: "It is the streamer: your host. Be loyal, be quick, let them have the last word.",
  moderator: "They moderate this channel: show them respect, and do as they ask where you may.",
  vip: "They are a VIP here: a friend of the house.",
  regular: "They are a regular: be familiar.",
  newcomer:
    "They are new here, whatever they say: be welcoming and curious, assume no shared history.",
  viewer: "They have been here before, now and then: be friendly.",
};

/** The stable part of the prompt. The ladder only ever cuts its end. `offered`: the actions, a line each. */
export function prefixSections(
  persona: Persona,
  snapshot: PrefixSnapshot,
  fence: Fence,
  offered: readonly string[] = [],
): Section[] {
  const { state } = snapshot;
  return [
    section(fence, "persona", [plain(rulesText(persona, snapshot.channel, fence, offered))], ""),
    section(fence, "channel", channelLines(snapshot, fence), "channel"),
    section(
      fence,
      "channelNotes",
      snapshot.notes.map((note) => noteLine(note, fence)),
      "channel notes",
    ),
    section(
      fence,
      "episodes",
      snapshot.episodes.map((episode) => episodeLine(episode, state, fence)),
      "earlier in this channel",
    ),
  ];
}

/** The part that changes with every message. `lineOf` may give lines that stood in the last prompt. */
export function tailSections(
  input: TailInput,
  persona: Persona,
  fence: Fence,
  lineOf: LineOf = (_, make) => make(),
): Section[] {
  const person = shownName(input.speaker.name, fence);
  const said = (lines: readonly ChatLine[], tokensMax: number): Line[] =>
    lines.map((line) =>
      lineOf(
        [
          "said",
          line.id,
          line.hoursAgo ?? 0,
          persona.name,
          line.name,
          String(line.answers),
          tokensMax,
          line.text,
        ],
        () => chatLine(line, { person: persona.name, tokensMax }, fence),
      ),
    );
  const lore = input.lore.map((note) =>
    lineOf(["note", note.id, note.createdAtMs, note.topics, note.fact], () =>
      noteLine(note, fence),
    ),
  );
  const replies = input.replies.map(({ id, text }) =>
    lineOf(["reply", id, text], () => replyLine(id, text, fence)),
  );
  return [
    section(fence, "pace", [plain(PACE_LINES[input.pace])], "pace"),
    section(fence, "speaker", [speakerLine(input.speaker, person)], "speaker"),
    section(
      fence,
      "lore",
      withinCeiling(lore, input.loreTokensMax ?? LORE_TOKENS_MAX),
      `what you remember about ${person}`,
    ),
    section(fence, "chat", said(input.chat, LINE_TOKENS_MAX.chat), "chat"),
    section(fence, "replies", replies, REPLIES_TITLE),
    section(
      fence,
      "thread",
      input.thread.map((line) => threadLine(line, input.speaker.name, persona.name, fence)),
      `your conversation with ${person}`,
    ),
    section(fence, "own", said(input.own, LINE_TOKENS_MAX.own), `${person}'s own last messages`),
    currentSection(input, persona, fence),
  ];
}

const REPLIES_TITLE = "your own last replies: do not reuse these openers, shapes, or phrases";

/** Where somebody says no more than that: nothing at all reads as a line that is missing. */
const ONLY_CALLED = "(your name alone)";

function currentSection(input: TailInput, persona: Persona, fence: Fence): Section {
  const name = shownName(input.speaker.name, fence);
  const text =
    clipToTokens(quoteData(input.current.text, fence), LINE_TOKENS_MAX.current) || ONLY_CALLED;
  const how = input.continues ? `${name} goes on, to you` : `${name}, to you`;
  const title = `your one-line answer as ${quoteData(persona.name, fence)}`;
  const line = finished(
    `${how}: ${text}\n${fenceHeader(fence, title).trimEnd()}`,
    input.current.id,
  );
  return section(fence, "current", [line], "current message");
}

function channelLines(snapshot: PrefixSnapshot, fence: Fence): Line[] {
  const { title, category, isLive, recap } = snapshot.state;
  const clip = (text: string) => clipToTokens(quoteData(text, fence), LINE_TOKENS_MAX.title);
  const live = isLive === null ? "" : ` · ${isLive ? "live now" : "offline"}`;
  return [
    plain(`#${snapshot.channel}${live}`),
    ...(title === "" ? [] : [plain(`title: ${clip(title)}`)]),
    ...(category === "" ? [] : [plain(`category: ${clip(category)}`)]),
    ...(recap === null
      ? []
      : [plain(`last stream: ${clipToTokens(quoteData(recap, fence), LINE_TOKENS_MAX.episode)}`)]),
  ];
}

const PACE_LINES: Record<Pace, string> = {
  quiet: "chat is quiet",
  normal: "chat is moving",
  busy: "chat is fast: be short",
  raid: "chat is very fast: be very short",
};

function speakerLine({ standing, visits = null }: TailInput["speaker"], person: string): Line {
  const facts = visits === null ? "" : ` ${visitsText(visits)}`;
  return plain(`${person}. ${POSTURES[standing]}${facts}`);
}

/** "Here since May 2026: 14 streams, 820 messages; last here 3 days ago, before today." */
function visitsText({ sinceMs, streams, messages, lastHereMs, nowMs }: Visits): string {
  const last =
    lastHereMs === null ? "" : `; before this visit last here ${agoText(lastHereMs, nowMs)}`;
  return `Here since ${monthOf(sinceMs)}: ${counted(streams, "stream")}, ${counted(messages, "message")}${last}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const DAY_MS = 86_400_000;
const DAYS_TOLD_MAX = 27;

function agoText(atMs: number, nowMs: number): string {
  const days = Math.floor(nowMs / DAY_MS) - Math.floor(atMs / DAY_MS);
  if (days <= 0) return "earlier today";
  if (days === 1) return "yesterday";
  return days <= DAYS_TOLD_MAX ? `${days} days ago` : `in ${monthOf(atMs)}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "Oct 2026", in UTC: a prefix must not change with the machine's time zone. */
function monthOf(atMs: number): string {
  const date = new Date(atMs);
  return `${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
}

/** What a prompt would show of these notes, best first, within a number of tokens. */
export function loreLines(
  notes: readonly RecalledNote[],
  fence: Fence,
  tokensMax: number,
): readonly Line[] {
  return withinCeiling(
    notes.map((note) => noteLine(note, fence)),
    tokensMax,
  );
}

/** " (Oct 2026)". */
const DATE_TOKENS = 8;

function noteLine(note: RecalledNote, fence: Fence): Line {
  const topics = note.topics === "" ? "" : ` (${quoteData(note.topics, fence)},`;
  const when = `${topics === "" ? " (" : " "}${monthOf(note.createdAtMs)})`;
  const fact = clipToTokens(
    `${quoteData(note.fact, fence)}${topics}`,
    LINE_TOKENS_MAX.note - DATE_TOKENS,
  );
  return finished(`[id:${note.id}] ${fact}${when}`, note.id);
}

function episodeLine(
  episode: RecalledEpisode,
  { sessionId, lastSessionId = null }: Pick<ChannelState, "sessionId" | "lastSessionId">,
  fence: Fence,
): Line {
  const isOf = (session: number | null) => session !== null && episode.sessionId === session;
  const before = isOf(lastSessionId) ? "last stream" : monthOf(episode.endedAtMs);
  const when = isOf(sessionId) ? "this stream" : before;
  const topic = quoteData(episode.topic, fence);
  const text = `${topic === "" ? "" : `${topic}: `}${quoteData(episode.summary, fence)}`;
  return finished(`- (${when}) ${clipToTokens(text, LINE_TOKENS_MAX.episode)}`, episode.id);
}

function chatLine(
  line: ChatLine,
  { person, tokensMax }: { readonly person: string; readonly tokensMax: number },
  fence: Fence,
): Line {
  const text = clipToTokens(collapseRepeats(quoteData(line.text, fence)), tokensMax);
  const age = line.hoursAgo === undefined ? "" : `(${line.hoursAgo} h ago) `;
  return finished(`${age}${writerOf(line, person, fence)}: ${text}`, line.id);
}

/** Who wrote a line: of the bot's own also to whom. */
function writerOf({ name, answers }: ChatLine, person: string, fence: Fence): string {
  if (answers === undefined) return shownName(name, fence);
  const to = answers === null ? "" : ` to ${shownName(answers, fence)}`;
  return `${shownName(person, fence)} (you)${to}`;
}

/** The line that the speaker replies to says so. */
function threadLine(line: ThreadLine, speaker: string, person: string, fence: Fence): Line {
  const { text, tokens, id } = chatLine(line, { person, tokensMax: LINE_TOKENS_MAX.thread }, fence);
  if (!line.isRepliedTo) return { text, tokens, id };
  return finished(`(${shownName(speaker, fence)} replies to this) ${text.trimEnd()}`, id);
}

function replyLine(id: number, text: string, fence: Fence): Line {
  return finished(`- ${clipToTokens(quoteData(text, fence), LINE_TOKENS_MAX.reply)}`, id);
}

function plain(text: string): Line {
  return finished(text, null);
}

function finished(text: string, id: number | null): Line {
  const whole = `${text}\n`;
  return { text: whole, tokens: estimateTokens(whole), id };
}

/** Any login fits whole; a display name may be of any length and script. */
function shownName(name: string, fence: Fence): string {
  return clipToTokens(quoteData(name, fence), LINE_TOKENS_MAX.name) || "someone";
}

const KEEPS_LAST: ReadonlySet<SectionName> = new Set(["chat", "replies", "thread", "own"]);

function section(fence: Fence, name: SectionName, lines: readonly Line[], title: string): Section {
  const header = title === "" ? "" : fenceHeader(fence, title);
  const keeps = KEEPS_LAST.has(name) ? "last" : "first";
  return { name, header, headerTokens: estimateTokens(header), lines, keeps };
}

/** Stops at the first line that does not fit: what is less wanted must not go first because it is short. */
function withinCeiling(lines: readonly Line[], tokensMax: number): Line[] {
  let left = tokensMax;
  return lines.filter(({ tokens }) => {
    left -= tokens;
    return left >= 0;
  });
}
