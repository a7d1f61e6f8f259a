import { addressed } from "../chat/addressed.ts";
import type { EventStore } from "../chat/event-store.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { RemovedText } from "../chat/removal.ts";
import type { ViewerStore } from "../chat/viewer-store.ts";
import { describeBug } from "../errors.ts";
import type { Fence } from "../language/fence.ts";
import type { KeyedHash } from "../language/keyed-hash.ts";
import type { Log } from "../log.ts";
import type { Pace } from "../memory/recall/depth.ts";
import type { RecallStore } from "../memory/recall/recall-store.ts";
import { reranker } from "../memory/recall/rerank.ts";
import { prefixSnapshots } from "../memory/recall/snapshot.ts";
import type { Config } from "../platform/config/load.ts";
import { isWithinHours } from "../platform/config/local-time.ts";
import { botNames, personaFor } from "../platform/config/personas.ts";
import { remade } from "../platform/config/remade.ts";
import type { Counters } from "../platform/database/counters-store.ts";
import type { Switches } from "../platform/database/switches-store.ts";
import type { Llm } from "../platform/models/model-port.ts";
import type { Outbox } from "../twitch/outbox.ts";
import { assembler } from "./assemble.ts";
import type { Corrections } from "./corrections.ts";
import { type Heard, type Hearing, hearing } from "./detect-trigger.ts";
import { refuseTightBudget } from "./refuse-tight-budget.ts";
import { type Lane, type LaneOptions, replyLane, type Ticket } from "./reply-queue.ts";
import type { ReplyStore } from "./reply-store.ts";
import { loreReranking } from "./rerank-lore.ts";
import { sendsLeft, type TurnParts, turnTaker } from "./turn.ts";

export interface DeskParts {
  readonly config: Config;
  readonly events: EventStore;
  readonly viewers: ViewerStore;
  readonly recall: RecallStore;
  readonly replies: ReplyStore;
  readonly corrections: Corrections;
  readonly llm: Llm;
  readonly fence: Fence;
  readonly outbox: Pick<Outbox, "offer"> & Partial<Pick<Outbox, "delayMs">>;
  /** On everything that a model says. */
  readonly guard: TurnParts["guard"];
  /** What the model may propose, and who judges it. */
  readonly actions: TurnParts["actions"] & {
    readonly offered: (channel: string) => readonly string[];
  };
  readonly switches: () => Switches;
  /** Whether Twitch lets nothing of the bot through in a channel now. */
  readonly isShut: (channel: string) => boolean;
  readonly counters: Counters;
  readonly paceOf: (channel: string) => Pace;
  readonly botUserId: () => string | null;
  readonly onSaid: TurnParts["onSaid"];
  /** Of people, as they are kept once they are forgotten. */
  readonly hash: Pick<KeyedHash, "person">;
  readonly wait: LaneOptions["wait"];
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
  /** Drops the turns of people; gives whose they were. */
  discardOf(isMeant: (userId: string) => boolean): readonly string[];
  /** Drops the turns whose question or prompt names somebody: what is answered may repeat the name. */
  discardNaming(isNamed: (text: string) => boolean): void;
  close(): Promise<void>;
}

/** What cooldowns can reach back to. */
const EARLIER_MS = 3_600_000;

/** What depends on the configuration is read from it at each use: a reload replaces its parts. */
export function openDesk(parts: DeskParts): Desk {
  const { config } = parts;
  refuseTightBudget(config, parts.corrections.factor(replyModel(config)));
  const prompts = new Map<Ticket, string>();
  const lane = openLane(parts, (ticket, signal) => take(ticket, signal));
  const ear = openEar(parts, lane);
  const onSaid: TurnParts["onSaid"] = (ticket, said) => {
    ear.said(ticket.channel, ticket.userId);
    parts.onSaid(ticket, said);
  };
  const take = turns({ ...parts, onSaid }, prompts);
  return {
    hear: ear.hear,
    answer: (heard, event) => {
      const ticket = heard.ticket(event);
      if (ticket !== null) lane.offer(ticket);
    },
    discard: (removed) => lane.discard(isTakenBy(removed)),
    discardOf: (isMeant) => {
      const met = new Set<string>();
      lane.discard(({ userId }) => {
        if (isMeant(userId)) met.add(userId);
        return isMeant(userId);
      });
      return [...met];
    },
    discardNaming: (isNamed) =>
      lane.discard((ticket) => isNamed(ticket.question) || isNamed(prompts.get(ticket) ?? "")),
    close: lane.close,
  };
}

