import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SECRET_VARIABLES } from "../../config/environment.ts";
import { isSameJson, type JsonObject, leavesOf } from "../../config/json-tree.ts";
import { type Config, loadConfig, parseConfig, refuseMute } from "../../config/load.ts";
import { writePrivately } from "../../config/private-file.ts";
import { rewriteConfig } from "../../config/rewrite.ts";
import { loadSecrets, saveApiKey, saveTokens } from "../../config/secrets.ts";
import { Fault, writing } from "../../errors.ts";
import { refuseTightBudget } from "../../reply/assemble.ts";
import { when } from "../terminal.ts";
import { type Answers, withAnswers } from "./setup-answers.ts";
import { type Ground, keyName } from "./setup-state.ts";

/** What setup is about to write, checked. */
export interface SetupPlan {
  readonly after: Config;
  readonly isChange: boolean;
  /** What changes, a line each; never a secret. */
  readonly lines: readonly string[];
  /** Writes it: secrets first. Throws a Fault where that fails. */
  write(): void;
}

const SCHEMA = fileURLToPath(new URL("../../../docs/config.schema.json", import.meta.url));

/** Works out what the answers make of the files. Throws a Fault where the bot could not start with it. */
export function planFiles(ground: Ground, answers: Answers): SetupPlan {
  const config = planConfig(ground, answers);
  const { after } = config;
  const { environment } = ground;
  const { bot, streamer } = answers;
  const twitch = bot?.tokens ?? loadSecrets(after.dataDir, environment).twitch;
  refuseMute(after, { ...ground.secrets, twitch });
  refuseTightBudget(after, 1);
  const secrets = secretLines(ground, answers, after);
  return {
    after,
    isChange: config.isChange || secrets.length > 0,
    lines: [...config.lines, ...secrets],
    write: () => {
      if (bot?.tokens) saveTokens(after.dataDir, environment, bot.tokens);
      if (streamer?.tokens) saveTokens(after.dataDir, environment, streamer.tokens, "streamer");
      const { key, provider } = answers.model;
      if (key.kind === "typed" && provider !== "offline")
        saveApiKey(after.dataDir, keyName(provider), key.key);
      config.write();
      loadConfig(ground.file);
    },
  };
}

function planConfig({ file, isNew, base }: Ground, answers: Answers): SetupPlan {
  const change = (raw: JsonObject) => withAnswers(raw, answers, { base, isNew });
  if (isNew) {
    const raw = change({});
    const text = `${JSON.stringify({ $schema: schemaFor(file), ...raw }, null, 2)}\n`;
    return {
      after: parseConfig(text, file),
      isChange: true,
      lines: [
        `${file}, new:`,
        ...[...leavesOf(raw)].map(([path, value]) => `   ${path}: ${shown(value)}`),
      ],
      write: () => writeNew(file, text),
    };
  }
  const { before, after, isChange, write } = rewriteConfig(file, change);
  const old = leavesOf(before);
  const lines = [...leavesOf(after)]
    .filter(([path, value]) => !isSameJson(old.get(path), value))
    .map(([path, value]) => {
      const key = path === "channels" ? "channel" : path;
      return `   ${key}: ${shown(old.get(path))} → ${shown(value)}`;
    });
  return {
    after,
    isChange,
    lines: isChange ? [`${file} changes:`, ...lines] : [`${file} stays as it is.`],
    write: () => {
      if (isChange) write();
    },
  };
}

function writeNew(file: string, text: string): void {
  if (existsSync(file)) {
    throw new Fault(`${file}: was made by somebody else just now`, {
      code: "config",
      mend: "run the command again",
    });
  }
  const mend = "make its folder writable for this user, or name another file by --config";
  writing(`${file}:`, { code: "config", mend }, () => writePrivately(resolve(file), text));
}

/** Where an editor finds what the keys mean, as seen from the file. */
function schemaFor(file: string): string {
  const path = relative(dirname(resolve(file)), SCHEMA)
    .split(sep)
    .join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

function secretLines(
  { environment }: Ground,
  { bot, streamer, model }: Answers,
  { dataDir }: Config,
): readonly string[] {
  const logins = [
    { login: bot, secret: "twitchAccessToken" },
    { login: streamer, secret: "twitchStreamerAccessToken" },
  ] as const;
  const fresh = logins.filter(({ login }) => login !== null && login.tokens !== null);
  const kept = [
    ...fresh.map(({ login }) => `the log-in of ${login?.login}`),
    ...when(model.key.kind === "typed", "the key to the model"),
  ];
  if (kept.length === 0) return [];
  const path = join(dataDir, "secrets.json");
  const near = relative("", path);
  const outdone = fresh.filter(({ secret }) => environment[secret] !== null);
  return [
    "",
    `${near.startsWith("..") ? path : near}, which only you can read:`,
    ...kept.map((what) => `   ${what}`),
    ...outdone.map(
      ({ secret }) =>
        `   It takes the place of ${SECRET_VARIABLES[secret]}, which is set on this machine.`,
    ),
  ];
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  return Array.isArray(value) ? value.join(", ") : String(value);
}
