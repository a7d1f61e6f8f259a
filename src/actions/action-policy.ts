// Pure: values in, values out.
import {
  ACTIONS,
  type ActionArg,
  type ActionLimits,
  type ActionName,
} from "../catalogue/actions.ts";
import type { Person } from "../chat/people.ts";
import { ACTION_NAMES } from "../config/names.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { ParsedAction, RawArgs } from "../language/action-syntax.ts";

/** An action with its arguments as text. Code finds the target by `args.user`, but acts only on the target's id. */
export type ActionCall = Readonly<{ name: ActionName; args: RawArgs }>;

/** An action that the model's reply proposes, or a viewer's command. `index`: its place in the reply, from 0. */
export type Proposal = Readonly<{ parsed: ParsedAction; index: number }>;

export type ActionPolicy = ConfigFile["actions"];

/**
 * Earlier runs of one action in a channel. Dry runs and waiting proposals count. `…AtMs`: the latest of all, on the
 * target and for the requester, epoch ms; null if there is none. `runs…`: their number in the last hour and in this
 * stream.
 */
export type Recent = Readonly<
  Record<"actionAtMs" | "targetAtMs" | "requesterAtMs", number | null> &
    Record<"runsThisHour" | "runsThisStream", number>
>;

/**
 * The target of an action and the message to delete, each null if there is none. `refused`: why the target may not be
 * used, or null.
 */
export type TargetFact = Readonly<{
  person: Person | null;
  messageId: string | null;
  refused: RefusalReason | null;
}>;

/**
 * Questions to the requester in this stream: the last one in epoch ms (null if none), and how many they declined or
 * ignored.
 */
export type Questions = Readonly<{ ignored: number; lastAtMs: number | null }>;

/** Everything that a decision depends on. A field is null if it could not be found out. */
export interface Facts {
  readonly nowMs: number;
  readonly policy: ActionPolicy;
  readonly switches: { readonly paused: boolean; readonly safeMode: boolean } | null;
  /** True if a token can do the action, or it needs none; else why not. */
  readonly mayCall: true | RefusalReason | null;
  /** The arguments, their texts checked; or why a text may not be sent. */
  readonly texts: RawArgs | RefusalReason | null;
  readonly target: TargetFact | null;
  readonly untouchable: { readonly streamerId: string; readonly botId: string } | null;
  readonly requester: "streamer" | "moderator" | "viewer" | null;
  /** False if the bot joined in by chance. */
  readonly isAsked: boolean;
  readonly recent: Recent | null;
  /**
   * `given` by a command, a yes or the streamer. Else `quote`: why the requester's words are no proof (null if they
   * are), and `asking`: their earlier questions.
   */
  readonly consent:
    | "given"
    | Readonly<{ quote: RefusalReason | null; asking: Questions & { isRaid: boolean } }>
    | null;
  readonly isApproved: boolean;
}

/**
 * The reasons to refuse an action, by the sentence that chat reads; `silence` sends none. docs/codes.md explains each.
 */
export const REFUSALS = {
  whyOff: ["safe_mode", "class_off", "denied_action"],
  whyTwitch: ["missing_scope"],
  whyText: ["arguments", "guard", "not_verbatim"],
  whyUnknownUser: ["target_is_id", "target_unknown", "target_ambiguous"],
  whyNoMessage: ["no_message"],
  whyProtected: ["protected", "denied_target"],
  whyNotAllowed: ["not_allowed"],
  whyTooSoon: ["cooldown_action", "cooldown_target", "cooldown_requester"],
  whyLimit: ["cap_hour", "cap_stream"],
  // A fact that a rule needs could not be found out.
  whyUnknown: ["unknown"],
  // No question was sent, and a command would do it.
  typeThis: ["raid", "needs_command", "question_cooldown", "not_named"],
  silence: [
    ...(["malformed", "too_many", "paused", "never", "not_asked", "not_own_note"] as const),
    ...(["no_quote", "unsupported", "private", "questions_ignored", "question_open"] as const),
  ],
} as const;
type RefusalReason = (typeof REFUSALS)[keyof typeof REFUSALS][number];

