import type { EventReads } from "../chat/event-reads-store.ts";
import type { ChannelViewer, ViewerStore } from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import type { Switches } from "../database/runtime-store.ts";
import { fillNames } from "../language/people.ts";
import { describeOwnMoments, listKnownMoments } from "../memory/recall/moments.ts";
import { CHAT_LINES_MIN, getDepth, type Pace } from "../memory/recall/pace.ts";
import { type Conversation, type Query, readQuery } from "../memory/recall/query.ts";
import type { LoreTaken, RecallStore } from "../memory/recall/recall-store.ts";
import { findOldLines, findRelated, type KnownItem } from "../memory/recall/related.ts";
import { orderNotes, RERANK_POOL, type Reranker } from "../memory/recall/rerank.ts";
import type { SnapshotTaken, WeighedSnapshot } from "../memory/recall/snapshot.ts";
import type { LoreNote } from "../memory/recall/weigh.ts";
import type { ChatLine, SpeakerRole, TailInput, ThreadLine } from "./prompt/sections.ts";
import type { Obstacle, Ticket } from "./reply-queue.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { Trail } from "./trail.ts";

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
/** More notes than fit into a prompt. */
const LORE_READ_MAX = 150;
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
 * Reads the content of a prompt's tail: the speaker, notes about them and the channel, and chat. `order` is a model's
 * order of the speaker's best notes.
 */
export function readTail(
  parts: ReadParts,
  ticket: Ticket,
  snapshot: WeighedSnapshot,
  order: readonly number[] | null = null,
): TailRead {
  const { channel, userId, pieceIds = [] } = ticket;
  const { sessionId, liveSinceMs, category } = snapshot.state;
  const pace = parts.paceOf(channel);
  const depth = getDepth(pace);
  const nowMs = parts.now();
  const name = parts.viewers.get(userId)?.displayName ?? "someone";
  const viewer = parts.viewers.inChannel(channel, userId);

  const { lines: thread, isGoingOn } = readThread(parts, ticket, name);
  const inThread = new Set(thread.map(({ id }) => id));
  const chatLines = parts.events.latestChat({
    channel,
    exceptUserId: userId,
    exceptIds: inThread,
    sinceMs: nowMs - CHAT_MS,
    min: CHAT_LINES_MIN,
    max: depth.chat,
  });
  // Reading the chat wrote the buffered lines: from here on the message has its id.
  const { eventId } = ticket;
  const shownElsewhere = new Set([...inThread, ...pieceIds]);
  const isLive = liveSinceMs !== null && sessionId !== null;
  const ownMax = isLive ? OLD_LINES_READ_MAX : depth.own + shownElsewhere.size;
  const allOwn = parts.events
    .latestOf(channel, userId, ownMax, eventId)
    .filter(({ id }) => !shownElsewhere.has(id));
  const own = allOwn.slice(-depth.own);

  const conversation = {
    message: { text: ticket.question },
    recent: [...thread, ...own],
    category,
    others: chatLines.filter(({ answers }) => answers === undefined),
  };
  const query = readQuery({ ...conversation, others: [] });
  const read = readLore(parts, ticket, conversation, query);
  const candidates = orderNotes(read?.notes ?? [], order ?? []);
  const { recall } = parts;
  const accounts = recall.accountsOf(userId);
  const moments = listKnownMoments(recall.momentsOfOthers(channel, accounts), (id) =>
    recall.shownName(id),
  );
  const isShown = new Set([...chatLines, ...own].map(({ id }) => id).concat(...shownElsewhere));
  const oldLines = isLive
    ? findOldLines(
        [...allOwn, ...readOthersOldLines(parts, ticket, snapshot)]
          .filter(({ id, createdAtMs }) => createdAtMs >= liveSinceMs && !isShown.has(id))
          .sort((one, other) => one.id - other.id),
        query,
      )
    : [];

  const tail: TailInput = {
    pace,
    nowMs,
    liveSinceMs,
    speaker: {
      name,
      standing: getStanding(viewer, isNew(ticket, viewer, candidates)),
      visits: viewer && {
        sinceMs: viewer.firstSeenAtMs,
        streams: viewer.streamCount,
        lastHereMs: viewer.previousSeenAtMs,
      },
      calledName: getProperty(candidates, "name"),
      pronouns: getProperty(candidates, "pronouns"),
      moments: describeOwnMoments(recall.momentsOf(channel, accounts)),
    },
    lore: withNames(candidates, userId, recall.namesFor(userId, accounts)),
    loreTokensMax: recall.loreTokensMax(),
    hasMoreLore: depth.hasMoreLore,
    related: findRelated(
      snapshot.known,
      [...readStreamerNotes(parts, ticket, snapshot), ...moments],
      query,
    ),
    oldLines: oldLines.map((line) => makeChatLine(line, nowMs)),
    own: own.map((line) => makeChatLine(line, nowMs)),
    chat: chatLines.map((line) => makeChatLine(line, nowMs)),
    thread,
    replies: parts.replies.recent(channel, depth.replies),
    current: { id: eventId ?? 0, name, text: ticket.question, pieceIds },
    continues: ticket.trigger === "continuation" || isGoingOn,
    isAddressed: ticket.trigger !== "chance",
  };
  return { tail, candidates, isLoreRead: read?.fresh === true };
}

