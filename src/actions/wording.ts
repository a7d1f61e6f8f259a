// Pure: values in, values out.
import type { Sayings } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";
import { languagesIn } from "../language/which-language.ts";
import { findQuote, supportedBy } from "../memory/evidence.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { Facts, QuoteRefusal, Settled } from "./action-policy.ts";
import { type ActionCall, CATALOGUE, type RawArgs } from "./catalogue.ts";
import type { ActionReason } from "./ledger-store.ts";
import { wordForWord } from "./said-words.ts";

/** What the reply guard says of one text. */
export type GuardVerdict =
  | { readonly ok: true; readonly text: string; readonly removed: readonly string[] }
  | { readonly ok: false };

/** What is to be kept about somebody stands in their own words; a private matter they have to ask for by command. */
export function quoteRefusal(
  { fact = "", quote = "" }: RawArgs,
  words: readonly string[],
  others: readonly string[],
): QuoteRefusal | null {
  const at = findQuote(quote, words);
  if (at === null) return "no_quote";
  const said = { own: words, quoted: words[at] ?? "", others };
  if (supportedBy(fact, said) !== null) return "unsupported";
  return privateMatter(fact, languagesIn([...words, ...others])) === null ? null : "private";
}

/** Mends of the guard that show that the text was to be more than a text. */
const TELLTALE_MENDS = new Set(["action", "thought", "lead"]);

/**
 * The arguments as they may be said: free text as it stands in the requester's own `words` (null: it is theirs already),
 * and as the guard lets it pass.
 */
export function textsOf(
  name: ActionName,
  args: RawArgs,
  words: readonly string[] | null,
  voice: {
    readonly guard: (text: string) => GuardVerdict;
    readonly says: Sayings;
    readonly warnReason: string | null;
  },
): Facts["texts"] {
  const own = words === null ? args : inOwnWords(name, args, words, voice.says);
  if (own === null) return { kind: "refused", reason: "not_verbatim" };
  const passed: Record<string, string> = { ...own };
  for (const key of CATALOGUE[name].texts) {
    const written = own[key];
    if (written === undefined) continue;
    const guarded = written.split("|").map(voice.guard);
    if (!guarded.every(isClean)) return { kind: "refused", reason: "guard" };
    passed[key] = guarded.map(({ text }) => text).join("|");
  }
  const reason = voice.warnReason ?? voice.says.warnReason;
  return { kind: "passed", args: name === "warn" ? { reason, ...passed } : passed };
}

function isClean(verdict: GuardVerdict): verdict is Extract<GuardVerdict, { ok: true }> {
  return verdict.ok && !verdict.removed.some((mend) => TELLTALE_MENDS.has(mend));
}

/** Free text as the requester wrote it; a reason or a mark's text that is not theirs is left out. Null: refused. */
function inOwnWords(
  name: ActionName,
  args: RawArgs,
  words: readonly string[],
  { pollYes, pollNo }: Sayings,
): RawArgs | null {
  if (CATALOGUE[name].consent === "quote") return args;
  const texts = Object.entries(args).filter(([key]) => CATALOGUE[name].texts.includes(key));
  const said = texts.map(([key, written]) => {
    const isYesOrNo = key === "choices" && YES_OR_NO.test(written);
    return [key, allIn(written, words) ?? (isYesOrNo ? `${pollYes}|${pollNo}` : null)] as const;
  });
  const isLost = said.some(([key, text]) => text === null && !mayBeLeftOut(name, key));
  if (isLost) return null;
  const own = Object.entries({ ...args, ...Object.fromEntries(said) });
  return Object.fromEntries(own.flatMap(([key, text]) => (text === null ? [] : [[key, text]])));
}

function mayBeLeftOut(name: ActionName, key: string): boolean {
  return key === "reason" || name === "marker";
}

/** Each part of a text, word for word. */
function allIn(written: string, words: readonly string[]): string | null {
  const said = written.split("|").map((part) => wordForWord(part, words));
  return said.every((part) => part !== null) ? said.join("|") : null;
}

const YES_OR_NO = /^\s*yes\s*\|\s*no\s*$/iu;

/** The streamer's own texts of questions, by action. */
export type OwnQuestions = Readonly<
  Partial<Record<ActionName | "forgetTopic", string | null | undefined>>
>;

/** Longer ones would be cut by Twitch, and a question must say all of what it asks. */
const QUESTION_CHARS_MAX = 480;
/** Of what is known about a topic. */
const FACTS_CHARS_MAX = 250;

