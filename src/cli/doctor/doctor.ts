import { chmodSync, existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { attempt, describeBug } from "../../errors.ts";
import { type Environment, readEnvironment } from "../../platform/config/environment.ts";
import { type Config, loadConfig } from "../../platform/config/load.ts";
import { rewriteConfig } from "../../platform/config/rewrite.ts";
import { isLoopbackUrl } from "../../platform/config/urls.ts";
import { tell } from "../command-options.ts";
import type { Options } from "../open-folder.ts";
import {
  aborted,
  EXIT_FAILED,
  EXIT_WRONG_USE,
  endingWith,
  type Terminal,
  when,
} from "../terminal.ts";
import { checkConfig, checkSecrets, checkVariables } from "./config.ts";
import { checkDatabase } from "./database.ts";
import {
  type Check,
  type Finding,
  findingLines,
  notChecked,
  problem,
  summaryText,
} from "./finding.ts";
import { checkFolder } from "./folder.ts";
import { checkLogins } from "./logins.ts";
import { checkMachine, checkPage } from "./machine.ts";
import { checkChannels, checkChatServer, checkClock, checkModel } from "./network.ts";

/**
 * Looks at everything that can be wrong with a bot, and tells it with the mend. Changes nothing without `--fix`, renews
 * nothing. Ends with 1 where there is a problem or it was stopped, with 2 without a configuration.
 */
export async function doctor(
  options: Options & { readonly fix?: true },
  terminal: Terminal,
): Promise<void> {
  const { stop } = terminal;
  const show = (lines: readonly string[]): void => {
    if (options.json !== true) for (const line of lines) terminal.print(line);
  };
  if (options.fix === true) show(mend(options.config));
  const environment = readEnvironment();
  const { hasConfig, groups } = examine(options.config, environment, stop);
  const style = {
    colour: environment.wantsColour,
    columns: terminal.isTerminal ? terminal.columns() : null,
  };
  const findings: Finding[] = [];
  for (const group of groups) {
    const found = await group;
    show(findingLines(found, findings.at(-1), style));
    findings.push(...found);
  }
  tell(terminal, options, { value: findings, text: `\n${summaryText(findings)}` });
  if (!hasConfig) throw endingWith(EXIT_WRONG_USE);
  const isWell = findings.every(({ state }) => state !== "problem") && !stop.aborted;
  if (!isWell) throw endingWith(EXIT_FAILED);
}

type Group = Promise<readonly Finding[]>;

/** Groups of findings in the order in which they are told; later ones may be there sooner. */
function examine(configFile: string, environment: Environment, stop: AbortSignal) {
  const machine = checkMachine({ node: process.version, platform: process.platform });
  const { config, findings } = checkConfig(configFile);
  const rest =
    config === null ? examineBare(environment, stop) : examineBot(config, environment, stop);
  const groups = [Promise.resolve([...machine, ...findings]), ...rest];
  // One that fails before its turn has come must not end the process.
  for (const group of groups) group.catch(() => undefined);
  return { hasConfig: config !== null, groups };
}

/** What can be looked at without a configuration. */
function examineBare(environment: Environment, stop: AbortSignal): Group[] {
  const unasked = (check: Check) => notChecked(check, "needs the configuration");
  const rest = ["bot_token", "channel", "chat_server", "model", "database", "page"] as const;
  return [
    Promise.resolve([unasked("folder"), ...checkVariables(environment)]),
    looked("clock", stop, checkClock(Date.now, stop)),
    Promise.resolve(rest.map(unasked)),
  ];
}

const UNREAD = "the secrets cannot be read";
const NOT_TWITCH = "chat is on this machine, so the bot does not ask Twitch";

function examineBot(config: Config, environment: Environment, stop: AbortSignal): Group[] {
  const { running, usable, findings: folder } = checkFolder(config.dataDir);
  const seen = checkSecrets(config.dataDir, environment);
  const { secrets, inFile } = seen;
  const now = Date.now;
  // As the bot itself does: a chat server on this machine gets no company from the real Twitch.
  const asksTwitch = environment.hasHelixStandIn || !isLoopbackUrl(config.twitch.chatUrl);
  const unasked = secrets === null ? UNREAD : NOT_TWITCH;
  const logins =
    secrets === null || !asksTwitch
      ? Promise.resolve({ findings: [notChecked("bot_token", unasked)], auth: null })
      : checkLogins({ secrets, inFile, config, running, now });
  const channels = logins.then(({ auth }) => {
    if (auth !== null) return checkChannels(config, auth, stop);
    return [notChecked("channel", asksTwitch ? "needs a log-in that Twitch takes" : NOT_TWITCH)];
  });
  const network = [
    looked("clock", stop, asksTwitch ? checkClock(now, stop) : [notChecked("clock", NOT_TWITCH)]),
    looked("bot_token", stop, findingsOf(logins)),
    looked("channel", stop, channels),
    looked("chat_server", stop, checkChatServer(config.twitch.chatUrl, stop)),
    looked(
      "model",
      stop,
      secrets === null
        ? [notChecked("model", UNREAD)]
        : checkModel({ config, secrets, running, now }, stop),
    ),
  ];
  // Reading the database holds everything up, the clocks of what waits for an answer too.
  const database = Promise.all(network).then(() =>
    stop.aborted
      ? { findings: [], pageUrl: null }
      : checkDatabase({ config, running, usable, nowMs: now() }),
  );
  const page = database
    .catch(() => ({ pageUrl: null }))
    .then(({ pageUrl }) => checkPage({ port: config.dashboard.port, running, pageUrl }));
  return [
    Promise.resolve([...folder, ...seen.findings]),
    ...network,
    looked("database", stop, findingsOf(database)),
    looked("page", stop, page),
  ];
}

async function findingsOf(seen: Promise<{ readonly findings: readonly Finding[] }>) {
  return (await seen).findings;
}

/**
 * The findings, or that this check was stopped. A bug in one check does not end the others; its message could quote a
 * secret, and is not told.
 */
function looked(
  check: Check,
  stop: AbortSignal,
  work: Group | readonly Finding[],
): Promise<readonly Finding[]> {
  const stopped = aborted(stop).then(() => [notChecked(check, "stopped")]);
  const found = Promise.resolve(work).catch((thrown: unknown) => {
    const { bug, at } = describeBug(thrown);
    const failed = `looking at it failed (${bug}${at === null ? "" : ` ${at}`})`;
    return [problem(check, failed, "this is a bug in ForgetMeNot, please report it")];
  });
  return Promise.race([stopped, found]);
}

/**
 * Mends what nobody can want otherwise and what loses nothing: the rights of the data folder and of the secrets file,
 * and keys in the configuration that do nothing any more. Gives a line for each thing that it did. Without a
 * configuration that can be read it does nothing, and what it could not do it leaves: the examination says why.
 */
export function mend(file: string): readonly string[] {
  const config = existsSync(file) ? attempt(() => loadConfig(file)).value : null;
  if (config === null) return [];
  return [
    ...mendMode(config.dataDir, 0o700),
    ...mendMode(join(config.dataDir, "secrets.json"), 0o600),
    ...mendKeys(file, config),
  ].map((line) => `mended: ${line}`);
}

/** A link is left alone: what it leads to may be somebody else's. */
function mendMode(path: string, mode: number): readonly string[] {
  if (process.platform === "win32" || !existsSync(path) || lstatSync(path).isSymbolicLink())
    return [];
  if ((statSync(path).mode & 0o077) === 0) return [];
  try {
    chmodSync(path, mode);
  } catch {
    return []; // another user's: the examination tells it
  }
  return [`${path} is for this user only now`];
}

function mendKeys(file: string, { retiredKeys }: Config): readonly string[] {
  if (retiredKeys.length === 0) return [];
  const { fault } = attempt(() => rewriteConfig(file, (raw) => raw).write());
  return when(fault === null, `${file} no longer has ${retiredKeys.join(", ")}; its comments stay`);
}
