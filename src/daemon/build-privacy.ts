import { z } from "zod";
import type { Speaker } from "../chat/normalise.ts";
import { identityStore } from "../chat/viewer-store.ts";
import { namesToTakeOut, type UnnamedPerson } from "../language/unname.ts";
import { watchChanges } from "../platform/database/watch-changes.ts";
import { FORGETTING_BY_COMMAND, forgetLog, forgetStore } from "../privacy/forget-store.ts";
import { slicedUnnamer } from "../privacy/unname-store.ts";
import type { SpoolEntry } from "../privacy/wish-spool.ts";
import { FORGETTING } from "../telemetry/heartbeat.ts";
import { type DaemonOptions, every, type Lifetime } from "./lifetime.ts";
import { NOT_NOW, SLICE_MS, type Work, workQueue } from "./promises.ts";
import type { Stores } from "./stores.ts";

type Named = Pick<Speaker, "userId" | "login" | "displayName">;

type Wish = Extract<SpoolEntry, { readonly kind: "remember" | "forget_topic" }>;

export interface DaemonRights {
  /** Does what a viewer wished for, now or as soon as the database takes it. Where too much waits, not at all. */
  readonly grant: (wish: Wish, work: () => void) => void;
  /** Does work once all that was said is in the database: nobody is told that they are not known, or nothing at all. */
  readonly onceWritten: (work: () => void) => void;
  /** Takes up again what was promised before the last end. */
  readonly resume: (entry: SpoolEntry, keep: (wish: Wish) => void) => void;
  /** Forgets a person, now or as soon as the database takes it; then calls `done`. */
  forget(person: Named, done: () => void): void;
  /** The same, and keeps nothing of theirs from then on. */
  optOut(person: Named, done: () => void): void;
  optIn(person: Named, done: (wasOut: boolean) => void): void;
  /** Whether somebody is still going out of the tables. */
  readonly isForgetting: () => boolean;
  /** Drops the turns of people who were forgotten by another process; gives who they were. */
  readonly onForgotten: ((isMeant: (userId: string) => boolean) => readonly string[])[];
  /** Drops what is under way and names somebody who is forgotten. */
  readonly onNamed: ((isNamed: (text: string) => boolean) => void)[];
}

const RETRY_EVERY_MS = 1_000;
/** Wishes that wait for the database, of all viewers. Whoever comes after them is not answered, and may ask again. */
const WISHES_MAX = 500;
/** A forget of another process is seen within a moment: what was written since may have been on its way. */
const ON_ITS_WAY_MS = 2_000;

/** What people may ask for about everything that is kept of them, done beside a running bot. */
export function openRights(
  { config, now, log }: DaemonOptions,
  stores: Stores,
  life: Lifetime,
): DaemonRights {
  const { db, events, suppressions, hash, viewers } = stores;
  const { accountsOf } = identityStore(db, now);
  const unnamed: UnnamedPerson[] = [];
  const { onForgotten, onNamed } = listeners();
  const forgets = forgetStore(db, hash, now, (people) => void unnamed.push(...people));
  const known = forgetLog(db);
  const surely = workQueue(stores, log);
  stores.promises.waiting.push(surely.waiting);
  every(RETRY_EVERY_MS, surely.retry, { life, log });
  life.closers.push(surely.finish);
  const forget = ({ userId, login, displayName }: Named): readonly string[] => {
    flushed(events);
    const accounts = accountsOf(userId);
    // First as a moderator's act would: answers in the making, windows and held proposals hear of it.
    for (const channel of config.channels) {
      for (const account of accounts) events.removeTextsOf(channel, account);
    }
    flushed(events);
    const others = accounts.flatMap((account) => viewers.get(account) ?? []);
    const isNamed = namer([{ userId, login, displayName }, ...others]);
    forgets.forget(userId, [login, displayName]);
    known.heardOf(accounts.map(hash.person));
    for (const tell of onNamed) tell(isNamed);
    return accounts;
  };
  const inSlices = forgetInSlices(stores, {
    thin: ({ userId }) => forgets.thin(userId),
    forget: (person) => ({ accounts: forget(person), people: unnamed.splice(0) }),
    finished: (accounts) => {
      forgets.finished(accounts);
      known.heardOf(accounts.map(hash.person));
    },
  });
  const followOthers = (): void => {
    suppressions.reread();
    const whos = known.reread();
    if (whos.size === 0) return;
    const isMeant = (userId: string): boolean => whos.has(hash.person(userId));
    const ids = new Set(onForgotten.flatMap((tell) => tell(isMeant)));
    // Nobody knows any more what they were called.
    for (const tell of onNamed) tell((text) => text !== "");
    surely.do(null, () => {
      flushed(events);
      const late = known.seenSince(now() - ON_ITS_WAY_MS).filter(isMeant);
      for (const userId of [...ids, ...late]) {
        const nobody = { userId, login: "", displayName: "" };
        surely.do(null, inSlices.forget(nobody, nobodyWaits));
      }
      return "done";
    });
  };
  life.closers.push(watchChanges(db, followOthers, life.atMultiples).close);
  goOn(stores, surely, inSlices);
  const rights = rightsOfPeople(surely, inSlices, stores);
  return {
    ...rights,
    onForgotten,
    onNamed,
    grant: (wish, work) => {
      if (surely.waiting().length < WISHES_MAX) surely.do(wish, once(work));
    },
    resume: (entry, keep) => {
      if (entry.kind === "forget") rights.forget(entry, nobodyWaits);
      if (entry.kind === "opt_out") rights.optOut(entry, nobodyWaits);
      if (entry.kind === "opt_in") rights.optIn(entry, nobodyWaits);
      if (entry.kind !== "remember" && entry.kind !== "forget_topic") return;
      surely.do(
        entry,
        once(() => keep(entry)),
      );
    },
  };
}

