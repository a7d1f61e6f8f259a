import { memoize } from "../bounded-map.ts";
import { NODE_FIX, readEnvironment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import { isLoopbackUrl } from "../config/schema.ts";
import { loadSecrets } from "../config/secrets.ts";
import { isLocked } from "../database/lock.ts";
import { attempt, describeBug, type Fault } from "../errors.ts";
import { type ExaminedBot, NETWORK_FIX, notChecked, problem, type Seen } from "./check.ts";
import { checkConfig, checkModel, checkSecrets } from "./config-checks.ts";
import {
  checkDatabase,
  checkNotices,
  checkRemovedChat,
  checkStoredChat,
  checkSwitches,
} from "./database-checks.ts";
import { checkDaemon, checkDisk, checkFolder, checkNode, checkPage } from "./machine-checks.ts";
import {
  askLogins,
  checkBotLogin,
  checkChannels,
  checkChatServer,
  checkStreamerLogin,
} from "./twitch-checks.ts";

type Check = (bot: ExaminedBot) => Seen | readonly Seen[] | Promise<Seen | readonly Seen[]>;

/** The doctor's checks, in order. Scripts rely on `name`. `fix` applies if a finding has none of its own. */
export const CHECKS = [
  { name: "node", label: "Node", run: () => checkNode(), fix: NODE_FIX },
  {
    name: "config",
    label: "configuration",
    run: checkConfig,
    fix: "run `forgetmenot setup`, or correct the file by docs/configuration.md",
  },
  {
    name: "folder",
    label: "data folder",
    run: checkFolder,
    fix: "make the folder writable for this user, or set dataDir to another one",
  },
  {
    name: "disk",
    label: "disk space",
    run: checkDisk,
    fix: "make room on the disk, or set dataDir to a folder on another one",
  },
  {
    name: "daemon",
    label: "the bot",
    run: checkDaemon,
    fix: "stop the bot and remove the file: it holds nothing, and is made again",
  },
  { name: "secrets", label: "secrets", run: checkSecrets, fix: "run `forgetmenot setup`" },
  {
    name: "bot_token",
    label: "bot's log-in",
    run: checkBotLogin,
    fix: "log the bot in with `forgetmenot setup`",
  },
  {
    name: "streamer_token",
    label: "your log-in",
    run: checkStreamerLogin,
    fix: "log yourself in with `forgetmenot setup`",
  },
  {
    name: "channel",
    label: "channel",
    run: checkChannels,
    fix: "set channel to the name at the end of its address on Twitch",
  },
  { name: "chat_server", label: "chat server", run: checkChatServer, fix: NETWORK_FIX },
  { name: "model", label: "model", run: checkModel, fix: "try again" },
  {
    name: "database",
    label: "database",
    run: checkDatabase,
    fix: "bring a backup back with `forgetmenot restore`",
  },
  { name: "kept_chat", label: "stored chat", run: checkStoredChat, fix: "restart the bot" },
  { name: "removed_chat", label: "removed chat", run: checkRemovedChat, fix: "restart the bot" },
  { name: "switches", label: "switches", run: checkSwitches, fix: "`forgetmenot resume`" },
  {
    name: "notice",
    label: "notices",
    run: checkNotices,
    fix: "do as it says; it disappears once the cause is gone",
  },
  {
    name: "page",
    label: "page",
    run: checkPage,
    fix: "stop what uses the port, or set dashboard.port to another one, to 0 for any, or to false for none",
  },
] as const satisfies readonly { name: string; label: string; run: Check; fix: string }[];

export type CheckName = (typeof CHECKS)[number]["name"];

export interface Finding {
  readonly check: CheckName;
  readonly state: Seen["state"];
  readonly found: string;
  /** The finding's own fix, else its check's, in one line; null if it is no warning or problem. A name for scripts. */
  readonly mend: string | null;
}

const OVER_NETWORK: readonly Check[] = [
  ...[checkBotLogin, checkStreamerLogin, checkChannels, checkChatServer, checkModel],
];

/** Collects what the checks need: reads the bot's secrets and whether it runs. Sends no request. */
export function examineBot(config: Config, stop: AbortSignal): ExaminedBot {
  const environment = readEnvironment();
  const { value: secrets } = attempt(() => loadSecrets(config.dataDir, environment));
  return {
    config,
    environment,
    secrets,
    running: isRunning(config.dataDir),
    asksTwitch: environment.hasHelixStandIn || !isLoopbackUrl(config.twitch.chatUrl),
    logins: memoize(() => askLogins(config, secrets, Date.now)),
    now: Date.now,
    stop,
  };
}

function isRunning(dataDir: string): boolean {
  try {
    return isLocked(dataDir);
  } catch {
    return false; // The check of the daemon names the reason.
  }
}

/**
 * Runs the checks of these names, or all: those over the network at the same time, the others one by one. Yields the
 * findings of each in the order of the table. Ends early if the user stops it.
 */
export async function* runChecks(
  bot: ExaminedBot,
  names: readonly CheckName[] = CHECKS.map(({ name }) => name),
): AsyncGenerator<readonly Finding[]> {
  const checks = CHECKS.filter(({ name }) => names.includes(name));
  const overNetwork = checks.filter(({ run }) => OVER_NETWORK.includes(run));
  // All at the same time, and before the database blocks the process.
  const early = new Map(overNetwork.map(({ name, run }) => [name, runSafely(run, bot)]));
  const stopped = new Promise<null>((resolve) => {
    bot.stop.addEventListener("abort", () => resolve(null), { once: true });
  });
  for (const { name, run, fix } of checks) {
    const seen = await Promise.race([stopped, early.get(name) ?? runSafely(run, bot)]);
    if (seen === null || bot.stop.aborted) return;
    yield seen.map((one) => toFinding(name, one, fix));
  }
}

/** Returns what a check found. If the check throws, returns that as a problem, so that the others go on. */
async function runSafely(run: Check, bot: ExaminedBot): Promise<readonly Seen[]> {
  try {
    return [await run(bot)].flat();
  } catch (thrown) {
    // Its message could quote a secret.
    const { bug, at } = describeBug(thrown);
    const failed = `the check failed (${bug}${at === null ? "" : ` ${at}`})`;
    return [problem(failed, "this is a bug in ForgetMeNot, please report it")];
  }
}

function toFinding(check: CheckName, { state, found, fix }: Seen, usualFix: string): Finding {
  const hasFix = state === "warning" || state === "problem";
  return { check, state, found, mend: hasFix ? (fix ?? usualFix) : null };
}

/**
 * Returns the findings if the configuration could not be loaded. Checks Node, lists each line of the Fault as a problem,
 * and marks all other checks `not_checked`.
 */
export function checkWithoutConfig({ message, fix: fixOfFault }: Fault): readonly Finding[] {
  return CHECKS.flatMap(({ name, fix }) => {
    if (name === "node") return [toFinding(name, checkNode(), fix)];
    if (name === "config")
      return message.split("\n").map((line) => toFinding(name, problem(line, fixOfFault), fix));
    return [toFinding(name, notChecked("needs the configuration"), fix)];
  });
}