/** An action as it is executed. `targetId` and `messageId` are null if it needs none, or none is known. */
export type Plan = Readonly<{
  call: ActionCall;
  targetId: string | null;
  messageId: string | null;
}>;

/** The verdict: `run`, only record it (`dry_run`), wait for a yes or an approval (`hold`), or refuse it. */
export type Decision =
  | Readonly<{ kind: "run"; reason: "allowed" | "approved"; settled: Plan }>
  | Readonly<{ kind: "dry_run"; reason: "dry_run"; settled: Plan }>
  | Readonly<{ kind: "hold"; reason: "needs_approval"; waitsFor: "streamer"; settled: Plan }>
  | Readonly<{ kind: "hold"; reason: "needs_yes"; waitsFor: "requester"; settled: Plan }>
  | Readonly<{ kind: "refuse"; reason: RefusalReason }>;

export type RuleName = keyof typeof PROPOSAL_RULES | keyof typeof ACTION_RULES;

const PROPOSALS_MAX = 2;
const QUESTION_EVERY_MS = 30_000;
/** A requester who declined or ignored this many questions in one stream gets no further one. */
const IGNORED_MAX = 2;
const NOTE = /^\d{1,12}$/;

/** A reason refuses; null refuses as `unknown`; false passes. */
type Rules<T> = Readonly<Record<string, (judged: T) => RefusalReason | null | false>>;

/** Rules for every proposal. They come first; the first refusal of all rules wins. */
const PROPOSAL_RULES = {
  grammar: ({ parsed }) => parsed.kind === "malformed" && "malformed",
  count: ({ index }) => index >= PROPOSALS_MAX && "too_many",
  switches: ({ switches, policy }) => {
    if (switches?.paused !== false) return switches && "paused";
    return (switches.safeMode || policy.safeMode) && "safe_mode";
  },
  known: (proposal) => readAction(proposal) === null && "never",
} satisfies Rules<Proposal & Facts>;

/** Rules for the actions of the catalogue. */
const ACTION_RULES = {
  class: ({ gate, mayCall }) => (gate === "off" ? "class_off" : mayCall !== true && mayCall),
  arguments: ({ name, args, texts, call }) => {
    if (checkArgs(name, args) === null) return "arguments";
    if (texts === null || typeof texts === "string") return texts;
    return call === null && "arguments";
  },
  target: ({ target, person, spec }) => {
    if (target?.refused != null) return target.refused;
    if (target === null || (spec.target === "none") !== (person === null)) return null;
    return spec.target === "message" && target.messageId === null && "no_message";
  },
  protected: ({ person, untouchable, policy, spec }) => {
    if (person === null || untouchable === null) return person === null ? false : null;
    const isOurs = Object.values(untouchable).includes(person.userId);
    if (isOurs || isListed(policy.allowlist, person)) return "protected";
    const { roles } = person;
    // A raider gets a shoutout before they ever wrote; no viewer of unknown role is silenced.
    if (roles === null) return spec.class === "moderation" ? null : false;
    const isProtected = roles.broadcaster || roles.moderator || (policy.protectVips && roles.vip);
    return isProtected && "protected";
  },
  denylist: ({ name, policy: { denylist }, person }) => {
    if (denylist.actions.includes(name)) return "denied_action";
    return person !== null && isListed(denylist.targets, person) && "denied_target";
  },
  requester: ({ name, requester, isAsked }) => {
    if (!isAsked) return "not_asked";
    return requester && needsModerator(name) && requester === "viewer" && "not_allowed";
  },
  cooldown: ({ recent, limits, nowMs }) => {
    const running = (["action", "target", "requester"] as const).find((of) => {
      const atMs = recent?.[`${of}AtMs`] ?? Number.NEGATIVE_INFINITY;
      return nowMs - atMs < limits[`${of}Seconds`] * 1_000;
    });
    return recent && running !== undefined && `cooldown_${running}`;
  },
  cap: ({ recent, limits }) => {
    if (recent === null) return null;
    if (recent.runsThisHour >= limits.perHour) return "cap_hour";
    return recent.runsThisStream >= limits.perStream && "cap_stream";
  },
  /** Checks the quote, or whether a question may be sent. Only in a class on `live` is the requester asked. */
  consent: ({ consent, gate, spec, nowMs }) => {
    if (consent === null || consent === "given") return consent && false;
    if (spec.consent === "quote") return consent.quote ?? false;
    if (spec.consent === "none" || gate !== "live") return false;
    const { isRaid, lastAtMs, ignored } = consent.asking;
    if (ignored >= IGNORED_MAX) return "questions_ignored";
    if (isRaid) return "raid";
    return lastAtMs !== null && nowMs - lastAtMs < QUESTION_EVERY_MS && "question_cooldown";
  },
} satisfies Rules<NonNullable<ReturnType<typeof readInput>>>;

