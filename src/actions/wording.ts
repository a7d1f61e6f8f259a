import { ACTIONS } from "../catalogue/actions.ts";
import type { Sayings } from "../language/languages.ts";
import { fillNames } from "../language/people.ts";
import type { Settled, Written } from "./action-policy.ts";
import { textKeys } from "./calls.ts";
import type { ActionRequest, GatherParts } from "./gather.ts";
import type { ActionReason } from "./ledger-store.ts";

/** With the name in front of a reply it fits into a message of Twitch: a question must say all of what it asks. */
const QUESTION_CHARS_MAX = 470;
const FACTS_CHARS_MAX = 250;

/**
 * Returns the question that says exactly what a yes does; null if it does not fit into one message. Everything in it is
 * from code, from the requester's own words, or from the notes to be forgotten.
 */
export function questionFor(
  parts: GatherParts,
  settled: Settled,
  asked: ActionRequest,
  login = "",
) {
  const { messageId, call } = settled;
  const { name, args } = call;
  const action = ACTIONS[name];
  if (action.consent !== "yes") return null;
  const says = parts.says(asked.channel);
  const isByReply = messageId !== null && asked.repliesTo?.messageId === messageId;
  const forms = Object.keys(action.question);
  const form = forms.find((one) => one in args || (one === "reply" && isByReply)) ?? "usual";
  const english = action.question[form] ?? action.question.usual;
  const template = says.asks[form === "usual" ? name : `${name} ${form}`] ?? english;
  const written = Object.entries(args).map(([key, value]) => [key, [value].flat().join(" / ")]);
  const known = action.to === "memory" ? notesIn(parts, asked, args) : {};
  if (known === null) return null;
  const gaps = { ...Object.fromEntries(written), ...known, user: login, yes: says.howToAgree };
  const cut = shortened(asked, settled, says);
  const question = fillGaps(template, gaps) + (cut === null ? "" : ` (${cut})`);
  return question.length > QUESTION_CHARS_MAX ? null : question;
}

/** Says that an action lasts less long than was asked for; null if it does not. */
export function shortened({ parsed }: ActionRequest, { call: { args } }: Settled, says: Sayings) {
  const asked = parsed.kind === "action" ? Number(parsed.args["seconds"] ?? 0) : 0;
  const seconds = Number(args["seconds"] ?? asked);
  return seconds < asked ? fillGaps(says.longest, { seconds: `${seconds}` }) : null;
}

/** Says what to type for an action; dots stand for what is not known. */
export function toType({ name, args }: Written, bot: string, says: Sayings): string {
  const [key = "", choicesKey] = textKeys(name);
  const title = args[key];
  const choices = args[choicesKey ?? ""]?.split("|") ?? ["…", "…"];
  const text = choicesKey === undefined ? title : [title ?? "…", ...choices].join(" | ");
  const syntax = ACTIONS[name].syntax ?? "";
  const form = text === undefined ? syntax.replace("[: TEXT]", "") : syntax;
  const gaps: Readonly<Record<string, string>> = {
    NAME: `@${args["user"] ?? "name"}`,
    LENGTH: args["seconds"] ?? "60",
    TEXT: text ?? "…",
  };
  const rest = form.replace(/[[\]]/g, "").replace(/[A-Z]+/g, (gap) => gaps[gap] ?? gap);
  return fillGaps(says.typeThis, { line: `@${bot} ${name}${rest}` });
}

/** The words of a note; or a topic, with as many of the facts about it as fit. Null for an unknown note. */
function notesIn(
  parts: GatherParts,
  asked: ActionRequest,
  { note, topic }: Settled["call"]["args"],
) {
  const { channel, requesterId } = asked;
  const loginOf = (id: string) => parts.people.byId(channel, id)?.login ?? null;
  const which = topic === undefined ? Number(note) : { topic: String(topic) };
  const facts = (parts.memory?.factsOf(channel, requesterId, which) ?? []).map((fact) =>
    fillNames(fact, loginOf),
  );
  if (topic === undefined) return facts[0] === undefined ? null : { note: facts[0] };
  const shown = facts.filter(
    (_, at) => facts.slice(0, at + 1).join(" · ").length <= FACTS_CHARS_MAX,
  );
  const rest = facts.length > shown.length ? ` +${facts.length - shown.length}` : "";
  return { topic: facts.length === 0 ? `${topic}` : `${topic} (${shown.join(" · ")}${rest})` };
}

/** What chat is told about a refusal, by its reasons. Nothing is said about other reasons. */
const WHY: readonly (readonly [keyof Omit<Sayings, "asks">, readonly ActionReason[]])[] = [
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
  // No question was sent, and a command would do it.
  ["typeThis", ["raid", "needs_command", "question_cooldown", "not_named"]],
];

/** Says in one line that an action was not done, and why or what to type. Null if nothing is said about it. */
export function notDone(reason: ActionReason, action: Written, bot: string, says: Sayings) {
  const [why] = WHY.find(([, reasons]) => reasons.includes(reason)) ?? [];
  if (why === "typeThis") return toType(action, bot, says);
  const gaps = { user: action.args["user"] ?? "" };
  return why === undefined ? null : fillGaps(says.notDone, { why: fillGaps(says[why], gaps) });
}

function fillGaps(form: string, gaps: Readonly<Record<string, string>>): string {
  return form.replace(/\{(\w+)\}/gu, (gap, name: string) => gaps[name] ?? gap);
}
