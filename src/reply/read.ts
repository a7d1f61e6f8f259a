import type { EventReads, PromptLine } from "../chat/event-reads-store.ts";
import type { ChannelViewer, ViewerStore } from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import type { Switches } from "../database/runtime-store.ts";
import { fillNames } from "../language/people.ts";
import { CHAT_LINES_MIN, getDepth, type Pace } from "../memory/recall/pace.ts";
import { readQuery } from "../memory/recall/query.ts";
import type { RecallStore } from "../memory/recall/recall-store.ts";
import { findOldLines, findRelated, type KnownItem } from "../memory/recall/related.ts";
import { orderNotes } from "../memory/recall/rerank.ts";
import type { WeighedSnapshot } from "../memory/recall/snapshot.ts";
import type { LoreNote } from "../memory/recall/weigh.ts";
import type { ChatLine, SpeakerRole, TailInput, ThreadLine } from "./prompt/sections.ts";
import type { Obstacle, Ticket } from "./reply-queue.ts";
import type { ReplyStore } from "./reply-store.ts";

export interface ReadParts {
  readonly events: EventReads;
  readonly viewers: ViewerStore;
  readonly recall: RecallStore;
  readonly replies: Pick<ReplyStore, "recent" | "exchangesWith" | "byMessage">;
  readonly paceOf: (channel: string) => Pace;
  readonly now: () => number;
}

/** A regular has been in three streams and sent fifty messages here. */
const REGULAR_STREAMS = 3;
const REGULAR_MESSAGES = 50;
/** A prompt shows chat of the last five minutes, and the last lines if chat is slower. */
const CHAT_MS = 5 * 60_000;
/** A prompt shows this many exchanges with the speaker. */
const EXCHANGES = 2;
/** Older messages of one account that are searched for a rare word. */
const OLD_LINES_READ_MAX = 100;

/** The tail of a prompt, and the notes about the speaker that it chose from. */
export interface TailRead {
  readonly tail: TailInput;
  /** Best first. */
  readonly candidates: readonly LoreNote[];
  /** False if the notes could not be read. The tail then has those of the last read, or none. */
  readonly isLoreRead: boolean;
}

/**
 * Reads the content of a prompt's tail: the speaker, notes about them and the channel, and chat. `order`: ids of the
 * speaker's notes that come first, in this order.
 */
export function readTail(
  parts: ReadParts,
  ticket: Ticket,
  snapshot: WeighedSnapshot,
  order: readonly number[] = [],
): TailRead {
  const { channel, question, trigger, userId } = ticket;
  const { liveSinceMs, category } = snapshot.state;
  const { recall, replies, viewers } = parts;
  const nowMs = parts.now();
  const name = viewers.get(userId)?.displayName ?? "someone";
  const viewer = viewers.inChannel(channel, userId);
  const accounts = recall.accountsOf(userId);
  const chat = readChat(parts, ticket, snapshot, name);

  const query = readQuery({
    message: { text: question },
    recent: [...chat.thread, ...chat.own],
    category,
    others: recall.isStrict() ? chat.around.filter(({ answers }) => answers === undefined) : [],
  });
  const lore = recall.loreOrLast({ channel, userId, nowMs, query });
  const candidates = orderNotes(lore.notes, order);
  const unindexed = [
    ...readStreamerNotes(parts, ticket, snapshot),
    ...recall.momentsOfOthers(channel, accounts),
  ];
  const oldLines = findOldLines(chat.earlier, query);

  const tail: TailInput = {
    pace: parts.paceOf(channel),
    nowMs,
    liveSinceMs,
    speaker: {
      name,
      standing: getStanding(viewer, candidates),
      visits: viewer && {
        sinceMs: viewer.firstSeenAtMs,
        streams: viewer.streamCount,
        lastHereMs: viewer.previousSeenAtMs,
      },
      calledName: getProperty(candidates, "name"),
      pronouns: getProperty(candidates, "pronouns"),
      moments: recall.ownMoments(channel, accounts),
    },
    lore: withNames(candidates, userId, recall.namesFor(userId, accounts)),
    loreTokensMax: recall.loreTokensMax(),
    hasMoreLore: chat.depth.hasMoreLore,
    related: findRelated(snapshot.known, unindexed, query),
    oldLines: oldLines.map((line) => makeChatLine(line, nowMs)),
    own: chat.own.map((line) => makeChatLine(line, nowMs)),
    chat: chat.around.map((line) => makeChatLine(line, nowMs)),
    thread: chat.thread,
    replies: replies.recent(channel, chat.depth.replies),
    current: { id: ticket.eventId ?? 0, name, text: question, pieceIds: ticket.pieceIds },
    continues: trigger === "continuation" || chat.isGoingOn,
    isAddressed: trigger !== "chance",
  };
  return { tail, candidates, isLoreRead: lore.fresh };
}