function rightsOfPeople(
  surely: ReturnType<typeof workQueue>,
  inSlices: ReturnType<typeof forgetInSlices>,
  { events, suppressions }: Pick<Stores, "events" | "suppressions">,
): Pick<DaemonRights, "forget" | "optOut" | "optIn" | "isForgetting" | "onceWritten"> {
  return {
    isForgetting: inSlices.isUnderWay,
    onceWritten: (work) => {
      surely.do(null, () => {
        flushed(events);
        work();
        return "done";
      });
    },
    forget: (person, done) => surely.do(promise("forget", person), inSlices.forget(person, done)),
    optOut: (person, done) =>
      surely.do(
        promise("opt_out", person),
        inSlices.forget(person, done, (accounts) => {
          for (const account of accounts) {
            suppressions.optOut(account === person.userId ? person : { userId: account });
          }
        }),
      ),
    optIn: (person, done) =>
      surely.do(promise("opt_in", person), () => {
        done(suppressions.optIn(person.userId));
        return "done";
      }),
  };
}

function flushed(events: Stores["events"]): void {
  if (!events.flush()) throw NOT_NOW;
}

const nobodyWaits = (): void => undefined;

function once(work: () => void): Work {
  return () => {
    work();
    return "done";
  };
}

interface Forgetting {
  /** Takes what they said a while ago, so that the rest goes quickly. */
  readonly thin: (person: Named) => Generator<void>;
  /** Takes somebody out of every table, but for their names in sentences. */
  readonly forget: (person: Named) => {
    readonly accounts: readonly string[];
    readonly people: readonly UnnamedPerson[];
  };
  readonly finished: (accounts: readonly string[]) => void;
}

/** Somebody who is going out of every sentence: kept until that is done, so that a program that dies goes on with it. */
interface Going {
  readonly person: Named;
  gone: ReturnType<Forgetting["forget"]> | null;
}

const named = z.object({ userId: z.string(), login: z.string(), displayName: z.string() });
const goingSchema = z.object({
  left: z.array(
    z.object({
      person: named,
      gone: z
        .object({
          accounts: z.array(z.string()),
          people: z.array(z.object({ userId: z.string(), names: z.array(z.string()) })),
        })
        .nullable(),
    }),
  ),
});

function listeners(): Pick<DaemonRights, "onForgotten" | "onNamed"> {
  return { onForgotten: [], onNamed: [] };
}

/** Goes on with whom the last run, which died, had not done with. */
function goOn(
  { runtime }: Pick<Stores, "runtime">,
  surely: ReturnType<typeof workQueue>,
  inSlices: ReturnType<typeof forgetInSlices>,
): void {
  const unfinished = [FORGETTING, FORGETTING_BY_COMMAND].flatMap(
    (name) => runtime.read(name, goingSchema)?.value.left ?? [],
  );
  for (const { person, gone } of unfinished) {
    surely.do(null, inSlices.forget(person, nobodyWaits, undefined, gone));
  }
  // They stand among this daemon's own from now on.
  if (unfinished.length > 0) runtime.write(FORGETTING_BY_COMMAND, { left: [] });
}

/** Somebody goes out of every table at once, and then out of every sentence, a few ms at a time. */
function forgetInSlices(
  { db, runtime, wal }: Pick<Stores, "db" | "runtime" | "wal">,
  { thin, forget, finished }: Forgetting,
) {
  const unname = slicedUnnamer(db);
  const left = new Set<Going>();
  /** Until the last sentence is done, `status` says that bytes may be left, and the next start goes on with it. */
  const tell = (): void => {
    try {
      runtime.write(FORGETTING, { people: left.size, left: [...left] });
    } catch {
      // The database takes nothing now: it is told with the next change.
    }
  };
  const forgetOne = (
    person: Named,
    done: () => void,
    follow: (accounts: readonly string[]) => void = () => undefined,
    begun: Going["gone"] = null,
  ): Work => {
    const going: Going = { person, gone: begun };
    left.add(going);
    tell();
    let steps: Generator<void> | null = null;
    let isThin = false;
    const begin = (): "more" => {
      const found = forget(person);
      follow(found.accounts);
      going.gone = found;
      tell();
      return "more";
    };
    const change = db.transaction((work: Generator<void>): boolean => {
      const untilMs = performance.now() + SLICE_MS;
      while (performance.now() < untilMs) if (work.next().done === true) return true;
      return false;
    });
    const advance = (begun: () => Generator<void>): boolean => {
      const current = steps ?? begun();
      steps = null; // what is rolled back is done again
      const isOver = change.immediate(current);
      steps = isOver ? null : current;
      return isOver;
    };
    const step: Work = () => {
      const { gone } = going;
      if (gone === null && isThin) return begin();
      if (gone === null) isThin = advance(() => thin(person));
      if (gone === null || !advance(() => unname(gone.people))) return "more";
      finished(gone.accounts);
      left.delete(going);
      tell();
      done();
      return "done";
    };
    return () => (wal.keepShort() ? step() : "later");
  };
  return { forget: forgetOne, isUnderWay: () => left.size > 0 };
}

function promise(kind: "forget" | "opt_out" | "opt_in", person: Named): SpoolEntry {
  const { userId, login, displayName } = person;
  return { kind, userId, login, displayName };
}

/** Whether a text holds a name of theirs. */
function namer(people: readonly Named[]): (text: string) => boolean {
  const wanted = namesToTakeOut(
    people.map(({ userId, login, displayName }) => ({ userId, names: [login, displayName] })),
  );
  return (text) => wanted.some(({ takeOut }) => takeOut(text, false) !== text);
}
