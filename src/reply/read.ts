import type { EventStore } from "../chat/event-store.ts";
import type { ChannelViewer, ViewerStore } from "../chat/viewer-store.ts";
import { fillNames } from "../language/people.ts";
import type { LoreTaken, RecallStore } from "../memory/recall/recall-store.ts";
import { inOrder, RERANK_POOL, type Reranker } from "../memory/recall/rerank.ts";
import type { PrefixSnapshot, SnapshotTaken } from "../memory/recall/snapshot.ts";
import { CHAT_LINES_MIN, depthOf, type LoreNote, type Pace } from "../memory/recall/weigh.ts";
import type { Config } from "../platform/config/load.ts";
import { isWithinHours } from "../platform/config/local-time.ts";
import type { Switches } from "../platform/database/runtime-store.ts";
import type { ChatLine, Standing, TailInput, ThreadLine, Visits } from "./prompt/sections.ts";
import type { Obstacle, Ticket } from "./reply-queue.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { Trail } from "./trail.ts";

export interface ReadParts {
  readonly events: Pick<EventStore, "aroundIn" | "byMessageId" | "byReply" | "ownRecent">;
  readonly viewers: Pick<ViewerStore, "get" | "inChannel">;
  readonly recall: Pick<RecallStore, "loreOrLast" | "namesFor" | "loreTokensMax">;
  readonly replies: Pick<ReplyStore, "recent" | "exchangesWith" | "byMessage">;
  readonly paceOf: (channel: string) => Pace;
  readonly now: () => number;
}

/** Three streams and fifty messages make a regular. Design part 7, Posture. */
const REGULAR_STREAMS = 3;
const REGULAR_MESSAGES = 50;
/** How old chat is that a prompt shows. */
const CHAT_MS = 5 * 60_000;
/** Exchanges with the speaker that a prompt shows. */
const EXCHANGES = 2;

/** How many notes beside those shown the trail tells: what nearly stood there. */
const RUNNERS_UP = 5;

/** The tail of a prompt, and what of the speaker's lore was weighed for it. */
export interface TailRead {
  readonly tail: TailInput;
  /** Best first: those shown, and the next ones. */
  readonly candidates: readonly LoreNote[];
  /** False where the speaker's notes could not be read: the turn goes on with what was read last, or without them. */
  readonly isLoreRead: boolean;
}

/**
 * Reads what the tail of a prompt shows: the speaker, what is known of them, and the chat around them. With an `order`
 * the notes among which it chose are read, and stand in it; an empty one leaves them as the database has them.
 */
export function readTail(
  parts: ReadParts,
  ticket: Ticket,
  snapshot: PrefixSnapshot,
  order: readonly number[] | null = null,
): TailRead {
  const { channel, userId } = ticket;
  const pace = parts.paceOf(channel);
  const depth = depthOf(pace);
  const nowMs = parts.now();
  const name = parts.viewers.get(userId)?.displayName ?? "someone";
  const { lines: thread, isGoingOn } = readThread(parts, ticket, name);
  const inThread = new Set(thread.map(({ id }) => id));
  const around = parts.events.aroundIn({
    channel,
    exceptUserId: userId,
    exceptIds: inThread,
    sinceMs: nowMs - CHAT_MS,
    min: CHAT_LINES_MIN,
    max: depth.chat,
  });
  // The line may have waited to be written: it has its id since the chat was read.
  const { eventId } = ticket;
  const own = parts.events
    .ownRecent(channel, userId, depth.own + inThread.size, eventId ?? undefined)
    .filter(({ id }) => !inThread.has(id))
    .slice(-depth.own);
  const others = around.filter(({ answers }) => answers === undefined);
  const ranked = readLore(parts, ticket, {
    limit: order === null ? depth.lore + RUNNERS_UP : RERANK_POOL,
    shown: depth.lore,
    recent: own,
    others,
    category: snapshot.state.category,
  });
  const notes = ranked?.notes ?? [];
  const candidates = order === null ? notes : inOrder(notes, order);
  const lore = nameAll(parts, userId, candidates.slice(0, depth.lore));
  const viewer = parts.viewers.inChannel(channel, userId);
  const tail: TailInput = {
    pace,
    speaker: {
      name,
      standing: standingOf(viewer, isNew(ticket, viewer) && lore.length === 0),
      visits: viewer === null ? null : visitsOf(viewer, nowMs),
    },
    lore,
    loreTokensMax: parts.recall.loreTokensMax(),
    own: own.map((line) => chatLine(line, nowMs)),
    chat: around.map((line) => chatLine(line, nowMs)),
    thread,
    replies: parts.replies.recent(channel, depth.replies),
    current: {
      id: eventId ?? 0,
      name,
      text: ticket.question,
      ...(ticket.pieceIds && { pieceIds: ticket.pieceIds }),
    },
    continues: ticket.trigger === "continuation" || isGoingOn,
  };
  return { tail, candidates, isLoreRead: ranked?.fresh === true };
}

