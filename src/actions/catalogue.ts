// Pure: values in, values out.
import { z } from "zod";
import { ACTION_NAMES, type ActionClass, type ActionName } from "../platform/config/names.ts";
import type { RawArgs } from "./grammar.ts";

/** How often an action may run in one channel, and how long what it sets may last. Seconds, and runs. */
export interface ActionLimits {
  /** Between two runs of it; of it on one target; of it for one requester. */
  readonly actionSeconds: number;
  readonly targetSeconds: number;
  readonly requesterSeconds: number;
  readonly perHour: number;
  readonly perStream: number;
  /** How long it lasts at the least, at the most, and where nobody says; meaningless where it takes none. */
  readonly secondsMin: number;
  readonly secondsMax: number;
  readonly secondsUsual: number;
}

interface ActionFacts {
  readonly class: ActionClass;
  /** `anyone`, or only a moderator's or the streamer's turn. */
  readonly asks: "anyone" | "moderator";
  /** Whom it is done to: nobody, the user named, or the last message of the user named. */
  readonly target: "none" | "user" | "message";
  /** What it needs beside a command: nothing, the requester's own words as proof, or their yes to a question. */
  readonly consent: "none" | "quote" | "yes";
  /** Arguments of free text; `|` parts the choices of a poll. */
  readonly texts: readonly string[];
  /** What Helix asks of the token; null where Helix is not asked. */
  readonly scope: string | null;
  /** Whose token does it: the bot's own, or only the streamer's. */
  readonly token: "bot" | "streamer";
  readonly limits: ActionLimits;
  /** What the model is told of it. `(mods)`: only the streamer or a moderator may ask; what the rules say of it once. */
  readonly line: string;
}

/** Twitch's own limits: https://dev.twitch.tv/docs/api/reference */
const ANNOUNCEMENT_CHARS_MAX = 450;
const MARKER_CHARS_MAX = 140;
const POLL_TITLE_CHARS_MAX = 60;
const POLL_CHOICE_CHARS_MAX = 25;
const POLL_CHOICES_MIN = 2;
const POLL_CHOICES_MAX = 5;
const SECONDS_USUAL = 60;
const REASON_CHARS_MAX = 300;
const FACT_CHARS_MAX = 280;
const QUOTE_CHARS_MAX = 500;
const TOPIC_CHARS_MAX = 60;
const USER_CHARS_MAX = 40;

const text = (charsMax: number) => z.string().trim().min(1).max(charsMax);
const user = text(USER_CHARS_MAX);
const reason = text(REASON_CHARS_MAX);
const fact = text(FACT_CHARS_MAX);
/** Nothing is remembered without one; that it is missing is told as that, not as a mistake of form. */
const quote = text(QUOTE_CHARS_MAX).optional();
const seconds = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const note = z
  .string()
  .regex(/^(?:id:)?\d{1,12}$/)
  .transform((written) => Number(written.replace("id:", "")));
const choices = z
  .string()
  .transform((written) => written.split("|").map((choice) => choice.trim()))
  .pipe(z.array(text(POLL_CHOICE_CHARS_MAX)).min(POLL_CHOICES_MIN).max(POLL_CHOICES_MAX))
  .refine((all) => new Set(all.map((choice) => choice.toLowerCase())).size === all.length)
  .prefault("Yes|No");

const CALLS = {
  remember: call("remember", z.strictObject({ fact, quote })),
  correct: call("correct", z.strictObject({ note, fact, quote })),
  forget: call(
    "forget",
    z.union([z.strictObject({ note }), z.strictObject({ topic: text(TOPIC_CHARS_MAX) })]),
  ),
  announce: call("announce", z.strictObject({ text: text(ANNOUNCEMENT_CHARS_MAX) })),
  shoutout: call("shoutout", z.strictObject({ user })),
  clip: call("clip", z.strictObject({})),
  marker: call("marker", z.strictObject({ text: text(MARKER_CHARS_MAX).optional() })),
  poll: call(
    "poll",
    z.strictObject({
      title: text(POLL_TITLE_CHARS_MAX),
      choices,
      seconds: seconds.default(SECONDS_USUAL),
    }),
  ),
  warn: call("warn", z.strictObject({ user, reason: reason.optional() })),
  delete: call("delete", z.strictObject({ user })),
  timeout: call(
    "timeout",
    z.strictObject({
      user,
      seconds: seconds.default(SECONDS_USUAL),
      reason: reason.optional(),
    }),
  ),
} satisfies Record<ActionName, z.ZodType>;

/** An action with its arguments as they are to be taken. `user` is what the model wrote: never act on it. */
export type ActionCall = { [N in ActionName]: z.output<(typeof CALLS)[N]> }[ActionName];

const NO_SECONDS = { secondsMin: 0, secondsMax: 0, secondsUsual: SECONDS_USUAL };
const MEMORY = {
  class: "memory",
  asks: "anyone",
  target: "none",
  scope: null,
  token: "bot",
  limits: {
    actionSeconds: 0,
    targetSeconds: 0,
    requesterSeconds: 5,
    perHour: 240,
    perStream: 1_000,
    ...NO_SECONDS,
  },
} as const;
const MODERATION = {
  class: "moderation",
  asks: "moderator",
  token: "bot",
  consent: "yes",
} as const;
const MODERATION_LIMITS = {
  actionSeconds: 0,
  targetSeconds: 10,
  requesterSeconds: 0,
  perHour: 60,
  perStream: 200,
  ...NO_SECONDS,
};

