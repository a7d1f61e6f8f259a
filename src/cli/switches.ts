import { isLocked } from "../platform/database/lock.ts";
import { switchStore } from "../platform/database/runtime-store.ts";
import { readStatus, statusText } from "../telemetry/status.ts";
import { making, type Opened, type Options, reading, tell } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

/** Prints what the daemon of a configuration does, from its database; works beside a running one. */
export function status(options: Options, terminal: Terminal): void {
  reading(options.config, ({ config, db, now }) => {
    const running = isLocked(config.dataDir);
    const found = readStatus({ db, now, running });
    tell(terminal, options, found, () => statusText(found, now()));
  });
}

/** Flips a switch in the database; a running daemon sees it before its next decision or write. */
export function flip(
  name: keyof typeof STATES,
  on: boolean,
  { config: file }: Options,
  terminal: Terminal,
): void {
  making(file, ({ config, db, now }) => {
    switchStore(db, now).set(name, on, "cli");
    const beside = isLocked(config.dataDir)
      ? ""
      : " (the bot is not running now; this holds when it starts)";
    terminal.print(`${STATES[name](on, config)}${beside}`);
  });
}

const STATES = {
  paused: (on: boolean) => (on ? "paused: it says nothing until `forgetmenot resume`" : "resumed"),
  read_only: (on: boolean) =>
    on
      ? "memory is read-only: nothing is learned until `forgetmenot memory readonly off`; chat that waits runs out meanwhile, and what is to be forgotten still is"
      : "memory may be written again",
  safe_mode: (on: boolean, { actions }: Opened["config"]) => {
    if (on) return "safe mode is on: every action is refused until `forgetmenot safe off`";
    return actions.safeMode
      ? "safe mode is off here, but `actions.safeMode` in the configuration still refuses every action"
      : "safe mode is off";
  },
};
