import { type Environment, NODE_MEND, readEnvironment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import { loadSecrets } from "../config/secrets.ts";
import { isLoopbackUrl } from "../config/urls.ts";
import { isLocked } from "../database/lock.ts";
import { attempt, describeBug, type Fault } from "../errors.ts";
import { type ExaminedBot, NETWORK_FIX, notChecked, problem, type Seen } from "./check.ts";
import { lookAtConfig, lookAtSecrets } from "./config-checks.ts";
import {
  lookAtDatabase,
  lookAtNotices,
  lookAtRemovedChat,
  lookAtStoredChat,
  lookAtSwitches,
} from "./database-checks.ts";
import { lookAtDaemon, lookAtDisk, lookAtFolder } from "./folder-checks.ts";
import {
  askLogins,
  lookAtBotLogin,
  lookAtStreamerLogin,
  type TwitchLogins,
} from "./login-checks.ts";
import { lookAtNode, lookAtPage } from "./machine-checks.ts";
import { lookAtModel } from "./model-check.ts";
import { lookAtChannels, lookAtChatServer, lookAtClock } from "./network-checks.ts";

type Look = (bot: ExaminedBot) => Seen | readonly Seen[] | Promise<Seen | readonly Seen[]>;

/**
 * Everything that the doctor checks, in this order. `name` is a code: scripts rely on it. `fix` is what helps if a
 * finding names nothing more exact.
 */
export const CHECKS = [
  { name: "node", label: "Node", look: () => lookAtNode(), fix: NODE_MEND },
  {
    name: "config",
    label: "configuration",
    look: lookAtConfig,
    fix: "run `forgetmenot setup`, or correct the file by docs/configuration.md",
  },
  {
    name: "folder",
    label: "data folder",
    look: lookAtFolder,
    fix: "make the folder writable for this user, or set dataDir to another one",
  },
  {
    name: "disk",
    label: "disk space",
    look: lookAtDisk,
    fix: "make room on the disk, or set dataDir to a folder on another one",
  },
  {
    name: "daemon",
    label: "the bot",
    look: lookAtDaemon,
    fix: "stop the bot and remove the file: it holds nothing, and is made again",
  },
  {
    name: "secrets",
    label: "secrets",
    look: lookAtSecrets,
    fix: "run `forgetmenot setup`",
  },
  {
    name: "clock",
    label: "clock",
    look: lookAtClock,
    fix: "let the system set the clock by the internet, in its settings of date and time",
  },
  {
    name: "bot_token",
    label: "bot's log-in",
    look: lookAtBotLogin,
    fix: "log the bot in with `forgetmenot setup`",
  },
  {
    name: "streamer_token",
    label: "your log-in",
    look: lookAtStreamerLogin,
    fix: "log yourself in with `forgetmenot setup`",
  },
  {
    name: "channel",
    label: "channel",
    look: lookAtChannels,
    fix: "set channel to the name at the end of its address on Twitch",
  },
  { name: "chat_server", label: "chat server", look: lookAtChatServer, fix: NETWORK_FIX },
  { name: "model", label: "model", look: lookAtModel, fix: "try again" },
  {
    name: "database",
    label: "database",
    look: lookAtDatabase,
    fix: "bring a backup back with `forgetmenot restore`",
  },
  { name: "kept_chat", label: "stored chat", look: lookAtStoredChat, fix: "restart the bot" },
  { name: "removed_chat", label: "removed chat", look: lookAtRemovedChat, fix: "restart the bot" },
  { name: "switches", label: "switches", look: lookAtSwitches, fix: "`forgetmenot resume`" },
  {
    name: "notice",
    label: "notices",
    look: lookAtNotices,
    fix: "do as it says; it disappears once the cause is gone",
  },
  {
    name: "page",
    label: "page",
    look: lookAtPage,
    fix: "stop what uses the port, or set dashboard.port to another one, to 0 for any, or to false for none",
  },
] as const satisfies readonly { name: string; label: string; look: Look; fix: string }[];

export type CheckName = (typeof CHECKS)[number]["name"];

export interface Finding extends Omit<Seen, "fix"> {
  readonly check: CheckName;
  /** The fix in one line; null if there is nothing to do. */
  readonly mend: string | null;
}

/** Checks that ask over the network. They run at the same time, and before the database blocks the process. */
const OVER_NETWORK: ReadonlySet<string> = new Set([
  "clock",
  "bot_token",
  "streamer_token",
  "channel",
  "chat_server",
  "model",
] satisfies CheckName[]);

/** Prepares a bot for the checks. Reads its secrets and its lock; asks nobody yet. */
export function examinedBot(config: Config, stop: AbortSignal): ExaminedBot {
  const environment: Environment = readEnvironment();
  const { value: secrets } = attempt(() => loadSecrets(config.dataDir, environment));
  let asked: Promise<TwitchLogins> | null = null;
  return {
    config,
    environment,
    secrets,
    running: isRunning(config.dataDir),
    asksTwitch: environment.hasHelixStandIn || !isLoopbackUrl(config.twitch.chatUrl),
    logins: () => {
      asked ??= askLogins({ config, secrets }, Date.now);
      return asked;
    },
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

/** Runs the checks of these names, or all, and gives the findings of each in the order of the table. */
export async function* runChecks(
  bot: ExaminedBot,
  names: readonly CheckName[] = CHECKS.map(({ name }) => name),
): AsyncGenerator<readonly Finding[]> {
  const stopped = [notChecked("stopped")];
  const stop = new Promise<readonly Seen[]>((resolve) => {
    bot.stop.addEventListener("abort", () => resolve(stopped), { once: true });
  });
  const run = async ({ name, look, fix }: (typeof CHECKS)[number]) => {
    const seen = bot.stop.aborted ? stopped : await Promise.race([stop, lookSafely(look, bot)]);
    return seen.map((one) => toFinding(name, one, fix));
  };
  const checks = CHECKS.filter(({ name }) => names.includes(name));
  const early = new Map(
    checks.filter(({ name }) => OVER_NETWORK.has(name)).map((check) => [check.name, run(check)]),
  );
  for (const check of checks) yield await (early.get(check.name) ?? run(check));
}

/** Returns what a check found. A bug in one check does not end the others. */
async function lookSafely(look: Look, bot: ExaminedBot): Promise<readonly Seen[]> {
  try {
    return [await look(bot)].flat();
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

/** Returns the findings if the configuration cannot be read: only Node and the configuration are checked. */
export function findingsWithout({ message, mend }: Fault): readonly Finding[] {
  return CHECKS.flatMap(({ name, fix }) => {
    if (name === "node") return [toFinding(name, lookAtNode(), fix)];
    if (name === "config")
      return message.split("\n").map((line) => toFinding(name, problem(line, mend), fix));
    return [toFinding(name, notChecked("needs the configuration"), fix)];
  });
}
