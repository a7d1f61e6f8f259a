import type { ActionRoom } from "../actions/room.ts";
import { createBoundedMap } from "../bounded-map.ts";
import {
  type ChatEvent,
  normalise,
  readChatMessage,
  readDeletedMessage,
  type Spoken,
} from "../chat/normalise.ts";
import { type Config, memoizeOn } from "../config/load.ts";
import { listBotNames } from "../config/personas.ts";
import { type Secrets, saveTokens } from "../config/secrets.ts";
import { isLoopbackUrl } from "../config/urls.ts";
import { describeBug } from "../errors.ts";
import { cleanLine, copyString } from "../language/clean.ts";
import type { Log } from "../log.ts";
import type { Memory } from "../memory/memory-loop.ts";
import { prepareReplacedCount } from "../memory/note-reads-store.ts";
import { ownNoteReader } from "../memory/recall/open-recall.ts";
import type { Pace } from "../memory/recall/pace.ts";
import type { ViewerRequests } from "../memory/viewer-requests.ts";
import { openBotCommands, openViewerCommands, type StorageMode } from "../privacy/chat-commands.ts";
import type { Guard } from "../reply/guard.ts";
import type { ReplyService } from "../reply/reply-service.ts";
import { REPLY_PREFIX } from "../reply/trigger.ts";
import type { Outcomes } from "../telemetry/outcome.ts";
import { wait as realWait } from "../twitch/bounded-call.ts";
import { openTwitch, type TwitchSession } from "../twitch/session.ts";
import type { WireMessage } from "../twitch/wire.ts";
import type { DaemonRights } from "./build-privacy.ts";
import type { DaemonOptions } from "./lifetime.ts";
import type { LiveSwitches, Stores } from "./stores.ts";

/** More messages than a channel has in the half minute until a dead connection is noticed. */
const TAKEN_MAX = 5_000;

interface RoutesParts {
  readonly stores: Stores;
  readonly service: ReplyService;
  readonly commands: Commands;
  readonly actions: ActionRoom;
  readonly outcomes: Outcomes;
  readonly botUserId: () => string | null;
  /** Says which messages of the bot's account this program sent. */
  readonly own: () => TwitchSession["own"];
  readonly log: Log;
}

