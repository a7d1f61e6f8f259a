import type { Config } from "../config/load.ts";
import type { Counters } from "../db/counters-store.ts";
import type { Switches } from "../db/switches-store.ts";
import { describeBug } from "../errors.ts";
import type { Spoken } from "../events/normalise.ts";
import type { RemovedText } from "../events/removal.ts";
import type { EventStore } from "../events/store.ts";
import type { ViewerStore } from "../events/viewer-store.ts";
import type { Llm } from "../llm/port.ts";
import type { Log } from "../log.ts";
import type { Pace } from "../recall/depth.ts";
import { prefixSnapshots } from "../recall/snapshot.ts";
import type { RecallStore } from "../recall/store.ts";
import type { Fence } from "../text/fence.ts";
import type { Outbox } from "../twitch/outbox.ts";
import { assembler } from "./assemble.ts";
import { namesOf } from "./configured-guard.ts";
import type { Corrections } from "./corrections.ts";
import { type Heard, hearing } from "./hear.ts";
import { type Lane, replyLane, type Ticket } from "./lane.ts";
import { refuseTightBudget } from "./refuse-tight-budget.ts";
import type { ReplyStore } from "./store.ts";
import { type TurnParts, turnTaker } from "./turn.ts";

export interface DeskParts {
  readonly config: Config;
  readonly events: EventStore;
  readonly viewers: ViewerStore;
  readonly recall: RecallStore;
  readonly replies: ReplyStore;
  readonly corrections: Corrections;
  readonly llm: Llm;
  readonly fence: Fence;
  readonly outbox: Pick<Outbox, "offer">;
  /** On everything that a model says. */
  readonly guard: TurnParts["guard"];
  /** What the model may propose, and who judges it. */
  readonly actions: TurnParts["actions"] & {
    readonly offered: (channel: string) => readonly string[];
  };
  readonly switches: () => Switches;
  readonly counters: Counters;
  readonly paceOf: (channel: string) => Pace;
  readonly botUserId: () => string | null;
  readonly onSaid: TurnParts["onSaid"];
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Log;
}

/** Where lines of chat become answers. */
export interface Desk {
  /** Whether a line speaks to the bot, before it is stored. */
  hear(spoken: Spoken): Heard;
  /** Queues the answer to a line that was stored, if it wants one. */
  answer(heard: Heard, event: { readonly id: number | null }): void;
  /** Drops turns whose message, or whose viewer's messages, were taken away. */
  discard(removed: RemovedText): void;
  close(): Promise<void>;
}

/** What cooldowns can reach back to. */
const EARLIER_MS = 3_600_000;

export function openDesk(parts: DeskParts): Desk {
  const { config, fence, now } = parts;
  const model = config.llm.models.reply ?? config.llm.model;
  refuseTightBudget(config, parts.corrections.factor(model));
  const take = turnTaker({
    ...parts,
    mode: config.mode,
    whenOffline: config.replies.whenOffline,
    model,
    assemble: assembler({
      persona: config.persona,
      fence,
      budgetTokens: config.prompt.budgetTokens,
      offered: parts.actions.offered,
    }),
    snapshot: prefixSnapshots(parts.recall, now),
  });
  const lane: Lane = replyLane({
    now,
    wait: parts.wait,
    take,
    refuse: (ticket, reason) => parts.replies.refuse(ticket, reason),
    onBug: (thrown) => parts.log.error({ ...describeBug(thrown) }, "a turn failed"),
    viewerCooldownMs: config.replies.viewerCooldownSeconds * 1_000,
    channelCooldownMs: config.replies.channelCooldownSeconds * 1_000,
    earlier: parts.replies.exchangesSince(now() - EARLIER_MS),
  });
  const hear = hearing({
    ...parts,
    mode: config.mode,
    names: namesOf(config),
    command: config.replies.command,
    continuationMs: config.replies.continuationSeconds * 1_000,
    ambientChance: config.replies.ambientChance,
    lastExchange: lane.lastExchange,
  });
  return {
    hear,
    answer: (heard, event) => {
      const ticket = heard.ticket(event);
      if (ticket !== null) lane.offer(ticket);
    },
    discard: (removed) => lane.discard(isTakenBy(removed)),
    close: lane.close,
  };
}

/** Whether a ticket rests on a text that was taken away. */
function isTakenBy({
  removal,
  userId,
  messageIds,
  eventIds,
}: RemovedText): (ticket: Ticket) => boolean {
  const messages = new Set(messageIds);
  const events = new Set(eventIds);
  const isMeant = (ticket: Ticket): boolean => {
    if (removal.by === "message" || ticket.channel !== removal.channel) return false;
    return removal.by === "channel" || ticket.userId === (removal.userId ?? userId);
  };
  return (ticket) =>
    isMeant(ticket) ||
    (ticket.messageId !== null && messages.has(ticket.messageId)) ||
    [ticket.eventId, ...(ticket.pieceIds ?? [])].some((id) => id !== null && events.has(id));
}
