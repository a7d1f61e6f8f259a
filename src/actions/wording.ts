// Pure: values in, values out.
import type { RawArgs } from "../language/action-syntax.ts";
import type { Sayings } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";
import { wordForWord } from "../language/said-words.ts";
import { languagesIn } from "../language/which-language.ts";
import { findQuote, supportedBy } from "../memory/evidence.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { Facts, QuoteRefusal, Written } from "./action-policy.ts";
import { type ActionCall, factsOf } from "./catalogue.ts";
import type { ActionReason } from "./ledger-store.ts";

/** What the reply guard says of one text. */
type GuardVerdict =
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
const YES_OR_NO = /^\s*yes\s*\|\s*no\s*$/iu;

export interface TextParts {
  readonly guard: (text: string) => GuardVerdict;
  /** What code says in a channel. */
  readonly says: (channel: string) => Sayings;
  /** What a warning says whose reason nobody gave; null: what the language has for it. */
  readonly warnReason: () => string | null;
}

/**
 * The arguments as they may be said: free text as it stands in the requester's own `words` (null: it is theirs already),
 * and as the guard lets it pass. What is not theirs is left out where it may be.
 */
export function textsOf(
  { name, args }: Written,
  words: readonly string[] | null,
  { guard, says, warnReason }: TextParts,
  channel: string,
): Facts["texts"] {
  const { texts, consent } = factsOf(name);
  const { pollYes, pollNo, warnReason: usual } = says(channel);
  const isFree = (key: string) => texts[key] !== undefined;
  const inWords = (key: string, written: string): string | null => {
    if (words === null || !isFree(key) || consent === "quote") return written;
    const choices = key === "choices" && YES_OR_NO.test(written) ? `${pollYes}|${pollNo}` : null;
    return inParts(written, (part) => wordForWord(part, words)) ?? choices;
  };
  const cleared = (part: string): string | null => {
    const verdict = guard(part);
    const isClean = verdict.ok && !verdict.removed.some((mend) => TELLTALE_MENDS.has(mend));
    return isClean ? verdict.text : null;
  };
  const own = Object.entries(args).map(([key, text]) => [key, inWords(key, text)] as const);
  if (own.some(([key, text]) => text === null && texts[key] === "must"))
    return { kind: "refused", reason: "not_verbatim" };
  const said = own.flatMap(([key, text]) =>
    text === null ? [] : [[key, isFree(key) ? inParts(text, cleared) : text] as const],
  );
  if (said.some(([, text]) => text === null)) return { kind: "refused", reason: "guard" };
  const reason = name === "warn" ? { reason: warnReason() ?? usual } : {};
  return { kind: "passed", args: { ...reason, ...(Object.fromEntries(said) as RawArgs) } };
}

/** What becomes of each part of a text; null where one comes to nothing. */
function inParts(written: string, toSaid: (part: string) => string | null): string | null {
  const parts = written.split("|").map(toSaid);
  return parts.includes(null) ? null : parts.join("|");
}

/** The streamer's own texts of questions, by action. */
export type OwnQuestions = Readonly<
  Partial<Record<ActionName | "forgetTopic", string | null | undefined>>
>;

/** Longer ones would be cut by Twitch, and a question must say all of what it asks. */
const QUESTION_CHARS_MAX = 480;
/** Of what is known about a topic. */
const FACTS_CHARS_MAX = 250;

/**
 * The question that says exactly what a yes would do; null where it cannot be said in one message. Everything in it comes
 * from code, from the requester's own words, or from what is to be forgotten (`facts`, with names). `isByReply`: the message
 * to be deleted is the one that was replied to.
 */
export function questionFor(
  call: ActionCall,
  asked: { readonly login: string; readonly facts: readonly string[]; readonly isByReply: boolean },
  says: Sayings,
  own: OwnQuestions,
): string | null {
  const [form, said = ""] = factsOf(call.name).question?.(call.args, asked.isByReply) ?? [];
  const text = call.name === "forget" ? forgetting(call.args, asked.facts) : said;
  if (form === undefined || text === null) return null;
  const seconds = "seconds" in call.args ? String(call.args.seconds) : "";
  const written = own[form === "askForgetTopic" ? "forgetTopic" : call.name] ?? says[form];
  const question = filled(written, { user: asked.login, seconds, text });
  return question.length > QUESTION_CHARS_MAX ? null : question;
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

/** Why something was not done, as it is said; of what stands in none of these nothing is said. */
const WHY: readonly (readonly [keyof Sayings, readonly ActionReason[]])[] = [
  ["whyOff", ["safe_mode", "class_off", "denied_action", "no_memory"]],
  ["whyTwitch", ["missing_scope", "rate_limited"]],
  ["whyText", ["arguments", "guard", "not_verbatim"]],
  ["whyUnknownUser", ["target_is_id", "target_unknown", "target_ambiguous"]],
  ["whyNoMessage", ["no_message"]],
  ["whyProtected", ["protected", "denied_target"]],
  ["whyNotAllowed", ["not_allowed"]],
  ["whyTooSoon", ["cooldown_action", "cooldown_target", "cooldown_requester"]],
  ["whyLimit", ["cap_hour", "cap_stream"]],
  ["whyUnknown", ["unknown"]],
];

/** Why something that was ordered or confirmed was not done, in one line; null where nothing is said of it. */
export function notDone(reason: ActionReason, login: string, says: Sayings): string | null {
  const [why] = WHY.find(([, reasons]) => reasons.includes(reason)) ?? [];
  if (why === undefined) return null;
  return filled(says.notDone, { why: filled(says[why], { user: login }) });
}

function filled(form: string, gaps: Readonly<Record<string, string>>): string {
  return form.replace(/\{(\w+)\}/gu, (gap, name: string) => gaps[name] ?? gap);
}
