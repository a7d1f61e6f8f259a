import { identityStore } from "../chat/identity-store.ts";
import type { Person } from "../chat/person.ts";
import { namesSought } from "../language/unname.ts";
import { watchChanges } from "../platform/database/watch.ts";
import { forgetLog } from "../privacy/forget-log-store.ts";
import { forgetStore } from "../privacy/forget-store.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

type Named = Pick<Person, "userId" | "login" | "displayName">;

export interface DaemonRights {
  /** Forgets a person, now or as soon as the database takes it; then calls `done`. */
  forget(person: Named, done: () => void): void;
  /** The same, and keeps nothing of theirs from then on. */
  optOut(person: Named, done: () => void): void;
  optIn(person: Named, done: (wasOut: boolean) => void): void;
  /** Drops the turns of people who were forgotten by another process; gives who they were. */
  readonly onForgotten: ((isMeant: (userId: string) => boolean) => readonly string[])[];
  /** Drops what is under way and names somebody who is forgotten. */
  readonly onNamed: ((isNamed: (text: string) => boolean) => void)[];
}

const RETRY_EVERY_MS = 1_000;
/** A forget of another process is seen within a moment: what was written since may have been on its way. */
const ON_ITS_WAY_MS = 2_000;

/** What people may ask for about everything that is kept of them, done beside a running bot. */
export function openRights(
  { config, now, log }: DaemonOptions,
  stores: Stores,
  life: Lifetime,
): DaemonRights {
  const { db, events, suppressions, hash, viewers } = stores;
  const forgets = forgetStore(db, hash, now);
  const known = forgetLog(db);
  const identities = identityStore(db, now);
  const onForgotten: DaemonRights["onForgotten"] = [];
  const onNamed: DaemonRights["onNamed"] = [];
  const surely = workQueue(stores);
  every(RETRY_EVERY_MS, surely.retry, { life, log });
  life.closers.push(surely.retry);
  const stored = (userId: string): Named[] => [viewers.get(userId) ?? []].flat();
  const flush = (): void => {
    if (!events.flush()) throw new Error("chat waits to be written");
  };
  const forget = ({ userId, login, displayName }: Named): readonly string[] => {
    flush();
    const accounts = identities.accountsOf(userId);
    // First as a moderator's act would: answers in the making, windows and held proposals hear of it.
    for (const channel of config.channels) {
      for (const account of accounts) events.removeTextsOf(channel, account);
    }
    flush();
    const isNamed = namer([{ userId, login, displayName }, ...accounts.flatMap(stored)]);
    forgets.forget(userId, [login, displayName]);
    known.heardOf(accounts.map(hash.person));
    for (const tell of onNamed) tell(isNamed);
    return accounts;
  };
  const followOthers = (): void => {
    suppressions.reread();
    const whos = known.reread();
    if (whos.size === 0) return;
    const isMeant = (userId: string): boolean => whos.has(hash.person(userId));
    const ids = new Set(onForgotten.flatMap((tell) => tell(isMeant)));
    // Nobody knows any more what they were called.
    for (const tell of onNamed) tell((text) => text !== "");
    surely.do(() => {
      flush();
      const late = known.seenSince(now() - ON_ITS_WAY_MS).filter(isMeant);
      for (const userId of [...ids, ...late]) forget({ userId, login: "", displayName: "" });
    });
  };
  const watch = watchChanges(db, followOthers);
  life.closers.push(() => watch.close());
  return {
    onForgotten,
    onNamed,
    forget: (person, done) =>
      surely.do(() => {
        forget(person);
        done();
      }),
    optOut: (person, done) =>
      surely.do(() => {
        for (const account of forget(person)) {
          suppressions.optOut(account === person.userId ? person : { userId: account });
        }
        done();
      }),
    optIn: ({ userId }, done) =>
      surely.do(() => {
        done(suppressions.optIn(userId));
      }),
  };
}

/** Whether a text holds a name of theirs. */
function namer(people: readonly Named[]): (text: string) => boolean {
  const sought = namesSought(
    people.map(({ userId, login, displayName }) => ({ userId, names: [login, displayName] })),
  );
  return (text) => sought.some(({ takeOut }) => takeOut(text, false) !== text);
}

const WAITING =
  "somebody asked to be forgotten, and the database does not take it yet; it is tried again";

/** Does work in order, now or, where the database does not take it, at the next try. */
function workQueue({ gate, notices }: Pick<Stores, "gate" | "notices">) {
  const undone: (() => void)[] = [];
  let isWorking = false;
  let isTold = false;
  const finish = (): void => {
    for (let work = undone[0]; work !== undefined; work = undone[0]) {
      work();
      undone.shift();
    }
    if (isTold) notices.clear("rights_waiting");
    isTold = false;
  };
  const retry = (): void => {
    if (isWorking || gate.isClosed()) return;
    isWorking = true;
    try {
      finish();
    } catch {
      notices.raise("rights_waiting", "warning", WAITING);
      isTold = true;
    } finally {
      isWorking = false;
    }
  };
  return {
    retry,
    do: (work: () => void): void => {
      undone.push(work);
      retry();
    },
  };
}
