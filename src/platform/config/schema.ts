import { z } from "zod";
import {
  choice,
  command,
  login,
  number,
  onOrOff,
  optionalCommand,
  whole,
  written,
} from "./fields.ts";
import { llmSchema } from "./llm-schema.ts";
import { memorySchema } from "./memory-schema.ts";
import { ACTION_NAMES, CLASS_GATES, REPLY_MODES } from "./names.ts";
import { castProblems, personaSchema, personasSchema } from "./personas.ts";
import { commandProblems, rightsSchema } from "./rights-schema.ts";
import { CHAT_URL_RULE, isSafeChatUrl } from "./urls.ts";

/** How often the running bot makes a backup by itself, and how many of those stay. */
const backupSchema = z
  .strictObject({
    everyHours: z
      .union([z.number().min(1).max(8_760), z.literal(false)])
      .default(24)
      .describe("How often the running bot makes a backup by itself; false never."),
    keep: whole(1, 365, 7).describe(
      "How many of the backups that the bot makes by itself stay; older ones go.",
    ),
  })
  .prefault({});

const CHANNELS_MAX = 100;
/** The part that is never trimmed fits, with the default persona and no action allowed. */
const BUDGET_TOKENS_MIN = 2_500;
const BUDGET_TOKENS_MAX = 32_000;
/** Accounts that many channels run; what they say is stored, but never remembered and never answered. */
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
      .describe("The bot's Twitch login. null joins anonymously, which only works in mode shadow."),
    aliases: z
      .array(z.string().trim().min(2).max(40))
      .max(20)
      .default([])
      .describe("Other names the bot answers to when they stand as a word of their own."),
    knownBots: z
      .array(login)
      .default(KNOWN_BOTS)
      .describe("Logins of other bots: never answered, never remembered."),
  })
  .prefault({});

const twitch = z
  .strictObject({
    clientId: z
      .string()
      .trim()
      .default("")
      .describe(
        "Client id of your Twitch application. Empty: taken from the access token while that is good.",
      ),
    chatUrl: z
      .string()
      .default("wss://irc-ws.chat.twitch.tv:443")
      .refine(isSafeChatUrl, CHAT_URL_RULE)
      .describe("Chat server. ws:// only on loopback."),
  })
  .prefault({});

const replies = z
  .strictObject({
    moderatorCommand: command("!bot").describe(
      "Chat command by which moderators pause the bot, wake it, or take its actions away.",
    ),
    command: z
      .string()
      .trim()
      .regex(/^![\p{L}\p{N}_]{1,24}$/u, "an exclamation mark and one word, such as !ask")
      .nullable()
      .default("!ask")
      .describe("Chat command that asks the bot; null switches it off."),
    goodCommand: optionalCommand("!good").describe(
      "Chat command by which moderators and the streamer praise an answer; null switches it off.",
    ),
    badCommand: optionalCommand("!bad").describe("The same for an answer that was no good."),
    viewerCooldownSeconds: seconds(0, 3_600).default(10).describe("Between answers to one viewer."),
    channelCooldownSeconds: seconds(0, 600).default(1).describe("Between answers in one channel."),
    continuationSeconds: seconds(0, 300)
      .default(45)
      .describe("How long a viewer may go on without naming the bot again; 0 switches it off."),
    ambientChance: number(0, 1, 0.03).describe(
      "Mode ambient: chance to join in on a line of a quiet chat; less in a faster one.",
    ),
    whenOffline: onOrOff(false).describe("Answer while the channel is offline."),
    quietHours: z
      .array(
        written(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, "a span such as 23:00-07:00"),
      )
      .max(20)
      .default([])
      .describe("When the bot answers nobody, by this machine's clock, such as 23:00-07:00."),
    allowedHosts: z
      .array(written(/^[a-z0-9.-]+$/, "a host name"))
      .default([])
      .describe("Hosts the bot may link to. Links to others stop a reply."),
    bannedWords: z
      .array(z.string().trim().min(1).max(60))
      .default([])
      .describe("Words the bot never says, in any case or inflection of letters."),
    slurs: onOrOff(true).describe("Neither say, store nor repeat slurs against groups of people."),
    reserveShare: number(0, 0.9, 0.2).describe(
      "Share of the calls, tokens and money for replies kept for you and moderators.",
    ),
  })
  .prefault({});

/** Twitch's longest time-out, two weeks. */
const ACTION_SECONDS_MAX = 1_209_600;
const DAY_SECONDS = 86_400;
const loginOrId = written(/^[a-z0-9_]{1,25}$/, "a login or a user id");
const phrase = z.string().trim().toLowerCase().min(1).max(60);
/** What is ordered or asked about by words of chat. */
const SPOKEN_ACTIONS = [
  "clip",
  "marker",
  "poll",
  "announce",
  "shoutout",
  "warn",
  "delete",
  "timeout",
] as const;

/** A text that leaves nothing out of what it asks. */
function question(...gaps: readonly string[]) {
  return z
    .string()
    .trim()
    .max(200)
    .refine((text) => gaps.every((gap) => text.includes(gap)), `must hold ${gaps.join(" and ")}`)
    .nullable()
    .default(null)
    .describe(`With ${gaps.join(", ")}; null: the built-in one.`);
}

