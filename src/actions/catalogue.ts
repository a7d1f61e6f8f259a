// Pure: values in, values out.
import { z } from "zod";
import { cleanLine } from "../language/clean.ts";
import { ACTION_NAMES, type ActionClass, type ActionName } from "../platform/config/names.ts";

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
  /** What the model is told of it. */
  readonly line: string;
  /** What several of it are called, as the operator is told. */
  readonly plural: string;
}

const SECONDS_USUAL = 60;
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

const ARGS = {
  remember: z.strictObject({ fact, quote }),
  correct: z.strictObject({ note, fact, quote }),
  forget: z.union([z.strictObject({ note }), z.strictObject({ topic: text(60) })]),
  announce: z.strictObject({ text: text(450) }),
  shoutout: z.strictObject({ user }),
  clip: z.strictObject({}),
  marker: z.strictObject({ text: text(140).optional() }),
  poll: z.strictObject({ title: text(60), choices, seconds }),
  warn: z.strictObject({ user, reason }),
  delete: z.strictObject({ user }),
  timeout: z.strictObject({ user, seconds, reason }),
} satisfies Record<ActionName, z.ZodType>;

/** An action with its arguments as they are to be taken. `user` is what the model wrote: never act on it. */
export type ActionCall = {
  [N in ActionName]: { readonly name: N; readonly args: z.output<(typeof ARGS)[N]> };
}[ActionName];

/** Seconds between runs: of it, on one target, for one requester; runs: an hour, a stream; seconds it lasts: from, to. */
function limits(
  [actionSeconds, targetSeconds, requesterSeconds]: readonly [number, number, number],
  [perHour, perStream]: readonly [number, number],
  [secondsMin, secondsMax]: readonly [number, number] = [0, 0],
): ActionLimits {
  const between = { actionSeconds, targetSeconds, requesterSeconds };
  return { ...between, perHour, perStream, secondsMin, secondsMax, secondsUsual: SECONDS_USUAL };
}

const MEMORY = {
  class: "memory",
  asks: "anyone",
  target: "none",
  scope: null,
  token: "bot",
  limits: limits([0, 0, 5], [240, 1_000]),
} as const;
const CHAT = { class: "chat", asks: "moderator", consent: "yes", token: "bot" } as const;
const STREAM = { class: "stream", asks: "anyone", consent: "none", target: "none" } as const;
const MODERATION = {
  class: "moderation",
  asks: "moderator",
  consent: "yes",
  token: "bot",
} as const;

/** Each action, once. What the model is told, what is parsed, judged and executed all comes from here. */
export const CATALOGUE: Readonly<Record<ActionName, ActionFacts>> = {
  remember: {
    ...MEMORY,
    consent: "quote",
    texts: ["fact"],
    line: '[action remember fact="…" quote="…"]: what they tell of themselves, untranslated; quote: their exact words',
    plural: "remembering",
  },
  correct: {
    ...MEMORY,
    consent: "quote",
    texts: ["fact"],
    line: '[action correct note=N fact="…" quote="…"]: a note they say is wrong',
    plural: "correcting",
  },
  forget: {
    ...MEMORY,
    consent: "yes",
    texts: ["topic"],
    line: '[action forget note=N] or [action forget topic="…"]',
    plural: "forgetting",
  },
  announce: {
    ...CHAT,
    target: "none",
    texts: ["text"],
    scope: "moderator:manage:announcements",
    limits: limits([30, 0, 30], [12, 40]),
    line: '[action announce text="…"] (mods; their words)',
    plural: "announcements",
  },
  shoutout: {
    ...CHAT,
    target: "user",
    texts: [],
    scope: "moderator:manage:shoutouts",
    // Twitch takes one in two minutes, and the same target once in an hour.
    limits: limits([120, 3_600, 0], [20, 60]),
    line: "[action shoutout user=LOGIN] (mods)",
    plural: "shoutouts",
  },
  clip: {
    ...STREAM,
    texts: [],
    scope: "clips:edit",
    token: "bot",
    limits: limits([30, 0, 60], [20, 60]),
    line: "[action clip]",
    plural: "clips",
  },
  marker: {
    ...STREAM,
    texts: ["text"],
    scope: "channel:manage:broadcast",
    token: "streamer",
    limits: limits([15, 0, 30], [30, 100]),
    line: '[action marker text="…"]',
    plural: "markers",
  },
  poll: {
    ...{ ...STREAM, asks: "moderator", consent: "yes" },
    texts: ["title", "choices"],
    scope: "channel:manage:polls",
    token: "streamer",
    limits: limits([60, 0, 0], [10, 30], [15, 1_800]),
    line: '[action poll title="…" choices="a|b"] (mods; their words)',
    plural: "polls",
  },
  warn: {
    ...MODERATION,
    target: "user",
    texts: ["reason"],
    scope: "moderator:manage:warnings",
    limits: limits([0, 10, 0], [60, 200]),
    line: '[action warn user=LOGIN reason="…"] (mods; their words)',
    plural: "warnings",
  },
  delete: {
    ...MODERATION,
    target: "message",
    texts: [],
    scope: "moderator:manage:chat_messages",
    limits: limits([0, 2, 0], [60, 200]),
    line: "[action delete user=LOGIN]: their last message (mods)",
    plural: "deletions",
  },
  timeout: {
    ...MODERATION,
    target: "user",
    texts: ["reason"],
    scope: "moderator:manage:banned_users",
    limits: limits([0, 10, 0], [60, 200], [1, 600]),
    line: "[action timeout user=LOGIN] (mods)",
    plural: "time-outs",
  },
};