/**
 * Reads the messages for a prompt, after it writes the buffered ones. Each message is in one list only, oldest first.
 * `thread`: see `readThread`. `around`: other viewers' and the bot's. `own`: the speaker's last. `earlier`: further
 * ones of this stream, by the speaker, the streamer and the bot; none while offline.
 */
function readChat(parts: ReadParts, ticket: Ticket, snapshot: WeighedSnapshot, name: string) {
  const { channel, pieceIds, userId } = ticket;
  const { liveSinceMs, sessionId, streamerId } = snapshot.state;
  const { events, now, paceOf } = parts;
  const depth = getDepth(paceOf(channel));
  const { lines: thread, isGoingOn } = readThread(parts, ticket, name);
  const inThread = new Set(thread.map(({ id }) => id));
  const around = events.latestChat({
    channel,
    exceptUserId: userId,
    exceptIds: inThread,
    sinceMs: now() - CHAT_MS,
    min: CHAT_LINES_MIN,
    max: depth.chat,
  });
  // `latestChat` wrote the buffered messages: from here on the ticket has its event's id.
  const beforeId = ticket.eventId ?? Number.MAX_SAFE_INTEGER;
  const isLive = liveSinceMs !== null && sessionId !== null;
  const shown = new Set([...inThread, ...pieceIds]);
  const ownMax = isLive ? OLD_LINES_READ_MAX : depth.own + shown.size;
  const allOwn = events
    .latestOf(channel, userId, ownMax, beforeId)
    .filter(({ id }) => !shown.has(id));
  const own = allOwn.slice(-depth.own);
  if (!isLive) return { depth, thread, isGoingOn, around, own, earlier: [] };

  for (const { id } of [...around, ...own]) shown.add(id);
  const ofStreamer =
    streamerId === null || streamerId === userId
      ? []
      : events.latestOf(channel, streamerId, OLD_LINES_READ_MAX, beforeId);
  const ofBot = events.latestOfBot(channel, OLD_LINES_READ_MAX, beforeId);
  const earlier = [...allOwn, ...ofStreamer, ...ofBot]
    .filter(({ id, createdAtMs }) => createdAtMs >= liveSinceMs && !shown.has(id))
    .sort((one, other) => one.id - other.id);
  return { depth, thread, isGoingOn, around, own, earlier };
}

interface Thread {
  readonly lines: readonly ThreadLine[];
  /** True if the bot answered the speaker within five minutes, or the speaker replies to the bot's answer to them. */
  readonly isGoingOn: boolean;
}

/** Reads the last exchanges with the speaker and the message that the current one replies to, oldest first. */
function readThread(parts: ReadParts, ticket: Ticket, name: string): Thread {
  const { channel, userId } = ticket;
  const parent = findRepliedTo(parts, ticket);
  const past = parts.replies.exchangesWith(channel, userId, EXCHANGES);
  const exchanged = past.flatMap(({ replyId, text, question, saidEventId }): ChatLine[] => [
    ...question.map((line) => ({ ...line, userId, name })),
    { id: saidEventId ?? -replyId, name: "", text, answers: name },
  ]);
  const all =
    parent === null || exchanged.some(({ id }) => id === parent.id)
      ? exchanged
      : insertById(exchanged, parent);
  const lastAtMs = past.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  return {
    lines: all
      .filter(({ id }) => id !== ticket.eventId)
      .map((line) => ({ ...line, isRepliedTo: line.id === parent?.id })),
    isGoingOn: parent?.answers === name || parts.now() - lastAtMs <= CHAT_MS,
  };
}

/** Returns the lines with one more, by event id. A negative id (an answer without event) stays behind its question. */
function insertById(lines: readonly ChatLine[], line: ChatLine): readonly ChatLine[] {
  const next = lines.findIndex(({ id }) => id > line.id);
  return lines.toSpliced(next < 0 ? lines.length : next, 0, line);
}

/**
 * Reads the message that a message replies to; null if it replies to none, its text was removed, or it is of another
 * channel.
 */
