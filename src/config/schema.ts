import { z } from "zod";
import { ACTIONS } from "../catalogue/actions.ts";
import { NOTE_KIND_NAMES, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { findProvider, PROVIDERS, USUAL_PROVIDER } from "../catalogue/providers.ts";
import {
  ACTION_NAMES,
  CLASS_GATES,
  LLM_PROVIDERS,
  LLM_PURPOSES,
  MEMORY_MODES,
  MEMORY_SCOPES,
  REPLY_MODES,
  RERANK_MODES,
  TOPIC_MODES,
} from "./names.ts";
import { findPersonaErrors, personaSchema, personasSchema } from "./personas.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const CHAT_URL_RULE = "wss://…, or ws://… on this machine";
const BASE_URL_RULE =
  "https://…, or http://… on this machine (another host: llm.allowInsecureHost)";

/** True if a URL's host is this machine. False if it is not a URL. */
export function isLoopbackUrl(text: string): boolean {
  return URL.canParse(text) && LOOPBACK.test(new URL(text).hostname);
}

/** True for a `wss:` URL, or a `ws:` URL on this machine: the bot's token travels on this connection. */
function isSafeChatUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return protocol === "wss:" || (protocol === "ws:" && isLoopbackUrl(text));
}

/**
 * True for an `https:` URL, or an `http:` URL on this machine or with `allowInsecureHost`. False if it is not a URL.
 */
export function isSafeBaseUrl(text: string, allowInsecureHost: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return (
    protocol === "https:" || (protocol === "http:" && (isLoopbackUrl(text) || allowInsecureHost))
  );
}

const number = (min: number, max: number, standard: number) =>
  z.number().min(min).max(max).default(standard);

const whole = (min: number, max: number, standard: number) =>
  z.int().min(min).max(max).default(standard);

/** An object whose keys all have defaults. */
const section = <Shape extends z.core.$ZodLooseShape>(keys: Shape) =>
  z.strictObject(keys).prefault({} as never);

const choice = <const Name extends string>(names: readonly Name[], standard: NoInfer<Name>) =>
  z.enum(names).default(standard as z.util.NoUndefined<Name>);

/** A limit: a whole number from 0, with a default. */
const count = (standard: number) => z.int().min(0).default(standard);

/** A list of values. Its default is empty if none is given. */
const list = <Item extends z.ZodType>(item: Item, standard: readonly z.output<Item>[] = []) =>
  z.array(item).default([...standard] as never);

const onOrOff = (standard: boolean) => z.boolean().default(standard);

/** A trimmed text in small letters that fits `pattern`. `rule` describes the pattern in words. */
const written = (pattern: RegExp, rule: string) =>
  z.string().trim().toLowerCase().regex(pattern, rule);

const login = written(
  /^[a-z0-9_]{1,25}$/,
  "a Twitch login: 1 to 25 letters, digits or underscores",
);

const recallSchema = section({
  readFloor: number(0, 1, 0.4).describe("Prompts leave out notes with less confidence."),
  loreTokens: whole(100, 8_000, 800).describe(
    "The most tokens that a prompt spends on notes about the speaker.",
  ),
  rerank: choice(RERANK_MODES, "off").describe(
    "on: a model orders the speaker's notes, with one more call of at most 1.5 s for each reply. Useful if viewers change between languages.",
  ),
});

const memoryCaps = section({
  viewerNotes: whole(1, 500, 50).describe(
    "Active notes about one viewer. Beyond it the least important is removed.",
  ),
  channelNotes: whole(1, 1_000, 200).describe(
    "Active notes about the channel and its jokes. Notes that you write do not count.",
  ),
  perViewerAndStream: whole(1, 500, 10).describe("New notes about one viewer in one stream."),
  perChannelAndStream: whole(1, 1_000, 20).describe("New notes about the channel in one stream."),
  perBitAndStream: whole(1, 1_000, 10).describe("New running jokes in one stream."),
}).describe("How much the bot remembers. Beyond a cap the least important note is removed.");

