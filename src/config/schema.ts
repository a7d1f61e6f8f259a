import { z } from "zod";
import { ACTIONS } from "../catalogue/actions.ts";
import { choice, login, number, onOrOff, whole, written } from "./fields.ts";
import { llmSchema } from "./llm-schema.ts";
import { memorySchema } from "./memory-schema.ts";
import { ACTION_NAMES, CLASS_GATES, REPLY_MODES } from "./names.ts";
import { castProblems, personaSchema, personasSchema } from "./personas.ts";
import { CHAT_URL_RULE, isSafeChatUrl } from "./urls.ts";

const backupSchema = z
  .strictObject({
    everyHours: z
      .union([z.number().min(1).max(8_760), z.literal(false)])
      .default(24)
      .describe(
        "Hours between two automatic backups, in the folder backups of dataDir; false: none.",
      ),
    keep: whole(1, 365, 7).describe(
      "How many automatic backups stay. Backups that you made, and those before an update or a restore, always stay.",
    ),
  })
  .prefault({});

const CHANNELS_MAX = 100;
/** The floor of a prompt fits, with the default persona and no actions. */
const BUDGET_TOKENS_MIN = 2_500;
const BUDGET_TOKENS_MAX = 32_000;
/** Accounts that many channels run. Their messages are stored, but never remembered and never answered. */
const KNOWN_BOTS = [
  "blerp",
  "commanderroot",
  "fossabot",
  "kofistreambot",
  "moobot",
  "nightbot",
  "own3d",
  "pokemoncommunitygame",
  "sery_bot",
  "soundalerts",
  "streamelements",
  "streamlabs",
  "streamstickers",
  "tangiabot",
  "wizebot",
];

const channelLogin = written(
  /^#?[a-z0-9_]{1,25}$/,
  "a Twitch login: 1 to 25 letters, digits or underscores",
);
const seconds = (from: number, to: number) => z.number().min(from).max(to);
const gate = z.enum(CLASS_GATES);

const bot = z
  .strictObject({
    login: login
      .nullable()
      .default(null)
      .describe("The bot's Twitch login; null joins anonymously, which only works in mode shadow."),
    aliases: z
      .array(z.string().trim().min(2).max(40))
      .max(20)
      .default([])
      .describe("Other names that the bot answers to, as whole words: mark, but not remarkable."),
    knownBots: z
      .array(login)
      .default(KNOWN_BOTS)
      .describe(
        "Logins of other bots: never answered, never remembered. Your list replaces the built-in one.",
      ),
    otherProgramPrefixes: z
      .array(z.string().trim().min(1).max(60))
      .max(20)
      .default([])
      .describe(
        "If the bot runs on your own account: how messages of other programs on that account begin, such as [Alerts]. They are never answered, never remembered, and give no commands.",
      ),
  })
  .prefault({});

const twitch = z
  .strictObject({
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
  })
  .prefault({});

const replies = z
  .strictObject({
    command: z
      .string()
      .trim()
      .regex(/^![\p{L}\p{N}_]{1,24}$/u, "an exclamation mark and one word, such as !ask")
      .nullable()
      .default("!ask")
      .describe("The chat command that asks the bot; null: none."),
    viewerCooldownSeconds: seconds(0, 3_600)
      .default(10)
      .describe("Least time between two answers to one viewer."),
    channelCooldownSeconds: seconds(0, 600)
      .default(1)
      .describe("Least time between two answers in one channel."),
    continuationSeconds: seconds(0, 300)
      .default(45)
      .describe(
        "How long a viewer may go on without naming the bot again, with a question right after its answer; 0: never.",
      ),
    ambientChance: number(0, 1, 0.03).describe(
      "In mode ambient: chance to join in on a message of a quiet chat. It is lower in a faster one.",
    ),
    whenOffline: onOrOff(false).describe("Answers while the channel is offline."),
    allowedHosts: z
      .array(written(/^[a-z0-9.-]+$/, "a host name"))
      .default([])
      .describe("Hosts that the bot may link to. A link to another one stops the reply."),
    bannedWords: z
      .array(z.string().trim().min(1).max(60))
      .default([])
      .describe(
        "Words that the bot does not say, store or repeat, however they are spelled. English slurs are always on the list (package obscenity); add words of other languages.",
      ),
  })
  .prefault({});

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

