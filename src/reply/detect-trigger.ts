import type { Addressed } from "../chat/addressed.ts";
import type { EventStore } from "../chat/event-store.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { Roles } from "../chat/person.ts";
import { cleanLine } from "../language/clean.ts";
import type { Pace } from "../memory/recall/depth.ts";
import type { ReplyMode } from "../platform/config/names.ts";
import type { Ticket, TicketRank } from "./reply-queue.ts";
import type { ReplyStore } from "./reply-store.ts";
import { decideTrigger, namesOneOf, saysSomething, type TriggerState } from "./trigger.ts";

export interface HearingParts {
  readonly mode: ReplyMode;
  /** Whether a line of a channel calls the bot by one of its names there. */
  readonly addressed: (channel: string, text: string) => Addressed | null;
  readonly command: string | null;
  readonly continuationMs: number;
  readonly ambientChance: number;
  readonly events: Pick<EventStore, "ownRecent" | "recentChat" | "flush">;
  readonly replies: Pick<ReplyStore, "isOwnMessage" | "learnId">;
  readonly lastExchange: (channel: string, userId: string) => number | null;
  readonly paceOf: (channel: string) => Pace;
  readonly botUserId: () => string | null;
  readonly now: () => number;
  readonly random: () => number;
}

/** A line as it was heard: whether it speaks to the bot, and what it asks for. */
export interface Heard {
  readonly addressed: Addressed | null;
  /** Reads the database where the line may be for the bot: to be called after the event was added. */
  ticket(event: { readonly id: number | null }): Ticket | null;
}

export interface Hearing {
  /** A line was heard, before it is stored. */
  hear(spoken: Spoken): Heard;
  /** The bot answered somebody: what they say right after may go on from there. */
  said(channel: string, userId: string): void;
}

const OWN_LINES_BACK = 4;
/** Whose names a line may begin to speak to somebody with. */
const NAMES_BACK = 60;

/** Decides about each line of chat whether the bot answers it. */
export function hearing(parts: HearingParts): Hearing {
  /** Whom the bot answered with the last line of a channel; nobody where that is another's. */
  const answeredLast = new Map<string, string>();
  return {
    said: (channel, userId) => void answeredLast.set(channel, userId),
    hear: (spoken) => {
      const { channel, person } = spoken;
      const found = parts.addressed(channel, spoken.text);
      const isRightAfter = answeredLast.get(channel) === person.userId;
      if (!spoken.isBotItself && !spoken.isKnownBot) answeredLast.delete(channel);
      return {
        addressed: found,
        ticket: (event) => {
          if (found !== null) parts.events.flush();
          return ticketFor(parts, spoken, { found, isRightAfter, event });
        },
      };
    },
  };
}

function isForAnother({ events }: HearingParts, { channel, person, text }: Spoken): boolean {
  return namesOneOf(text, () =>
    events
      .recentChat(channel, NAMES_BACK)
      .filter(({ userId }) => userId !== person.userId)
      .flatMap(({ login, displayName }) => [login ?? "", displayName ?? ""]),
  );
}

function parentOf(parts: HearingParts, { channel, parent }: Spoken): "bot" | "other" | null {
  if (parent === null) return null;
  if (parent.userId !== null && parent.userId === parts.botUserId()) {
    learnParent(parts, channel, parent);
    return "bot";
  }
  return parts.replies.isOwnMessage(parent.messageId) ? "bot" : "other";
}

/** Chat alone never told the id of what the bot said: who replies to it quotes it. */
function learnParent(
  { replies }: HearingParts,
  channel: string,
  { messageId, text = null }: NonNullable<Spoken["parent"]>,
): void {
  if (text === null || replies.isOwnMessage(messageId)) return;
  try {
    replies.learnId({ channel, text: cleanLine(text), messageId });
  } catch {
    // The database is busy: then the thread lacks one line.
  }
}

type OwnLine = TriggerState["ownRecentLines"][number] & { readonly id: number };

/** The viewer's own lines before one that only calls the bot. */
function ownLinesBefore(
  { events }: HearingParts,
  { channel, person }: Spoken,
  { found, event }: HeardFacts,
): OwnLine[] {
  if (found === null || saysSomething(found.rest)) return [];
  return events
    .ownRecent(channel, person.userId, OWN_LINES_BACK, event.id ?? undefined)
    .map(({ id, text, createdAtMs }) => ({ id, text, atMs: createdAtMs }));
}

interface HeardFacts {
  readonly found: Addressed | null;
  readonly isRightAfter: boolean;
  readonly event: { readonly id: number | null };
}

function ticketFor(parts: HearingParts, spoken: Spoken, facts: HeardFacts): Ticket | null {
  const { found, isRightAfter, event } = facts;
  const { channel, person } = spoken;
  const lastAtMs = parts.lastExchange(channel, person.userId);
  const ownRecentLines = ownLinesBefore(parts, spoken, facts);
  const trigger = decideTrigger(
    { ...spoken, parent: parentOf(parts, spoken) },
    {
      mode: parts.mode,
      addressed: found,
      commandName: parts.command,
      lastExchange: lastAtMs === null ? null : { atMs: lastAtMs },
      isRightAfterAnswer: isRightAfter && !isForAnother(parts, spoken),
      ownRecentLines,
      pace: parts.paceOf(channel),
      roll: parts.random(),
      nowMs: parts.now(),
      continuationMs: parts.continuationMs,
      ambientChance: parts.ambientChance,
    },
  );
  if (trigger === null) return null;
  const { kind, question } = trigger;
  const pieces =
    kind === "bare" ? ownRecentLines.filter(({ text }) => question.includes(text)) : [];
  return {
    channel,
    userId: person.userId,
    trigger: kind,
    question,
    // Not known while the database takes nothing.
    get eventId() {
      return event.id;
    },
    messageId: spoken.messageId,
    pieceIds: pieces.map(({ id }) => id),
    pieces: pieces.map(({ text }) => text),
    repliesTo: spoken.parent,
    isFirstHere: spoken.isFirstHere ?? false,
    rank: rankOf(person.roles),
    atMs: parts.now(),
  };
}

function rankOf({ broadcaster, moderator }: Roles): TicketRank {
  if (broadcaster) return "streamer";
  return moderator ? "moderator" : "viewer";
}
