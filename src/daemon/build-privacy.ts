import type { Speaker } from "../chat/normalise.ts";
import { identityStore } from "../chat/viewer-store.ts";
import { NOT_FLUSHED } from "../database/retry-queue.ts";
import { watchChanges } from "../database/watch-changes.ts";
import { Fault } from "../errors.ts";
import { type Forgotten, forgetLog, forgetStore } from "../privacy/forget-store.ts";
import type { DaemonOptions, Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

type NamedViewer = Pick<Speaker, "userId" | "login" | "displayName">;

/** What viewers may ask for about everything that is stored of them. Each is done and committed, or null is returned. */
export interface DaemonRights {
  /** Forgets a viewer, in one transaction. Null if the database cannot take it now. */
  forget(person: NamedViewer): Forgotten | null;
  /** Forgets a viewer and stores nothing of theirs from then on. */
  optOut(person: NamedViewer): Forgotten | null;
  optIn(person: NamedViewer): { readonly wasOut: boolean } | null;
  /** Does work on the database after all buffered chat is written. Null if the database cannot take it now. */
  attempt<T>(work: () => T): T | null;
  /** Drops the turns of viewers whom another process forgot; each returns who they were. */
  readonly onForgotten: ((isMeant: (userId: string) => boolean) => readonly string[])[];
  /** Drops what is in progress and names a forgotten viewer. */
  readonly onNamed: ((isNamed: (text: string) => boolean) => void)[];
}

/** What a viewer said just before another process forgot them may be on its way to the database. */
const IN_FLIGHT_MS = 2_000;
const KIND = "rights_refused";

export function openRights(
  { config, now }: DaemonOptions,
  { db, events, health, hash, notices, retries, saveRecord, suppressions, viewers }: Stores,
  life: Lifetime,
): DaemonRights {
  const { accountsOf } = identityStore(db, now);
  const onForgotten: DaemonRights["onForgotten"] = [];
  const onNamed: DaemonRights["onNamed"] = [];
  notices.clear(KIND); // what kept the last run from storing requests may be over
  const forgets = forgetStore(db, hash, now, saveRecord);
  const known = forgetLog(db);
  const attempt = <T>(work: () => T): T | null => {
    try {
      if (!events.flush()) return refuse("chat waits to be written");
      const done = work();
      notices.clear(KIND);
      return done;
    } catch (thrown) {
      if (thrown instanceof Fault) return refuse(`${thrown.message}: ${thrown.mend}`);
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
      for (const account of accounts) events.removeTextsOf(channel, account);
    }
    events.flush();
    const others = accounts.flatMap((account) => viewers.get(account) ?? []);
    const isNamed = mentionsAny([{ userId, login, displayName }, ...others]);
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
    // Nobody knows any more what these viewers were called, so everything in progress is dropped.
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
 * Gives a function that says whether a text holds a name of these people as a word. Wider than what a forget removes:
 * an answer in progress that is dropped for nothing harms nobody.
 */
function mentionsAny(people: readonly NamedViewer[]): (text: string) => boolean {
  const names = new Set(
    people
      .flatMap(({ login, displayName }) => [login, displayName])
      .filter((name) => name !== "")
      .map((name) => name.toLowerCase()),
  );
  return (text) =>
    (text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).some((word) => names.has(word));
}
