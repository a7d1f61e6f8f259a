// Pure: values in, values out.
import type { Parsed, RawArgs } from "../language/action-syntax.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { ConfigFile } from "../platform/config/schema.ts";
import type { ActionCall, ActionLimits } from "./catalogue.ts";
import { actionNamed, CATALOGUE, isTimed, readCall, SECONDS_USUAL } from "./catalogue.ts";
import type { Person, Unresolved } from "./resolve.ts";

/** What is to be judged: the n-th proposal of one reply, counted from 0, or a command. */
export interface Proposal {
  readonly parsed: Parsed;
  readonly index: number;
}

export type ActionPolicy = ConfigFile["actions"];

/** What the ledger says of an action in a channel, epoch ms and runs; nulls where there was no run. */
export interface Recent {
  readonly actionAtMs: number | null;
  readonly targetAtMs: number | null;
  readonly requesterAtMs: number | null;
  readonly runsThisHour: number;
  readonly runsThisStream: number;
}

/** What the turn is about: no target, or the one that code found. */
export type TargetFact =
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: Target }
  | {
      readonly kind: "found";
      readonly person: Person;
      /** The message that a deletion takes away. */
      readonly messageId: string | null;
    };

/** How the requester may be asked: what stands against one more question to them, epoch ms and counts. */
export interface Asking {
  readonly isRaid: boolean;
  /** Questions about memory that wait for this very viewer, where it is about memory. */
  readonly openCount: number;
  readonly lastAtMs: number | null;
  /** Questions of this stream that nobody answered, or with a no: the requester's, and everybody's. */
  readonly ownVain: number;
  readonly allVain: number;
}

/** Everything a decision hangs on, gathered before. null: it could not be found out. */
export interface Facts {
  readonly nowMs: number;
  readonly policy: ActionPolicy;
  readonly switches: { readonly paused: boolean; readonly safeMode: boolean } | null;
  /** Whether there is a token, or a memory, that may do it; `rate_limited` where Twitch asked to wait with it. */
  readonly mayCall: boolean | "rate_limited" | null;
  /** The arguments as they may be said: checked by the reply guard, free text in the requester's own words. */
  readonly texts:
    | { readonly kind: "passed"; readonly args: RawArgs }
    | { readonly kind: "refused"; readonly reason: "guard" | "not_verbatim" }
    | null;
  readonly target: TargetFact | null;
  /** The streamer and the bot. */
  readonly untouchable: { readonly streamerId: string; readonly botId: string } | null;
  /** Who asked, or spoke. */
  readonly requester: "streamer" | "moderator" | "viewer" | null;
  /** False where the bot joined in by chance: nobody asked for anything. */
  readonly isAsked: boolean;
  /** The length that the requester's words say, seconds; null where they say none for certain. */
  readonly saidSeconds: number | null;
  readonly recent: Recent | null;
  /** `given` by a command, a yes or the streamer; else what the requester's words prove, and whether to ask. */
  readonly consent:
    | "given"
    | { readonly quote: QuoteRefusal | null; readonly asking: Asking }
    | null;
  /** Whether the streamer approved this very proposal. */
  readonly isApproved: boolean;
}

/** Why words do not prove what is to be kept about somebody. */
export type QuoteRefusal = "no_quote" | "unsupported" | "private";

type Gate = "malformed" | "too_many" | "paused" | "safe_mode" | "never" | "class_off";
type Means = "missing_scope" | "rate_limited" | "no_memory";
type Texts = "arguments" | "guard" | "not_verbatim";
type Target = Unresolved | "no_message" | "not_own_note" | "not_named" | "protected";
type Lists = "denied_action" | "denied_target" | "not_asked" | "not_allowed";
type Cooldown = "cooldown_action" | "cooldown_target" | "cooldown_requester";
type Cap = "cap_hour" | "cap_stream";
type Consent = QuoteRefusal | "needs_command" | "question_open" | "question_cooldown" | "raid";
/** By the rules below, in their order; `unknown`: what a rule needs could not be found out. */
type RefusalReason = Gate | Means | Texts | Target | Lists | Cooldown | Cap | Consent | "unknown";

/** An action as it is executed: nothing in it is looked up again. */
export interface Settled {
  readonly call: ActionCall;
  readonly targetId: string | null;
  readonly messageId: string | null;
}

/** Whose answer a held proposal waits for. */
export type WaitsFor = "requester" | "streamer";

/** What becomes of a proposal, with one reason. */
export type Decision =
  | { readonly kind: "run"; readonly reason: "allowed" | "approved"; readonly settled: Settled }
  | { readonly kind: "dry_run"; readonly reason: "dry_run"; readonly settled: Settled }
  | {
      readonly kind: "hold";
      readonly reason: "needs_approval" | "needs_yes";
      readonly waitsFor: WaitsFor;
      readonly settled: Settled;
    }
  | { readonly kind: "refuse"; readonly reason: RefusalReason };

