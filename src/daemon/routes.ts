import type { ActionRoom } from "../actions/room.ts";
import { BoundedMap } from "../bounded-map.ts";
import { normalise, readChatMessage, readDeletedMessage, type Spoken } from "../chat/normalise.ts";
import { memoizeOn } from "../config/load.ts";
import { cleanLine, copyString } from "../language/clean.ts";
import type { Memory } from "../memory/memory-loop.ts";
import type { ChatCommands } from "../privacy/chat-commands.ts";
import type { ReplyService } from "../reply/reply-service.ts";
import { REPLY_PREFIX } from "../reply/trigger.ts";
import type { Outcomes } from "../telemetry/outcome.ts";
import type { ChannelInfo } from "../twitch/helix.ts";
import type { TwitchSession } from "../twitch/session.ts";
import type { WireMessage } from "../twitch/wire.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

/** More messages than a channel has in the half minute until a dead connection is noticed. */
const TAKEN_MAX = 5_000;

interface RoutesParts extends Stores {
  readonly service: ReplyService;
  readonly commands: ChatCommands;
  readonly actions: ActionRoom;
  readonly outcomes: Outcomes;
  readonly twitch: TwitchSession;
  readonly memory: Memory;
  readonly life: Lifetime;
}

/** Routes each message from Twitch to the rooms. */
export class MessageRouter {
  readonly #parts: RoutesParts;
  /** True if the bot uses the account of a streamer. */
  readonly #isShared: boolean;
  readonly #channels: ReadonlySet<string>;
  readonly #knownBots: () => ReadonlySet<string>;
  /** Counts of ignored messages, by reason. */
  readonly #ignored = new Map<string, number>();
  /** Ids of messages that arrived. An old connection and its successor may both deliver one. */
  readonly #taken = new BoundedMap<string, true>(TAKEN_MAX);

  constructor(parts: RoutesParts) {
    const { config } = parts;
    this.#parts = parts;
    this.#isShared = config.channels.includes(config.bot.login ?? "");
    this.#channels = new Set(config.channels);
    this.#knownBots = memoizeOn(
      () => [config.bot],
      () => new Set(config.bot.knownBots),
    );
  }

  /** Routes a message; one of an account shared with the streamer only once it is known whether this program sent it. */
  route(message: WireMessage): void {
    const { life, twitch } = this.#parts;
    const settled = this.#readAccountMessage(message) === null ? null : twitch.own.settled();
    if (settled === null) this.#routeNow(message);
    else void life.run(() => settled.then(() => this.#routeNow(message)));
  }

  /** Stores what Twitch said about a channel; null: the live state is unknown again. Runs memory if a stream ended. */
  storeInfo(channel: string, info: ChannelInfo | null): void {
    const { channels, life, memory, retries } = this.#parts;
    retries.add(() => {
      if (info === null) channels.forgetLive(channel);
      else if (channels.refresh(channel, info)) void life.run(() => memory.run());
    });
  }

  /** Adds the counts of ignored messages to the stored ones, by reason, and begins at 0 again. */
  countIgnored(): void {
    for (const [reason, count] of this.#ignored)
      this.#parts.counters.bump(`ingest.ignored.${reason}`, count);
    this.#ignored.clear();
  }

  #ignore(reason: string): void {
    this.#ignored.set(reason, (this.#ignored.get(reason) ?? 0) + 1);
  }

  #routeNow(message: WireMessage) {
    const { config, channels, events, actions, outcomes, twitch } = this.#parts;
    const ofAccount = this.#readAccountMessage(message);
    const isTyped = ofAccount !== null && !this.#isOurs(ofAccount.messageId, ofAccount.text);
    const bot = isTyped
      ? { botUserId: null, botLogin: null }
      : { botUserId: twitch.botUserId(), botLogin: config.bot.login };
    const known = { channels: this.#channels, knownBots: this.#knownBots() };
    const event = normalise(message, { ...known, ...bot });
    if (event.kind === "ignored") return this.#ignore(event.reason);
    if ("person" in event) return this.#routeSpoken(this.#withTrueParent(event));
    const { channel } = event;
    if (event.kind === "room") {
      const { roomId } = event;
      this.#parts.retries.add(() => channels.setTwitchId(channel, roomId));
      return;
    }
    events.add(event);
    if (event.kind === "timeout" || event.kind === "ban") outcomes.sanctioned(event);
    if (event.kind !== "deletion") return;
    const { messageId } = event;
    const { login, text } = readDeletedMessage(message);
    if (login === config.bot.login) {
      this.#parts.ownDeleted({ channel, text, messageId });
      actions.endDeleted(channel, text);
    }
    outcomes.deleted(messageId);
  }

  #routeSpoken(spoken: Spoken) {
    const { channels, events, service, commands, actions, outcomes } = this.#parts;
    if (this.#recordTaken(spoken.messageId)) return this.#ignore("repeated");
    if (spoken.memorable) channels.noteActivity(spoken.channel);
    // A command too ends a viewer's conversation with the bot.
    const heard = service.hear(spoken);
    if (spoken.isBotItself && commands.isAnswer(spoken.text)) return;
    const isOrder = !heard.isStale && actions.hear(spoken);
    const obeyed = isOrder ? "wordless" : commands.obey(spoken);
    if (obeyed === "unstored") return;
    if (obeyed === "wordless" || outcomes.thumb(spoken)) {
      events.add({ ...spoken, text: "", memorable: false });
      return;
    }
    service.answer(heard, events.add(spoken, heard.addressed !== null));
    outcomes.heard(spoken, heard.addressed);
  }

  /** Records that a message was taken. Returns true if it was taken before; false if it has no id. */
  #recordTaken(messageId: string | null): boolean {
    if (messageId === null) return false;
    const wasTaken = this.#taken.get(messageId) === true;
    if (!wasTaken) this.#taken.set(copyString(messageId), true);
    return wasTaken;
  }

  /** Returns a chat message of the account that the bot and the streamer share; else null. */
  #readAccountMessage(received: WireMessage) {
    const { config, twitch } = this.#parts;
    const message = this.#isShared ? readChatMessage(received) : null;
    const isOfAccount =
      message?.userId === twitch.botUserId() || message?.login === config.bot.login;
    return isOfAccount ? message : null;
  }

  /** True if this program sent the message. */
  #isOurs(id: string | null, text: string): boolean {
    const { twitch, replies } = this.#parts;
    return twitch.own.isOwn(id, text) || (id !== null && replies.byMessage(id) !== null);
  }

  /**
   * Returns a chat message unchanged, unless it replies to a message that the streamer typed with the bot's account.
   * Then it is no reply to the bot: removes the parent's user id, and the name in front of the text.
   */
  #withTrueParent(spoken: Spoken): Spoken {
    const { parent } = spoken;
    const botUserId = this.#parts.twitch.botUserId();
    if (!this.#isShared || parent === null || parent.userId !== botUserId) return spoken;
    if (this.#isOurs(parent.messageId, cleanLine(parent.text ?? ""))) return spoken;
    // Twitch puts the account's name first, and the bot has the same name.
    const text = spoken.text.replace(REPLY_PREFIX, "");
    return { ...spoken, text, parent: { ...parent, userId: null } };
  }
}
