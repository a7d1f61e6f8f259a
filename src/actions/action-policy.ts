// Pure: values in, values out.

import type { ActionName } from "../config/names.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { Parsed, RawArgs } from "../language/action-syntax.ts";
import type { ActionCall, ActionLimits } from "./catalogue.ts";
import { actionNamed, factsOf, readCall, SECONDS_USUAL, touchesOthers } from "./catalogue.ts";
import type { Person, Unresolved } from "./resolve.ts";

/** What is to be judged: the n-th proposal of one reply, counted from 0, or a command. */
export interface Proposal {
  readonly parsed: Parsed;
  readonly index: number;
}

export type ActionPolicy = ConfigFile["actions"];

/** What the ledger says of an action in a channel, epoch ms and runs; nulls where there was no run. */
export type Recent = Readonly<
  Record<"actionAtMs" | "targetAtMs" | "requesterAtMs", number | null> &
    Record<"runsThisHour" | "runsThisStream", number>
>;

/** Whom it is about: nobody, whom code found and the message that a deletion takes away, or why they are not. */
export interface TargetFact {
  readonly person: Person | null;
  readonly messageId: string | null;
  readonly refused: Target | null;
}

/**
 * Questions to the requester: when the last was asked, epoch ms; how many of this stream were declined or ignored; and how
 * many about memory are open, if this one is about memory.
 */
export type Asking = Readonly<
  Record<"ignored" | "openCount", number> & { lastAtMs: number | null; isRaid: boolean }
>;

/** Everything a decision hangs on, gathered before. null: it could not be found out. */
export interface Facts {
  readonly nowMs: number;
  readonly policy: ActionPolicy;
  readonly switches: { readonly paused: boolean; readonly safeMode: boolean } | null;
  /** Whether there is a token, or a memory, that may do it, and Twitch did not ask to wait with it. */
  readonly mayCall: true | Means | null;
  /** The arguments as they may be said: checked by the reply guard, free text in the requester's own words; or why not. */
  readonly texts: RawArgs | "guard" | "not_verbatim" | null;
  readonly target: TargetFact | null;
  readonly untouchable: { readonly streamerId: string; readonly botId: string } | null;
  readonly requester: "streamer" | "moderator" | "viewer" | null;
  /** False where the bot joined in by chance: nobody asked for anything. */
  readonly isAsked: boolean;
  readonly recent: Recent | null;
  /** `given` by a command, a yes or the streamer; else what the requester's words prove, and whether to ask. */
  readonly consent: "given" | Readonly<{ quote: QuoteRefusal | null; asking: Asking }> | null;
  /** By the streamer. */
  readonly isApproved: boolean;
}

export type QuoteRefusal = "no_quote" | "unsupported" | "private";

type Gate = "malformed" | "too_many" | "paused" | "safe_mode" | "never" | "class_off";
type Means = "missing_scope" | "rate_limited" | "no_memory";
type Texts = "arguments" | "guard" | "not_verbatim";
type Target = Unresolved | "no_message" | "not_own_note" | "not_named" | "protected";
type Lists = "denied_action" | "denied_target" | "not_asked" | "not_allowed";
type Cooldown = "cooldown_action" | "cooldown_target" | "cooldown_requester";
type Cap = "cap_hour" | "cap_stream";
type Consent = QuoteRefusal | Unasked;
/** Why no question is sent. */
type Unasked =
  | "needs_command"
  | "questions_ignored"
  | "question_open"
  | "question_cooldown"
  | "raid";
/** By the rules below, in their order; `unknown`: what a rule needs could not be found out. */
type RefusalReason = Gate | Means | Texts | Target | Lists | Cooldown | Cap | Consent | "unknown";

/** An action as it is executed: nothing in it is looked up again. */
export interface Settled {
  readonly call: ActionCall;
  readonly targetId: string | null;
  readonly messageId: string | null;
}

export type WaitsFor = "requester" | "streamer";

type Asks = "needs_approval" | "needs_yes";
/** What becomes of a proposal, with one reason. */
export type Decision =
  | Readonly<{ kind: "run"; reason: "allowed" | "approved"; settled: Settled }>
  | Readonly<{ kind: "dry_run"; reason: "dry_run"; settled: Settled }>
  | Readonly<{ kind: "hold"; reason: Asks; waitsFor: WaitsFor; settled: Settled }>
  | Readonly<{ kind: "refuse"; reason: RefusalReason }>;

export type RuleName = keyof typeof PROPOSAL_RULES | keyof typeof ACTION_RULES;

/** An action of the catalogue, and its arguments as they were written. */
export interface Written {
  readonly name: ActionName;
  readonly args: RawArgs;
}

const PROPOSALS_MAX = 2;
const QUESTION_EVERY_MS = 30_000;
/** Questions of one requester, in one stream, that were declined or ignored. */
const IGNORED_MAX = 2;
export const SEND_WITHIN_MS = 5_000;
export const ANSWER_WITHIN_MS = 60_000;

/**
 * Of whatever is proposed. These and those below in this order, the first refusal wins: a reason; `null` refuses, too, where
 * something is not known; `false`: nothing stands against it. Design part 9.
 */
const PROPOSAL_RULES = {
  grammar: ({ parsed }) => parsed.kind === "malformed" && "malformed",
  count: ({ index }) => index >= PROPOSALS_MAX && "too_many",
  switches: ({ switches, policy }) => {
    if (switches?.paused !== false) return switches && "paused";
    return (switches.safeMode || policy.safeMode) && "safe_mode";
  },
  known: (proposal) => actionIn(proposal) === null && "never",
} satisfies Rules<Proposal & Facts>;

