// Pure: values in, values out.
import { z } from "zod";
import { ACTION_NAMES, type ActionClass, type ActionName } from "../config/names.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { RawArgs } from "../language/action-syntax.ts";
import type { Sayings } from "../language/languages.ts";
import type { RequestOutcome, ViewerRequests } from "../memory/requests-store.ts";

/** How often an action may run in one channel, and how long what it sets may last, where it lasts: seconds, and runs. */
export type ActionLimits = Readonly<
  Record<keyof NonNullable<ConfigFile["actions"]["limits"][ActionName]>, number>
>;

interface ActionFacts<A> {
  readonly class: ActionClass;
  /** Whom it is done to: nobody, the user named, or the last message of the user named. */
  readonly target: "none" | "user" | "message";
  /** What it needs beside a command: nothing, the requester's own words as proof, or their yes to a question. */
  readonly consent: "none" | "quote" | "yes";
  /** What follows its word in a direct command: NAME, LENGTH and TEXT, brackets around what may be missing. Null: none. */
  readonly syntax: string | null;
  /** Arguments as they are written; `user` is never acted on. */
  readonly args: z.ZodType<A>;
  /** Those of free text, and whether they may be left out; `|` parts the choices of a poll. */
  readonly texts: Readonly<Record<string, "may" | "must">>;
  /** What Helix asks of the token; null where Helix is not asked. */
  readonly scope: string | null;
  /** Whose token does it: the bot's own, or only the streamer's. */
  readonly token: "bot" | "streamer";
  readonly limits: ActionLimits;
  /** What the model is told of it, and what several of it are called for the operator. */
  readonly line: string;
  readonly plural: string;
  /** The form of its question, and the text in it; `isByReply`: its message is the one that was replied to. */
  question?(args: A, isByReply: boolean): readonly [form: keyof Sayings, text?: string | undefined];
  /** What it asks of memory, `of`: in which channel and for whom. */
  wish?(args: A, memory: ViewerRequests, of: readonly [string, string]): RequestOutcome;
  /** Its request to Helix; null where without a part it would do something else. */
  request?(args: A, ids: HelixIds): HelixRequest | null;
}

/** `actorId`: whose token it goes out with; "" for no target or message. */
type HelixIds = Readonly<Record<"streamerId" | "actorId" | "targetId" | "messageId", string>>;
type HelixRequest = readonly [url: string, query: Record<string, string>, jsonBody?: object];

/** How long what has a length lasts where nobody says. */
export const SECONDS_USUAL = 60;
/** Twitch's own limits of poll and texts: https://dev.twitch.tv/docs/api/reference */
const text = (charsMax: number) => z.string().trim().min(1).max(charsMax);
const user = text(40);
const reason = text(300).optional();
const fact = text(280);
/** Nothing is remembered without one; that it is missing is told as that, not as a mistake of form. */
const quote = text(500).optional();
const seconds = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
  .default(SECONDS_USUAL);
const note = z
  .string()
  .regex(/^(?:id:)?\d{1,12}$/)
  .transform((written) => Number(written.replace("id:", "")));
const choices = z
  .string()
  .transform((written) => written.split("|").map((choice) => choice.trim()))
  .pipe(z.array(text(25)).min(2).max(5))
  .refine((all) => new Set(all.map((choice) => choice.toLowerCase())).size === all.length)
  .prefault("Yes|No");

/** Seconds between runs: of it, on one target, for one requester; runs: an hour, a stream; seconds it lasts: from, to. */
function limits(
  [actionSeconds, targetSeconds, requesterSeconds]: readonly [number, number, number],
  [perHour, perStream]: readonly [number, number],
  [secondsMin, secondsMax]: readonly [number, number] = [0, 0],
): ActionLimits {
  const between = { actionSeconds, targetSeconds, requesterSeconds };
  return { ...between, perHour, perStream, secondsMin, secondsMax };
}

const action = <A>(facts: ActionFacts<A>): ActionFacts<A> => facts;
const moderator = ({ streamerId, actorId }: HelixIds) => ({
  broadcaster_id: streamerId,
  moderator_id: actorId,
});

