import type { Addressed } from "../chat/addressed.ts";
import type { EventStore } from "../chat/event-store.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { Pace } from "../memory/recall/depth.ts";
import type { ReplyMode } from "../platform/config/names.ts";
import type { Ticket } from "./reply-queue.ts";
import type { ReplyStore } from "./reply-store.ts";
import { decideTrigger, saysSomething } from "./trigger.ts";

export interface HearingParts {
  readonly mode: ReplyMode;
  /** Whether a line of a channel calls the bot by one of its names there. */
  readonly addressed: (channel: string, text: string) => Addressed | null;
  readonly command: string | null;
  readonly continuationMs: number;
  readonly ambientChance: number;
  readonly events: Pick<EventStore, "ownRecent" | "flush">;
  readonly replies: Pick<ReplyStore, "isOwnMessage">;
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

const OWN_LINES_BACK = 4;

/** Decides about each line of chat whether the bot answers it. */
export function hearing(parts: HearingParts): (spoken: Spoken) => Heard {
  const parentOf = ({ parent }: Spoken): "bot" | "other" | null => {
    if (parent === null) return null;
    if (parent.userId !== null && parent.userId === parts.botUserId()) return "bot";
    return parts.replies.isOwnMessage(parent.messageId) ? "bot" : "other";
  };
  const ticketFor = (
    spoken: Spoken,
    found: Addressed | null,
    event: { readonly id: number | null },
  ) => {
    const { channel, person } = spoken;
    const lastAtMs = parts.lastExchange(channel, person.userId);
    const ownRecentLines =
      found === null || saysSomething(found.rest)
        ? []
        : parts.events
            .ownRecent(channel, person.userId, OWN_LINES_BACK, event.id ?? undefined)
            .map(({ id, text, createdAtMs }) => ({ id, text, atMs: createdAtMs }));
    const trigger = decideTrigger(
      { ...spoken, parent: parentOf(spoken) },
      {
        mode: parts.mode,
        addressed: found,
        commandName: parts.command,
        lastExchange: lastAtMs === null ? null : { atMs: lastAtMs },
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
      atMs: parts.now(),
    };
  };
  return (spoken) => {
    const found = parts.addressed(spoken.channel, spoken.text);
    return {
      addressed: found,
      ticket: (event) => {
        if (found !== null) parts.events.flush();
        return ticketFor(spoken, found, event);
      },
    };
  };
}