/** Each action, once. What the model is told, what is parsed, judged and executed all comes from here. */
export const CATALOGUE: Readonly<Record<ActionName, ActionFacts>> = {
  remember: {
    ...MEMORY,
    consent: "quote",
    texts: ["fact"],
    line: '[action remember fact="…" quote="…"]: what they tell of themselves, untranslated; quote: their exact words',
  },
  correct: {
    ...MEMORY,
    consent: "quote",
    texts: ["fact"],
    line: '[action correct note=N fact="…" quote="…"]: a note they say is wrong',
  },
  forget: {
    ...MEMORY,
    consent: "yes",
    texts: ["topic"],
    line: '[action forget note=N] or [action forget topic="…"]',
  },
  announce: {
    class: "chat",
    consent: "yes",
    asks: "moderator",
    target: "none",
    texts: ["text"],
    scope: "moderator:manage:announcements",
    token: "bot",
    limits: {
      actionSeconds: 30,
      targetSeconds: 0,
      requesterSeconds: 30,
      perHour: 12,
      perStream: 40,
      ...NO_SECONDS,
    },
    line: '[action announce text="…"] (mods; their words)',
  },
  shoutout: {
    class: "chat",
    consent: "yes",
    asks: "moderator",
    target: "user",
    texts: [],
    scope: "moderator:manage:shoutouts",
    token: "bot",
    // Twitch takes one in two minutes, and the same target once in an hour.
    limits: {
      actionSeconds: 120,
      targetSeconds: 3_600,
      requesterSeconds: 0,
      perHour: 20,
      perStream: 60,
      ...NO_SECONDS,
    },
    line: "[action shoutout user=LOGIN] (mods)",
  },
  clip: {
    class: "stream",
    consent: "none",
    asks: "anyone",
    target: "none",
    texts: [],
    scope: "clips:edit",
    token: "bot",
    limits: {
      actionSeconds: 30,
      targetSeconds: 0,
      requesterSeconds: 60,
      perHour: 20,
      perStream: 60,
      ...NO_SECONDS,
    },
    line: "[action clip]",
  },
  marker: {
    class: "stream",
    consent: "none",
    asks: "anyone",
    target: "none",
    texts: ["text"],
    scope: "channel:manage:broadcast",
    token: "streamer",
    limits: {
      actionSeconds: 15,
      targetSeconds: 0,
      requesterSeconds: 30,
      perHour: 30,
      perStream: 100,
      ...NO_SECONDS,
    },
    line: '[action marker text="…"]',
  },
  poll: {
    class: "stream",
    consent: "yes",
    asks: "moderator",
    target: "none",
    texts: ["title", "choices"],
    scope: "channel:manage:polls",
    token: "streamer",
    limits: {
      actionSeconds: 60,
      targetSeconds: 0,
      requesterSeconds: 0,
      perHour: 10,
      perStream: 30,
      secondsMin: 15,
      secondsMax: 1_800,
      secondsUsual: SECONDS_USUAL,
    },
    line: '[action poll title="…" choices="a|b"] (mods; their words)',
  },
  warn: {
    ...MODERATION,
    target: "user",
    texts: ["reason"],
    scope: "moderator:manage:warnings",
    limits: MODERATION_LIMITS,
    line: '[action warn user=LOGIN reason="…"] (mods; their words)',
  },
  delete: {
    ...MODERATION,
    target: "message",
    texts: [],
    scope: "moderator:manage:chat_messages",
    limits: { ...MODERATION_LIMITS, targetSeconds: 2 },
    line: "[action delete user=LOGIN]: their last message (mods)",
  },
  timeout: {
    ...MODERATION,
    target: "user",
    texts: ["reason"],
    scope: "moderator:manage:banned_users",
    limits: { ...MODERATION_LIMITS, secondsMin: 1, secondsMax: 600 },
    line: "[action timeout user=LOGIN] (mods)",
  },
};

/** The name as one of the catalogue's, or null. */
export function actionNamed(name: string): ActionName | null {
  return ACTION_NAMES.find((known) => known === name) ?? null;
}

/** The arguments as the action takes them; null where one is missing, too much or not what it should be. */
export function readCall(name: ActionName, args: RawArgs): ActionCall | null {
  const read = CALLS[name].safeParse({ name, args });
  return read.success ? read.data : null;
}

/** What Twitch asks of a token before it lets the bot's account, or the streamer's own, do what these classes hold. */
export function scopesFor(classes: readonly ActionClass[], whose: "bot" | "streamer"): string[] {
  const wanted = ACTION_NAMES.map((name) => CATALOGUE[name]).filter(
    (spec) => classes.includes(spec.class) && spec.token === whose,
  );
  return [...new Set(wanted.flatMap(({ scope }) => (scope === null ? [] : [scope])))];
}

function call<N extends ActionName, A extends z.ZodType>(name: N, args: A) {
  return z.strictObject({ name: z.literal(name), args });
}