const USUAL = { token: "bot", target: "none", consent: "yes", texts: {} } as const;
const MEMORY_LIMITS = limits([0, 0, 5], [240, 1_000]);
const MEMORY = {
  ...USUAL,
  class: "memory",
  syntax: null,
  scope: null,
  limits: MEMORY_LIMITS,
} as const;
const CHAT = { ...USUAL, class: "chat" } as const;
const STREAM = { ...USUAL, class: "stream", consent: "none" } as const;
const MODERATION = { ...USUAL, class: "moderation", target: "user" } as const;

/**
 * Each action, once: what the model is told, what is parsed, judged, asked and executed all comes from here. Twurple's own
 * endpoints send fields that Twitch does not document (`has_delay`), so the requests are here:
 * https://dev.twitch.tv/docs/api/reference
 */
export const CATALOGUE = {
  remember: action({
    ...MEMORY,
    consent: "quote",
    args: z.strictObject({ fact, quote }),
    texts: { fact: "must" },
    line: '[action remember fact="…" quote="…"]: what they tell of themselves, untranslated; quote: their exact words',
    plural: "remembering",
    wish: (args, memory, of) => memory.remember(...of, args.fact),
  }),
  correct: action({
    ...MEMORY,
    consent: "quote",
    args: z.strictObject({ note, fact, quote }),
    texts: { fact: "must" },
    line: '[action correct note=N fact="…" quote="…"]: a note they say is wrong',
    plural: "correcting",
    wish: (args, memory, of) => memory.correct(...of, args.note, args.fact),
  }),
  forget: action({
    ...MEMORY,
    args: z.union([z.strictObject({ note }), z.strictObject({ topic: text(60) })]),
    texts: { topic: "must" },
    line: '[action forget note=N] or [action forget topic="…"]',
    plural: "forgetting",
    question: (args) => ["note" in args ? "askForget" : "askForgetTopic"],
    wish: (args, memory, of) => memory.forget(...of, "note" in args ? args.note : args),
  }),
  announce: action({
    ...CHAT,
    args: z.strictObject({ text: text(450) }),
    texts: { text: "must" },
    syntax: ": TEXT",
    scope: "moderator:manage:announcements",
    limits: limits([30, 0, 30], [12, 40]),
    line: '[action announce text="…"] (mods; their words)',
    plural: "announcements",
    question: (args) => ["askAnnounce", args.text],
    request: (args, ids) => ["chat/announcements", moderator(ids), { message: args.text }],
  }),
  shoutout: action({
    ...CHAT,
    target: "user",
    args: z.strictObject({ user }),
    syntax: " NAME",
    scope: "moderator:manage:shoutouts",
    // Twitch takes one in two minutes, and the same target once in an hour.
    limits: limits([120, 3_600, 0], [20, 60]),
    line: "[action shoutout user=LOGIN] (mods)",
    plural: "shoutouts",
    question: () => ["askShoutout"],
    request: (_, { streamerId, targetId, actorId }) => {
      const ends = { from_broadcaster_id: streamerId, to_broadcaster_id: targetId };
      return ["chat/shoutouts", { ...ends, moderator_id: actorId }];
    },
  }),
  clip: action({
    ...STREAM,
    args: z.strictObject({}),
    syntax: "",
    scope: "clips:edit",
    limits: limits([30, 0, 60], [20, 60]),
    line: "[action clip]",
    plural: "clips",
    request: (_, { streamerId }) => ["clips", { broadcaster_id: streamerId }],
  }),
  marker: action({
    ...STREAM,
    args: z.strictObject({ text: text(140).optional() }),
    texts: { text: "may" },
    syntax: "[: TEXT]",
    scope: "channel:manage:broadcast",
    token: "streamer",
    limits: limits([15, 0, 30], [30, 100]),
    line: '[action marker text="…"]',
    plural: "markers",
    request: (args, ids) => {
      return ["streams/markers", {}, { user_id: ids.streamerId, description: args.text }];
    },
  }),
  poll: action({
    ...STREAM,
    consent: "yes",
    args: z.strictObject({ title: text(60), choices, seconds }),
    texts: { title: "must", choices: "must" },
    syntax: ": TEXT",
    scope: "channel:manage:polls",
    token: "streamer",
    limits: limits([60, 0, 0], [10, 30], [15, 1_800]),
    line: '[action poll title="…" choices="a|b"] (mods; their words)',
    plural: "polls",
    question: (args) => ["askPoll", `${args.title} (${args.choices.join(" / ")})`],
    request: ({ title, choices: all, seconds: duration }, { streamerId: broadcaster_id }) => {
      const named = all.map((choice) => ({ title: choice }));
      return ["polls", {}, { broadcaster_id, title, choices: named, duration }];
    },
  }),
  warn: action({
    ...MODERATION,
    args: z.strictObject({ user, reason }),
    texts: { reason: "may" },
    syntax: " NAME[: TEXT]",
    scope: "moderator:manage:warnings",
    limits: limits([0, 10, 0], [60, 200]),
    line: '[action warn user=LOGIN reason="…"] (mods; their words)',
    plural: "warnings",
    question: (args) => ["askWarn", args.reason],
    request: (args, ids) => {
      const data = { user_id: ids.targetId, reason: args.reason };
      return ["moderation/warnings", moderator(ids), { data }];
    },
  }),
  delete: action({
    ...MODERATION,
    target: "message",
    args: z.strictObject({ user }),
    syntax: " [NAME]",
    scope: "moderator:manage:chat_messages",
    limits: limits([0, 2, 0], [60, 200]),
    line: "[action delete user=LOGIN]: their last message (mods)",
    plural: "deletions",
    question: (_, isByReply) => [isByReply ? "askDeleteThis" : "askDelete"],
    request: (_, ids) => {
      // Without an id this request would empty the whole chat.
      if (ids.messageId === "") return null;
      return ["moderation/chat", { ...moderator(ids), message_id: ids.messageId }];
    },
  }),
  timeout: action({
    ...MODERATION,
    // The model may write a reason; nobody sees it.
    args: z.strictObject({ user, seconds, reason }).transform(({ reason: _, ...rest }) => rest),
    syntax: " NAME [LENGTH]",
    scope: "moderator:manage:banned_users",
    limits: limits([0, 10, 0], [60, 200], [1, 600]),
    line: "[action timeout user=LOGIN seconds=60] (mods)",
    plural: "time-outs",
    question: () => ["askTimeout"],
    request: ({ seconds: duration }, ids) => {
      // Without a duration this request would be a ban.
      if (!Number.isInteger(duration) || duration < 1) return null;
      const data = { user_id: ids.targetId, duration };
      return ["moderation/bans", moderator(ids), { data }];
    },
  }),
} satisfies Record<ActionName, unknown>;

