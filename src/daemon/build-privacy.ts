import { setImmediate as breathe } from "node:timers/promises";
import { identityStore } from "../chat/identity-store.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Person } from "../chat/person.ts";
import { namesSought } from "../language/unname.ts";
import { watchChanges } from "../platform/database/watch.ts";
import { forgetLog } from "../privacy/forget-log-store.ts";
import { forgetStore } from "../privacy/forget-store.ts";
import type { SpoolEntry } from "../privacy/wish-spool.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

type Named = Pick<Person, "userId" | "login" | "displayName">;

type Wish = Extract<SpoolEntry, { readonly kind: "remember" | "forget_topic" }>;

export interface DaemonRights {
  /** Does what a viewer wished for, now or as soon as the database takes it. Where too much waits, not at all. */
  readonly grant: (wish: Wish, work: () => void) => void;
  /** Takes up again what was promised before the last end. */
  readonly resume: (entries: readonly SpoolEntry[], keep: (wish: Wish) => void) => void;
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
/** Wishes that wait for the database, of all viewers. Whoever comes after them is not answered, and may ask again. */
const WISHES_MAX = 500;
/** What is done between two breaths of the program, ms. */
const SLICE_MS = 5;
const FINISH_MS_MAX = 500;
/** Thrown where chat is not written yet, and work has to come after it. */
const NOT_NOW = new Error("chat waits to be written");
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
  const surely = workQueue(stores, log);
  stores.promised.push(surely.waiting);
  every(RETRY_EVERY_MS, surely.retry, { life, log });
  life.closers.push(() => surely.finish());
  const stored = (userId: string): Named[] => [viewers.get(userId) ?? []].flat();
  const flush = (): void => {
    if (!events.flush()) throw NOT_NOW;
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
    surely.do(null, () => {
      flush();
      const late = known.seenSince(now() - ON_ITS_WAY_MS).filter(isMeant);
      for (const userId of [...ids, ...late]) forget({ userId, login: "", displayName: "" });
    });
  };
  const watch = watchChanges(db, followOthers);
  life.closers.push(() => watch.close());
  const rights: Pick<DaemonRights, "forget" | "optOut" | "optIn"> = {
    forget: (person, done) =>
      surely.do(promise("forget", person), () => {
        forget(person);
        done();
      }),
    optOut: (person, done) =>
      surely.do(promise("opt_out", person), () => {
        for (const account of forget(person)) {
          suppressions.optOut(account === person.userId ? person : { userId: account });
        }
        done();
      }),
    optIn: (person, done) =>
      surely.do(promise("opt_in", person), () => {
        done(suppressions.optIn(person.userId));
      }),
  };
  const nobodyWaits = (): void => undefined;
  return {
    ...rights,
    onForgotten,
    onNamed,
    grant: (wish, work) => {
      if (surely.waiting().length < WISHES_MAX) surely.do(wish, work);
    },
    resume: (entries, keep) => {
      for (const entry of entries) {
        if (entry.kind === "forget") rights.forget(entry, nobodyWaits);
        if (entry.kind === "opt_out") rights.optOut(entry, nobodyWaits);
        if (entry.kind === "opt_in") rights.optIn(entry, nobodyWaits);
        if (entry.kind === "remember" || entry.kind === "forget_topic") {
          surely.do(entry, () => keep(entry));
        }
      }
    },
  };
}

function promise(kind: "forget" | "opt_out" | "opt_in", person: Named): SpoolEntry {
  const { userId, login, displayName } = person;
  return { kind, userId, login, displayName };
}

/** Whether a text holds a name of theirs. */
function namer(people: readonly Named[]): (text: string) => boolean {
  const sought = namesSought(
    people.map(({ userId, login, displayName }) => ({ userId, names: [login, displayName] })),
  );
  return (text) => sought.some(({ takeOut }) => takeOut(text, false) !== text);
}

const WAITING =
  "what somebody asked for (to be forgotten, or something kept) waits for the database; `forgetmenot status` says what keeps it; it is tried again, and survives a restart";

interface Undone {
  /** How it survives an end of the program; null where it need not. */
  readonly entry: SpoolEntry | null;
  readonly work: () => void;
}

/** Does work in order, a little at a time, now or, where the database does not take it, at the next try. */
function workQueue(
  { gate, notices, health }: Pick<Stores, "gate" | "notices" | "health">,
  log: Log,
) {
  const undone: Undone[] = [];
  let isWorking = false;
  let isTold = false;
  /** False where the database did not take it. What fails for another reason would fail again: it is dropped. */
  const isDone = ({ work }: Undone): boolean => {
    try {
      work();
    } catch (thrown) {
      if (thrown === NOT_NOW || health.heard(thrown)) return false;
      log.error({ ...describeBug(thrown) }, "bug: a wish could not be granted");
    }
    return true;
  };
  const tell = (isHeldUp: boolean): void => {
    if (isHeldUp) notices.raise("rights_waiting", "warning", WAITING);
    else if (isTold) notices.clear("rights_waiting");
    isTold = isHeldUp;
  };
  const retry = (): void => {
    if (isWorking || gate.isClosed()) return;
    isWorking = true;
    const untilMs = performance.now() + SLICE_MS;
    let isHeldUp = false;
    while (undone[0] !== undefined && performance.now() < untilMs && !isHeldUp) {
      isHeldUp = !isDone(undone[0]);
      if (!isHeldUp) undone.shift();
    }
    isWorking = false;
    tell(isHeldUp);
    if (undone.length > 0 && !isHeldUp) setImmediate(retry);
  };
  return {
    retry,
    /** As much as there is time for at the end. */
    finish: async () => {
      const untilMs = performance.now() + FINISH_MS_MAX;
      for (let left = -1; undone.length !== left && performance.now() < untilMs; ) {
        left = undone.length;
        retry();
        await breathe();
      }
    },
    waiting: () => undone.flatMap(({ entry }) => entry ?? []),
    do: (entry: SpoolEntry | null, work: () => void): void => {
      undone.push({ entry, work });
      gate.whenOpen(retry);
    },
  };
}