export const policySchema = z.strictObject({
  mode: choice(MEMORY_MODES, "auto").describe(
    "auto uses a learned note at once. manual waits for your approval. shadow stores it and does not use it. off learns nothing and asks no model.",
  ),
  compactionSeconds: number(1, 3_600, 180).describe("Pause between two summaries of chat."),
  noteSeconds: number(0, 3_600, 600).describe(
    "How long a summary waits, so that notes are made from several summaries at once.",
  ),
  personaScope: choice(MEMORY_SCOPES, "shared").describe(
    "persona: each persona has its own notes. shared: they share them.",
  ),
  scopes: list(z.enum(NOTE_SCOPES), NOTE_SCOPES).describe(
    "What notes may be about: a viewer, the channel, or a running joke (bit).",
  ),
  kinds: list(z.enum(NOTE_KIND_NAMES), NOTE_KIND_NAMES).describe(
    "Which kinds of notes the bot stores.",
  ),
  approvalKinds: list(z.enum(NOTE_KIND_NAMES)).describe(
    "Kinds of notes that always wait for your approval.",
  ),
  caps: memoryCaps,
  topics: choice(TOPIC_MODES, "add").describe(
    "add: topics of the conversation raise a note; strict: notes on other topics are left out, except wishes and notes without a topic.",
  ),
  recall: recallSchema,
});

export type MemoryPolicy = z.output<typeof policySchema>;
export type RecallPolicy = MemoryPolicy["recall"];
export const memorySchema = policySchema.prefault({});

const USUAL_MODEL = PROVIDERS[USUAL_PROVIDER].usualModel;

const modelName = z.string().trim().min(1).max(120);

const price = z.strictObject({
  input: z.number().min(0).describe("US dollars per million prompt tokens."),
  cached: z.number().min(0).describe("US dollars per million cached prompt tokens."),
  output: z.number().min(0).describe("US dollars per million output tokens."),
});

/** The keys that the rules about baseUrl need. The rules also apply while other keys are wrong. */
const endpoint = z.looseObject({
  provider: z.enum(LLM_PROVIDERS),
  baseUrl: z.string().nullable(),
  allowInsecureHost: z.boolean(),
});

const llmSchema = section({
  provider: choice(LLM_PROVIDERS, USUAL_PROVIDER).describe(
    "Which kind of server answers. offline answers from its notes alone, for a first look: no network, no key.",
  ),
  model: modelName
    .default(USUAL_MODEL)
    .describe("The model for every purpose that llm.models does not name."),
  models: z
    .partialRecord(z.enum(LLM_PURPOSES), modelName.nullable())
    .default({})
    .describe(
      "Another model for one purpose: reply (answers in chat), summarise (summaries of chat), extract (notes from summaries), rerank (order of notes).",
    ),
  baseUrl: z
    .string()
    .nullable()
    .default(null)
    .describe(
      "Address of the server if it is not the provider's own, such as http://127.0.0.1:11434/v1 for Ollama. https://, or http:// on this machine.",
    ),
  allowInsecureHost: onOrOff(false).describe(
    "Also accepts an http:// address on another machine of yours. Prompts travel unencrypted.",
  ),
  timeoutSeconds: number(1, 120, 15).describe("Time limit of one model call."),
  caps: section({
    callsPerHour: count(300).describe(
      "Model calls in any hour. You get one notice per cap; until it frees up, the bot is silent.",
    ),
    callsPerDay: count(3_000).describe("Model calls in any 24 hours."),
    tokensPerDay: count(10_000_000).describe("Tokens in any 24 hours, in and out."),
    dollarsPerDay: z
      .number()
      .min(0)
      .default(2)
      .describe("US dollars in any 24 hours, for models with a known price."),
    memoryShare: number(0.05, 0.95, 0.4).describe(
      "Share of each cap that is kept for memory; the rest is for replies.",
    ),
  }).describe("What the model may cost."),
  prices: z
    .record(modelName, price)
    .default({})
    .describe(
      "Prices by model name (input, cached, output), in US dollars per million tokens. They replace the built-in ones.",
    ),
})
  .refine(({ provider, baseUrl }) => baseUrl !== null || findProvider(provider)?.address !== null, {
    path: ["baseUrl"],
    error: "the address of the model server, such as http://127.0.0.1:11434/v1",
    when: ({ value }) => endpoint.safeParse(value).success,
  })
  .refine(
    ({ baseUrl, allowInsecureHost }) =>
      baseUrl === null || isSafeBaseUrl(baseUrl, allowInsecureHost),
    {
      path: ["baseUrl"],
      error: BASE_URL_RULE,
      when: ({ value }) => endpoint.safeParse(value).success,
    },
  );