const actionLimits = z
  .strictObject({
    actionSeconds: seconds(0, DAY_SECONDS).describe("Between two runs in one channel."),
    targetSeconds: seconds(0, DAY_SECONDS).describe("Between two runs on one person."),
    requesterSeconds: seconds(0, DAY_SECONDS).describe("Between two runs for one person."),
    perHour: z.int().min(0).max(1_000).describe("Runs in any hour."),
    perStream: z.int().min(0).max(10_000).describe("Runs in one stream."),
    secondsMin: z.int().min(1).max(ACTION_SECONDS_MAX).describe("The shortest it may last."),
    secondsMax: z.int().min(1).max(ACTION_SECONDS_MAX).describe("The longest it may last."),
  })
  .partial();

const actions = z
  .strictObject({
    safeMode: onOrOff(false).describe("Refuse every action."),
    classes: z
      .strictObject({
        memory: gate.default("live").describe("Remember, correct and forget a note."),
        chat: gate.default("off").describe("Announcements and shoutouts."),
        stream: gate.default("off").describe("Clips, markers and polls."),
        moderation: gate.default("off").describe("Warnings, deletions and time-outs; never bans."),
      })
      .prefault({})
      .describe("off, dry_run, approve or live, for each class of actions."),
    autonomy: z
      .unknown()
      .default(null)
      .describe(
        "Of an earlier edition; does nothing. A command or a yes stands behind each action.",
      ),
    words: z
      .partialRecord(z.enum(SPOKEN_ACTIONS), z.array(phrase).max(20))
      .default({})
      .describe("Your own words for actions in commands, beside the built-in ones."),
    warnReason: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .nullable()
      .default(null)
      .describe("What a warning says whose reason nobody gave; null: a sentence in the language."),
    timeoutSeconds: seconds(1, ACTION_SECONDS_MAX)
      .default(60)
      .describe("How long a time-out lasts where whoever asks says no length."),
    questions: z
      .strictObject({
        timeout: question("{user}", "{seconds}"),
        warn: question("{user}", "{text}"),
        delete: question("{user}"),
        shoutout: question("{user}"),
        announce: question("{text}"),
        poll: question("{text}", "{seconds}"),
        forget: question("{text}"),
        forgetTopic: question("{text}"),
      })
      .prefault({})
      .describe("Your own texts for the questions before an action; they hold the gaps shown."),
    allowlist: z
      .array(loginOrId)
      .default([])
      .describe("Logins or user ids that no action is ever done to."),
    protectVips: onOrOff(false).describe("Whether no action is ever done to VIPs."),
    denylist: z
      .strictObject({
        actions: z.array(z.enum(ACTION_NAMES)).default([]).describe("Actions that never run."),
        targets: z
          .array(loginOrId)
          .default([])
          .describe("Logins or user ids that proposals never reach."),
      })
      .prefault({}),
    limits: z
      .partialRecord(z.enum(ACTION_NAMES), actionLimits)
      .default({})
      .describe(
        "Cooldowns, caps and the range of seconds, by action, where they differ from the built-in ones.",
      ),
    approvalSeconds: whole(10, 3_600, 120).describe(
      "How long a proposal of a class on approve waits.",
    ),
  })
  .prefault({});

const keys = z.strictObject({
  $schema: z.string().optional().describe("Where editors find the schema of this file."),
  channel: z
    .union([channelLogin, z.array(channelLogin).min(1).max(CHANNELS_MAX)])
    .describe("The channel's login, or a list of logins."),
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
    .describe("Folder for the database and secrets, relative to this file."),
  language: written(/^[a-z]{2}(?:-[a-z]{2})?$/, "a code such as en or de")
    .nullable()
    .default(null)
    .describe("Language of what the bot says by itself; null: the channel's, as Twitch tells it."),
  mode: choice(REPLY_MODES, "mentions").describe(
    "shadow thinks and logs but sends nothing; ambient also joins in unasked.",
  ),
  twitch,
  llm: llmSchema,
  prompt: z
    .strictObject({
      budgetTokens: whole(BUDGET_TOKENS_MIN, BUDGET_TOKENS_MAX, 4_000).describe(
        "Upper limit of a reply's prompt, in tokens.",
      ),
    })
    .prefault({}),
  replies,
  memory: memorySchema,
  rights: rightsSchema,
  actions,
  retention: z
    .strictObject({
      eventHours: number(1, 24, 24).describe("How long raw chat lives. Only downward from 24."),
    })
    .prefault({}),
  backup: backupSchema,
  dashboard: z
    .strictObject({
      port: z
        .union([z.int().min(0).max(65_535), z.literal(false)])
        .default(4_747)
        .describe("Port of the local page; 0 takes any free one, false none."),
      host: z
        .string()
        .trim()
        .min(1)
        .max(255)
        .default("127.0.0.1")
        .describe(
          "Address that the page listens on; another than loopback lets your network reach it.",
        ),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(["debug", "info", "warn", "error", "silent"])
        .default("info")
        .describe("What goes to the terminal's error output, as JSON lines."),
    })
    .prefault({}),
});

/** The whole configuration: every key, its default, its bounds and what it is for. */
export const configSchema = keys.superRefine((config, { addIssue }) => {
  for (const problem of [...castProblems(config), ...commandProblems(config)]) {
    addIssue({ code: "custom", ...problem });
  }
});

export type ConfigFile = z.output<typeof configSchema>;

/**
 * The configuration's schema for editors, as the text of a file: what may stand in config.json, each key with its
 * default and what it is for. Draft 7, the latest that all editors know.
 */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
  return `${JSON.stringify({ title: "ForgetMeNot configuration", ...schema }, null, 2)}\n`;
}
