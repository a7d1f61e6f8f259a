// Pure: values in, values out.
import { scopesFor } from "../../actions/catalogue.ts";
import { type JsonObject, mergeJson, nestedIn } from "../../platform/config/json-tree.ts";
import type { Config } from "../../platform/config/load.ts";
import { type ClassGate, LLM_PURPOSES, type ReplyMode } from "../../platform/config/names.ts";
import type { TwitchTokens } from "../../platform/config/secrets.ts";
import type { VouchedToken } from "../../twitch/auth.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "../../twitch/scopes.ts";

/** The classes of actions that setup asks about; memory is on anyway. */
export const ASKED_CLASSES = ["chat", "stream", "moderation"] as const;
export type AskedClass = (typeof ASKED_CLASSES)[number];

/** Whose account speaks: the bot's own, the streamer's, or nobody's: then the bot only listens. */
export const ACCOUNTS = ["bot", "streamer", "none"] as const;
export type LoginKind = (typeof ACCOUNTS)[number];

/** A log-in that Twitch vouched for. */
export interface Login {
  readonly login: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Null: they are kept already. */
  readonly tokens: TwitchTokens | null;
  /** What Twitch's API is asked with. */
  readonly vouched: VouchedToken;
}

/** The log-in that a token stands for; `tokens` are those that are to be kept, null where they are. */
export function loginFrom(vouched: VouchedToken, tokens: TwitchTokens | null): Login {
  const { login, clientId, scopes } = vouched.identity;
  return { login, clientId, scopes, tokens, vouched };
}

/** Where a model's key comes from. */
export type KeyChoice =
  | { readonly kind: "typed"; readonly key: string }
  | { readonly kind: "stored" | "environment" | "none" };

export interface ModelChoice {
  readonly provider: Config["llm"]["provider"];
  readonly model: string;
  readonly baseUrl: string | null;
  readonly allowInsecureHost: boolean;
  readonly key: KeyChoice;
}

/** What the person said so far. */
export interface Answers {
  readonly channels: readonly string[];
  readonly account: LoginKind;
  /** Of the application; empty: not asked yet. */
  readonly clientId: string;
  readonly classes: readonly AskedClass[];
  readonly bot: Login | null;
  /** The streamer's own, beside the bot's. */
  readonly streamer: Login | null;
  /** What the bot is called in chat; null: not asked yet. */
  readonly name: string | null;
  /** How it talks; null: not asked yet. */
  readonly voice: string | null;
  readonly model: ModelChoice;
  readonly mode: ReplyMode;
  /** Whether it answers while the channel is offline, too. */
  readonly whenOffline: boolean;
}

/** What to begin with: what the configuration says, or nothing yet. */
export function firstAnswers(base: Config, isNew: boolean, defaultClientId = ""): Answers {
  const { provider, model, baseUrl, allowInsecureHost } = base.llm;
  return {
    channels: isNew ? [] : base.channels,
    account: isNew ? "bot" : accountOf(base),
    clientId: base.twitch.clientId === "" ? defaultClientId : base.twitch.clientId,
    classes: ASKED_CLASSES.filter((name) => base.actions.classes[name] !== "off"),
    bot: null,
    streamer: null,
    name: null,
    voice: null,
    model: { provider, model, baseUrl, allowInsecureHost, key: { kind: "none" } },
    mode: isNew ? "shadow" : base.mode,
    whenOffline: base.replies.whenOffline,
  };
}

/** Without a login only mode shadow makes sense: in another one, nobody has said yet who speaks. */
function accountOf({ bot, channels, mode }: Config): LoginKind {
  if (bot.login === null) return mode === "shadow" ? "none" : "bot";
  return channels.includes(bot.login) ? "streamer" : "bot";
}

/** What the log-in of the account that speaks has to be allowed. */
export function botScopes({ account, classes }: Pick<Answers, "account" | "classes">): string[] {
  const own = account === "streamer" ? scopesFor(classes, "streamer") : [];
  return [READ_SCOPE, WRITE_SCOPE, SEND_SCOPE, ...scopesFor(classes, "bot"), ...own];
}