const ACTION_RULES = {
  class: ({ gate, mayCall }) => (gate === "off" ? "class_off" : mayCall !== true && mayCall),
  arguments: ({ name, args, texts, call }) => {
    if (readCall(name, args) === null) return "arguments";
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
    // A raider may be shouted out before they ever spoke; nobody is silenced of whom nothing is known.
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
    return requester && touchesOthers(name) && requester === "viewer" && "not_allowed";
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
  /** Whether words prove it, or a question may be asked. Where the streamer answers, nobody else is asked. */
  consent: ({ consent, gate, spec, nowMs }) => {
    if (consent === null || consent === "given") return consent && false;
    if (spec.consent === "quote") return consent.quote ?? false;
    if (spec.consent === "none" || gate !== "live") return false;
    const { isRaid, openCount, lastAtMs, ignored } = consent.asking;
    if (ignored >= IGNORED_MAX) return "questions_ignored";
    if (isRaid) return "raid";
    if (openCount > 0) return "question_open";
    return lastAtMs !== null && nowMs - lastAtMs < QUESTION_EVERY_MS && "question_cooldown";
  },
} satisfies Rules<Judged>;

type Rules<T> = Readonly<Record<string, (judged: T) => RefusalReason | null | false>>;

export const RULES = [PROPOSAL_RULES, ACTION_RULES].flatMap(Object.keys);

/** Every rule's verdict, in order; `not_judged` where an earlier refusal left it nothing to judge. */
export function verdicts(proposal: Proposal, facts: Facts) {
  const by = <T>(rules: Rules<T>, judged: T | null) =>
    Object.entries(rules).map(([name, check]) => {
      const found = judged === null ? "not_judged" : check(judged);
      const verdict = found === false ? "passes" : (found ?? "unknown");
      return { rule: name as RuleName, verdict } as const;
    });
  const judged = judgedBy(proposal, facts);
  return [...by(PROPOSAL_RULES, { ...proposal, ...facts }), ...by(ACTION_RULES, judged)];
}

/** Total: every proposal gets one decision, from the first rule that refuses it, else from the gate of its class. */
export function decide(proposal: Proposal, facts: Facts): Decision {
  for (const { verdict: reason } of verdicts(proposal, facts))
    if (reason !== "passes" && reason !== "not_judged") return { kind: "refuse", reason };
  const judged = judgedBy(proposal, facts);
  const settled = settle(proposal, facts);
  if (judged === null || settled === null) return { kind: "refuse", reason: "unknown" };
  const { gate, spec, isApproved, consent } = judged;
  if (gate === "dry_run") return { kind: gate, reason: gate, settled };
  if (gate === "approve" && !isApproved)
    return { kind: "hold", reason: "needs_approval", waitsFor: "streamer", settled };
  if (gate === "live" && spec.consent === "yes" && consent !== "given")
    return { kind: "hold", reason: "needs_yes", waitsFor: "requester", settled };
  return { kind: "run", reason: isApproved ? "approved" : "allowed", settled };
}

/**
 * A proposal as it would be executed; null if its arguments do not allow it. The length is clamped last, so that nothing
 * before can widen the range. If the range is upside down, its shorter end holds.
 */
export function settle(proposal: Proposal, facts: Facts): Settled | null {
  const judged = judgedBy(proposal, facts);
  if (judged?.call == null) return null;
  const { name, args } = judged.call;
  const { policy, limits, spec, person, target } = judged;
  const { secondsMin, secondsMax } = limits;
  const usual = name === "timeout" ? policy.timeoutSeconds : SECONDS_USUAL;
  const asked = Number(judged.args["seconds"] ?? usual);
  const seconds = Math.max(1, Math.min(Math.max(asked, secondsMin), secondsMax));
  const lasting = "seconds" in args ? { ...args, seconds } : args;
  const messageId = spec.target === "message" ? (target?.messageId ?? null) : null;
  return {
    call: { name, args: lasting } as ActionCall,
    targetId: person?.userId ?? null,
    messageId,
  };
}

/** How long an answer is waited for at the most, as long as a question was not sent yet. */
export function waitMs(waitsFor: WaitsFor, { approvalSeconds }: ActionPolicy): number {
  return waitsFor === "streamer" ? approvalSeconds * 1_000 : SEND_WITHIN_MS + ANSWER_WITHIN_MS;
}

/** What holds for an action: the catalogue's, but where the configuration says otherwise. */
export function limitsOf(name: ActionName, policy: ActionPolicy): ActionLimits {
  return { ...factsOf(name).limits, ...policy.limits[name] } as ActionLimits;
}

/** What is proposed, of what the catalogue has. */
export function actionIn({ parsed }: Proposal): Written | null {
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  return parsed.kind === "malformed" || name === null ? null : { name, args: parsed.args };
}

type Judged = NonNullable<ReturnType<typeof judgedBy>>;

/** Null for what the catalogue has not; `call` with its texts as they may be said. */
function judgedBy(proposal: Proposal, facts: Facts) {
  const action = actionIn(proposal);
  if (action === null) return null;
  const { texts, policy } = facts;
  const spec = factsOf(action.name);
  const call = typeof texts === "string" ? null : texts && readCall(action.name, texts);
  const person = facts.target?.person ?? null;
  const limits = limitsOf(action.name, policy);
  return { ...facts, ...action, spec, gate: policy.classes[spec.class], limits, call, person };
}

function isListed(list: readonly string[], { login, userId }: Person): boolean {
  return list.includes(login) || list.includes(userId);
}
