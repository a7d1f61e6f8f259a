import { existsSync } from "node:fs";
import { Fault } from "../../errors.ts";
import { type Environment, SECRET_VARIABLES } from "../../platform/config/environment.ts";
import { type Config, loadConfig, refuseMute } from "../../platform/config/load.ts";
import { loadSecrets, type Secrets } from "../../platform/config/secrets.ts";
import { isLoopbackUrl } from "../../platform/config/urls.ts";
import { refuseTightBudget } from "../../reply/assemble.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const EXAMPLE_CHANNEL = "yourchannel";
/** Whether there are tokens is another check: here only what the configuration itself says. */
const WITH_TOKEN = {
  twitch: { accessToken: "", refreshToken: null },
  streamer: null,
  geminiApiKey: null,
  openaiApiKey: null,
};

/** Loads the configuration; null where it cannot be loaded. A finding for each thing that is wrong with it. */
export function checkConfig(file: string): {
  readonly config: Config | null;
  readonly findings: readonly Finding[];
} {
  if (!existsSync(file)) {
    const mend = "run `forgetmenot setup`, or name the right file with --config";
    return { config: null, findings: [problem("config", `there is no ${file}`, mend)] };
  }
  try {
    const config = loadConfig(file);
    const wrong = [() => refuseMute(config, WITH_TOKEN), () => refuseTightBudget(config, 1)];
    const problems = [...wrong.flatMap(problemsOf), ...untouched(config)];
    const findings = problems.length > 0 ? problems : [ok("config", summary(config, file))];
    return { config, findings: [...findings, ...worthKnowing(config), ...retired(config, file)] };
  } catch (thrown) {
    return { config: null, findings: problemsOf(() => throwAgain(thrown)) };
  }
}

/** Somebody copied the example, and left the channel in it. */
function untouched({ channels }: Config): Finding[] {
  if (!channels.includes(EXAMPLE_CHANNEL)) return [];
  const mend = "set channel to the name at the end of your channel's address on Twitch";
  return [problem("config", `channel is ${EXAMPLE_CHANNEL}, as in the example`, mend)];
}

/** Keys of an earlier edition do nothing; who still believes in one is told. */
function retired({ retiredKeys }: Config, file: string): Finding[] {
  if (retiredKeys.length === 0) return [];
  const found = `${file} has what only an earlier edition knew, and what does nothing: ${retiredKeys.join(", ")}`;
  return [warning("config", found, "`forgetmenot doctor --fix` takes it out, or do so by hand")];
}

function throwAgain(thrown: unknown): never {
  throw thrown;
}

/** Every problem of a Fault stands in a line of its own. */
function problemsOf(work: () => void): Finding[] {
  try {
    work();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const { message, mend } = thrown;
    return message.split("\n").map((line) => problem("config", line, mend));
  }
}

function summary({ channels, bot, mode }: Config, file: string): string {
  const where = channels.map((channel) => `#${channel}`).join(", ");
  const who = bot.login ?? "an anonymous listener";
  return `${file} is in order: ${who} in ${where}, mode ${mode}`;
}

/** What is valid and yet surprises, in one line. */
function worthKnowing(config: Config): Finding[] {
  const notes = NOTES.filter(([, holds]) => holds(config)).map(([note]) => note);
  return notes.length === 0 ? [] : [ok("config", `worth knowing: ${notes.join("; ")}`)];
}

const NOTES: readonly (readonly [note: string, holds: (config: Config) => boolean])[] = [
  ["in mode shadow it never writes in chat", ({ mode }) => mode === "shadow"],
  ["it answers while you are offline, too", ({ replies }) => replies.whenOffline],
  ["actions.safeMode refuses every action", ({ actions }) => actions.safeMode],
  [
    "actions.autonomy is of an earlier edition and does nothing: take it out",
    ({ actions }) => actions.autonomy !== null,
  ],
  [
    "in memory.mode shadow nothing that it learns is used",
    ({ memory }) => memory.mode === "shadow",
  ],
  ["in memory.mode manual every fact waits for you", ({ memory }) => memory.mode === "manual"],
  [
    "it learns nothing: memory.scopes or memory.kinds is empty",
    ({ memory }) => memory.scopes.length === 0 || memory.kinds.length === 0,
  ],
  ["rules answer in place of a model (llm.provider)", ({ llm }) => llm.provider === "offline"],
  [
    "a cap of 0 in llm.caps keeps it from asking the model",
    ({ llm: { caps } }) =>
      [caps.callsPerHour, caps.callsPerDay, caps.tokensPerDay, caps.dollarsPerDay].includes(0),
  ],
  ["prompts travel unencrypted to llm.baseUrl", ({ llm }) => isUnencrypted(llm.baseUrl)],
];

