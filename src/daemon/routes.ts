import { type ChatEvent, normalise, type Spoken } from "../chat/normalise.ts";
import { describeBug } from "../errors.ts";
import { cleanLine } from "../language/clean.ts";
import type { Memory } from "../memory/memory-loop.ts";
import { type Config, remade } from "../platform/config/load.ts";
import { type Secrets, saveTokens } from "../platform/config/secrets.ts";
import { isLoopbackUrl } from "../platform/config/urls.ts";
import type { ReplyService } from "../reply/reply-service.ts";
import { type Outcomes, outcomeWatcher } from "../telemetry/gather-outcomes.ts";
import type { WireMessage } from "../twitch/chat.ts";
import { openTwitch, type TwitchSession } from "../twitch/session.ts";
import { wait as realWait } from "../twitch/wait.ts";
import type { DaemonActions } from "./build-actions.ts";
import type { Commands } from "./commands.ts";
import { type DaemonOptions, every, type Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export interface Routes {
  take(message: WireMessage): void;
  /** Writes down how many lines were ignored since, by reason. */
  countIgnored(): void;
}

interface RoutesParts {
  readonly stores: Stores;
  readonly service: ReplyService;
  /** What chat may tell the bot without any model. */
  readonly commands: Commands;
  /** What is ordered or confirmed in so many words, without any model. */
  readonly actions: Pick<DaemonActions, "hear" | "ownDeleted">;
  /** What comes of the bot's replies. */
  readonly outcomes: Outcomes;
  readonly botUserId: () => string | null;
}

/** Where each line of Twitch's wire goes. */
export function routes(
  config: Config,
  { stores, service, commands, actions, outcomes, botUserId }: RoutesParts,
): Routes {
  const channels = new Set(config.channels);
  const knownBots = remade(
    () => [config.bot],
    () => new Set(config.bot.knownBots),
  );
  const ignored = new Map<string, number>();
  const ignore = (reason: string): void => {
    ignored.set(reason, (ignored.get(reason) ?? 0) + 1);
  };
  const isRepeated = repeats();
  const takeSpoken = (spoken: Spoken): void => {
    if (isRepeated(spoken.messageId)) {
      ignore("repeated");
      return;
    }
    if (spoken.memorable) stores.channels.noteActivity(spoken.channel);
    if (spoken.isBotItself && commands.isAnswer(spoken.text)) return;
    const obeyed = commands.obey(spoken);
    if (obeyed === "unstored") return;
    if (obeyed === "wordless" || actions.hear(spoken) || outcomes.thumb(spoken)) {
      stores.events.add({ ...spoken, text: "", memorable: false });
      return;
    }
    const heard = service.hear(spoken);
    outcomes.heard(spoken, heard.addressed !== null);
    service.answer(heard, stores.events.add(spoken, heard.addressed !== null));
  };
  /** What a moderator's act means for what the bot said. */
  const follow = (event: ChatEvent, message: WireMessage): void => {
    if (event.kind === "timeout" || event.kind === "ban") outcomes.sanctioned(event);
    if (event.kind !== "deletion") return;
    const { channel, messageId } = event;
    if (message.tags["login"]?.toLowerCase() === config.bot.login) {
      const text = cleanLine(message.params[1] ?? "");
      stores.ownDeleted({ channel, text, messageId });
      actions.ownDeleted(channel, text);
    }
    outcomes.deleted(messageId);
  };
  return {
    take: (message) => {
      const botLogin = config.bot.login;
      const context = { channels, botUserId: botUserId(), botLogin, knownBots: knownBots() };
      const event = normalise(message, context);
      if (event.kind === "ignored") {
        ignore(event.reason);
        return;
      }
      if ("person" in event) return takeSpoken(event);
      if (event.kind === "room_state" && event.roomId !== null) {
        stores.channels.setTwitchId(event.channel, event.roomId);
      }
      stores.events.add(event);
      follow(event, message);
    },
    countIgnored: () => {
      for (const [reason, count] of ignored) {
        stores.counters.bump(`ingest.ignored.${reason}`, count);
        ignored.delete(reason);
      }
    },
  };
}

const REMEMBERED_MIN = 1_000;

/**
 * Whether a message came before: an old connection and its successor may both bring it, and it gets one answer. Holds
 * the last thousand at the least, in two halves: to look for the oldest one in a set is slow where many have gone.
 */
function repeats(): (messageId: string | null) => boolean {
  let older = new Set<string>();
  let newer = new Set<string>();
  return (messageId) => {
    if (messageId === null) return false;
    if (newer.has(messageId) || older.has(messageId)) return true;
    newer.add(messageId);
    if (newer.size >= REMEMBERED_MIN) [older, newer] = [newer, new Set()];
    return false;
  };
}

const SETTLE_EVERY_MS = 1_000;

/** What comes of replies, written down every second and at the end. */
export function openOutcomes(
  { config, now, log }: DaemonOptions,
  {
    stores,
    life,
    botUserId,
  }: {
    readonly stores: Stores;
    readonly life: Lifetime;
    readonly botUserId: () => string | null;
  },
): Outcomes {
  const thumbs = () => ({ good: config.replies.goodCommand, bad: config.replies.badCommand });
  const outcomes = outcomeWatcher({ db: stores.db, now, botUserId, thumbs });
  life.closers.push(outcomes.settle);
  every(SETTLE_EVERY_MS, () => stores.gate.whenOpen(outcomes.settle), { life, log });
  return outcomes;
}

interface TwitchInput {
  readonly secrets: Secrets;
  readonly memory: Memory;
  readonly onMessage: (message: WireMessage) => void;
}

/** Logs in to Twitch and joins; what Twitch says of a channel is written down, and the end of a stream is looked into. */
export function joinTwitch(
  { options, stores }: { readonly options: DaemonOptions; readonly stores: Stores },
  { secrets, memory, onMessage }: TwitchInput,
): TwitchSession {
  const { config, environment, now, wait, random, log } = options;
  const { channels, notices } = stores;
  const { twitch: tokens, streamer } = secrets;
  const { clientId } = config.twitch;
  return openTwitch({
    chatUrl: config.twitch.chatUrl,
    channels: config.channels,
    botLogin: config.bot.login,
    tokens: tokens === null ? null : { ...tokens, clientId },
    streamer: streamer && {
      tokens: { ...streamer, clientId },
      saveTokens: (renewed) => saveTokens(config.dataDir, environment, renewed, "streamer"),
    },
    useHelix: environment.hasHelixStandIn || !isLoopbackUrl(config.twitch.chatUrl),
    saveTokens: (renewed) => saveTokens(config.dataDir, environment, renewed),
    broadcasterId: channels.twitchId,
    onMessage,
    onInfo: (channel, info) => {
      stores.gate.whenOpen(() => {
        const hasEnded = channels.refresh(channel, info);
        if (hasEnded) {
          memory.run().catch((thrown) => {
            log.error({ ...describeBug(thrown) }, "bug: a look at memory failed");
          });
        }
      });
    },
    notices,
    now,
    wait: wait ?? realWait,
    random,
    log,
  });
}
