import { type NamedViewer, openIdentityStore } from "../chat/viewer-store.ts";
import { NOT_FLUSHED } from "../database/retry-queue.ts";
import { watchChanges } from "../database/watch-changes.ts";
import { Fault } from "../errors.ts";
import { type Forgotten, forgetLog, forgetStore } from "../privacy/forget-store.ts";
import type { DaemonOptions, Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

/** Viewers' requests about their data. Each is committed before it returns; null: the database cannot take it now. */
export interface DaemonRights {
  /** Forgets a viewer, in one transaction. */
  forget(person: NamedViewer): Forgotten | null;
  /** Forgets a viewer and stops storing their data. */
  optOut(person: NamedViewer): Forgotten | null;
  optIn(person: NamedViewer): { readonly wasOut: boolean } | null;
  /** Runs work on the database after all buffered chat is written. */
  attempt<T>(work: () => T): T | null;
  /** Each drops the turns of viewers that another process forgot, and returns their ids. */
  readonly onForgotten: ((isMeant: (userId: string) => boolean) => readonly string[])[];
  /** Each drops work in progress that names a forgotten viewer. */
  readonly onNamed: ((isNamed: (text: string) => boolean) => void)[];
}

/** A message that arrived just before another process forgot its viewer may not be stored yet. */
const IN_FLIGHT_MS = 2_000;
const KIND = "rights_refused";

export function openRights(
  { config, now }: DaemonOptions,
  { db, events, health, hash, notices, retries, saveRecord, suppressions, viewers }: Stores,
  life: Lifetime,
): DaemonRights {
  const { accountsOf } = openIdentityStore(db, now);
  const onForgotten: DaemonRights["onForgotten"] = [];
  const onNamed: DaemonRights["onNamed"] = [];
  notices.clear(KIND); // the last run's problem may be over
  const forgets = forgetStore(db, hash, now, saveRecord);
  const known = forgetLog(db);
  const attempt = <T>(work: () => T): T | null => {
    try {
      if (!events.flush()) return refuse("chat waits to be written");
      const done = work();
      notices.clear(KIND);
      return done;
    } catch (thrown) {
      if (thrown instanceof Fault) return refuse(`${thrown.message}: ${thrown.fix}`);
      if (health.heard(thrown)) return refuse("the database takes no writes");
      throw thrown;
    }
  };
  const refuse = (why: string): null => {
    notices.raise(
      KIND,
      "warning",
      `A viewer's request (remember, forget, opt out) was refused: it could not be stored (${why}). The viewer was told to try again later. Type \`forgetmenot doctor\`: it says what to fix.`,
    );
    return null;
  };
  const forgetNow = ({ userId, login, displayName }: NamedViewer): Forgotten => {
    const accounts = accountsOf(userId);
    // First as after a ban: replies in progress, open windows and open questions drop what the viewer said.
    for (const channel of config.channels) {
      for (const account of accounts)
        events.remove({ by: "person", channel, userId: account, login: "" });
    }
    events.flush();
    const others = accounts.flatMap((account) => viewers.get(account) ?? []);
    const isNamed = createMentionTest([{ userId, login, displayName }, ...others]);
    const forgotten = forgets.forget(userId, [login, displayName]);
    known.heardOf(accounts.map(hash.person));
    for (const drop of onNamed) drop(isNamed);
    return forgotten;
  };
  const followOtherProcess = (): void => {
    suppressions.reread();
    const whos = known.reread();
    if (whos.size === 0) return;
    const isForgotten = (userId: string): boolean => whos.has(hash.person(userId));
    const dropped = new Set(onForgotten.flatMap((drop) => drop(isForgotten)));
    // The names of these viewers are forgotten, so drop everything in progress.
    for (const drop of onNamed) drop((text) => text !== "");
    retries.add(() => {
      if (!events.flush()) throw NOT_FLUSHED;
      const late = known.seenSince(now() - IN_FLIGHT_MS).filter(isForgotten);
      for (const userId of new Set([...dropped, ...late])) {
        forgetNow({ userId, login: "", displayName: "" });
      }
    });
  };
  life.closers.push(watchChanges(db, followOtherProcess).close);
  return {
    onForgotten,
    onNamed,
    attempt,
    forget: (person) => attempt(() => forgetNow(person)),
    optOut: (person) =>
      attempt(() => {
        const forgotten = forgetNow(person);
        for (const account of forgotten.userIds) {
          suppressions.optOut(account === person.userId ? person : { userId: account });
        }
        return forgotten;
      }),
    optIn: (person) => attempt(() => ({ wasOut: suppressions.optIn(person.userId) })),
  };
}

/**
 * Makes a function that says whether a text has a name of these viewers as a word. It matches more than a forget removes:
 * to drop one answer too many does no harm.
 */
function createMentionTest(people: readonly NamedViewer[]): (text: string) => boolean {
  const names = new Set(
    people
      .flatMap(({ login, displayName }) => [login, displayName])
      .filter((name) => name !== "")
      .map((name) => name.toLowerCase()),
  );
  return (text) =>
    (text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).some((word) => names.has(word));
}
