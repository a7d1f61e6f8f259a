import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import type { Sayings } from "../language/languages.ts";
import { fillNames } from "../language/people.ts";
import { type ActionCall, listTextKeys, type Plan, REFUSALS } from "./action-policy.ts";
import type { Execution } from "./execute.ts";
import { type ActionRequest, channelSayings, type GatherParts } from "./gather.ts";
import type { ActionReason } from "./ledger-store.ts";

/** A longer question would not fit into one message of Twitch with the name in front of it. */
const QUESTION_CHARS_MAX = 470;
const FACTS_CHARS_MAX = 250;

/**
 * Returns the question that says exactly what a yes does. Null if the action needs no yes, names a note by a number
 * that is unknown, or its question does not fit into one message. A topic without notes still has a question.
 * Everything in it is from code, from the requester's own words, or from their notes. `login`: the target's.
 */
export function writeQuestion(
  parts: GatherParts,
  settled: Plan,
  asked: ActionRequest,
  login = "",
): string | null {
  const { messageId, call } = settled;
  const { name, args } = call;
  const action = ACTIONS[name];
  if (action.consent !== "yes") return null;
  const says = channelSayings(asked.channel, parts);
  const isByReply = messageId !== null && asked.repliesTo?.messageId === messageId;
  const forms = Object.keys(action.question);
  const form = forms.find((one) => one in args || (one === "reply" && isByReply)) ?? "usual";
  const english = action.question[form] ?? action.question.usual;
  const template = says.asks[form === "usual" ? name : `${name} ${form}`] ?? english;
  const facts = action.to === "memory" ? readFacts(parts, asked, args) : {};
  if (facts === null) return null;
  const choices = args["choices"]?.replaceAll("|", " / ") ?? "";
  const gaps = { ...args, choices, ...facts, user: login, yes: says.howToAgree };
  const cut = describeCut(asked, settled, says);
  const question = fillGaps(template, gaps) + (cut === null ? "" : ` (${cut})`);
  return question.length > QUESTION_CHARS_MAX ? null : question;
}

/** Returns the words that an action lasts less long than was asked for; null if it does not. */
export function describeCut({ parsed }: ActionRequest, { call: { args } }: Plan, says: Sayings) {
  const asked = parsed.kind === "action" ? Number(parsed.args["seconds"] ?? 0) : 0;
  const seconds = args["seconds"] ?? "";
  return Number(seconds) < asked ? fillGaps(says.longest, { seconds }) : null;
}

/**
 * Returns the line that says what to type for an action. Unknown parts become `@name`, `60` and `…`; an optional text
 * is left out.
 */
export function writeExample(
  { name, args }: ActionCall,
  channel: string,
  parts: GatherParts,
): string {
  const [key = "", choicesKey] = listTextKeys(name);
  const choices = args[choicesKey ?? ""]?.split("|") ?? ["…", "…"];
  const text = choicesKey === undefined ? args[key] : [args[key] ?? "…", ...choices].join(" | ");
  const syntax = ACTIONS[name].syntax ?? "";
  const gaps: Readonly<Record<string, string>> = {
    NAME: `@${args["user"] ?? "name"}`,
    LENGTH: args["seconds"] ?? "60",
    TEXT: text ?? "…",
  };
  const form = text === undefined ? syntax.replace("[: TEXT]", "") : syntax;
  const rest = form.replace(/[[\]]/g, "").replace(/[A-Z]+/g, (gap) => gaps[gap] ?? gap);
  const line = `@${parts.config.bot.login ?? ""} ${name}${rest}`;
  return fillGaps(channelSayings(channel, parts).typeThis, { line });
}

/**
 * Returns the words of a note (null for an unknown one) or of a topic: `topic (fact · fact +2)`. The facts fit into
 * 250 characters; `+2` counts the others. A topic without facts stands alone.
 */
function readFacts(
  { people, memory }: GatherParts,
  { channel, requesterId }: ActionRequest,
  { note, topic }: ActionCall["args"],
) {
  const loginOf = (id: string) => people.findById(channel, id)?.login ?? null;
  const which = topic === undefined ? Number(note) : { topic };
  const stored = memory.factsOf(channel, requesterId, which);
  const facts = stored.map((fact) => fillNames(fact, loginOf));
  if (topic === undefined) return facts[0] === undefined ? null : { note: facts[0] };
  const fits = (_: string, at: number) =>
    at === 0 || facts.slice(0, at + 1).join(" · ").length <= FACTS_CHARS_MAX;
  const shown = facts.filter(fits);
  const rest = facts.length > shown.length ? ` +${facts.length - shown.length}` : "";
  return { topic: facts.length === 0 ? topic : `${topic} (${shown.join(" · ")}${rest})` };
}

/**
 * Returns a line that an action was not done, and why or what to type; null for a silent reason or one that refuses
 * nothing.
 */
export function writeRefusal(
  reason: ActionReason,
  action: ActionCall,
  channel: string,
  parts: GatherParts,
): string | null {
  const kinds = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[];
  const why = kinds.find((kind) => REFUSALS[kind].some((one) => one === reason)) ?? "silence";
  if (why === "silence") return null;
  if (why === "typeThis") return writeExample(action, channel, parts);
  const says = channelSayings(channel, parts);
  const gaps = { user: action.args["user"] ?? "" };
  return fillGaps(says.notDone, { why: fillGaps(says[why], gaps) });
}

/** Fills the `{gaps}` of a form. One without a value stays as it is. */
function fillGaps(form: string, gaps: Readonly<Record<string, string>>): string {
  return form.replace(/\{(\w+)\}/gu, (gap, name: string) => gaps[name] ?? gap);
}

const ENDINGS: Readonly<Record<Execution["outcome"], string>> = {
  done: "was done",
  failed: "was not done",
  unknown: "may or may not have happened",
};

/** Returns the text of a notice on an execution that failed or may have failed: its code and the fix. */
export function describeFailure(name: ActionName, { outcome, error }: Execution): string {
  const isBot = ACTIONS[name].token === "bot";
  const variable = isBot ? "TWITCH_ACCESS_TOKEN" : "TWITCH_STREAMER_ACCESS_TOKEN";
  const fixes: Readonly<Record<string, string>> = {
    unauthorised: `Log in again with \`forgetmenot setup\`, or set a fresh ${variable}`,
    missing_scope: `Log in again with \`forgetmenot setup\`, or set a ${variable} with the scope that the action needs`,
    forbidden: isBot
      ? "Make the bot a moderator: type `/mod` and its login in your chat"
      : "Nothing to do: Twitch does not let this channel do it",
    rate_limited: "Nothing to do: Twitch asks to wait",
  };
  const code = error ?? "unknown";
  const fix = fixes[code] ?? "Type `forgetmenot actions list`";
  return `The action ${name} ${ENDINGS[outcome]} (${code}). ${fix}.`;
}
