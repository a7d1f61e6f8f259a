import type { MemoryPort } from "../actions/execute.ts";
import { offeredLines } from "../actions/offered.ts";
import { peopleStore } from "../actions/people-store.ts";
import { type ActionParts, type ActionRoom, actionRoom } from "../actions/room.ts";
import type { RemovedText } from "../chat/removal.ts";
import { botNames } from "../platform/config/personas.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import { watchChanges } from "../platform/database/watch.ts";
import { forgetLog } from "../privacy/forget-log-store.ts";
import { forgetStore } from "../privacy/forget-store.ts";
import type { HelixFailure } from "../twitch/helix-call.ts";
import type { TwitchApi } from "../twitch/session.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

export interface DaemonActionsParts {
  readonly options: DaemonOptions;
  readonly stores: Stores;
  readonly life: Lifetime;
  readonly guard: ActionParts["guard"];
  /** null where memory takes no wishes. */
  readonly memory: MemoryPort | null;
  /** Asked only once the daemon runs; null where there is no log-in that Twitch may see. */
  readonly api: () => TwitchApi | null;
}

export interface DaemonActions extends Pick<ActionRoom, "handle"> {
  /** A line for each action that the model may propose in a channel. */
  offered(channel: string): readonly string[];
}

const SETTLE_EVERY_MS = 1_000;
const LEDGER_DOWN = "the record of actions cannot be read; every action is refused until it can";

/** Opens the actions room, and looks after what waits in it until the end. */
export function openActions(parts: DaemonActionsParts): DaemonActions {
  const { options, stores, life } = parts;
  const guarded = (work: () => unknown): void => {
    try {
      work();
    } catch {
      stores.notices.raise("action_ledger", "error", LEDGER_DOWN);
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
    settling = Promise.all([settling, stores.gate.hold(room.settleHeld)]);
  };
  const watch = watchChanges(stores.db, settle);
  life.closers.push(() => settling);
  life.closers.push(() => watch.close());
  every(SETTLE_EVERY_MS, settle, { life, log: options.log });
  return {
    handle: async (turn, spans) => {
      const forgets = forgetLog(stores.db);
      const outcomes = await room.handle(turn, spans);
      guarded(() => keepNothing(parts, turn.requesterId, forgets.reread()));
      return outcomes;
    },
    offered: (channel) => offeredLines(given.policy(), given, channel, given.streamerId(channel)),
  };
}

function roomParts({ options, stores, guard, memory, api }: DaemonActionsParts): ActionParts {
  const { config, now, log } = options;
  return {
    ...stores,
    memory,
    guard,
    policy: () => config.actions,
    switches: switchStore(stores.db, now).read,
    people: peopleStore(stores.db, stores.events.flush, now),
    streamerId: stores.channels.twitchId,
    ownNames: () => botNames(config),
    findUser: async (login) => api()?.findUser(login) ?? NO_LOGIN,
    logins: {
      bot: {
        caller: { call: async (work) => api()?.caller.call(work) ?? NO_LOGIN },
        identity: () => api()?.identity() ?? null,
      },
      streamer: () => api()?.streamer ?? null,
    },
    now,
    log,
  };
}

const NO_LOGIN: HelixFailure = {
  ok: false,
  reason: "unauthorised",
  retryAtMs: null,
  mayHaveActed: false,
};

const NOBODY = "";

function withdrawnBy({ removal, userId }: RemovedText): Parameters<ActionRoom["withdraw"]>[0] {
  switch (removal.by) {
    case "channel":
      return { channel: removal.channel, userId: null };
    case "person":
      // Of somebody of whom there was no text left; nobody is everybody here.
      return { channel: removal.channel, userId: removal.userId ?? userId ?? NOBODY };
    case "message":
      return { channel: null, userId };
  }
}

/** Of whoever opted out the ledger keeps no words, and of whoever was forgotten while it waited for Twitch no id. */
function keepNothing(
  { options: { now }, stores: { db, hash, ledger, suppressions } }: DaemonActionsParts,
  userId: string,
  forgotten: ReadonlySet<string>,
): void {
  // What is proposed may repeat the words that asked for it.
  if (suppressions.isOptedOut(userId)) ledger.dropArgs(userId);
  if (forgotten.has(hash.person(userId))) forgetStore(db, hash, now).forget(userId);
}

/** What a moderator took away from chat leaves the ledger too. */
function dropArgs({ ledger }: Stores, { removal, userId }: RemovedText): void {
  if (removal.by === "channel") ledger.dropArgsIn(removal.channel);
  else if (userId !== null) ledger.dropArgs(userId);
}