const backupSchema = section({
  everyHours: z
    .union([z.number().min(1).max(8_760), z.literal(false)])
    .default(24)
    .describe(
      "Hours between two automatic backups, in the folder backups of dataDir; false: none.",
    ),
  keep: whole(1, 365, 7).describe(
    "How many automatic backups stay. Backups that you made, and those before an update or a restore, always stay.",
  ),
});

const CHANNELS_MAX = 100;
/** The floor of a prompt fits, with the default persona and no actions. */
const BUDGET_TOKENS_MIN = 2_500;
const BUDGET_TOKENS_MAX = 32_000;
/** Accounts that many channels run. Their messages are stored, but never remembered and never answered. */
const KNOWN_BOTS = `
  blerp commanderroot fossabot kofistreambot moobot nightbot own3d pokemoncommunitygame sery_bot
  soundalerts streamelements streamlabs streamstickers tangiabot wizebot
`
  .trim()
  .split(/\s+/);

const channelLogin = written(
  /^#?[a-z0-9_]{1,25}$/,
  "a Twitch login: 1 to 25 letters, digits or underscores",
);
const seconds = (from: number, to: number) => z.number().min(from).max(to);

const bot = section({
  login: login
    .nullable()
    .default(null)
    .describe("The bot's Twitch login; null joins anonymously, which only works in mode shadow."),
  aliases: z
    .array(z.string().trim().min(2).max(40))
    .max(20)
    .default([])
    .describe("Other names that the bot answers to, as whole words: mark, but not remarkable."),
  knownBots: list(login, KNOWN_BOTS).describe(
    "Logins of other bots: never answered, never remembered. Your list replaces the built-in one.",
  ),
});

const twitch = section({
  clientId: z
    .string()
    .trim()
    .default("")
    .describe(
      "Client id of your Twitch application. Empty: taken from the access token while it is valid; an expired token cannot be renewed then.",
    ),
  chatUrl: z
    .string()
    .default("wss://irc-ws.chat.twitch.tv:443")
    .refine(isSafeChatUrl, CHAT_URL_RULE)
    .describe(
      "The chat server. The bot's token travels on this connection, so ws:// only on this machine.",
    ),
});

const replies = section({
  command: z
    .string()
    .trim()
    .regex(/^![\p{L}\p{N}_]{1,24}$/u, "an exclamation mark and one word, such as !ask")
    .nullable()
    .default("!ask")
    .describe("The chat command that asks the bot; null: none."),
  viewerCooldownSeconds: number(0, 3_600, 10).describe(
    "Least time between two answers to one viewer.",
  ),
  channelCooldownSeconds: number(0, 600, 1).describe(
    "Least time between two answers in one channel.",
  ),
  continuationSeconds: number(0, 300, 45).describe(
    "How long a viewer may go on without naming the bot again, right after its answer; 0: never.",
  ),
  whenOffline: onOrOff(false).describe("Answers while the channel is offline."),
  allowedHosts: list(written(/^[a-z0-9.-]+$/, "a host name")).describe(
    "Hosts that the bot may link to. A link to another one stops the reply.",
  ),
  bannedWords: list(z.string().trim().min(1).max(60)).describe(
    "Words that the bot does not say, store or repeat, however they are spelled. English slurs are always on the list (package obscenity); add words of other languages.",
  ),
});

/** Twitch's longest timeout, two weeks. */
const ACTION_SECONDS_MAX = 1_209_600;
const DAY_SECONDS = 86_400;
const loginOrId = written(/^[a-z0-9_]{1,25}$/, "a login or a user id");
const phrase = z.string().trim().toLowerCase().min(1).max(60);
/** Actions with a direct command in chat. */
const SPOKEN_ACTIONS = ACTION_NAMES.filter((name) => ACTIONS[name].syntax !== null);

const actionLimits = z
  .strictObject({
    actionSeconds: seconds(0, DAY_SECONDS).describe("Least time between two runs in one channel."),
    targetSeconds: seconds(0, DAY_SECONDS).describe("Least time between two runs on one viewer."),
    requesterSeconds: seconds(0, DAY_SECONDS).describe(
      "Least time between two runs for one requester.",
    ),
    perHour: z.int().min(0).max(1_000).describe("Runs in any hour."),
    perStream: z.int().min(0).max(10_000).describe("Runs in one stream."),
    secondsMin: z.int().min(1).max(ACTION_SECONDS_MAX).describe("The shortest it may last."),
    secondsMax: z.int().min(1).max(ACTION_SECONDS_MAX).describe("The longest it may last."),
  })
  .partial();