interface Thread {
  readonly lines: readonly ThreadLine[];
  /** True if the bot just answered the speaker, or the speaker replies to the bot's answer to them. */
  readonly isGoingOn: boolean;
}

/** Reads the last exchanges with the speaker and the message that they reply to, oldest first. */
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
      : putInOrder(exchanged, parent);
  const lastAtMs = past.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  return {
    lines: all
      .filter(({ id }) => id !== ticket.eventId)
      .map((line) => ({ ...line, isRepliedTo: line.id === parent?.id })),
    isGoingOn: parent?.answers === name || parts.now() - lastAtMs <= CHAT_MS,
  };
}

/** Inserts a line by event id. A line with a negative id (an answer without event) stays behind its question. */
function putInOrder(lines: readonly ChatLine[], line: ChatLine): readonly ChatLine[] {
  const next = lines.findIndex(({ id }) => id > line.id);
  return lines.toSpliced(next < 0 ? lines.length : next, 0, line);
}

/**
 * Reads the message that a message replies to; null if it replies to none, its text was removed, or it is of another
 * channel.
 */
function findRepliedTo(
  { events, replies, now }: ReadParts,
  { channel, repliesTo = null }: Ticket,
): ChatLine | null {
  if (repliesTo === null) return null;
  const replyId = replies.byMessage(repliesTo.messageId);
  const said = replyId === null ? null : events.byReply(replyId);
  const line = said ?? events.byMessageId(repliesTo.messageId);
  return line === null || line.channel !== channel ? null : makeChatLine(line, now());
}

/** Reads the speaker's notes; null if the read fails and none was read before: the bot then answers without them. */
function readLore(
  { recall, now }: ReadParts,
  { channel, userId }: Ticket,
  conversation: Conversation,
  ownQuery: Query,
): LoreTaken | null {
  try {
    const limit = LORE_READ_MAX;
    return recall.loreOrLast({ channel, userId, nowMs: now(), limit, conversation, ownQuery });
  } catch {
    return null;
  }
}

/**
 * Reads the streamer's notes about themselves. None if the streamer asks, whose lore has them, or if the read fails. If
 * the question names the streamer, all of them match it.
 */
function readStreamerNotes(
  { recall, now }: ReadParts,
  { channel, userId, question }: Ticket,
  { state: { streamerId } }: WeighedSnapshot,
): KnownItem[] {
  if (streamerId === null || streamerId === userId) return [];
  try {
    const notes = recall.aboutStreamer(channel, streamerId, now());
    const name = recall.displayName(streamerId)?.toLowerCase() ?? "";
    const isNamed = name !== "" && question.toLowerCase().includes(name);
    return isNamed ? notes.map((note) => ({ ...note, words: [...note.words, name] })) : notes;
  } catch {
    // An answer without them is better than none.
    return [];
  }
}

/**
 * Reads the last messages of the streamer and of the bot before a message, at most 100 of each. Leaves out the streamer
 * who asks.
 */
function readOthersOldLines(
  { events }: ReadParts,
  { channel, userId, eventId }: Ticket,
  { state: { streamerId } }: WeighedSnapshot,
): Said[] {
  const beforeId = eventId ?? Number.MAX_SAFE_INTEGER;
  const ofBot = events.latestOfBot(channel, OLD_LINES_READ_MAX, beforeId);
  if (streamerId === null || streamerId === userId) return ofBot;
  return [...events.latestOf(channel, streamerId, OLD_LINES_READ_MAX, beforeId), ...ofBot];
}

/**
 * Replaces the `{u:id}` tokens of notes by names, or "someone". Removes the speaker's own in front: the section's
 * header has it.
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
  { id, userId, displayName, text, answers, createdAtMs }: Said,
  nowMs: number,
): ChatLine {
  const line: ChatLine = { id, userId, name: displayName ?? "someone", text };
  const hoursAgo = Math.floor((nowMs - createdAtMs) / HOUR_MS);
  if (answers !== undefined) line.answers = answers;
  if (hoursAgo > 0) line.hoursAgo = hoursAgo;
  return line;
}

interface Said {
  readonly id: number;
  readonly userId: string;
  readonly displayName: string | null;
  readonly text: string;
  readonly createdAtMs: number;
  readonly answers?: string | null;
}

/**
 * True if the speaker is in their first stream here and no note is older. One without a row is new in their first
 * message, or without notes.
 */