interface Thread {
  readonly lines: readonly ThreadLine[];
  /** The bot answered the speaker a moment ago, or they reply to what it said to them. */
  readonly isGoingOn: boolean;
}

/** The last exchanges with the speaker, and what they reply to, as far as the texts are kept here; oldest first. */
function readThread(parts: ReadParts, ticket: Ticket, name: string): Thread {
  const { channel, userId } = ticket;
  const parent = repliedTo(parts, ticket);
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

/** By event id. A line without one, below zero, stays behind the question that it answers. */
function putInOrder(lines: readonly ChatLine[], line: ChatLine): readonly ChatLine[] {
  const next = lines.findIndex(({ id }) => id > line.id);
  return lines.toSpliced(next < 0 ? lines.length : next, 0, line);
}

/** The message that a line replies to, whoever wrote it; null where its text is not kept here. */
function repliedTo(
  { events, replies, now }: ReadParts,
  { channel, repliesTo = null }: Ticket,
): ChatLine | null {
  if (repliesTo === null) return null;
  const replyId = replies.byMessage(repliesTo.messageId);
  const said = replyId === null ? null : events.byReply(replyId);
  const line = said ?? events.byMessageId(repliesTo.messageId);
  return line === null || line.channel !== channel ? null : chatLine(line, now());
}

interface LoreAround {
  readonly limit: number;
  readonly shown: number;
  readonly recent: readonly Said[];
  readonly others: readonly Said[];
  readonly category: string;
}

/** null where the database does not give the notes, and never did: an answer without them is better than none. */
function readLore(
  { recall, now }: ReadParts,
  { channel, userId, question, eventId, pieceIds = [] }: Ticket,
  { limit, shown, ...around }: LoreAround,
): LoreTaken | null {
  // The words of a question in one piece are those of its line, which the next reply looks at again.
  const id = pieceIds.length === 0 ? eventId : null;
  const conversation = { ...around, message: { id, text: question } };
  try {
    return recall.loreOrLast({ channel, userId, nowMs: now(), limit, shown, conversation });
  } catch {
    return null;
  }
}

type NameOf = ReturnType<RecallStore["namesFor"]>;

/** Notes with the names of the people in them. */
function nameAll({ recall }: ReadParts, userId: string, notes: readonly LoreNote[]): LoreNote[] {
  if (notes.length === 0) return [];
  const nameOf = readOnce(recall.namesFor(userId));
  return notes.map((note) => named(note, nameOf));
}

/** Most of a person's notes name them, and nobody else. */
function readOnce(nameOf: NameOf): NameOf {
  const names = new Map<string, string | null>();
  return (userId) => {
    const known = names.get(userId);
    if (known !== undefined) return known;
    const name = nameOf(userId);
    names.set(userId, name);
    return name;
  };
}

function named(note: LoreNote, nameOf: NameOf): LoreNote {
  return { ...note, fact: fillNames(note.fact, nameOf), topics: fillNames(note.topics, nameOf) };
}

const HOUR_MS = 3_600_000;

/** As a prompt shows it: what is from before the stream, or from before a break, has its age. */
function chatLine(
  { id, userId, displayName, text, answers, createdAtMs }: Said,
  nowMs: number,
): ChatLine {
  const hoursAgo = Math.floor((nowMs - createdAtMs) / HOUR_MS);
  return {
    ...{ id, userId, name: displayName ?? "someone", text },
    ...(answers !== undefined && { answers }),
    ...(hoursAgo > 0 && { hoursAgo }),
  };
}

interface Said {
  readonly id: number;
  readonly userId: string;
  readonly displayName: string | null;
  readonly text: string;
  readonly createdAtMs: number;
  readonly answers?: string | null;
}

/** Nothing of them was seen here before this line. */
function isNew({ isFirstHere = false }: Ticket, viewer: ChannelViewer | null): boolean {
  return isFirstHere || viewer === null || viewer.messageCount <= 1;
}

function standingOf(viewer: ChannelViewer | null, isNewcomer: boolean): Standing {
  if (viewer?.roles.broadcaster === true) return "streamer";
  if (viewer?.roles.moderator === true) return "moderator";
  if (viewer?.roles.vip === true) return "vip";
  if (isNewcomer) return "newcomer";
  const { streamCount = 0, messageCount = 0 } = viewer ?? {};
  return streamCount >= REGULAR_STREAMS && messageCount >= REGULAR_MESSAGES ? "regular" : "viewer";
}

function visitsOf(
  { firstSeenAtMs, previousSeenAtMs, streamCount, messageCount }: ChannelViewer,
  nowMs: number,
): Visits {
  return {
    sinceMs: firstSeenAtMs,
    streams: streamCount,
    messages: messageCount,
    lastHereMs: previousSeenAtMs,
    nowMs,
  };
}

export interface PreflightParts extends ReadParts {
  readonly config: Config;
  /** Rereads the switches where another process changed them. Throws where they cannot be read. */
  readonly switches: () => Switches;
  /** Whether Twitch lets nothing of the bot through in a channel now: an answer would be paid for and not be seen. */
  readonly isShut: (channel: string) => boolean;
  /** What the machine's clock shows; `now` where it is not said. */
  readonly wallNow?: () => number;
}

/** An order of the speaker's notes that a model gave, or did not give. */
export interface LoreOrder {
  /** Best first, the whole pool; null where the order of the database serves. */
  readonly ids: readonly number[] | null;
  readonly trail: NonNullable<Trail["rerank"]>;
}

type Preflight =
  | { readonly obstacle: Obstacle }
  | {
      readonly obstacle: null;
      readonly taken: SnapshotTaken;
      /** null where the order is the database's: no model is to be asked. */
      readonly order: LoreOrder | null;
    };

/**
 * Whether an answer may be given now, from which snapshot, and in which order the speaker's notes stand. What was
 * removed while a model put them in order must not be shown: then all is looked at anew.
 */
export async function preflight(
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
  const pool = readTail(parts, ticket, first.taken.snapshot, []);
  const order = await orderLore(parts, rerank, { ticket, pool, signal });
  const again = look(parts, channel, snapshot);
  return again.obstacle === null ? { ...again, order } : again;
}

function look(
  parts: PreflightParts,
  channel: string,
  snapshot: (channel: string) => SnapshotTaken,
): Preflight {
  const obstacle = closedBy(parts, channel);
  if (obstacle !== null) return { obstacle };
  const taken = snapshot(channel);
  if (isOffline(parts.config, taken.snapshot.state.isLive)) return { obstacle: "offline" };
  return { obstacle: null, taken, order: null };
}

/** Why nobody is answered in a channel now, live or not; null where people are. */
export function closedBy(
  { config, switches, isShut, now, wallNow = now }: PreflightParts,
  channel: string,
): Exclude<Obstacle, "offline"> | null {
  if (switches().paused) return "paused";
  if (config.replies.quietHours.some((span) => isWithinHours(span, wallNow())))
    return "quiet_hours";
  return isShut(channel) ? "not_let_through" : null;
}

/** Whether a channel's state keeps the bot silent. What is not known does not. */
export function isOffline({ replies }: Config, isLive: boolean | null): boolean {
  return !replies.whenOffline && isLive === false;
}

/** Lets a model order the whole pool that was read. Never rejects, and takes 1.5 s at most. */
async function orderLore(
  { recall }: PreflightParts,
  rerank: Reranker,
  {
    ticket,
    pool: { candidates, tail },
    signal,
  }: { readonly ticket: Ticket; readonly pool: TailRead; readonly signal: AbortSignal },
): Promise<LoreOrder> {
  const nameOf = recall.namesFor(ticket.userId);
  const pool = candidates.map(({ id, fact, topics }) => ({
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
