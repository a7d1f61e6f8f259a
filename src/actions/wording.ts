import type { Sayings } from "../language/languages.ts";
import { fillNames } from "../language/people.ts";
import type { Settled, Written } from "./action-policy.ts";
import { type ActionCall, factsOf } from "./catalogue.ts";
import type { Asked, GatherParts } from "./gather.ts";
import type { ActionReason } from "./ledger-store.ts";

/** Longer ones would be cut by Twitch, and a question must say all of what it asks. */
const QUESTION_CHARS_MAX = 480;
/** Of what is known about a topic. */
const FACTS_CHARS_MAX = 250;

/**
 * The question that says exactly what a yes would do; null where it cannot be said in one message. Everything in it comes
 * from code, from the requester's own words, or from what is to be forgotten.
 */
export function questionFor(parts: GatherParts, settled: Settled, asked: Asked, login = "") {
  const { messageId, call } = settled;
  const { name, args } = call;
  const isByReply = messageId !== null && asked.repliesTo?.messageId === messageId;
  const [form, said = ""] = factsOf(name).question?.(args, isByReply) ?? [];
  const text = call.name === "forget" ? forgetting(parts, asked, call.args) : said;
  if (form === undefined || text === null) return null;
  const says = parts.says(asked.channel);
  const seconds = "seconds" in args ? String(args.seconds) : "";
  const gaps = { user: login, seconds, text, yes: says.howToAgree };
  const question = filled(says[form], gaps);
  const cut = shortened(asked, settled, says);
  const whole = cut === null ? question : `${question} (${cut})`;
  return whole.length > QUESTION_CHARS_MAX ? null : whole;
}

/** Says that an action lasts less long than was asked for; null if it does not. */
export function shortened({ parsed }: Asked, { call: { args } }: Settled, says: Sayings) {
  const asked = parsed.kind === "action" ? Number(parsed.args["seconds"] ?? 0) : 0;
  const isShorter = "seconds" in args && args.seconds < asked;
  return isShorter ? filled(says.longest, { seconds: String(args.seconds) }) : null;
}

/** Says what to type for an action; dots stand for what is not known. */
export function toType({ name, args }: Written, bot: string, says: Sayings): string {
  const { user = "name", seconds = "60", title, choices = "" } = args;
  const poll = title === undefined ? "… | … | …" : [title, ...choices.split("|")].join(" | ");
  const text = name === "poll" ? poll : (args["text"] ?? args["reason"]);
  const syntax = factsOf(name).syntax ?? "";
  const form = text === undefined ? syntax.replace("[: TEXT]", "") : syntax;
  const gaps: Readonly<Record<string, string>> = {
    NAME: `@${user}`,
    LENGTH: seconds,
    TEXT: text ?? "…",
  };
  const rest = form.replace(/[[\]]/g, "").replace(/[A-Z]+/g, (gap) => gaps[gap] ?? gap);
  return filled(says.typeThis, { line: `@${bot} ${name}${rest}` });
}

type ForgetArgs = Extract<ActionCall, { readonly name: "forget" }>["args"];

/** A note's words; or a topic, and as many of the facts about it as there is room for. */
function forgetting({ memory, people }: GatherParts, asked: Asked, args: ForgetArgs) {
  const { channel, requesterId } = asked;
  const loginOf = (id: string) => people.byId(channel, id)?.login ?? null;
  const known = memory?.factsOf(channel, requesterId, "note" in args ? args.note : args) ?? [];
  const facts = known.map((fact) => fillNames(fact, loginOf));
  if ("note" in args) return facts[0] ?? null;
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
/** No question was sent, and a command would do it. */
const NEEDS_TYPING: readonly ActionReason[] = [
  "raid",
  "needs_command",
  "question_cooldown",
  "not_named",
];

/** Says in one line that an action was not done, and why or what to type; null if nothing is said about it. */
export function notDone(reason: ActionReason, { name, args }: Written, bot: string, says: Sayings) {
  if (NEEDS_TYPING.includes(reason)) return toType({ name, args }, bot, says);
  const [why] = WHY.find(([, reasons]) => reasons.includes(reason)) ?? [];
  const user = args["user"] ?? "";
  return why === undefined ? null : filled(says.notDone, { why: filled(says[why], { user }) });
}

function filled(form: string, gaps: Readonly<Record<string, string>>): string {
  return form.replace(/\{(\w+)\}/gu, (gap, name: string) => gaps[name] ?? gap);
}
