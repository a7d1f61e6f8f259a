import { collectKeys } from "../catalogue/providers.ts";
import { SECRET_VARIABLES } from "../config/environment.ts";
import { type Config, refuseMute } from "../config/load.ts";
import { loadSecrets } from "../config/secrets.ts";
import { isLoopbackUrl } from "../config/urls.ts";
import { attempt } from "../errors.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import { type ExaminedBot, ok, problem, type Seen, warning } from "./check.ts";

const EXAMPLE_CHANNEL = "yourchannel";

/** Checks that the bot can start with a configuration that was read, and lists valid values that may surprise. */
export function checkConfig({ config }: ExaminedBot): Seen[] {
  const { bot, channels, mode, removedKeys } = config;
  // The log-in is another check.
  const token = { accessToken: "", refreshToken: null };
  const secrets = { twitch: token, streamer: null, ...collectKeys(() => null) };
  const problems = [
    ...collectFaults(() => refuseMute(config, secrets)),
    ...collectFaults(() => refuseTightBudget(config, 1)),
  ];
  if (channels.includes(EXAMPLE_CHANNEL)) {
    problems.push(
      problem(
        `channel is ${EXAMPLE_CHANNEL}, as in the example`,
        "set channel to the name at the end of your channel's address on Twitch",
      ),
    );
  }
  const botText = `${bot.login ?? "an anonymous listener"} in ${channels.map((one) => `#${one}`).join(", ")}`;
  const notes = NOTES.filter(([, holds]) => holds(config)).map(([note]) => note);
  return [
    ...(problems.length > 0 ? problems : [ok(`it is valid: ${botText}, mode ${mode}`)]),
    ...(notes.length > 0 ? [ok(`worth knowing: ${notes.join("; ")}`)] : []),
    ...(removedKeys.length > 0
      ? [warning(`these keys have no effect any more: ${removedKeys.join(", ")}`, "delete them")]
      : []),
  ];
}

/** Runs a check that throws a Fault. Returns each line of it as a problem. */
function collectFaults(work: () => void): Seen[] {
  const { fault } = attempt(work);
  const lines = fault?.message.split("\n") ?? [];
  return lines.map((line) => problem(line, fault?.fix));
}

const NOTES: readonly (readonly [note: string, holds: (config: Config) => boolean])[] = [
  ["in mode shadow it never writes in chat", ({ mode }) => mode === "shadow"],
  ["it answers while you are offline, too", ({ replies }) => replies.whenOffline],
  ["actions.safeMode refuses every action", ({ actions }) => actions.safeMode],
  [
    "in memory.mode shadow nothing that it learns is used",
    ({ memory }) => memory.mode === "shadow",
  ],
  ["in memory.mode manual every fact waits for you", ({ memory }) => memory.mode === "manual"],
  [
    "it learns nothing: memory.scopes or memory.kinds is empty",
    ({ memory }) => memory.scopes.length === 0 || memory.kinds.length === 0,
  ],
  ["recorded answers in place of a model (llm.provider)", ({ llm }) => llm.provider === "offline"],
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

type Name = keyof typeof SECRET_VARIABLES;

const NAMES = Object.keys(SECRET_VARIABLES) as Name[];
const NOT_TOKEN_LIKE = /^["'“‘«]|["'”’»]$|\s/;

/** Lists which secrets there are and where each comes from, by name. */
export function checkSecrets({ config, environment }: ExaminedBot): Seen[] {
  // A shell kept quotation marks, or the user pasted a space.
  const odd = NAMES.filter((name) => NOT_TOKEN_LIKE.test(environment[name] ?? "")).map((name) =>
    warning(
      `${SECRET_VARIABLES[name]} contains a quotation mark or a space, as no token or key does`,
      "set it again, without quotation marks around it",
    ),
  );
  const { value: secrets, fault } = attempt(() => loadSecrets(config.dataDir, environment));
  if (fault !== null)
    return [...fault.message.split("\n").map((line) => problem(line, fault.fix)), ...odd];
  const { twitch, streamer } = secrets;
  const used: Record<Name, string | null> = {
    twitchAccessToken: twitch?.accessToken ?? null,
    twitchRefreshToken: twitch?.refreshToken ?? null,
    twitchStreamerAccessToken: streamer?.accessToken ?? null,
    twitchStreamerRefreshToken: streamer?.refreshToken ?? null,
    ...collectKeys((name) => secrets[name]),
  };
  const listFrom = (place: string, isFromEnvironment: boolean) => {
    const names = NAMES.filter(
      (name) => used[name] !== null && (used[name] === environment[name]) === isFromEnvironment,
    );
    return names.length === 0
      ? []
      : [`${place}: ${names.map((name) => SECRET_VARIABLES[name]).join(", ")}`];
  };
  const lists = [
    ...listFrom("from the environment", true),
    ...listFrom("from secrets.json", false),
  ];
  return [ok(lists.join("; ") || "none, neither in the environment nor saved"), ...odd];
}