/** An action with its arguments as they are to be taken. `user` is what the model wrote: never act on it. */
export type ActionCall = {
  [N in ActionName]: { readonly name: N; readonly args: z.output<(typeof CATALOGUE)[N]["args"]> };
}[ActionName];

/** What holds for an action, whichever it is. */
export function factsOf(name: ActionName): ActionFacts<ActionCall["args"]> {
  return CATALOGUE[name];
}

/** Whether it needs a moderator, whose command or yes stands behind it. */
export function touchesOthers(name: ActionName): boolean {
  return CATALOGUE[name].consent === "yes" && CATALOGUE[name].class !== "memory";
}

/** The name as one of the catalogue's, or null. */
export function actionNamed(name: string): ActionName | null {
  return ACTION_NAMES.find((known) => known === name) ?? null;
}

/** The arguments as the action takes them; null where one is missing, too much or not what it should be. */
export function readCall(name: ActionName, args: RawArgs): ActionCall | null {
  const read = CATALOGUE[name].args.safeParse(args);
  return read.success ? ({ name, args: read.data } as ActionCall) : null;
}

/** An action's arguments as they are written. */
export function rawArgs({ args }: ActionCall): RawArgs {
  const written = Object.entries(args).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written.map(([key, value]) => [key, [value].flat().join("|")]));
}

/** What Twitch asks of a token before it lets the bot's account, or the streamer's own, do what these classes hold. */
export function scopesFor(classes: readonly ActionClass[], whose: "bot" | "streamer"): string[] {
  const wanted = ACTION_NAMES.map(factsOf).filter(
    (spec) => classes.includes(spec.class) && spec.token === whose,
  );
  return [...new Set(wanted.flatMap(({ scope }) => scope ?? []))];
}
