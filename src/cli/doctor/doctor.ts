import { chmodSync, existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describeBug, Fault } from "../../errors.ts";
import { type Environment, readEnvironment } from "../../platform/config/environment.ts";
import { type Config, loadConfig } from "../../platform/config/load.ts";
import { rewriteConfig } from "../../platform/config/rewrite.ts";
import { isLoopbackUrl } from "../../platform/config/urls.ts";
import { type Options, tell } from "../open-folder.ts";
import { aborted, EXIT_DONE, EXIT_FAILED, EXIT_WRONG_USE, type Terminal } from "../terminal.ts";
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
import { checkLogins, type LoginsSeen } from "./logins.ts";
import { checkMachine, checkPage } from "./machine.ts";
import { checkChannels, checkChatServer, checkClock, checkModel } from "./network.ts";

/**
 * Looks at everything that can be wrong with a bot, and tells it with the mend. Changes nothing without `--fix`, renews nothing. Gives
 * the exit code: 1 where there is a problem or it was stopped, 2 without a configuration.
 */
export async function doctor(
  options: Options & { readonly fix?: true },
  terminal: Terminal,
): Promise<number> {
  const asJson = options.json === true;
  const mended = options.fix === true ? mend(options.config) : [];
  if (!asJson) for (const line of mended) terminal.print(line);
  const environment = readEnvironment();
  const { hasConfig, groups } = examine(options.config, environment, terminal.stop);
  const style = {
    colour: environment.wantsColour,
    columns: terminal.isTerminal ? terminal.columns() : null,
  };
  const findings: Finding[] = [];
  for (const group of groups) {
    const found = await group;
    const lines = asJson ? [] : findingLines(found, findings.at(-1), style);
    for (const line of lines) terminal.print(line);
    findings.push(...found);
  }
  tell(terminal, options, findings, () => `\n${summaryText(findings)}`);
  return exitFor(findings, hasConfig, terminal);
}

function exitFor(findings: readonly Finding[], hasConfig: boolean, { stop }: Terminal): number {
  if (!hasConfig) return EXIT_WRONG_USE;
  const isWell = findings.every(({ state }) => state !== "problem") && !stop.aborted;
  return isWell ? EXIT_DONE : EXIT_FAILED;
}

/** Groups of findings in the order in which they are told; later ones may be there sooner. */
function examine(configFile: string, environment: Environment, stop: AbortSignal) {
  const machine = checkMachine({ node: process.version, platform: process.platform });
  const { config, findings } = checkConfig(configFile);
  const known = [...machine, ...findings];
  const groups =
    config === null
      ? examineBare(known, environment, stop)
      : examineBot(known, config, environment, stop);
  // One that fails before its turn has come must not end the process.
  for (const group of groups) group.catch(() => undefined);
  return { hasConfig: config !== null, groups };
}

/** What can be looked at without a configuration. */
function examineBare(
  known: readonly Finding[],
  environment: Environment,
  stop: AbortSignal,
): Promise<readonly Finding[]>[] {
  const rest = (checks: readonly Check[]) =>
    Promise.resolve(checks.map((check) => notChecked(check, "needs the configuration")));
  return [
    Promise.resolve(known),
    rest(["folder"]),
    Promise.resolve(checkVariables(environment)),
    unlessStopped(["clock"], stop, checkClock(Date.now, stop)),
    rest(["bot_token", "channel", "chat_server", "model", "database", "page"]),
  ];
}

function examineBot(
  known: readonly Finding[],
  config: Config,
  environment: Environment,
  stop: AbortSignal,
): Promise<readonly Finding[]>[] {
  const { running, usable, findings: folder } = checkFolder(config.dataDir);
  const secrets = checkSecrets(config.dataDir, environment);
  const network = overNetwork({ config, environment, stop, running, seen: secrets });
  // Reading the database holds everything up, the clocks of what waits for an answer too.
  const database = Promise.all(network).then(() =>
    stop.aborted
      ? { findings: [notChecked("database", STOPPED)], pageUrl: null }
      : checkDatabase({ config, running, usable, nowMs: Date.now() }),
  );
  const pageUrl = database.then(
    (seen) => seen.pageUrl,
    () => null,
  );
  const page = pageUrl.then((pageUrl) =>
    stop.aborted
      ? [notChecked("page", STOPPED)]
      : checkPage({ port: config.dashboard.port, running, pageUrl }),
  );
  return [
    Promise.resolve([...known, ...folder, ...secrets.findings]),
    ...network,
    unlessBroken(
      ["database"],
      database.then(({ findings }) => findings),
    ),
    unlessBroken(["page"], page),
  ];
}

