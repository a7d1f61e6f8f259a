import type { EventStore } from "../chat/event-store.ts";
import type { ChannelViewer, ViewerStore } from "../chat/viewer-store.ts";
import { fillNames } from "../language/people.ts";
import { depthOf } from "../memory/recall/depth.ts";
import type { LoreTaken, RecallStore } from "../memory/recall/recall-store.ts";
import type { LoreNote } from "../memory/recall/recalled-note.ts";
import { inOrder, RERANK_POOL } from "../memory/recall/rerank.ts";
import type { PrefixSnapshot } from "../memory/recall/snapshot.ts";
import type { ChatLine, Standing, TailInput } from "./prompt/sections.ts";
import type { Ticket } from "./reply-queue.ts";
import type { ReplyStore } from "./reply-store.ts";

export interface ReadParts {
  readonly events: Pick<EventStore, "recentChat" | "ownRecent">;
  readonly viewers: Pick<ViewerStore, "get" | "inChannel">;
  readonly recall: Pick<RecallStore, "loreOrLast" | "namesFor" | "loreTokensMax">;
  readonly replies: Pick<ReplyStore, "recent">;
  readonly now: () => number;
}

/** Three streams and fifty messages make a regular. Design part 7, Posture. */
const REGULAR_STREAMS = 3;
const REGULAR_MESSAGES = 50;
/** Fewer messages than this, in their first stream, make a newcomer. */
const NEWCOMER_MESSAGES = 10;

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
  const { channel, userId, eventId } = ticket;
  const depth = depthOf(snapshot.pace);
  const name = parts.viewers.get(userId)?.displayName ?? "someone";
  const own = parts.events.ownRecent(channel, userId, depth.own, eventId ?? undefined);
  const others = parts.events
    .recentChat(channel, depth.chat + depth.own)
    .filter((line) => line.userId !== userId)
    .slice(-depth.chat);
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
  const standing = standingOf(parts.viewers.inChannel(channel, userId));
  const tail: TailInput = {
    // Somebody the bot remembers is no stranger, however little they said.
    speaker: { name, standing: standing === "newcomer" && lore.length > 0 ? "viewer" : standing },
    lore,
    loreTokensMax: parts.recall.loreTokensMax(),
    own: own.map(chatLine),
    chat: others.map(chatLine),
    replies: parts.replies.recent(channel, depth.replies),
    current: { id: eventId ?? 0, name, text: ticket.question },
    continues: ticket.trigger === "continuation" || ticket.trigger === "reply",
  };
  return { tail, candidates, isLoreRead: ranked?.fresh === true };
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

function chatLine({ id, userId, displayName, text }: Said): ChatLine {
  return { id, userId, name: displayName ?? "someone", text };
}

interface Said {
  readonly id: number;
  readonly userId: string;
  readonly displayName: string | null;
  readonly text: string;
}

function standingOf(viewer: ChannelViewer | null): Standing {
  if (viewer === null) return "newcomer";
  const { roles, streamCount, messageCount } = viewer;
  if (roles.broadcaster) return "streamer";
  if (roles.moderator) return "moderator";
  if (roles.vip) return "vip";
  if (streamCount >= REGULAR_STREAMS && messageCount >= REGULAR_MESSAGES) return "regular";
  return streamCount <= 1 && messageCount < NEWCOMER_MESSAGES ? "newcomer" : "viewer";
}