/** What fills the gaps of a question. */
interface Asked {
  readonly login: string;
  /** What would be forgotten, with names. */
  readonly facts: readonly string[];
  /** Whether the message to be deleted is the one that was replied to. */
  readonly isByReply: boolean;
}

/**
 * The question that says exactly what a yes would do; null where it cannot be said in one message. Everything in it comes
 * from code, from the requester's own words, or from what is to be forgotten.
 */
export function questionFor(
  settled: Settled,
  asked: Asked,
  says: Sayings,
  own: OwnQuestions,
): string | null {
  const { call } = settled;
  const isTopic = call.name === "forget" && "topic" in call.args;
  const form = own[isTopic ? "forgetTopic" : call.name] ?? formFor(settled, asked, says);
  const text = textIn(settled, asked);
  if (form === null || text === null) return null;
  const seconds = "seconds" in call.args ? String(call.args.seconds) : "";
  const question = filled(form, { user: asked.login, seconds, text });
  return question.length > QUESTION_CHARS_MAX ? null : question;
}

const FORMS: Readonly<Partial<Record<ActionName, keyof Sayings>>> = {
  timeout: "askTimeout",
  warn: "askWarn",
  delete: "askDelete",
  shoutout: "askShoutout",
  announce: "askAnnounce",
  poll: "askPoll",
  forget: "askForgetTopic",
};

function formFor({ call }: Settled, { isByReply }: Asked, says: Sayings): string | null {
  if (call.name === "delete" && isByReply) return says.askDeleteThis;
  if (call.name === "timeout" && call.args.reason !== undefined) return says.askTimeoutReason;
  if (call.name === "forget" && "note" in call.args) return says.askForget;
  const form = FORMS[call.name];
  return form === undefined ? null : says[form];
}

function textIn({ call }: Settled, { facts }: Asked): string | null {
  switch (call.name) {
    case "timeout":
    case "warn":
      return call.args.reason ?? "";
    case "announce":
      return call.args.text;
    case "poll":
      return `${call.args.title} (${call.args.choices.join(" / ")})`;
    case "forget":
      return forgetting(call.args, facts);
    default:
      return "";
  }
}

/** A note by its number, or all about a topic. */
export function forgotten(args: ForgetArgs): number | { readonly topic: string } {
  return "note" in args ? args.note : { topic: args.topic };
}

type ForgetArgs = Extract<ActionCall, { readonly name: "forget" }>["args"];

/** A note's words; or a topic, and as many of the facts about it as there is room for. */
function forgetting(args: ForgetArgs, facts: readonly string[]): string | null {
  if (!("topic" in args)) return facts[0] ?? null;
  const shown = facts.filter(
    (_, at) => facts.slice(0, at + 1).join(" · ").length <= FACTS_CHARS_MAX,
  );
  const rest = facts.length > shown.length ? ` +${facts.length - shown.length}` : "";
  return facts.length === 0 ? args.topic : `${args.topic} (${shown.join(" · ")}${rest})`;
}

/** Why something that was ordered or confirmed was not done, in one line; null where nothing is said of it. */
export function notDone(reason: ActionReason, login: string, says: Sayings): string | null {
  const why = WHY[reason];
  if (why === undefined) return null;
  return filled(says.notDone, { why: filled(says[why], { user: login }) });
}

const WHY: Readonly<Partial<Record<ActionReason, keyof Sayings>>> = {
  safe_mode: "whyOff",
  class_off: "whyOff",
  denied_action: "whyOff",
  missing_scope: "whyTwitch",
  rate_limited: "whyTwitch",
  no_memory: "whyOff",
  arguments: "whyText",
  guard: "whyText",
  not_verbatim: "whyText",
  target_is_id: "whyUnknownUser",
  target_unknown: "whyUnknownUser",
  target_ambiguous: "whyUnknownUser",
  no_message: "whyNoMessage",
  protected: "whyProtected",
  denied_target: "whyProtected",
  not_allowed: "whyNotAllowed",
  cooldown_action: "whyTooSoon",
  cooldown_target: "whyTooSoon",
  cooldown_requester: "whyTooSoon",
  cap_hour: "whyLimit",
  cap_stream: "whyLimit",
  unknown: "whyUnknown",
};

function filled(form: string, gaps: Readonly<Record<string, string>>): string {
  return form.replace(/\{(\w+)\}/gu, (gap, name: string) => gaps[name] ?? gap);
}