export const RULES = [PROPOSAL_RULES, ACTION_RULES].flatMap(Object.keys);

/**
 * Returns every rule's verdict in order: `passes`, or the reason to refuse. The rules for actions are `not_judged` if
 * the proposal names no known action.
 */
export function judgeRules(proposal: Proposal, facts: Facts) {
  const apply = <T>(rules: Rules<T>, judged: T | null) =>
    Object.entries(rules).map(([name, check]) => {
      const found = judged === null ? "not_judged" : check(judged);
      const verdict = found === false ? "passes" : (found ?? "unknown");
      return { rule: name as RuleName, verdict } as const;
    });
  const judged = readInput(proposal, facts);
  return [...apply(PROPOSAL_RULES, { ...proposal, ...facts }), ...apply(ACTION_RULES, judged)];
}

/**
 * Decides about a proposal. Refuses it if a rule does; the first one gives the reason. Else the gate of its class says
 * `dry_run`, `hold` if an approval or a yes is still missing, or `run`.
 */
export function decide(proposal: Proposal, facts: Facts): Decision {
  for (const { verdict: reason } of judgeRules(proposal, facts))
    if (reason !== "passes" && reason !== "not_judged") return { kind: "refuse", reason };
  const settled = settle(proposal, facts);
  if (settled === null) return { kind: "refuse", reason: "unknown" };
  const { class: actionClass, consent } = ACTIONS[settled.call.name];
  const gate = facts.policy.classes[actionClass];
  if (gate === "dry_run") return { kind: gate, reason: gate, settled };
  if (gate === "approve" && !facts.isApproved)
    return { kind: "hold", reason: "needs_approval", waitsFor: "streamer", settled };
  if (gate === "live" && consent === "yes" && facts.consent !== "given")
    return { kind: "hold", reason: "needs_yes", waitsFor: "requester", settled };
  return { kind: "run", reason: facts.isApproved ? "approved" : "allowed", settled };
}

/**
 * Returns a proposal as it would be executed, without applying the rules. Null if the action is unknown, or its
 * arguments or texts are unfit. Clamps the written length, else the default one, to the limits; the maximum wins.
 */
export function settle(proposal: Proposal, facts: Facts): Plan | null {
  const judged = readInput(proposal, facts);
  if (judged?.call == null) return null;
  const { call, policy, limits, spec, person, target } = judged;
  const lengths = Object.entries(spec.args).flatMap(([key, arg]) => {
    if (arg.kind !== "seconds") return [];
    const usual = arg.usual === "timeoutSeconds" ? policy.timeoutSeconds : arg.usual;
    const asked = Math.max(Number(call.args[key] ?? usual), limits.secondsMin);
    return [[key, `${Math.min(asked, limits.secondsMax)}`]];
  });
  return {
    call: { name: call.name, args: { ...call.args, ...Object.fromEntries(lengths) } },
    targetId: person?.userId ?? null,
    messageId: spec.target === "message" ? (target?.messageId ?? null) : null,
  };
}

