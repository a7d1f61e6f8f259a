import { Fault } from "../../errors.ts";
import { type Environment, SECRET_VARIABLES } from "../../platform/config/environment.ts";
import { loadSecrets, type Secrets } from "../../platform/config/secrets.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

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