function isNew(
  { isFirstHere = false }: Ticket,
  viewer: ChannelViewer | null,
  notes: readonly LoreNote[],
): boolean {
  if (viewer === null) return isFirstHere || notes.length === 0;
  const isFirstVisit = viewer.streamCount <= 1 && viewer.previousSeenAtMs === null;
  return isFirstVisit && notes.every(({ createdAtMs }) => createdAtMs >= viewer.firstSeenAtMs);
}

function getStanding(viewer: ChannelViewer | null, isNewcomer: boolean): SpeakerRole {
  if (viewer?.roles.broadcaster === true) return "streamer";
  if (viewer?.roles.moderator === true) return "moderator";
  if (viewer?.roles.vip === true) return "vip";
  if (isNewcomer) return "newcomer";
  const { streamCount = 0, messageCount = 0 } = viewer ?? {};
  return streamCount >= REGULAR_STREAMS && messageCount >= REGULAR_MESSAGES ? "regular" : "viewer";
}

export interface PreflightParts extends ReadParts {
  readonly config: Config;
  /** Returns the switches, read again if another process changed them. Throws if they cannot be read. */
  readonly switches: () => Switches;
  /** Returns true if Twitch shows no message of the bot in a channel now: an answer would cost money for nothing. */
  readonly isShut: (channel: string) => boolean;
}

/** An order of the speaker's notes that a model gave, or did not give. */
export interface LoreOrder {
  /** The whole pool, best first; null to use the database's order. */
  readonly ids: readonly number[] | null;
  readonly trail: NonNullable<Trail["rerank"]>;
}

type Preflight =
  | { readonly obstacle: Obstacle }
  | {
      readonly obstacle: null;
      readonly taken: SnapshotTaken;
      /** null if no model was asked: the database's order applies. */
      readonly order: LoreOrder | null;
    };

/**
 * Decides whether to answer now, from which snapshot, and in which order of the speaker's notes. After a model ordered
 * them, checks everything again, since a text may have been removed.
 */
export async function checkPreflight(
  parts: PreflightParts,
  {
    snapshot,
    rerank,
  }: {
    readonly snapshot: (channel: string) => SnapshotTaken;
    readonly rerank: Reranker;
  },
  { ticket, signal }: { readonly ticket: Ticket; readonly signal: AbortSignal },
): Promise<Preflight> {
  const { channel } = ticket;
  const first = look(parts, channel, snapshot);
  if (first.obstacle !== null || parts.config.memory.recall.rerank === "off") return first;
  const read = readTail(parts, ticket, first.taken.snapshot);
  const order = await orderLore(parts, rerank, { ticket, read, signal });
  const again = look(parts, channel, snapshot);
  return again.obstacle === null ? { ...again, order } : again;
}

function look(
  parts: PreflightParts,
  channel: string,
  snapshot: (channel: string) => SnapshotTaken,
): Preflight {
  const obstacle = closedReason(parts, channel);
  if (obstacle !== null) return { obstacle };
  const taken = snapshot(channel);
  if (isOffline(parts.config, taken.snapshot.state.isLive)) return { obstacle: "offline" };
  return { obstacle: null, taken, order: null };
}

/**
 * Returns why the bot answers nobody in a channel now; null if it answers. Does not check whether the stream is live:
 * see `isOffline`. Throws if the switches cannot be read.
 */
export function closedReason(
  { switches, isShut }: PreflightParts,
  channel: string,
): Exclude<Obstacle, "offline"> | null {
  if (switches().paused) return "paused";
  return isShut(channel) ? "not_let_through" : null;
}

/** True if the bot is silent because the stream is offline; false if nobody knows whether it is live. */
export function isOffline({ replies }: Config, isLive: boolean | null): boolean {
  return !replies.whenOffline && isLive === false;
}

/** Lets a model order the speaker's best notes. Never rejects, and takes 1.5 s at most. */
async function orderLore(
  { recall }: PreflightParts,
  rerank: Reranker,
  {
    ticket,
    read: { candidates, tail },
    signal,
  }: { readonly ticket: Ticket; readonly read: TailRead; readonly signal: AbortSignal },
): Promise<LoreOrder> {
  const nameOf = recall.namesFor(ticket.userId, recall.accountsOf(ticket.userId));
  const pool = candidates.slice(0, RERANK_POOL).map(({ id, fact, topics }) => ({
    id,
    fact: fillNames(fact, nameOf),
    topics: fillNames(topics, nameOf),
  }));
  const recent = tail.own.map(({ text }) => text);
  const { outcome, ids, latencyMs } = await rerank(
    { message: ticket.question, recent, pool },
    signal,
  );
  const database = pool.map(({ id }) => id);
  const model = ids === null ? null : [...ids];
  return { ids, trail: { mode: "on", outcome, latencyMs, database, model } };
}