/**
 * Returns the input of the rules for actions; null for an unknown action. `call` is null if the arguments or texts are
 * unfit.
 */
function readInput(proposal: Proposal, facts: Facts) {
  const action = readAction(proposal);
  if (action === null) return null;
  const { texts, policy } = facts;
  const spec = ACTIONS[action.name];
  const call = typeof texts === "string" ? null : texts && checkArgs(action.name, texts);
  const person = facts.target?.person ?? null;
  const limits = mergeLimits(action.name, policy);
  return { ...facts, ...action, spec, gate: policy.classes[spec.class], limits, call, person };
}

function isListed(list: readonly string[], { login, userId }: Person): boolean {
  return list.includes(login) || list.includes(userId);
}

/** Returns the limits of an action: each from the configuration, else from the catalogue. */
export function mergeLimits(name: ActionName, policy: ActionPolicy): ActionLimits {
  return { ...ACTIONS[name].limits, ...policy.limits[name] } as ActionLimits;
}

/** Returns the proposed action with its arguments as written; null if it is malformed or not in the catalogue. */
export function readAction({ parsed }: Proposal): ActionCall | null {
  const name = parsed.kind === "action" ? findAction(parsed.name) : null;
  return parsed.kind === "malformed" || name === null ? null : { name, args: parsed.args };
}

export function findAction(name: string): ActionName | null {
  return ACTION_NAMES.find((known) => known === name) ?? null;
}

/** True if an action needs a moderator's command or yes. */
export function needsModerator(name: ActionName): boolean {
  return ACTIONS[name].consent === "yes" && ACTIONS[name].class !== "memory";
}

/** Returns the keys of an action's free texts, in order. All choices of a poll together are one text. */
export function listTextKeys(name: ActionName): string[] {
  const { args } = ACTIONS[name];
  return Object.keys(args).filter((key) => ["text", "choices"].includes(args[key]?.kind ?? ""));
}

/**
 * Returns an action with its arguments trimmed, without those of kind `unused`. Null if a needed argument is missing,
 * one is unfit (as a blank text is) or unknown, or an action that takes one argument has none or two.
 */
export function checkArgs(name: ActionName, args: RawArgs): ActionCall | null {
  const { args: known, takesOneArg } = ACTIONS[name];
  const keys = Object.keys(args);
  if (keys.some((key) => !Object.hasOwn(known, key))) return null;
  if (takesOneArg && keys.length !== 1) return null;
  const checked: Record<string, string> = {};
  for (const [key, arg] of Object.entries(known)) {
    const text = args[key]?.trim();
    const isMissing = text === undefined;
    const isNeeded = arg.kind === "text" ? arg.isNeeded : ["user", "note"].includes(arg.kind);
    if (isMissing ? isNeeded && !takesOneArg : !isFit(arg, text)) return null;
    if (!isMissing && arg.kind !== "unused") checked[key] = text;
  }
  return { name, args: checked };
}

function isFit(arg: ActionArg, text: string): boolean {
  const fits = (one: string, charsMax: number) => one !== "" && one.length <= charsMax;
  switch (arg.kind) {
    case "user":
    case "text":
      return fits(text, arg.charsMax);
    case "note":
      return NOTE.test(text);
    case "seconds":
      return /^\d{1,9}$/.test(text);
    case "choices": {
      const choices = text
        .toLowerCase()
        .split("|")
        .map((choice) => choice.trim());
      const { size } = new Set(choices);
      const isDistinct = size === choices.length && size >= 2 && size <= arg.countMax;
      return isDistinct && choices.every((choice) => fits(choice, arg.charsMax));
    }
    case "quote":
      return text !== "";
    case "unused":
      return true;
  }
}
