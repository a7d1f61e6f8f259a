import type { ChannelStore } from "../chat/channel-store.ts";
import type { EventStore } from "../chat/event-store.ts";
import type { RemovedText } from "../chat/removal.ts";
import { peopleStore } from "../chat/viewer-store.ts";
import { type Config, remade } from "../config/load.ts";
import type { Db } from "../database/open-database.ts";
import { switchStore } from "../database/runtime-store.ts";
import { sayingsOf } from "../language/languages.ts";
import type { HelixFailure } from "../twitch/helix.ts";
import type { TwitchApi } from "../twitch/session.ts";
import { commandReader } from "./direct-command.ts";
import { offeredLines } from "./execute.ts";
import { LEDGER_DOWN } from "./record.ts";
import { type ActionParts, actionRoom } from "./room.ts";

/** Parts of the room that are derived from the configuration, the stores and the log-in. */
type Derived =
  | "policy"
  | "says"
  | "botLogin"
  | "reader"
  | "switches"
  | "people"
  | "streamerId"
  | "findUser"
  | "logins";

export type Actions = ReturnType<typeof openActions>;

/** Opens the actions room. Call `settle` regularly, and wait for `settled` at the end. */
export function openActions(
  given: Omit<ActionParts, Derived> & {
    readonly config: Config;
    readonly db: Db;
    readonly channels: ChannelStore;
    readonly events: EventStore;
    /** Asked only once the daemon runs; null if there is no log-in that Twitch may see. */
    readonly api: () => TwitchApi | null;
  },
) {
  const { config, db, channels, ledger, notices, api, now } = given;
  const guarded = (work: () => unknown): void => {
    try {
      work();
    } catch {
      notices.raise("database:actions", "error", LEDGER_DOWN);
    }
  };
  guarded(() => ledger.settleUnfinished());
  const parts: ActionParts = {
    ...given,
    policy: () => (config.mode === "shadow" ? triedOut(config.actions) : config.actions),
    says: (channel) => sayingsOf(config.language ?? channels.language(channel)),
    botLogin: () => config.bot.login ?? "",
    reader: remade(
      () => [config.bot, config.actions],
      () => readerOf(config),
    ),
    switches: switchStore(db, now).read,
    people: peopleStore(db, given.events.flush, now),
    streamerId: channels.twitchId,
    findUser: async (login) => api()?.helix.userByLogin(login) ?? NO_LOGIN,
    logins: {
      bot: {
        caller: { call: async (work) => api()?.helix.call(work) ?? NO_LOGIN },
        identity: () => api()?.identity() ?? null,
      },
      streamer: () => api()?.streamer ?? null,
    },
  };
  const room = actionRoom(parts);
  let settled: Promise<void> = Promise.resolve();
  return {
    handle: room.handle,
    hear: room.hear,
    speaksTo: room.speaksTo,
    /** Returns a line for each action that the model may propose in a channel. */
    offered: (channel: string) => offeredLines(parts.policy(), parts, channel),
    /** Drops what a removed message asked for, and its words. */
    removed: ({ removal, userId, messageIds }: RemovedText): void => {
      guarded(() => {
        if (removal.by === "channel") ledger.dropArgsIn(removal.channel);
        else if (userId !== null) ledger.dropArgs(userId);
      });
      const channel = removal.by === "message" ? null : removal.channel;
      // Null means every viewer. The id "" is nobody's: no text of this viewer was left.
      const who = removal.by === "person" ? (removal.userId ?? userId ?? "") : null;
      guarded(() => room.withdraw({ channel, userId: who, messageIds }));
    },
    /** A message of the bot's own was deleted: if it was a question, nobody can say yes to it any more. */
    ownDeleted: (channel: string, text: string) =>
      guarded(() => room.withdraw({ channel, userId: null, ownText: text })),
    /** Settles what was held and is over. */
    settle: (): void => {
      settled = Promise.all([settled, room.settleHeld()]).then(() => undefined);
    },
    /** Resolves when everything is settled that `settle` began. */
    settled: () => settled,
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