/** `prompts`: those that are being answered. */
function turns(parts: DeskParts, prompts: Map<Ticket, string>): LaneOptions["take"] {
  const { config, fence, now } = parts;
  const snapshots = remade(
    () => [choiceOfNotes(config)],
    () => prefixSnapshots(parts.recall, now),
  );
  const take = turnTaker({
    ...parts,
    isQuiet: () => isWithinHours(config.replies.quietHours, now()),
    onAsking: (ticket, { prefix, tail }) => void prompts.set(ticket, `${prefix}${tail}`),
    get mode() {
      return config.mode;
    },
    get whenOffline() {
      return config.replies.whenOffline;
    },
    get model() {
      return replyModel(config);
    },
    assemble: assembler({
      personaOf: (channel) => personaFor(config, channel),
      fence,
      get budgetTokens() {
        return config.prompt.budgetTokens;
      },
      offered: parts.actions.offered,
    }),
    snapshot: (channel) => snapshots()(channel),
    rerank: loreReranking({
      ...parts,
      mode: () => config.memory.recall.rerank,
      rerank: reranker(parts.llm, fence),
    }),
  });
  return (ticket, signal) => take(ticket, signal).finally(() => prompts.delete(ticket));
}

/** What of the configuration decides which notes a snapshot holds, and in what order: no other key of it moves one. */
function choiceOfNotes(config: Config): string {
  const { scales, readFloor } = config.memory.recall;
  const scopes = config.channels.map((channel) => personaFor(config, channel).memoryScope);
  return JSON.stringify([scales, readFloor, scopes]);
}

function openLane(parts: DeskParts, take: LaneOptions["take"]): Lane {
  const { config, now } = parts;
  return replyLane({
    now,
    wait: parts.wait,
    take,
    refuse: (ticket, reason) => parts.replies.refuse(ticket, reason),
    obstacle: (channel) => obstacleIn(parts, channel),
    slotDelayMs: (ticket) => parts.outbox.delayMs?.(ticket.channel, sendsLeft(ticket)) ?? 0,
    onBug: (thrown) => parts.log.error({ ...describeBug(thrown) }, "a turn failed"),
    get viewerCooldownMs() {
      return config.replies.viewerCooldownSeconds * 1_000;
    },
    get channelCooldownMs() {
      return config.replies.channelCooldownSeconds * 1_000;
    },
    pseudonym: parts.hash.person,
    earlier: parts.replies.exchangesSince(now() - EARLIER_MS),
  });
}

/** Asked before anything else of a ticket, so that the reason that is told is the true one. */
function obstacleIn(
  { config, switches, recall }: DeskParts,
  channel: string,
): "paused" | "offline" | null {
  try {
    if (switches().paused) return "paused";
    const isOffline = !config.replies.whenOffline && recall.state(channel).isLive === false;
    return isOffline ? "offline" : null;
  } catch {
    // A turn will find out, and say so.
    return null;
  }
}

function openEar(parts: DeskParts, { lastExchange }: Lane): Hearing {
  const { config } = parts;
  const called = remade(
    () => [config.bot, config.persona, config.personas],
    () =>
      new Map(config.channels.map((channel) => [channel, addressed(botNames(config, channel))])),
  );
  return hearing({
    ...parts,
    get mode() {
      return config.mode;
    },
    addressed: (channel, text) => called().get(channel)?.(text) ?? null,
    get command() {
      return config.replies.command;
    },
    get continuationMs() {
      return config.replies.continuationSeconds * 1_000;
    },
    get ambientChance() {
      return config.replies.ambientChance;
    },
    lastExchange,
  });
}

function replyModel({ llm }: Config): string {
  return llm.models.reply ?? llm.model;
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