/** Routes each message from Twitch to the rooms. */
export function openRoutes(config: Config, parts: RoutesParts) {
  const { stores, service, commands, actions, outcomes, botUserId, own, log } = parts;
  const channels = new Set(config.channels);
  const knownBots = memoizeOn(
    () => [config.bot],
    () => new Set(config.bot.knownBots),
  );
  const ignored = new Map<string, number>();
  const ignore = (reason: string): void => {
    ignored.set(reason, (ignored.get(reason) ?? 0) + 1);
  };
  /** Ids of messages that arrived. An old connection and its successor may both deliver one. */
  const taken = createBoundedMap<string, true>(TAKEN_MAX);
  const isRepeated = (messageId: string | null): boolean => {
    if (messageId === null) return false;
    if (taken.get(messageId)) return true;
    taken.set(copyString(messageId), true);
    return false;
  };
  const takeSpoken = (spoken: Spoken): void => {
    if (isRepeated(spoken.messageId)) {
      ignore("repeated");
      return;
    }
    if (spoken.memorable) stores.channels.noteActivity(spoken.channel);
    // A command too ends a viewer's conversation with the bot.
    const heard = service.hear(spoken);
    if (spoken.isBotItself && commands.isAnswer(spoken.text)) return;
    const isOrder = !heard.isStale && actions.hear(spoken);
    const obeyed = isOrder ? "wordless" : commands.obey(spoken);
    if (obeyed === "unstored") return;
    if (obeyed === "wordless" || outcomes.thumb(spoken)) {
      stores.events.add({ ...spoken, text: "", memorable: false });
      return;
    }
    service.answer(heard, stores.events.add(spoken, heard.addressed !== null));
    outcomes.heard(spoken, heard.addressed);
  };
  /** Applies a moderator's action to the bot's replies. */
  const followModeration = (event: ChatEvent, message: WireMessage): void => {
    if (event.kind === "timeout" || event.kind === "ban") outcomes.sanctioned(event);
    if (event.kind !== "deletion") return;
    const { channel, messageId } = event;
    const { login, text } = readDeletedMessage(message);
    if (login === config.bot.login) {
      stores.ownDeleted({ channel, text, messageId });
      actions.ownDeleted(channel, text);
    }
    outcomes.deleted(messageId);
  };
  const shared = openSharedAccount(config, parts);
  const takeNow = (message: WireMessage): void => {
    const isPerson = shared.isTyped(message);
    const bot = isPerson
      ? { botUserId: null, botLogin: null }
      : { botUserId: botUserId(), botLogin: config.bot.login };
    const event = normalise(message, { channels, ...bot, knownBots: knownBots() });
    if (event.kind === "ignored") {
      ignore(event.reason);
      return;
    }
    if ("person" in event) {
      takeSpoken(shared.withTrueParent(event));
      return;
    }
    if (event.kind === "room") {
      const { channel, roomId } = event;
      stores.retries.add(() => stores.channels.setTwitchId(channel, roomId));
      return;
    }
    stores.events.add(event);
    followModeration(event, message);
  };
  return {
    take: (message: WireMessage) => {
      const settled = shared.messageOf(message) === null ? null : own().settled();
      if (settled === null) return takeNow(message);
      void settled
        .then(() => takeNow(message))
        .catch((thrown) =>
          log.error({ ...describeBug(thrown) }, "bug: a message was not taken in"),
        );
    },
    /** Stores the counts of ignored messages, by reason. */
    countIgnored: (): void => {
      for (const [reason, count] of ignored) {
        stores.counters.bump(`ingest.ignored.${reason}`, count);
        ignored.delete(reason);
      }
    },
  };
}

/** Separates the bot's messages from the streamer's, if both use one account. */
function openSharedAccount(config: Config, { stores, botUserId, own }: RoutesParts) {
  const isShared = config.channels.includes(config.bot.login ?? "");
  const isOurs = (id: string | null, text: string): boolean =>
    own().isOwn(id, text) || (id !== null && stores.replies.byMessage(id) !== null);
  const messageOf = (received: WireMessage) => {
    const message = isShared ? readChatMessage(received) : null;
    const isOfAccount = message?.userId === botUserId() || message?.login === config.bot.login;
    return isOfAccount ? message : null;
  };
  return {
    /** Returns the message if that account sent it, else null. */
    messageOf,
    /** True if the streamer typed it: neither this program nor another one sent it. */
    isTyped: (received: WireMessage): boolean => {
      const message = messageOf(received);
      if (message === null) return false;
      const { messageId, text } = message;
      return !isOurs(messageId, text);
    },
    /** Clears the parent of a reply to a message that the streamer typed: it is no reply to the bot. */
    withTrueParent: (spoken: Spoken): Spoken => {
      const { parent } = spoken;
      if (!isShared || parent === null || parent.userId !== botUserId()) return spoken;
      const isToBot = isOurs(parent.messageId, cleanLine(parent.text ?? ""));
      if (isToBot) return spoken;
      // Twitch puts the account's name first, and the bot has the same name.
      const text = spoken.text.replace(REPLY_PREFIX, "");
      return { ...spoken, text, parent: { ...parent, userId: null } };
    },
  };
}

/** Twitch's window and the longest reply, from its start to its sending. */
const EARLIER_SENDS_MS = 2 * 60_000;

/** Logs in to Twitch and joins. Stores what Twitch says about a channel, and compacts its chat when a stream ends. */
export function joinTwitch(
  options: DaemonOptions,
  stores: Stores,
  secrets: Secrets,
  memory: Memory,
  onMessage: (message: WireMessage) => void,
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
      stores.retries.add(() => {
        if (info === null) return channels.forgetLive(channel);
        const hasEnded = channels.refresh(channel, info);
        if (hasEnded) {
          memory.run().catch((thrown) => {
            log.error({ ...describeBug(thrown) }, "bug: a look at memory failed");
          });
        }
      });
    },
    notices,
    earlierSendsAtMs: stores.replies.sendsSince(now() - EARLIER_SENDS_MS),
    now,
    wait: wait ?? realWait,
    random,
    log,
  });
}

