import {
  type Switches,
  type SwitchStore,
  switchStore,
} from "../platform/database/runtime-store.ts";
import { watchChanges } from "../platform/database/watch-changes.ts";
import { type DaemonOptions, every, type Lifetime, reportFailure } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export interface LiveSwitches {
  readonly read: () => Switches;
  /** In force at once; `done` is called when it outlives the program, too. */
  readonly set: (...given: [...Parameters<SwitchStore["set"]>, done: () => void]) => void;
}

const FIELDS = { paused: "paused", safe_mode: "safeMode", read_only: "readOnly" } as const;

const WRITE_AGAIN_EVERY_MS = 1_000;

/** The switches, reread whenever another process wrote; asked before each decision and each send. */
export function liveSwitches(
  { now, log }: Pick<DaemonOptions, "now" | "log">,
  { db, gate }: Pick<Stores, "db" | "gate">,
  life: Lifetime,
): LiveSwitches {
  const store = switchStore(db, now);
  let switches = store.read();
  /** Flipped, and not in the database yet: it takes nothing now. */
  const waiting: Parameters<LiveSwitches["set"]>[] = [];
  const reread = (): void => {
    const flipped = waiting.map(([name, on]) => [FIELDS[name], on]);
    switches = { ...store.read(), ...Object.fromEntries(flipped) };
  };
  const write = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const [name, on, by, done] = next;
      store.set(name, on, by);
      waiting.shift();
      done();
    }
    reread();
  };
  const writeSoon = (): void => {
    if (waiting.length > 0) gate.whenOpen(write);
  };
  every(WRITE_AGAIN_EVERY_MS, writeSoon, { life, log });
  life.closers.push(writeSoon);
  const watch = watchChanges(db, reread, life.atMultiples);
  life.closers.push(() => watch.close());
  return {
    read: () => {
      watch.check();
      return switches;
    },
    set: (...flipped) => {
      const [name, on] = flipped;
      waiting.push(flipped);
      switches = { ...switches, [FIELDS[name]]: on };
      gate.whenOpen(() => {
        try {
          write();
        } catch (thrown) {
          reportFailure(thrown, { life, log });
        }
      });
    },
  };
}
