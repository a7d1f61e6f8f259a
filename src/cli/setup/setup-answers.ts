// Pure: values in, values out.
import { scopesFor } from "../../actions/calls.ts";
import { type JsonObject, mergeJson, nestedIn } from "../../config/json-tree.ts";
import type { Config } from "../../config/load.ts";
import { type ClassGate, LLM_PURPOSES } from "../../config/names.ts";
import type { TwitchTokens } from "../../config/secrets.ts";
import type { VouchedToken } from "../../twitch/auth.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "../../twitch/scopes.ts";

/** The classes of actions that setup asks about; memory is on anyway. */
const ASKED_CLASSES = ["chat", "stream", "moderation"] as const;
export type AskedClass = (typeof ASKED_CLASSES)[number];

/** Whose account speaks: the bot's own, the streamer's, or nobody's: then the bot only listens. */
export type LoginKind = "bot" | "streamer" | "none";

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

/** What the user answered so far. */
export interface Answers {
  readonly channels: readonly string[];
  readonly account: LoginKind;
  /** Of the application; empty: not asked yet. */
  readonly clientId: string;
  readonly classes: readonly AskedClass[];
  /** What the bot is called in chat; null: not asked yet. */
  readonly name: string | null;
  /** How it talks; null: not asked yet. */
  readonly voice: string | null;
  readonly mode: Config["mode"];
  /** Whether it answers while the channel is offline, too. */
  readonly whenOffline: boolean;
  readonly bot: Login | null;
  /** The streamer's own, in addition to the bot's. */
  readonly streamer: Login | null;
  readonly model: ModelChoice;
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

type Wanted = Pick<Answers, "account" | "classes">;

/** What the log-in of the account that speaks has to be allowed. */
export function botScopes({ account, classes }: Wanted): string[] {
  const own = account === "streamer" ? scopesFor(classes, "streamer") : [];
  return [READ_SCOPE, WRITE_SCOPE, SEND_SCOPE, ...scopesFor(classes, "bot"), ...own];
}

/** What the streamer's log-in beside the bot's has to be allowed; empty: it takes none. */
export function streamerScopes({ account, classes }: Wanted): string[] {
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
  const models = isOther ? {} : llm.models;
  return { ...llm, provider, model, baseUrl, allowInsecureHost, models };
}

/**
 * The raw configuration with the answers in it. Of one that there is, only what is answered otherwise changes; a new
 * one says what was asked, and leaves the rest to the defaults.
 */
export function withAnswers(
  raw: JsonObject,
  answers: Answers,
  { base, isNew }: { readonly base: Config; readonly isNew: boolean },
): JsonObject {
  const { account, bot, channels, classes, clientId, mode, name, voice, whenOffline } = answers;
  const { actions, llm, persona, replies, twitch } = base;
  const speaks = account !== "none";
  const login = speaks ? (bot?.login ?? base.bot.login) : null;
  const after = llmWith(llm, answers.model);
  const settings: (readonly [path: string, isTold: boolean, value: unknown])[] = [
    [
      "channel",
      isNew || channels.join() !== base.channels.join(),
      channels.length === 1 ? channels[0] : channels,
    ],
    ["bot.login", isNew || login !== base.bot.login, login],
    ["persona.name", speaks && name !== null && (isNew || name !== persona.name), name],
    ["persona.voice", speaks && voice !== null && voice !== persona.voice, voice],
    ["mode", isNew || mode !== base.mode, mode],
    ["replies.whenOffline", speaks && whenOffline !== replies.whenOffline, whenOffline],
    ["twitch.clientId", speaks && clientId !== twitch.clientId, clientId],
    ...ASKED_CLASSES.map((asked) => {
      const before = actions.classes[asked];
      const gate = gateOf(before, classes.includes(asked));
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
  const told = settings.filter(([, isTold]) => isTold);
  return told.reduce<unknown>(
    (tree, [path, , value]) => mergeJson(tree, nestedIn(path, value)),
    raw,
  ) as JsonObject;
}
