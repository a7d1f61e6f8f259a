import {
  type Switches,
  type SwitchStore,
  switchStore,
} from "../platform/database/switches-store.ts";
import { watchChanges } from "../platform/database/watch.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export interface LiveSwitches {
  readonly read: () => Switches;
  readonly set: SwitchStore["set"];
}

const FIELDS = { paused: "paused", safe_mode: "safeMode", read_only: "readOnly" } as const;

/** The switches, reread whenever another process wrote; asked before each decision and each send. */
export function liveSwitches(
  { db, gate }: Stores,
  now: () => number,
  life: Lifetime,
): LiveSwitches {
  const store = switchStore(db, now);
  let switches = store.read();
  /** Flipped, and not in the database yet: another process has it. */
  let waiting: Partial<Switches> = {};
  const reread = (): void => {
    switches = { ...store.read(), ...waiting };
  };
  const watch = watchChanges(db, reread);
  life.closers.push(() => watch.close());
  return {
    read: () => {
      watch.check();
      return switches;
    },
    set: (name, on, by) => {
      waiting = { ...waiting, [FIELDS[name]]: on };
      switches = { ...switches, ...waiting };
      gate.whenOpen(() => {
        store.set(name, on, by);
        waiting = {};
        reread();
      });
    },
  };
}
