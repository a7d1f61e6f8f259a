// Pure: values in, values out.

import type { Sayings } from "../language/languages.ts";
import { fillNames } from "../language/people.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { Settled } from "./action-policy.ts";
import type { ActionReason } from "./ledger-store.ts";

/** The streamer's own texts of questions, by action. */
export type OwnQuestions = Readonly<Partial<Record<ActionName, string | null | undefined>>>;

/** Longer ones would be cut by Twitch, and a question must say all of what it asks. */
const QUESTION_CHARS_MAX = 480;

/** What fills the gaps of a question. */
interface Asked {
  readonly login: string;
  /** Of a note that is to be forgotten. */
  readonly fact: string | null;
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
  const form = own[call.name] ?? formFor(settled, asked, says);
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

function textIn({ call }: Settled, { fact, login }: Asked): string | null {
  switch (call.name) {
    case "timeout":
    case "warn":
      return call.args.reason ?? "";
    case "announce":
      return call.args.text;
    case "poll":
      return `${call.args.title} (${call.args.choices.join(" / ")})`;
    case "forget":
      if ("topic" in call.args) return call.args.topic;
      return fact === null ? null : fillNames(fact, () => login);
    default:
      return "";
  }
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