export type RuleName = keyof typeof PROPOSAL_RULES | keyof typeof ACTION_RULES;

/** What a rule says of a proposal; `not_judged` where an earlier refusal left it nothing to judge. */
type Verdict = RefusalReason | "passes" | "not_judged";

/** An action of the catalogue, and its arguments as they were written. */
export interface Written {
  readonly name: ActionName;
  readonly args: RawArgs;
}

const PROPOSALS_MAX = 2;
const QUESTION_EVERY_MS = 30_000;
const OWN_VAIN_MAX = 2;
export const ALL_VAIN_MAX = 5;
export const SEND_WITHIN_MS = 5_000;
export const ANSWER_WITHIN_MS = 30_000;

/** Of whatever is proposed. These and those below in this order, the first refusal wins. Design part 9. */
const PROPOSAL_RULES = {
  grammar: ({ parsed }) => (parsed.kind === "malformed" ? "malformed" : null),
  count: ({ index }) => (index < PROPOSALS_MAX ? null : "too_many"),
  switches: ({ switches, policy }) => {
    if (switches === null) return "unknown";
    if (switches.paused) return "paused";
    return switches.safeMode || policy.safeMode ? "safe_mode" : null;
  },
  known: (proposal) => (actionIn(proposal) === null ? "never" : null),
} satisfies Rules<Proposal & Facts>;

/** Of an action that the catalogue has. */
const ACTION_RULES = {
  class: ({ name, policy, mayCall }) => {
    const { class: actionClass } = CATALOGUE[name];
    if (policy.classes[actionClass] === "off") return "class_off";
    if (mayCall === null) return "unknown";
    if (mayCall === "rate_limited") return mayCall;
    const missing = actionClass === "memory" ? "no_memory" : "missing_scope";
    return mayCall ? null : missing;
  },
  arguments: ({ name, args, texts, call }) => {
    if (readCall(name, args) === null) return "arguments";
    if (texts === null) return "unknown";
    if (texts.kind === "refused") return texts.reason;
    return call === null ? "arguments" : null;
  },
  target: ({ name, target }) => {
    if (target?.kind === "refused") return target.reason;
    const wanted = CATALOGUE[name].target;
    if (target === null || (wanted === "none") !== (target.kind === "none")) return "unknown";
    const hasMessage = target.kind === "found" && target.messageId !== null;
    return wanted === "message" && !hasMessage ? "no_message" : null;
  },
  protected: ({ name, target, untouchable, policy }) => {
    if (target?.kind !== "found") return null;
    if (untouchable === null) return "unknown";
    const { userId, roles } = target.person;
    if (userId === untouchable.streamerId || userId === untouchable.botId) return "protected";
    if (isListed(policy.allowlist, target.person)) return "protected";
    // A raider may be shouted out before they ever spoke; nobody is silenced of whom nothing is known.
    if (roles === null) return CATALOGUE[name].class === "moderation" ? "unknown" : null;
    const isProtected = roles.broadcaster || roles.moderator || (policy.protectVips && roles.vip);
    return isProtected ? "protected" : null;
  },
  denylist: ({ name, policy: { denylist }, target }) => {
    if (denylist.actions.includes(name)) return "denied_action";
    const isDenied = target?.kind === "found" && isListed(denylist.targets, target.person);
    return isDenied ? "denied_target" : null;
  },
  requester: ({ name, requester, isAsked }) => {
    if (!isAsked) return "not_asked";
    if (requester === null) return "unknown";
    return CATALOGUE[name].asks === "moderator" && requester === "viewer" ? "not_allowed" : null;
  },
  cooldown: ({ name, recent, policy, nowMs }) => {
    if (recent === null) return "unknown";
    const limits = limitsOf(name, policy);
    for (const of of ["action", "target", "requester"] as const) {
      const atMs = recent[`${of}AtMs`];
      if (atMs !== null && nowMs - atMs < limits[`${of}Seconds`] * 1_000) return `cooldown_${of}`;
    }
    return null;
  },
  cap: ({ name, recent, policy }) => {
    if (recent === null) return "unknown";
    const limits = limitsOf(name, policy);
    if (recent.runsThisHour >= limits.perHour) return "cap_hour";
    return recent.runsThisStream >= limits.perStream ? "cap_stream" : null;
  },
  /** Whether words prove it, or a question may be asked. Where the streamer answers, nobody else is asked. */
  consent: ({ name, consent, policy, nowMs }) => {
    if (consent === null) return "unknown";
    if (consent === "given") return null;
    const { consent: wanted, class: actionClass } = CATALOGUE[name];
    if (wanted === "quote") return consent.quote;
    if (wanted === "none" || policy.classes[actionClass] !== "live") return null;
    const { isRaid, openCount, lastAtMs, ownVain, allVain } = consent.asking;
    if (ownVain >= OWN_VAIN_MAX || allVain >= ALL_VAIN_MAX) return "needs_command";
    if (isRaid) return "raid";
    if (openCount > 0) return "question_open";
    return lastAtMs !== null && nowMs - lastAtMs < QUESTION_EVERY_MS ? "question_cooldown" : null;
  },
} satisfies Rules<NonNullable<ReturnType<typeof judgedBy>>>;

