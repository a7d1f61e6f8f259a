import type { Fault } from "../errors.ts";
import type { JoinState } from "./joins.ts";

interface Readiness {
  /** Resolves when every channel was joined or could not be, and one is joined; rejects with what `fail` is given. */
  readonly joined: Promise<void>;
  settle(news: JoinState): void;
  /** Something makes it pointless to wait. */
  fail(fault: Fault): void;
}

/** One channel that is misspelt or bans the bot must not keep the others waiting for ever. */
export function readiness(channels: number): Readiness {
  const heardOf = new Set<string>();
  let hasJoined = false;
  let resolve: () => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const joined = new Promise<void>((onReady, onFault) => {
    resolve = onReady;
    reject = onFault;
  });
  return {
    joined,
    settle({ kind, channel }) {
      heardOf.add(channel);
      hasJoined ||= kind === "joined";
      if (hasJoined && heardOf.size >= channels) resolve();
    },
    fail: (fault) => reject(fault),
  };
}