const actions = section({
  safeMode: onOrOff(false).describe("Refuses every action."),
  classes: section({
    memory: choice(CLASS_GATES, "live").describe(
      "Remember, correct and forget a note. dry_run decides and records; approve waits for you.",
    ),
    chat: choice(CLASS_GATES, "off").describe("Announcements and shoutouts."),
    stream: choice(CLASS_GATES, "off").describe("Clips, markers and polls."),
    moderation: choice(CLASS_GATES, "off").describe(
      "Warnings, deletions and timeouts; never bans.",
    ),
  }).describe("off, dry_run, approve or live, for each class of actions."),
  words: z
    .partialRecord(z.enum(SPOKEN_ACTIONS), z.array(phrase).max(20))
    .default({})
    .describe(
      "Your own words for actions in commands, in addition to the built-in ones, by action.",
    ),
  timeoutSeconds: number(1, ACTION_SECONDS_MAX, 60).describe(
    "Length of a timeout if the requester names none.",
  ),
  allowlist: list(loginOrId).describe(
    "Logins or user ids that no action ever targets, in addition to you, your moderators and the bot.",
  ),
  protectVips: onOrOff(false).describe("VIPs are never a target of an action."),
  denylist: section({
    actions: list(z.enum(ACTION_NAMES)).describe("Actions that never run."),
    targets: list(loginOrId).describe("Logins or user ids that no proposal ever targets."),
  }),
  limits: z
    .partialRecord(z.enum(ACTION_NAMES), actionLimits)
    .default({})
    .describe(
      "By action, what differs from the built-in limits: actionSeconds, targetSeconds and requesterSeconds (cooldowns), perHour and perStream (caps), secondsMin and secondsMax (length).",
    ),
});

const keys = z.strictObject({
  $schema: z
    .string()
    .optional()
    .describe("Where editors find the schema of this file. The program ignores it."),
  channel: z
    .union([channelLogin, z.array(channelLogin).min(1).max(CHANNELS_MAX)])
    .describe("The login of your channel, or a list of logins."),
  bot,
  persona: personaSchema,
  personas: personasSchema,
  dataDir: z
    .string()
    .min(1)
    // In JSON, "D:\twitch" holds a tab.
    .refine(
      (path) => !/\p{Cc}/u.test(path),
      "a path with each backslash written twice, or / in its place",
    )
    .refine((path) => !path.startsWith("~"), "a whole path, without ~")
    .default("./data")
    .describe(
      "Folder of the database (forgetmenot.db) and secrets.json, relative to this file. Only you can enter it.",
    ),
  language: written(/^[a-z]{2}(?:-[a-z]{2})?$/, "a code such as en or de")
    .nullable()
    .default(null)
    .describe(
      "Language of the bot's own sentences, such as questions before actions; null: the channel's language on Twitch, else English.",
    ),
  mode: choice(REPLY_MODES, "mentions").describe(
    "shadow thinks and records but sends nothing; mentions answers who speaks to it; ambient also joins in unasked.",
  ),
  twitch,
  llm: llmSchema,
  prompt: section({
    budgetTokens: whole(BUDGET_TOKENS_MIN, BUDGET_TOKENS_MAX, 4_000).describe(
      "The most tokens in the prompt of a reply. A budget that the floor does not fit into is refused at start.",
    ),
  }),
  replies,
  memory: memorySchema,
  actions,
  backup: backupSchema,
  dashboard: section({
    port: z
      .union([z.int().min(0).max(65_535), z.literal(false)])
      .default(4_747)
      .describe(
        "Port of the page; 0 takes any free one, false switches the page off. If it is taken, the page uses another.",
      ),
  }),
});

/** The configuration: every key with its default, bounds and purpose. docs/configuration.md is generated from it. */
export const configSchema = keys.superRefine((config, { addIssue }) => {
  for (const problem of findPersonaErrors(config)) {
    addIssue({ code: "custom", ...problem });
  }
});

export type ConfigFile = z.output<typeof configSchema>;