type Rules<T> = Readonly<Record<string, (judged: T) => RefusalReason | null>>;

export const RULES = [PROPOSAL_RULES, ACTION_RULES].flatMap(Object.keys);

/** Every rule's verdict, in order. The first that is a refusal is the one that decides. */
export function verdicts(proposal: Proposal, facts: Facts) {
  const by = <T>(rules: Rules<T>, judged: T | null) =>
    Object.entries(rules).map(([rule, check]) => {
      const verdict: Verdict = judged === null ? "not_judged" : (check(judged) ?? "passes");
      return { rule: rule as RuleName, verdict };
    });
  return [
    ...by(PROPOSAL_RULES, { ...proposal, ...facts }),
    ...by(ACTION_RULES, judgedBy(proposal, facts)),
  ];
}

/** Total: every proposal gets one decision, from the first rule that refuses it, in the order of `RULES`. */
export function decide(proposal: Proposal, facts: Facts): Decision {
  for (const { verdict: reason } of verdicts(proposal, facts))
    if (reason !== "passes" && reason !== "not_judged") return { kind: "refuse", reason };
  const call = judgedBy(proposal, facts)?.call ?? null;
  return call === null ? { kind: "refuse", reason: "unknown" } : gated(call, facts);
}

/** What the gate of its class makes of an action that no rule refuses. */
function gated(call: ActionCall, facts: Facts): Decision {
  const { target, policy, isApproved, consent } = facts;
  const { class: actionClass, consent: wanted, target: aim } = CATALOGUE[call.name];
  const { person = null, messageId = null } = target?.kind === "found" ? target : {};
  const settled = {
    call: timed(call, facts),
    targetId: person?.userId ?? null,
    messageId: aim === "message" ? messageId : null,
  };
  const gate = policy.classes[actionClass];
  if (gate === "dry_run") return { kind: gate, reason: gate, settled };
  if (gate === "approve" && !isApproved)
    return { kind: "hold", reason: "needs_approval", waitsFor: "streamer", settled };
  if (gate === "live" && wanted === "yes" && consent !== "given")
    return { kind: "hold", reason: "needs_yes", waitsFor: "requester", settled };
  return { kind: "run", reason: isApproved ? "approved" : "allowed", settled };
}

/**
 * How long it lasts: what the requester said, or what is configured, never what a model wrote. Clamped last, so that
 * nothing before can widen the range; where the range is upside down, its shorter end holds.
 */
function timed(call: ActionCall, { policy, saidSeconds }: Facts): ActionCall {
  if (!isTimed(call.name)) return call;
  const { secondsMin, secondsMax } = limitsOf(call.name, policy);
  const usual = call.name === "timeout" ? policy.timeoutSeconds : SECONDS_USUAL;
  const seconds = Math.max(1, Math.min(Math.max(saidSeconds ?? usual, secondsMin), secondsMax));
  return { ...call, args: { ...call.args, seconds } } as ActionCall;
}

/** How long an answer is waited for at the most, as long as a question was not sent yet. */
export function waitMs(waitsFor: WaitsFor, { approvalSeconds }: ActionPolicy): number {
  return waitsFor === "streamer" ? approvalSeconds * 1_000 : SEND_WITHIN_MS + ANSWER_WITHIN_MS;
}

/** What holds for an action: the catalogue's, but where the configuration says otherwise. */
export function limitsOf(name: ActionName, policy: ActionPolicy): ActionLimits {
  return { ...CATALOGUE[name].limits, ...policy.limits[name] } as ActionLimits;
}

/** What is proposed, of what the catalogue has. */
export function actionIn({ parsed }: Proposal): Written | null {
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  return parsed.kind === "malformed" || name === null ? null : { name, args: parsed.args };
}

/** Null for what the catalogue has not; `call` with its texts as they may be said. */
function judgedBy(proposal: Proposal, facts: Facts) {
  const action = actionIn(proposal);
  const { texts } = facts;
  if (action === null) return null;
  const call = texts?.kind === "passed" ? readCall(action.name, texts.args) : null;
  return { ...facts, ...action, call };
}

function isListed(list: readonly string[], { userId, login }: Person): boolean {
  return list.includes(login) || list.includes(userId);
}
