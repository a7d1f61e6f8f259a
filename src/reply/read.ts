import type { EventStore } from "../events/store.ts";
import type { ChannelViewer, ViewerStore } from "../events/viewer-store.ts";
import type { ChatLine, Standing, TailInput } from "../prompt/sections.ts";
import { depthOf, type Pace } from "../recall/depth.ts";
import type { RecallStore } from "../recall/store.ts";
import { fillNames } from "../text/people.ts";
import type { Ticket } from "./lane.ts";
import type { ReplyStore } from "./store.ts";

export interface ReadParts {
  readonly events: Pick<EventStore, "recentChat" | "ownRecent">;
  readonly viewers: Pick<ViewerStore, "get" | "inChannel">;
  readonly recall: Pick<RecallStore, "lore" | "displayName">;
  readonly replies: Pick<ReplyStore, "recent">;
  readonly now: () => number;
}

/** Three streams and fifty messages make a regular. Design part 7, Posture. */
const REGULAR_STREAMS = 3;
const REGULAR_MESSAGES = 50;
/** Fewer messages than this, in their first stream, make a newcomer. */
const NEWCOMER_MESSAGES = 10;

/** Reads what the tail of a prompt shows: the speaker, what is known of them, and the chat around them. */
export function readTail(parts: ReadParts, ticket: Ticket, pace: Pace): TailInput {
  const { channel, userId, eventId } = ticket;
  const depth = depthOf(pace);
  const name = parts.viewers.get(userId)?.displayName ?? "someone";
  const own = parts.events.ownRecent(channel, userId, depth.own, eventId ?? undefined);
  const others = parts.events
    .recentChat(channel, depth.chat + depth.own)
    .filter((line) => line.userId !== userId && line.id !== eventId)
    .slice(-depth.chat);
  const line = (said: Said): ChatLine => ({
    id: said.id,
    userId: said.userId,
    name: said.displayName ?? "someone",
    text: said.text,
  });
  const lore = parts.recall
    .lore(channel, userId, parts.now(), depth.lore)
    .map((note) => ({ ...note, fact: fillNames(note.fact, parts.recall.displayName) }));
  const standing = standingOf(parts.viewers.inChannel(channel, userId));
  return {
    // Somebody the bot remembers is no stranger, however little they said.
    speaker: { name, standing: standing === "newcomer" && lore.length > 0 ? "viewer" : standing },
    lore,
    own: own.map(line),
    chat: others.map(line),
    replies: parts.replies.recent(channel, depth.replies),
    current: { id: eventId ?? 0, name, text: ticket.question },
    continues: ticket.trigger === "continuation" || ticket.trigger === "reply",
  };
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