/** What the streamer's log-in beside the bot's has to be allowed; empty: it takes none. */
export function streamerScopes({
  account,
  classes,
}: Pick<Answers, "account" | "classes">): string[] {
  return account === "bot" ? scopesFor(classes, "streamer") : [];
}

/** Whether a log-in came from this application and may do all this. */
export function isEnough(login: Login, clientId: string, scopes: readonly string[]): boolean {
  return login.clientId === clientId && scopes.every((scope) => login.scopes.includes(scope));
}

/** Whether the account is of the kind that was chosen. */
export function isRightAccount({ account, channels }: Answers, login: string): boolean {
  return (account === "streamer") === channels.includes(login);
}

/** What a class becomes: chosen ones wait for approval at least, others are off. */
export function gateOf(before: ClassGate, isChosen: boolean): ClassGate {
  if (!isChosen) return "off";
  return before === "off" ? "approve" : before;
}

/** The section `llm` with the choice in it. Models for one purpose belong to the provider that they were named for. */
export function llmWith(llm: Config["llm"], choice: ModelChoice): Config["llm"] {
  const { provider, model, baseUrl, allowInsecureHost } = choice;
  const isOther = provider !== llm.provider;
  const none = { reply: null, summarise: null, extract: null, rerank: null };
  const models = isOther ? none : llm.models;
  return { ...llm, provider, model, baseUrl, allowInsecureHost, models };
}

type Setting = readonly [path: string, value: unknown];

/**
 * The raw configuration with the answers in it. Of one that there is, only what is answered otherwise changes; a new
 * one says what was asked, and leaves the rest to the defaults.
 */
export function withAnswers(
  raw: JsonObject,
  answers: Answers,
  { base, isNew }: { readonly base: Config; readonly isNew: boolean },
): JsonObject {
  const told = [...settingsOf(answers, base, isNew), ...llmSettings(answers, base, isNew)];
  const tree = told.reduce<unknown>(
    (tree, [path, value]) => mergeJson(tree, nestedIn(path, value)),
    raw,
  );
  return tree as JsonObject;
}

function settingsOf(answers: Answers, base: Config, isNew: boolean): readonly Setting[] {
  const { account, channels, classes, clientId, mode, name, voice, whenOffline } = answers;
  const speaks = account !== "none";
  const login = speaks ? (answers.bot?.login ?? base.bot.login) : null;
  const isSameChannel = channels.join() === base.channels.join();
  const channel = channels.length === 1 ? channels[0] : channels;
  const isNamed = speaks && name !== null;
  const gates = ASKED_CLASSES.map((asked) => {
    const before = base.actions.classes[asked];
    return { asked, before, after: speaks ? gateOf(before, classes.includes(asked)) : before };
  });
  return [
    ...settingIf(isNew || !isSameChannel, "channel", channel),
    ...settingIf(isNew || login !== base.bot.login, "bot.login", login),
    ...settingIf(isNamed && (isNew || name !== base.persona.name), "persona.name", name),
    ...settingIf(speaks && voice !== null && voice !== base.persona.voice, "persona.voice", voice),
    ...settingIf(isNew || mode !== base.mode, "mode", mode),
    ...settingIf(
      speaks && whenOffline !== base.replies.whenOffline,
      "replies.whenOffline",
      whenOffline,
    ),
    ...settingIf(speaks && clientId !== base.twitch.clientId, "twitch.clientId", clientId),
    ...gates.flatMap(({ asked, before, after }) =>
      settingIf(after !== before, `actions.classes.${asked}`, after),
    ),
  ];
}

function llmSettings({ model: choice }: Answers, base: Config, isNew: boolean): readonly Setting[] {
  const before = base.llm;
  const after = llmWith(before, choice);
  const keys = ["provider", "model", "baseUrl", "allowInsecureHost"] as const;
  return [
    ...keys.flatMap((key) =>
      settingIf(
        (isNew && key === "provider") || after[key] !== before[key],
        `llm.${key}`,
        after[key],
      ),
    ),
    ...LLM_PURPOSES.flatMap((purpose) =>
      settingIf(after.models[purpose] !== before.models[purpose], `llm.models.${purpose}`, null),
    ),
  ];
}

function settingIf(condition: boolean, path: string, value: unknown): readonly Setting[] {
  return condition ? [[path, value]] : [];
}
