// Pure: values in, values out.
import { listScopes } from "../catalogue/actions.ts";
import type { ApiKeys } from "../catalogue/providers.ts";
import { type JsonObject, mergeJson, nestValue } from "../config/json-tree.ts";
import type { Config } from "../config/load.ts";
import { type ClassGate, LLM_PURPOSES } from "../config/names.ts";
import type { TwitchTokens } from "../config/secrets.ts";
import type { VouchedToken } from "../twitch/auth.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "../twitch/scopes.ts";

/** The classes of actions that setup asks about; memory is on anyway. */
export const ASKED_CLASSES = ["chat", "stream", "moderation"] as const;
export type AskedClass = (typeof ASKED_CLASSES)[number];

/** The account that speaks: the bot's own, the streamer's, or none. With none the bot only listens. */
export const ACCOUNTS = ["bot", "streamer", "none"] as const;
type LoginKind = (typeof ACCOUNTS)[number];

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

/** The user's answers so far, in memory only. */
export interface Answers {
  readonly channels: readonly string[];
  readonly account: LoginKind;
  /** The id of the Twitch application; "" until it is given. */
  readonly clientId: string;
  readonly classes: readonly AskedClass[];
  /** The bot's name in chat; null until it is known. */
  readonly name: string | null;
  readonly voice: string;
  readonly mode: Config["mode"];
  /** True if it answers while the channel is offline, too. */
  readonly whenOffline: boolean;
  readonly bot: Login | null;
  /** The streamer's own, in addition to the bot's. */
  readonly streamer: Login | null;
  readonly model: ModelChoice;
  /** Keys that the user pasted. Other keys come from the environment or the secrets file. */
  readonly keys: Partial<ApiKeys>;
}

/** Returns the answers to begin with: those of the configuration, or none yet. */
export function readFirstAnswers(base: Config, isNew: boolean, defaultClientId: string): Answers {
  const { provider, model, baseUrl, allowInsecureHost } = base.llm;
  return {
    channels: isNew ? [] : base.channels,
    account: isNew ? "bot" : guessAccount(base),
    clientId: base.twitch.clientId === "" ? defaultClientId : base.twitch.clientId,
    classes: ASKED_CLASSES.filter((name) => base.actions.classes[name] !== "off"),
    bot: null,
    streamer: null,
    name: isNew || base.bot.login === null ? null : base.persona.name,
    voice: base.persona.voice,
    model: { provider, model, baseUrl, allowInsecureHost },
    keys: {},
    mode: isNew ? "shadow" : base.mode,
    whenOffline: base.replies.whenOffline,
  };
}

/** Without a login only mode shadow makes sense: in another one, nobody has said yet who speaks. */
function guessAccount({ bot, channels, mode }: Config): LoginKind {
  if (bot.login === null) return mode === "shadow" ? "none" : "bot";
  return channels.includes(bot.login) ? "streamer" : "bot";
}

type ScopeAnswers = Pick<Answers, "account" | "classes">;

/** Returns the scopes that the log-in of the account that speaks needs. */
export function listBotScopes({ account, classes }: ScopeAnswers): string[] {
  const own = account === "streamer" ? listScopes(classes, "streamer") : [];
  return [READ_SCOPE, WRITE_SCOPE, SEND_SCOPE, ...listScopes(classes, "bot"), ...own];
}

/** Returns the scopes of the streamer's log-in in addition to the bot's; none if it is not needed. */
export function listStreamerScopes({ account, classes }: ScopeAnswers): string[] {
  return account === "bot" ? listScopes(classes, "streamer") : [];
}

/** True if a log-in came from this application and has all of these scopes. */
export function isEnough(login: Login, clientId: string, scopes: readonly string[]): boolean {
  return login.clientId === clientId && scopes.every((scope) => login.scopes.includes(scope));
}

/** True if the account is of the kind that was chosen. */
export function isRightAccount({ account, channels }: Answers, login: string): boolean {
  return (account === "streamer") === channels.includes(login);
}

/** True if the bot needs no log-in, or has one of the right account with all scopes. */
export function isLoggedIn(answers: Answers): boolean {
  const { account, bot, clientId } = answers;
  if (account === "none") return true;
  return (
    bot !== null &&
    isEnough(bot, clientId, listBotScopes(answers)) &&
    isRightAccount(answers, bot.login)
  );
}

/** Chosen classes wait for approval at least; others are off. */
export function chooseGate(before: ClassGate, isChosen: boolean): ClassGate {
  if (!isChosen) return "off";
  return before === "off" ? "approve" : before;
}

/** Returns the section `llm` with the choice in it. Models for one purpose belong to the provider that they were named for. */
export function mergeModel(llm: Config["llm"], choice: ModelChoice): Config["llm"] {
  const models = choice.provider === llm.provider ? llm.models : {};
  return { ...llm, ...choice, models };
}

/**
 * Returns the raw configuration with the answers in it. In an existing one, only changed answers change; a new one says
 * what was asked and leaves the rest to the defaults.
 */
export function mergeAnswers(
  raw: JsonObject,
  answers: Answers,
  { base, isNew }: { readonly base: Config; readonly isNew: boolean },
): JsonObject {
  const { account, bot, channels, classes, clientId, mode, name, voice, whenOffline } = answers;
  const { actions, llm, persona, replies, twitch } = base;
  const speaks = account !== "none";
  const login = speaks ? (bot?.login ?? base.bot.login) : null;
  const after = mergeModel(llm, answers.model);
  const settings: (readonly [path: string, isWritten: boolean, value: unknown])[] = [
    [
      "channel",
      isNew || channels.join() !== base.channels.join(),
      channels.length === 1 ? channels[0] : channels,
    ],
    ["bot.login", isNew || login !== base.bot.login, login],
    ["persona.name", speaks && name !== null && (isNew || name !== persona.name), name],
    ["persona.voice", speaks && voice !== persona.voice, voice],
    ["mode", isNew || mode !== base.mode, mode],
    ["replies.whenOffline", speaks && whenOffline !== replies.whenOffline, whenOffline],
    ["twitch.clientId", speaks && clientId !== twitch.clientId, clientId],
    ...ASKED_CLASSES.map((asked) => {
      const before = actions.classes[asked];
      const gate = chooseGate(before, classes.includes(asked));
      return [`actions.classes.${asked}`, speaks && gate !== before, gate] as const;
    }),
    ["llm.provider", isNew || after.provider !== llm.provider, after.provider],
    ...(["model", "baseUrl", "allowInsecureHost"] as const).map(
      (key) => [`llm.${key}`, after[key] !== llm[key], after[key]] as const,
    ),
    ...LLM_PURPOSES.map(
      (purpose) =>
        [`llm.models.${purpose}`, after.models[purpose] !== llm.models[purpose], null] as const,
    ),
  ];
  const written = settings.filter(([, isWritten]) => isWritten);
  return written.reduce<unknown>(
    (tree, [path, , value]) => mergeJson(tree, nestValue(path, value)),
    raw,
  ) as JsonObject;
}