interface NetworkGiven {
  readonly config: Config;
  readonly environment: Environment;
  readonly stop: AbortSignal;
  readonly running: boolean;
  readonly seen: ReturnType<typeof checkSecrets>;
}

/** Everything that waits for somebody else's answer, all at once. */
function overNetwork(given: NetworkGiven): Promise<readonly Finding[]>[] {
  const { config, running, stop, seen } = given;
  const { chatUrl } = config.twitch;
  const logins = askedLogins(given);
  const model =
    seen.secrets === null
      ? [notChecked("model", UNREAD)]
      : checkModel({ config, secrets: seen.secrets, running, now: Date.now, stop });
  const clock = asksTwitch(given) ? checkClock(Date.now, stop) : [notChecked("clock", NOT_TWITCH)];
  return [
    unlessStopped(["clock"], stop, clock),
    unlessStopped(
      ["bot_token"],
      stop,
      logins.then(({ findings }) => findings),
    ),
    unlessStopped(
      ["channel"],
      stop,
      logins.then((found) => askedChannels(given, found)),
    ),
    unlessStopped(["chat_server"], stop, checkChatServer(chatUrl, stop)),
    unlessStopped(["model"], stop, model),
  ];
}

const STOPPED = "stopped";
const UNREAD = "the secrets cannot be read";
const NOT_TWITCH = "chat is on this machine, so the bot does not ask Twitch";

/** As the bot itself does: a chat server on this machine gets no company from the real Twitch. */
function asksTwitch({ config, environment }: NetworkGiven): boolean {
  return environment.hasHelixStandIn || !isLoopbackUrl(config.twitch.chatUrl);
}

function askedLogins(given: NetworkGiven): Promise<LoginsSeen> {
  const { config, running, seen } = given;
  const { secrets } = seen;
  const skipped = (why: string) =>
    Promise.resolve({ findings: [notChecked("bot_token", why)], auth: null });
  if (secrets === null) return skipped(UNREAD);
  if (!asksTwitch(given)) return skipped(NOT_TWITCH);
  return checkLogins({ ...seen, secrets, config, running, now: Date.now });
}

function askedChannels(
  given: NetworkGiven,
  { auth }: LoginsSeen,
): Promise<readonly Finding[]> | readonly Finding[] {
  if (auth !== null) return checkChannels(given.config, auth, given.stop);
  return [
    notChecked("channel", asksTwitch(given) ? "needs a log-in that Twitch takes" : NOT_TWITCH),
  ];
}

/** The findings, or that these checks were stopped. */
function unlessStopped(
  checks: readonly Check[],
  stop: AbortSignal,
  work: Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  const stopped = aborted(stop).then(() => checks.map((check) => notChecked(check, STOPPED)));
  return Promise.race([unlessBroken(checks, Promise.resolve(work)), stopped]);
}

/** A bug in one check does not end the others; its message could quote a secret, and is not told. */
function unlessBroken(
  checks: readonly Check[],
  work: Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  return work.catch((thrown: unknown) => {
    const { bug, at } = describeBug(thrown);
    const found = `looking at it failed (${bug}${at === null ? "" : ` ${at}`})`;
    return checks.map((check) =>
      problem(check, found, "this is a bug in ForgetMeNot, please report it"),
    );
  });
}

/**
 * Mends what nobody can want otherwise and what loses nothing: the rights of the data folder and of the secrets file,
 * and keys in the configuration that do nothing any more. Gives a line for each thing that it did, and for each that it
 * could not do. Without a configuration that can be read it does nothing: the examination says why.
 */
export function mend(file: string): readonly string[] {
  const config = readable(file);
  if (config === null) return [];
  return [
    ...mendMode(config.dataDir, 0o700),
    ...mendMode(join(config.dataDir, "secrets.json"), 0o600),
    ...mendKeys(file, config),
  ].map((line) => `mended: ${line}`);
}

function readable(file: string): Config | null {
  if (!existsSync(file)) return null;
  try {
    return loadConfig(file);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return null;
  }
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
  try {
    rewriteConfig(file, (raw) => raw).write();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return [];
  }
  return [`${file} no longer has ${retiredKeys.join(", ")}; its comments stay`];
}
