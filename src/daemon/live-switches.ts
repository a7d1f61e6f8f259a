import { type Switches, type SwitchName, switchStore } from "../database/runtime-store.ts";
import { watchChanges } from "../database/watch-changes.ts";
import type { DaemonOptions, Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export type LiveSwitches = ReturnType<typeof liveSwitches>;

const FIELDS = { paused: "paused", safe_mode: "safeMode", read_only: "readOnly" } as const;

/** The switches, reread whenever another process wrote; asked before each decision and each send. */
export function liveSwitches(
  { now }: Pick<DaemonOptions, "now">,
  { db, retries }: Pick<Stores, "db" | "retries">,
  life: Lifetime,
) {
  const store = switchStore(db, now);
  let switches: Switches = store.read();
  /** Flipped here, and not in the database yet. */
  const waiting = new Map<SwitchName, boolean>();
  const reread = (): void => {
    const flipped = [...waiting].map(([name, on]) => [FIELDS[name], on]);
    switches = { ...store.read(), ...Object.fromEntries(flipped) };
  };
  const watch = watchChanges(db, reread);
  life.closers.push(() => watch.close());
  return {
    read: (): Switches => {
      watch.check();
      return switches;
    },
    /** Applies at once, in memory. False if the database cannot store it now; then it is stored later. */
    set: (name: SwitchName, on: boolean, by: string): boolean => {
      let isStored = false;
      waiting.set(name, on);
      switches = { ...switches, [FIELDS[name]]: on };
      retries.add(() => {
        store.set(name, on, by);
        if (waiting.get(name) === on) waiting.delete(name);
        reread();
        isStored = true;
      });
      return isStored;
    },
  };
}
