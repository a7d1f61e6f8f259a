import { existsSync } from "node:fs";
import { attempt } from "../../errors.ts";
import { type Environment, SECRET_VARIABLES } from "../../platform/config/environment.ts";
import { type Config, loadConfig, refuseMute } from "../../platform/config/load.ts";
import { loadSecrets, type Secrets } from "../../platform/config/secrets.ts";
import { isLoopbackUrl } from "../../platform/config/urls.ts";
import { refuseTightBudget } from "../../reply/assemble.ts";
import { when } from "../terminal.ts";
import { type Check, type Finding, ok, problem, warning } from "./finding.ts";

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
  const { value: config, problems: broken } = tried("config", () => loadConfig(file));
  if (config === null) return { config, findings: broken };
  const { bot, channels, mode, retiredKeys } = config;
  const problems = [
    ...tried("config", () => refuseMute(config, WITH_TOKEN)).problems,
    ...tried("config", () => refuseTightBudget(config, 1)).problems,
    // Somebody copied the example, and left the channel in it.
    ...when(
      channels.includes(EXAMPLE_CHANNEL),
      problem(
        "config",
        `channel is ${EXAMPLE_CHANNEL}, as in the example`,
        "set channel to the name at the end of your channel's address on Twitch",
      ),
    ),
  ];
  const who = `${bot.login ?? "an anonymous listener"} in ${channels.map((one) => `#${one}`).join(", ")}`;
  const notes = NOTES.filter(([, holds]) => holds(config)).map(([note]) => note);
  const findings = [
    ...problems,
    ...when(problems.length === 0, ok("config", `${file} is in order: ${who}, mode ${mode}`)),
    ...when(notes.length > 0, ok("config", `worth knowing: ${notes.join("; ")}`)),
    ...when(
      retiredKeys.length > 0,
      warning(
        "config",
        `${file} has what only an earlier edition knew, and what does nothing: ${retiredKeys.join(", ")}`,
        "`forgetmenot doctor --fix` takes it out, or do so by hand",
      ),
    ),
  ];
  return { config, findings };
}

/** What `work` gives; null where it throws a Fault, every line of which is a problem. */
function tried<T>(check: Check, work: () => T) {
  const { value, fault } = attempt(work);
  const lines = fault?.message.split("\n") ?? [];
  return { value, problems: lines.map((line) => problem(check, line, fault?.mend ?? "")) };
}

/** What is valid and yet surprises. */
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
  [
    "prompts travel unencrypted to llm.baseUrl",
    ({ llm: { baseUrl } }) => baseUrl?.startsWith("http:") === true && !isLoopbackUrl(baseUrl),
  ],
];

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
  const none = Object.fromEntries(NAMES.map((name) => [name, null])) as Record<Name, null>;
  const { value, problems } = tried("secrets", () => ({
    secrets: loadSecrets(dataDir, environment),
    file: byName(loadSecrets(dataDir, { ...environment, ...none })),
  }));
  const odd = oddVariables(environment);
  if (value === null) {
    const inFile = { bot: false, streamer: false };
    return { findings: [...problems, ...odd], secrets: null, inFile };
  }
  const { secrets, file } = value;
  const used = byName(secrets);
  const isFromFile = (name: Name) => used[name] !== null && used[name] === file[name];
  const lists = [
    ...listed("from the environment", (name) => used[name] !== null && !isFromFile(name)),
    ...listed("from secrets.json", isFromFile),
  ];
  const found = lists.join("; ") || "none, neither in the environment nor saved";
  const inFile = {
    bot: isFromFile("twitchAccessToken"),
    streamer: isFromFile("twitchStreamerAccessToken"),
  };
  return { findings: [ok("secrets", found), ...odd], secrets, inFile };
}

/** The same where no configuration says which folder is the bot's. */
export function checkVariables(environment: Environment): Finding[] {
  const [given] = listed("from the environment", (name) => environment[name] !== null);
  const found = `${given ?? "none in the environment"}; where others are saved, the configuration says`;
  return [ok("secrets", found), ...oddVariables(environment)];
}

function byName(secrets: Secrets): Record<Name, string | null> {
  const { twitch, streamer, geminiApiKey, openaiApiKey } = secrets;
  return {
    twitchAccessToken: twitch?.accessToken ?? null,
    twitchRefreshToken: twitch?.refreshToken ?? null,
    twitchStreamerAccessToken: streamer?.accessToken ?? null,
    twitchStreamerRefreshToken: streamer?.refreshToken ?? null,
    geminiApiKey,
    openaiApiKey,
  };
}

function listed(where: string, isThere: (name: Name) => boolean): readonly string[] {
  const names = NAMES.filter(isThere).map((name) => SECRET_VARIABLES[name]);
  return when(names.length > 0, `${where}: ${names.join(", ")}`);
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