/** Whether it lasts for a time that somebody may say. */
export function isTimed(name: ActionName): boolean {
  return CATALOGUE[name].limits.secondsMax > 0;
}

/** The name as one of the catalogue's, or null. */
export function actionNamed(name: string): ActionName | null {
  return ACTION_NAMES.find((known) => known === name) ?? null;
}

/** The arguments as the action takes them; null where one is missing, too much or not what it should be. */
export function readCall(name: ActionName, args: RawArgs): ActionCall | null {
  const read = ARGS[name].safeParse(args);
  return read.success ? ({ name, args: read.data } as ActionCall) : null;
}

/** An action's arguments as they are written. */
export function rawArgs({ args }: ActionCall): RawArgs {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Array.isArray(value) ? value.join("|") : String(value)]),
  );
}

/** What Twitch asks of a token before it lets the bot's account, or the streamer's own, do what these classes hold. */
export function scopesFor(classes: readonly ActionClass[], whose: "bot" | "streamer"): string[] {
  const wanted = ACTION_NAMES.map((name) => CATALOGUE[name]).filter(
    (spec) => classes.includes(spec.class) && spec.token === whose,
  );
  return [...new Set(wanted.flatMap(({ scope }) => (scope === null ? [] : [scope])))];
}

/** What one span of a model's answer says, as far as it is written as an action is. */
export type Parsed =
  | { readonly kind: "action"; readonly name: string; readonly args: RawArgs }
  | { readonly kind: "malformed" };

/** Arguments as they were written, unescaped, by key. */
export type RawArgs = Readonly<Record<string, string>>;

const SPAN_CHARS_MAX = 1_200;
const ARGS_MAX = 6;
const HEAD = /^\[action +([a-z_]{1,24})/;
const ARGUMENT = / +([a-z_]{1,16})=(?:"((?:[^"\\[\]]|\\["\\])*)"|([^\s"“”'‘’=[\]\\]{1,200}))/y;
const TAIL = / *\]$/y;
const MALFORMED: Parsed = { kind: "malformed" };

/**
 * Reads `[action NAME key=value key="quoted \" value"]`, to the letter: another case or bracket, anything invisible,
 * a bracket inside, a key twice, or something left over is malformed. Linear time.
 */
export function parseAction(span: string): Parsed {
  const head = isPlain(span) ? HEAD.exec(span) : null;
  if (head === null) return MALFORMED;
  const args = new Map<string, string>();
  let at = head[0].length;
  for (
    let found = matchAt(ARGUMENT, span, at);
    found !== null;
    found = matchAt(ARGUMENT, span, at)
  ) {
    const [whole, key = "", quoted, bare = ""] = found;
    if (args.has(key) || args.size === ARGS_MAX) return MALFORMED;
    args.set(key, quoted?.replace(/\\(["\\])/g, "$1") ?? bare);
    at += whole.length;
  }
  if (matchAt(TAIL, span, at) === null) return MALFORMED;
  return { kind: "action", name: head[1] ?? "", args: Object.fromEntries(args) };
}

/** Nothing in it that cannot be seen, but what shapes an emoji or a joining script. */
function isPlain(span: string): boolean {
  return (
    span.length <= SPAN_CHARS_MAX && cleanLine(span) === span.normalize("NFC").replace(/ +/g, " ")
  );
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