const actions = z
  .strictObject({
    safeMode: onOrOff(false).describe("Refuses every action."),
    classes: z
      .strictObject({
        memory: gate
          .default("live")
          .describe(
            "Remember, correct and forget a note. dry_run decides and records; approve waits for you.",
          ),
        chat: gate.default("off").describe("Announcements and shoutouts."),
        stream: gate.default("off").describe("Clips, markers and polls."),
        moderation: gate.default("off").describe("Warnings, deletions and timeouts; never bans."),
      })
      .prefault({})
      .describe("off, dry_run, approve or live, for each class of actions."),
    words: z
      .partialRecord(z.enum(SPOKEN_ACTIONS), z.array(phrase).max(20))
      .default({})
      .describe(
        "Your own words for actions in commands, in addition to the built-in ones, by action.",
      ),
    timeoutSeconds: seconds(1, ACTION_SECONDS_MAX)
      .default(60)
      .describe("Length of a timeout if the requester names none."),
    allowlist: z
      .array(loginOrId)
      .default([])
      .describe(
        "Logins or user ids that no action ever targets, in addition to you, your moderators and the bot.",
      ),
    protectVips: onOrOff(false).describe("VIPs are never a target of an action."),
    denylist: z
      .strictObject({
        actions: z.array(z.enum(ACTION_NAMES)).default([]).describe("Actions that never run."),
        targets: z
          .array(loginOrId)
          .default([])
          .describe("Logins or user ids that no proposal ever targets."),
      })
      .prefault({}),
    limits: z
      .partialRecord(z.enum(ACTION_NAMES), actionLimits)
      .default({})
      .describe(
        "By action, what differs from the built-in limits: actionSeconds, targetSeconds and requesterSeconds (cooldowns), perHour and perStream (caps), secondsMin and secondsMax (length).",
      ),
  })
  .prefault({});

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
  prompt: z
    .strictObject({
      budgetTokens: whole(BUDGET_TOKENS_MIN, BUDGET_TOKENS_MAX, 4_000).describe(
        "The most tokens in the prompt of a reply. A budget that the floor does not fit into is refused at start.",
      ),
    })
    .prefault({}),
  replies,
  memory: memorySchema,
  actions,
  retention: z
    .strictObject({
      eventHours: number(1, 24, 24).describe(
        "How many hours the text of chat messages is stored. You can only lower it.",
      ),
    })
    .prefault({}),
  backup: backupSchema,
  dashboard: z
    .strictObject({
      port: z
        .union([z.int().min(0).max(65_535), z.literal(false)])
        .default(4_747)
        .describe(
          "Port of the page; 0 takes any free one, false switches the page off. If it is taken, the page uses another.",
        ),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(["debug", "info", "warn", "error", "silent"])
        .default("info")
        .describe("What the program writes to the terminal's error output, as JSON lines."),
    })
    .prefault({}),
});

/** The configuration: every key with its default, bounds and purpose. docs/configuration.md is generated from it. */
export const configSchema = keys.superRefine((config, { addIssue }) => {
  for (const problem of castProblems(config)) {
    addIssue({ code: "custom", ...problem });
  }
});

export type ConfigFile = z.output<typeof configSchema>;

/**
 * Returns the JSON Schema of config.json for editors, as the text of a file. Draft 7 is the latest that all editors
 * support.
 */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
  return `${JSON.stringify({ title: "ForgetMeNot configuration", ...schema }, null, 2)}\n`;
}
