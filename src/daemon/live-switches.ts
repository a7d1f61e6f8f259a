import { type Switches, type SwitchStore, switchStore } from "../db/switches-store.ts";
import { watchChanges } from "../db/watch.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export interface LiveSwitches {
  readonly read: () => Switches;
  readonly set: SwitchStore["set"];
}

/** The switches, reread whenever another process wrote; asked before each decision and each send. */
export function liveSwitches({ db }: Stores, now: () => number, life: Lifetime): LiveSwitches {
  const store = switchStore(db, now);
  let switches = store.read();
  const reread = (): void => {
    switches = store.read();
  };
  const watch = watchChanges(db, reread);
  life.closers.push(() => watch.close());
  return {
    read: () => {
      watch.check();
      return switches;
    },
    set: (name, on, by) => {
      store.set(name, on, by);
      reread();
    },
  };
}
