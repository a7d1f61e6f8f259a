import { isLocked } from "../database/lock.ts";
import { SwitchStore } from "../database/runtime-store.ts";
import { formatStatusText, readStatus } from "../telemetry/status.ts";
import type { CommandOutput, OpenFolder } from "./open-folder.ts";

/** Prints the state of the daemon, from its database. Works next to a running one. */
export function printStatus({ config, db, now }: OpenFolder): CommandOutput {
  const found = readStatus({ db, now, running: isLocked(config.dataDir) });
  return { value: found, text: formatStatusText(found, now()) };
}

/** Flips a switch in the database; a running daemon sees it before its next decision or write. */
export function setSwitch(name: keyof typeof STATES, always?: boolean) {
  return ({ config, db, now }: OpenFolder, state: unknown): string => {
    const on = always ?? state === "on";
    new SwitchStore(db, now).set(name, on, "cli");
    const offlineHint = isLocked(config.dataDir)
      ? ""
      : " (the bot is not running now; this holds when it starts)";
    return `${STATES[name](on, config)}${offlineHint}`;
  };
}

const STATES = {
  paused: (on: boolean) => (on ? "paused: it says nothing until `forgetmenot resume`" : "resumed"),
  read_only: (on: boolean) =>
    on
      ? "memory is read-only: the bot learns nothing until `forgetmenot memory readonly off`. Waiting chat still expires, and forget requests still work"
      : "memory is writable again",
  safe_mode: (on: boolean, { actions }: OpenFolder["config"]) => {
    if (on) return "safe mode is on: every action is refused until `forgetmenot safe off`";
    return actions.safeMode
      ? "safe mode is off here, but `actions.safeMode` in the configuration still refuses every action"
      : "safe mode is off";
  },
};
