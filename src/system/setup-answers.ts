import { existsSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { listScopes } from "../catalogue/actions.ts";
import { type ApiKeys, KEY_NAMES } from "../catalogue/providers.ts";
import type { Environment } from "../config/environment.ts";
import {
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestValue,
} from "../config/json-tree.ts";
import { type Config, parseConfig, refuseMute, rewriteConfig } from "../config/load.ts";
import { LLM_PURPOSES } from "../config/names.ts";
import { writePrivately } from "../config/private-file.ts";
import {
  loadSecrets,
  type Secrets,
  saveApiKey,
  saveTokens,
  type TwitchTokens,
} from "../config/secrets.ts";
import { Fault, writeOrFault } from "../errors.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import type { VouchedToken } from "../twitch/auth.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "../twitch/tokens.ts";

/** The files and variables that setup begins with. */
export interface Ground {
  readonly file: string;
  readonly isNew: boolean;
  /** The configuration, or the defaults of a new one. */
  readonly base: Config;
  readonly environment: Environment;
  readonly secrets: Secrets;
}

/** The classes of actions that setup asks about; memory is on anyway. */
export const ASKED_CLASSES = ["chat", "stream", "moderation"] as const;
export type AskedClass = (typeof ASKED_CLASSES)[number];

/** The account that speaks: the bot's own, the streamer's, or none. With none the bot only listens. */
export const ACCOUNTS = ["bot", "streamer", "none"] as const;

/** A log-in that Twitch vouched for. */
export interface Login {
  readonly login: string;
  readonly displayName: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Is null if they are stored already. */
  readonly tokens: TwitchTokens | null;
  /** Serves for questions to Twitch's API. */
  readonly vouched: VouchedToken;
}

export interface ModelChoice {
  readonly provider: Config["llm"]["provider"];
  readonly model: string;
  readonly baseUrl: string | null;
  readonly allowInsecureHost: boolean;
}

interface ChosenRights {
  account: (typeof ACCOUNTS)[number];
  classes: readonly AskedClass[];
}

/** The user's answers so far. */
export interface Answers extends ChosenRights {
  channels: readonly string[];
  /** The id of the Twitch application; "" until it is given. */
  clientId: string;
  /** The bot's name in chat; null until it is known. */
  name: string | null;
  voice: string;
  mode: Config["mode"];
  /** True if it answers while the channel is offline, too. */
  whenOffline: boolean;
  bot: Login | null;
  /** The streamer's own, in addition to the bot's. */
  streamer: Login | null;
  model: ModelChoice;
  /** Keys that the user pasted. Other keys come from the environment or the secrets file. */
  keys: Partial<ApiKeys>;
}

/**
 * Returns the answers that setup begins with: the values of `base`, without log-ins and keys. For a new configuration it
 * leaves the channels empty, and chooses mode shadow.
 */
export function readFirstAnswers(base: Config, isNew: boolean, defaultClientId: string): Answers {
  const { provider, model, baseUrl, allowInsecureHost } = base.llm;
  const { login } = base.bot;
  let account: Answers["account"] = "bot";
  if (login !== null && base.channels.includes(login)) account = "streamer";
  // In another mode the user has not yet said who speaks.
  if (login === null && !isNew && base.mode === "shadow") account = "none";
  return {
    channels: isNew ? [] : base.channels,
    account,
    clientId: base.twitch.clientId || defaultClientId,
    classes: ASKED_CLASSES.filter((name) => base.actions.classes[name] !== "off"),
    bot: null,
    streamer: null,
    name: login === null ? null : base.persona.name,
    voice: base.persona.voice,
    model: { provider, model, baseUrl, allowInsecureHost },
    keys: {},
    mode: isNew ? "shadow" : base.mode,
    whenOffline: base.replies.whenOffline,
  };
}

/** Returns the scopes for the log-in of the account that speaks. Do not call it if the account is `none`. */
export function listBotScopes({ account, classes }: ChosenRights): string[] {
  const own = account === "streamer" ? listScopes(classes, "streamer") : [];
  return [READ_SCOPE, WRITE_SCOPE, SEND_SCOPE, ...listScopes(classes, "bot"), ...own];
}

/**
 * Returns the scopes that a log-in of the streamer needs next to the bot's own. None if the streamer's account speaks,
 * if no account does, or if no chosen class needs them.
 */
export function listStreamerScopes({ account, classes }: ChosenRights): string[] {
  return account === "bot" ? listScopes(classes, "streamer") : [];
}

/** True if a log-in came from this application and has all of these scopes. */
export function isEnough(login: Login, clientId: string, scopes: readonly string[]): boolean {
  return login.clientId === clientId && scopes.every((scope) => login.scopes.includes(scope));
}

/** True if the bot needs no log-in, or has one of the right account with all scopes. */
export function isLoggedIn(answers: Answers): boolean {
  const { account, bot, channels, clientId } = answers;
  if (account === "none") return true;
  if (bot === null || !isEnough(bot, clientId, listBotScopes(answers))) return false;
  return (account === "streamer") === channels.includes(bot.login);
}

/** Returns the section `llm` with the choice in it. Another provider removes the models of single purposes. */
export function mergeModel(llm: Config["llm"], choice: ModelChoice): Config["llm"] {
  const models = choice.provider === llm.provider ? llm.models : {};
  return { ...llm, ...choice, models };
}

/** Keys that a new configuration names even if they have their default. */
const NAMED: ReadonlySet<string> = new Set(
  "channel bot.login persona.name mode llm.provider".split(" "),
);

/**
 * Returns `raw`, the configuration as its file has it, with the answers that differ from `base`. A new configuration
 * also gets the answers of `NAMED`. With account `none`, `bot.login` becomes null, and of the other keys only `channel`,
 * `mode` and `llm` change.
 */
export function mergeAnswers(
  raw: JsonObject,
  answers: Answers,
  { base, isNew }: { readonly base: Config; readonly isNew: boolean },
): JsonObject {
  const { account, bot, channels, classes, clientId, mode, name, voice, whenOffline } = answers;
  const { provider, model, baseUrl, allowInsecureHost } = answers.model;
  const { models } = mergeModel(base.llm, answers.model);
  const gates = ASKED_CLASSES.map((asked) => {
    const before = base.actions.classes[asked];
    // A chosen class waits for approval at least.
    const chosen = before === "off" ? "approve" : before;
    return [asked, classes.includes(asked) ? chosen : "off"];
  });
  const spoken = {
    bot: { login: bot?.login ?? base.bot.login },
    persona: name === null ? { voice } : { name, voice },
    replies: { whenOffline },
    twitch: { clientId },
    actions: { classes: Object.fromEntries(gates) },
  };
  const wanted = leavesOf({
    channel: oneOrAll(channels),
    ...(account === "none" ? { bot: { login: null } } : spoken),
    mode,
    llm: {
      ...{ provider, model, baseUrl, allowInsecureHost },
      models: Object.fromEntries(LLM_PURPOSES.map((purpose) => [purpose, models[purpose]])),
    },
  });
  const before = leavesOf({ ...base, channel: oneOrAll(base.channels) });
  const changed = [...wanted].filter(
    ([path, value]) => (isNew && NAMED.has(path)) || !isSameJson(value, before.get(path)),
  );
  return changed.reduce<unknown>(
    (tree, [path, value]) => mergeJson(tree, nestValue(path, value ?? null)),
    raw,
  ) as JsonObject;
}

function oneOrAll(channels: readonly string[]) {
  return channels.length === 1 ? channels[0] : channels;
}

interface SetupPlan {
  readonly after: Config;
  /** Writes it. Throws a Fault if that fails. */
  readonly write: () => void;
}

const SCHEMA = fileURLToPath(new URL("../../docs/config.schema.json", import.meta.url));

/**
 * Returns the configuration that the answers make, and a function that writes it and then the secrets. If the secrets
 * cannot be written, that function brings the earlier configuration back. Throws a Fault if the bot could not start.
 */
export function planFiles(ground: Ground, answers: Answers): SetupPlan {
  const { after, write } = planConfig(ground, answers);
  const { environment, file, isNew, secrets } = ground;
  const { bot, streamer, keys } = answers;
  const twitch = bot?.tokens ?? loadSecrets(after.dataDir, environment).twitch;
  refuseMute(after, { ...secrets, twitch });
  refuseTightBudget(after, 1);
  const writeSecrets = (): void => {
    if (bot?.tokens) saveTokens(after.dataDir, environment, bot.tokens);
    if (streamer?.tokens) saveTokens(after.dataDir, environment, streamer.tokens, "streamer");
    for (const name of KEY_NAMES) if (keys[name]) saveApiKey(after.dataDir, name, keys[name]);
  };
  return {
    after,
    write: () => {
      if (isNew && existsSync(file))
        throw new Fault(`${file}: another copy of setup wrote it just now`, {
          code: "config",
          fix: "close this page, and go on in the other one",
        });
      const before = isNew ? null : readFileSync(file, "utf8");
      write();
      try {
        writeSecrets();
      } catch (thrown) {
        // A configuration without its secrets would not start.
        if (before === null) rmSync(file);
        else writePrivately(realpathSync(file), before, statSync(file).mode & 0o777);
        throw thrown;
      }
    },
  };
}

/**
 * Returns the configuration that the answers make, and a function that writes it without the secrets. Throws a Fault if
 * the configuration would be invalid.
 */
export function planConfig({ base, file, isNew }: Ground, answers: Answers): SetupPlan {
  if (!isNew) {
    const change = (raw: JsonObject) => mergeAnswers(raw, answers, { base, isNew });
    const { after, isChange, write } = rewriteConfig(file, change);
    return { after, write: () => isChange && write() };
  }
  // An editor finds there what the keys mean.
  const schema = relative(dirname(resolve(file)), SCHEMA).replaceAll(sep, "/");
  const $schema = schema.startsWith(".") ? schema : `./${schema}`;
  const config = { $schema, ...mergeAnswers({}, answers, { base, isNew }) };
  const text = `${JSON.stringify(config, null, 2)}\n`;
  const fix =
    "make its folder writable for this user, or start setup with another file: --config FILE";
  return {
    after: parseConfig(text, file),
    write: () =>
      writeOrFault(file, { code: "config", fix }, () => writePrivately(resolve(file), text)),
  };
}