type Commands = ReturnType<typeof openCommands>;

/** An answer to a command expires after this time. */
const ANSWER_MS = 10_000;

/** Twitch shows a message to its sender within seconds. */
const ECHO_MS = 60_000;
const ANSWERS_MAX = 500;

/** Opens the chat commands. They need no model, so they work while it is down, paused or over its caps. */
export function openCommands(parts: {
  readonly options: DaemonOptions;
  readonly stores: Stores;
  readonly live: LiveSwitches;
  readonly rights: DaemonRights;
  readonly service: Pick<ReplyService, "interrupt">;
  readonly actions: Pick<ActionRoom, "speaksTo">;
  readonly requests: ViewerRequests;
  readonly guard: Guard;
  readonly paceOf: (channel: string) => Pace;
  readonly perMinute: (channel: string) => number;
  readonly twitch: () => TwitchSession;
}) {
  const { options, live, rights, requests, stores, guard, paceOf, perMinute, twitch } = parts;
  const { config, now } = options;
  const answers = createBoundedMap<string, true>(ANSWERS_MAX, ECHO_MS);
  /** Sends the first wording that is no duplicate: a request without an answer looks ignored. */
  const offer = async (spoken: Spoken, wordings: readonly string[]): Promise<void> => {
    const { channel, messageId, person } = spoken;
    const expiresAtMs = now() + ANSWER_MS;
    // It ends an open question to this viewer.
    parts.actions.speaksTo(channel, person.userId);
    for (const text of [...wordings, ...wordings.map((one) => `Again: ${one}`)]) {
      answers.set(text, true, now());
      const sent = { channel, text, replyTo: messageId, expiresAtMs, onSending: () => true };
      if ((await twitch().outbox.offer(sent)).kind === "duplicate") continue;
      return parts.service.interrupt(channel);
    }
  };
  const say = (spoken: Spoken, wordings: readonly string[]): void => {
    if (config.mode !== "shadow") void offer(spoken, wordings);
  };
  const isModerators = openBotCommands({
    ...{ db: stores.db, now, flush: stores.events.flush, say, paceOf, perMinute },
    ...{ readSwitches: live.read, setSwitch: live.set },
    streamerId: stores.channels.twitchId,
    forget: rights.forget,
    grant: rights.attempt,
  });
  const notesFor = ownNoteReader(options, stores);
  const isViewers = openViewerCommands({
    botNames: memoizeOn(
      () => [config.bot, config.persona, config.personas],
      () => listBotNames(config),
    ),
    isToBot: ({ parent }) => parent !== null && parent.userId === twitch().botUserId(),
    notesFor: (channel, userId) => {
      stores.events.flush(); // notes are read with stored names
      return notesFor(channel, userId);
    },
    replacedFor: prepareReplacedCount(stores.db),
    requests: () => requests,
    isOptedOut: stores.suppressions.isOptedOut,
    forget: ({ person }) => rights.forget(person),
    optOut: ({ person }) => rights.optOut(person),
    optIn: ({ person }) => rights.optIn(person),
    grant: rights.attempt,
    maySay: (text) => {
      const said = guard(text);
      return said.ok ? said.text : null;
    },
    say,
    now,
  });
  return {
    /** Executes a command, and returns what happens to its event. Null for any other message. */
    obey: (spoken: Spoken): StorageMode | null =>
      isModerators(spoken) ? "wordless" : isViewers(spoken),
    /** True if the bot sent this text in answer to a command: it is not stored. A reply has a name in front. */
    isAnswer: (text: string): boolean =>
      answers.keys(now()).some((said) => text === said || text.endsWith(` ${said}`)),
  };
}