function isUnencrypted(baseUrl: string | null): boolean {
  return baseUrl?.startsWith("http:") === true && !isLoopbackUrl(baseUrl);
}

export interface SecretsSeen {
  readonly findings: readonly Finding[];
  /** null where they cannot be read. */
  readonly secrets: Secrets | null;
  /** Whose tokens stand in the file: how old those are can be told. */
  readonly inFile: { readonly bot: boolean; readonly streamer: boolean };
}

type Name = keyof typeof SECRET_VARIABLES;

const NAMES = Object.keys(SECRET_VARIABLES) as Name[];
const NOT_TOKEN_LIKE = /^["'“‘«]|["'”’»]$|\s/;

/** Which secrets there are and where each comes from, by name. */
export function checkSecrets(dataDir: string, environment: Environment): SecretsSeen {
  const odd = oddVariables(environment);
  try {
    const secrets = loadSecrets(dataDir, environment);
    const file = byName(loadSecrets(dataDir, { ...environment, ...NOTHING }));
    const used = byName(secrets);
    const isFromFile = (name: Name) => used[name] !== null && used[name] === file[name];
    const lists = [
      listed("from the environment", (name) => used[name] !== null && !isFromFile(name)),
      listed("from secrets.json", isFromFile),
    ].flat();
    const found = lists.length === 0 ? "none, neither in the environment nor saved" : lists;
    return {
      findings: [ok("secrets", [found].flat().join("; ")), ...odd],
      secrets,
      inFile: {
        bot: isFromFile("twitchAccessToken"),
        streamer: isFromFile("twitchStreamerAccessToken"),
      },
    };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return {
      findings: [problem("secrets", thrown.message, thrown.mend), ...odd],
      secrets: null,
      inFile: { bot: false, streamer: false },
    };
  }
}

/** The same where no configuration says which folder is the bot's. */
export function checkVariables(environment: Environment): Finding[] {
  const given = listed("from the environment", (name) => environment[name] !== null);
  const found = given[0] ?? "none in the environment";
  return [
    ok("secrets", `${found}; where others are saved, the configuration says`),
    ...oddVariables(environment),
  ];
}

const NOTHING = Object.fromEntries(NAMES.map((name) => [name, null])) as Record<Name, null>;

function byName({
  twitch,
  streamer,
  geminiApiKey,
  openaiApiKey,
}: Secrets): Record<Name, string | null> {
  return {
    twitchAccessToken: twitch?.accessToken ?? null,
    twitchRefreshToken: twitch?.refreshToken ?? null,
    twitchStreamerAccessToken: streamer?.accessToken ?? null,
    twitchStreamerRefreshToken: streamer?.refreshToken ?? null,
    geminiApiKey,
    openaiApiKey,
  };
}

function listed(where: string, isThere: (name: Name) => boolean): string[] {
  const names = NAMES.filter(isThere).map((name) => SECRET_VARIABLES[name]);
  return names.length === 0 ? [] : [`${where}: ${names.join(", ")}`];
}

/** Quotation marks that a shell kept, and what was pasted with a blank in it. */
function oddVariables(environment: Environment): Finding[] {
  return NAMES.filter((name) => NOT_TOKEN_LIKE.test(environment[name] ?? "")).map((name) =>
    warning(
      "secrets",
      `${SECRET_VARIABLES[name]} has a quotation mark or a blank in it, as no token or key has`,
      "set it again, without quotation marks around it",
    ),
  );
}