function findRepliedTo(
  { events, replies, now }: ReadParts,
  { channel, repliesTo }: Ticket,
): ChatLine | null {
  if (repliesTo === null) return null;
  const replyId = replies.byMessage(repliesTo.messageId);
  const said = replyId === null ? null : events.byReply(replyId);
  const line = said ?? events.byMessageId(repliesTo.messageId);
  return line === null || line.channel !== channel ? null : makeChatLine(line, now());
}

/**
 * Reads the channel's notes about the streamer. Returns none if the streamer asks, whose lore has them, or has no known
 * id. If the question names the streamer, all these notes match it.
 */
function readStreamerNotes(
  { recall, now }: ReadParts,
  { channel, userId, question }: Ticket,
  { state: { streamerId } }: WeighedSnapshot,
): KnownItem[] {
  if (streamerId === null || streamerId === userId) return [];
  const notes = recall.aboutStreamer(channel, streamerId, now());
  const name = recall.displayName(streamerId)?.toLowerCase() ?? "";
  const isNamed = name !== "" && question.toLowerCase().includes(name);
  return isNamed ? notes.map((note) => ({ ...note, words: [...note.words, name] })) : notes;
}

/**
 * Replaces the `{u:id}` tokens of notes by names, or "someone". Removes the speaker's name from the start of a note:
 * the section's header has it.
 */
function withNames(
  notes: readonly LoreNote[],
  userId: string,
  nameOf: (userId: string) => string | null,
): LoreNote[] {
  return notes.map((note) => {
    if (!note.fact.includes("{u:")) return note;
    const [lead = "", id = ""] = LEADING_PERSON.exec(note.fact) ?? [];
    const isOwn = lead !== "" && nameOf(id) === nameOf(userId);
    return { ...note, fact: fillNames(isOwn ? note.fact.slice(lead.length) : note.fact, nameOf) };
  });
}

const LEADING_PERSON = /^\{u:([\w-]{1,40})\} /;

/** Returns the name or pronouns that the speaker asked for; null if none of the notes has them. */
function getProperty(notes: readonly LoreNote[], property: string): string | null {
  return notes.find((note) => note.property === property)?.propertyValue ?? null;
}

const HOUR_MS = 3_600_000;

/** Makes a line of the prompt from a message. From one hour on it has an age. */
function makeChatLine(
  { id, userId, displayName, text, answers, createdAtMs }: PromptLine,
  nowMs: number,
): ChatLine {
  const line: ChatLine = { id, userId, name: displayName ?? "someone", text };
  const hoursAgo = Math.floor((nowMs - createdAtMs) / HOUR_MS);
  if (answers !== undefined) line.answers = answers;
  if (hoursAgo > 0) line.hoursAgo = hoursAgo;
  return line;
}

/**
 * Returns the speaker's role, else how well the channel knows them. A newcomer is in their first stream here, and has
 * no note from before it. `viewer` null: not stored; then a newcomer has no note at all.
 */
function getStanding(viewer: ChannelViewer | null, notes: readonly LoreNote[]): SpeakerRole {
  if (viewer === null) return notes.length === 0 ? "newcomer" : "viewer";
  const { roles, streamCount, messageCount, firstSeenAtMs, previousSeenAtMs } = viewer;
  if (roles.broadcaster) return "streamer";
  if (roles.moderator) return "moderator";
  if (roles.vip) return "vip";
  const isFirstStream = streamCount <= 1 && previousSeenAtMs === null;
  if (isFirstStream && notes.every(({ createdAtMs }) => createdAtMs >= firstSeenAtMs))
    return "newcomer";
  return streamCount >= REGULAR_STREAMS && messageCount >= REGULAR_MESSAGES ? "regular" : "viewer";
}

export interface PreflightParts extends ReadParts {
  readonly config: Config;
  /** Returns the switches, read again if another process changed them. Throws if they cannot be read. */
  readonly switches: () => Switches;
  /** Returns true if Twitch shows no message of the bot in a channel now: an answer would cost money for nothing. */
  readonly isShut: (channel: string) => boolean;
}

/**
 * Returns why the bot does not answer in a channel now; null if it answers. Does not check whether the stream is live:
 * see `isOffline`. Throws if the switches cannot be read.
 */
export function closedReason(
  { switches, isShut }: PreflightParts,
  channel: string,
): Exclude<Obstacle, "offline"> | null {
  if (switches().paused) return "paused";
  return isShut(channel) ? "not_let_through" : null;
}

/** True if the stream is offline and the bot answers only while live. `isLive` null: unknown, so false. */
export function isOffline({ replies }: Config, isLive: boolean | null): boolean {
  return !replies.whenOffline && isLive === false;
}
