import { commandReader } from "../actions/direct-command.ts";
import { offeredLines } from "../actions/execute.ts";
import { type ActionParts, type ActionRoom, actionRoom } from "../actions/room.ts";
import type { RemovedText } from "../chat/removal.ts";
import { peopleStore } from "../chat/viewer-store.ts";
import { type Config, remade } from "../config/load.ts";
import { switchStore } from "../database/runtime-store.ts";
import { watchChanges } from "../database/watch-changes.ts";
import { sayingsOf } from "../language/languages.ts";
import type { ViewerRequests } from "../memory/viewer-requests.ts";
import { forgetLog, forgetStore } from "../privacy/forget-store.ts";
import type { HelixFailure } from "../twitch/helix.ts";
import type { TwitchApi } from "../twitch/session.ts";
import { type DaemonOptions, every, type Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export interface DaemonActionsParts {
  readonly options: DaemonOptions;
  readonly stores: Stores;
  readonly life: Lifetime;
  readonly guard: ActionParts["guard"];
  /** null where memory takes no wishes. */
  readonly memory: ViewerRequests | null;
  /** Asked only once the daemon runs; null where there is no log-in that Twitch may see. */
  readonly api: () => TwitchApi | null;
  readonly isRaid: (channel: string) => boolean;
  readonly say: ActionParts["say"];
}

export interface DaemonActions extends Pick<ActionRoom, "handle" | "hear" | "speaksTo"> {
  /** A message of the bot's own was deleted: where it was a question, nobody says yes to it any more. */
  ownDeleted(channel: string, text: string): void;
  /** A line for each action that the model may propose in a channel. */
  offered(channel: string): readonly string[];
}

const SETTLE_EVERY_MS = 1_000;
const LEDGER_DOWN =
  "The record of actions cannot be read, and every action is refused until it can. Type `forgetmenot doctor`: it says what is wrong with the database.";

/** Opens the actions room, and looks after what waits in it until the end. */
export function openActions(parts: DaemonActionsParts): DaemonActions {
  const { options, stores, life } = parts;
  const guarded = (work: () => unknown): void => {
    try {
      work();
    } catch {
      stores.notices.raise("database:actions", "error", LEDGER_DOWN);
    }
  };
  guarded(() => stores.ledger.settleUnfinished());
  const given = roomParts(parts);
  const room = actionRoom(given);
  stores.onRemoved.push((removed) => {
    guarded(() => dropArgs(stores, removed));
    guarded(() => room.withdraw(withdrawnBy(removed)));
  });
  let settling: Promise<unknown> = Promise.resolve();
  const settle = (): void => {
    const all = Promise.all([settling, room.settleHeld()]);
    // Nothing of them is kept: it would be a link more each second.
    settling = all.then(() => undefined);
  };
  const watch = watchChanges(stores.db, settle);
  life.closers.push(() => settling);
  life.closers.push(() => watch.close());
  every(SETTLE_EVERY_MS, settle, { life, log: options.log });
  return {
    handle: room.handle,
    hear: room.hear,
    speaksTo: room.speaksTo,
    ownDeleted: (channel, text) =>
      guarded(() => room.withdraw({ channel, userId: null, ownText: text })),
    offered: (channel) => offeredLines(given.policy(), given, channel),
  };
}

function roomParts(parts: DaemonActionsParts): ActionParts {
  const { options, stores, guard, memory, api } = parts;
  const { config, now, log } = options;
  const forgets = forgetLog(stores.db);
  return {
    ...stores,
    memory,
    guard,
    isRaid: parts.isRaid,
    say: parts.say,
    onEnded: (userId) => keepNothing(parts, userId, forgets.reread()),
    policy: () => (config.mode === "shadow" ? triedOut(config.actions) : config.actions),
    says: (channel) => sayingsOf(config.language ?? stores.channels.language(channel)),
    botLogin: () => config.bot.login ?? "",
    isOwnMessage: (messageId) => stores.replies.byMessage(messageId) !== null,
    reader: remade(
      () => [config.bot, config.actions],
      () => readerOf(config),
    ),
    switches: switchStore(stores.db, now).read,
    people: peopleStore(stores.db, stores.events.flush, now),
    streamerId: stores.channels.twitchId,
    findUser: async (login) => api()?.helix.userByLogin(login) ?? NO_LOGIN,
    logins: {
      bot: {
        caller: { call: async (work) => api()?.helix.call(work) ?? NO_LOGIN },
        identity: () => api()?.identity() ?? null,
      },
      streamer: () => api()?.streamer ?? null,
    },
    now,
    log,
  };
}

function readerOf({ bot, actions }: Config): ReturnType<ActionParts["reader"]> {
  if (bot.login === null) return null;
  const names = [bot.login, ...bot.aliases, "!bot"];
  return commandReader({ names, words: actions.words });
}

/** In mode shadow everything is decided, and nothing done or asked. */
function triedOut(actions: Config["actions"]): Config["actions"] {
  const gates = Object.entries(actions.classes).map(([name, gate]) => [
    name,
    gate === "off" ? "off" : "dry_run",
  ]);
  return { ...actions, classes: Object.fromEntries(gates) };
}

const NO_LOGIN: HelixFailure = {
  ok: false,
  reason: "unauthorised",
  retryAtMs: null,
  mayHaveActed: false,
};

const NOBODY = "";

function withdrawnBy({
  removal,
  userId,
  messageIds,
}: RemovedText): Parameters<ActionRoom["withdraw"]>[0] {
  switch (removal.by) {
    case "channel":
      return { channel: removal.channel, userId: null, messageIds };
    case "person":
      // Of somebody of whom there was no text left; nobody is everybody here.
      return { channel: removal.channel, userId: removal.userId ?? userId ?? NOBODY, messageIds };
    case "message":
      return { channel: null, userId: null, messageIds };
  }
}

/** Of whoever opted out the ledger keeps no words, and of whoever was forgotten while it waited for Twitch no id. */
function keepNothing(
  { options: { now }, stores: { db, hash, ledger, saveRecord, suppressions } }: DaemonActionsParts,
  userId: string,
  forgotten: ReadonlySet<string>,
): void {
  // What is proposed may repeat the words that asked for it.
  if (suppressions.isOptedOut(userId)) ledger.dropArgs(userId);
  if (forgotten.has(hash.person(userId))) forgetStore(db, hash, now, saveRecord).forget(userId);
}

/** What a moderator took away from chat leaves the ledger too. */
function dropArgs({ ledger }: Stores, { removal, userId }: RemovedText): void {
  if (removal.by === "channel") ledger.dropArgsIn(removal.channel);
  else if (userId !== null) ledger.dropArgs(userId);
}
