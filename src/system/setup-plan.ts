import { existsSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { KEY_NAMES } from "../catalogue/providers.ts";
import type { JsonObject } from "../config/json-tree.ts";
import { type Config, loadConfig, parseConfig, refuseMute } from "../config/load.ts";
import { writePrivately } from "../config/private-file.ts";
import { rewriteConfig } from "../config/rewrite.ts";
import { loadSecrets, saveApiKey, saveTokens } from "../config/secrets.ts";
import { Fault, writeOrFault } from "../errors.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import { type Answers, mergeAnswers } from "./setup-answers.ts";
import type { Ground } from "./setup-model.ts";

/** The checked configuration that setup is about to write. */
export interface SetupPlan {
  readonly after: Config;
  /** Writes it: secrets first. Throws a Fault if that fails. */
  write(): void;
}

const SCHEMA = fileURLToPath(new URL("../../docs/config.schema.json", import.meta.url));

/** Works out what the answers make of the files. Throws a Fault if the bot could not start with it. */
export function planFiles(ground: Ground, answers: Answers): SetupPlan {
  const plan = planConfig(ground, answers);
  const { after } = plan;
  const { environment } = ground;
  const { bot, streamer, keys } = answers;
  const twitch = bot?.tokens ?? loadSecrets(after.dataDir, environment).twitch;
  refuseMute(after, { ...ground.secrets, twitch });
  refuseTightBudget(after, 1);
  return {
    ...plan,
    write: () => {
      if (bot?.tokens) saveTokens(after.dataDir, environment, bot.tokens);
      if (streamer?.tokens) saveTokens(after.dataDir, environment, streamer.tokens, "streamer");
      for (const name of KEY_NAMES) {
        const key = keys[name];
        if (key) saveApiKey(after.dataDir, name, key);
      }
      plan.write();
      loadConfig(ground.file);
    },
  };
}

/** Works out the configuration alone. */
export function planConfig({ file, isNew, base }: Ground, answers: Answers): SetupPlan {
  const change = (raw: JsonObject) => mergeAnswers(raw, answers, { base, isNew });
  if (isNew) {
    const raw = change({});
    const text = `${JSON.stringify({ $schema: schemaPath(file), ...raw }, null, 2)}\n`;
    return {
      after: parseConfig(text, file),
      write: () => writeNew(file, text),
    };
  }
  const { after, isChange, write } = rewriteConfig(file, change);
  return {
    after,
    write: () => {
      if (isChange) write();
    },
  };
}

function writeNew(file: string, text: string): void {
  if (existsSync(file)) {
    throw new Fault(`${file}: another copy of setup wrote it just now`, {
      code: "config",
      fix: "close this page, and go on in the other one",
    });
  }
  const fix =
    "make its folder writable for this user, or start setup with another file: --config FILE";
  writeOrFault(`${file}:`, { code: "config", fix }, () => writePrivately(resolve(file), text));
}

/** Returns where an editor finds what the keys mean, as seen from the file. */
function schemaPath(file: string): string {
  const path = relative(dirname(resolve(file)), SCHEMA)
    .split(sep)
    .join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
