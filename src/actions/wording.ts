// Pure: values in, values out.
import type { Sayings } from "../language/languages.ts";
import { type ActionCall, factsOf } from "./catalogue.ts";
import type { ActionReason } from "./ledger-store.ts";

/** Longer ones would be cut by Twitch, and a question must say all of what it asks. */
const QUESTION_CHARS_MAX = 480;
/** Of what is known about a topic. */
const FACTS_CHARS_MAX = 250;

/**
 * The question that says exactly what a yes would do; null where it cannot be said in one message. Everything in it comes
 * from code, from the requester's own words, or from what is to be forgotten (`facts`, with names). `isByReply`: the message
 * to be deleted is the one that was replied to. `own`: the streamer's texts of questions.
 */
export function questionFor(
  call: ActionCall,
  asked: { readonly login: string; readonly facts: readonly string[]; readonly isByReply: boolean },
  says: Sayings,
  own: Readonly<Record<string, string | null>>,
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
