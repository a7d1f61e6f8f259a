import type { ActionClass, ActionName, ClassGate } from "../config/names.ts";
import { type ActionCall, type ActionLimits, actionNamed, CATALOGUE, readCall } from "./catalogue.ts";
import type { Echo } from "./echo.ts";
import type { Parsed, RawArgs } from "./grammar.ts";
import type { Resolved, Unresolved } from "./resolve.ts";

/** What the model wrote: the n-th proposal of one reply, counted from 0. */
export interface Proposal {
  readonly parsed: Parsed;
  readonly index: number;
}

/** The part of the configuration that decides. */
export interface ActionPolicy {
  readonly safeMode: boolean;
  readonly classes: Readonly<Record<ActionClass, ClassGate>>;
  readonly autonomy: Readonly<Record<Exclude<ActionClass, "memory">, boolean>>;
  readonly allowlist: readonly string[];
  readonly protectVips: boolean;
  readonly denylist: { readonly actions: readonly ActionName[]; readonly targets: readonly string[] };
  readonly limits: { readonly [N in ActionName]?: { readonly [K in keyof ActionLimits]?: number | undefined } | undefined };
  readonly approvalSeconds: number;
}

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
  | { readonly kind: "refused"; readonly reason: Exclude<RefusalReason, "unknown"> }
  | {
      readonly kind: "found";
      readonly person: Extract<Resolved, { kind: "found" }>["person"];
      /** The message that a deletion takes away. */
      readonly messageId: string | null;
      /** Whether the requester's own words name the person, or answer them. */
      readonly isNamed: boolean;
    };

/** Everything a decision hangs on, gathered before. null: it could not be found out. */
export interface Facts {
  readonly nowMs: number;
  readonly policy: ActionPolicy;
  readonly switches: { readonly paused: boolean; readonly safeMode: boolean } | null;
  /** Whether there is a token that may do it. */
  readonly mayCall: boolean | null;
  /** The arguments after the reply guard; `refused` where it stops one of them. */
  readonly texts: { readonly kind: "passed"; readonly args: RawArgs } | { readonly kind: "refused" } | null;
  readonly target: TargetFact | null;
  /** The streamer and the bot. */
  readonly untouchable: { readonly streamerId: string; readonly botId: string } | null;
  /** Who asked. A turn that nobody asked for is a viewer's. */
  readonly requester: "streamer" | "moderator" | "viewer" | null;
  readonly echo: Echo | null;
  readonly recent: Recent | null;
  /** Whether the streamer approved this very proposal. */
  readonly isApproved: boolean;
}

export type RefusalReason =
  | "malformed"
  | "too_many"
  | "paused"
  | "safe_mode"
  | "never"
  | "class_off"
  | "missing_scope"
  | "arguments"
  | "guard"
  | Unresolved
  | "target_changed"
  | "no_message"
  | "not_own_note"
  | "protected"
  | "denied_action"
  | "denied_target"
  | "not_allowed"
  | "not_named"
  | "echo_bracket"
  | "echo_words"
  | "cooldown_action"
  | "cooldown_target"
  | "cooldown_requester"
  | "cap_hour"
  | "cap_stream"
  | "unknown";

/** An action as it is executed: nothing in it is looked up again. */
export interface Settled {
  readonly call: ActionCall;
  readonly targetId: string | null;
  readonly messageId: string | null;
}

/** What becomes of a proposal, with one reason. */
export type Decision =
  | { readonly kind: "run"; readonly reason: "allowed" | "approved"; readonly settled: Settled }
  | { readonly kind: "dry_run"; readonly reason: "dry_run"; readonly settled: Settled }
  | { readonly kind: "hold"; readonly reason: "needs_approval"; readonly settled: Settled }
  | { readonly kind: "refuse"; readonly reason: RefusalReason };

/** One rule and what it says of a proposal; `not_judged` where an earlier refusal left it nothing to judge. */
export interface RuleVerdict {
  readonly rule: RuleName;
  readonly verdict: RefusalReason | "passes" | "not_judged";
}

export type RuleName = (typeof RULES)[number]["name"];

const PROPOSALS_MAX = 2;
const HOUR_MS = 3_600_000;

/** Total: every proposal gets one decision, from the first rule that refuses it, in the order of `RULES`. */
export function decide(proposal: Proposal, facts: Facts): Decision {
  const judged = judge(proposal, facts);
  for (const { check } of RULES) {
    const reason = check(judged);
    if (reason !== null && reason !== "not_judged") return { kind: "refuse", reason };
  }
  return settle(judged);
}

/** Every rule's verdict, in order. The first that is a refusal is the one that decides. */
export function verdicts(proposal: Proposal, facts: Facts): readonly RuleVerdict[] {
  const judged = judge(proposal, facts);
  return RULES.map(({ name, check }) => ({ rule: name, verdict: check(judged) ?? "passes" }));
}

interface Judged {
  readonly proposal: Proposal;
  readonly facts: Facts;
  readonly name: ActionName | null;
  /** As the model wrote it. */
  readonly written: ActionCall | null;
  /** With its texts as the guard lets them pass. */
  readonly call: ActionCall | null;
}

type Verdict = RefusalReason | "not_judged" | null;

function judge(proposal: Proposal, facts: Facts): Judged {
  const { parsed } = proposal;
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  const read = (args: RawArgs) => (name === null ? null : readCall(name, args));
  return {
    proposal,
    facts,
    name,
    written: parsed.kind === "action" ? read(parsed.args) : null,
    call: facts.texts?.kind === "passed" ? read(facts.texts.args) : null,
  };
}

/** In this order, the first refusal wins. Design part 9. */
const RULES = [
  { name: "grammar", check: ({ proposal }) => (proposal.parsed.kind === "malformed" ? "malformed" : null) },
  { name: "count", check: ({ proposal }) => (proposal.index < PROPOSALS_MAX ? null : "too_many") },
  { name: "switches", check: ({ facts }) => checkSwitches(facts) },
  { name: "known", check: ({ name }) => (name === null ? "never" : null) },
  { name: "class", check: withName((name, facts) => checkClass(name, facts)) },
  { name: "arguments", check: checkArguments },
  { name: "target", check: withName((name, facts) => checkTarget(name, facts)) },
  { name: "protected", check: withName((name, facts) => checkProtected(name, facts)) },
  { name: "denylist", check: withName((name, facts) => checkDenylist(name, facts)) },
  { name: "requester", check: withName((name, facts) => checkRequester(name, facts)) },
  { name: "echo", check: ({ facts }) => ECHO_REASONS[facts.echo ?? "unknown"] },
  { name: "cooldown", check: withName((name, facts) => checkCooldown(name, facts)) },
  { name: "cap", check: withName((name, facts) => checkCaps(name, facts)) },
] as const satisfies readonly { readonly name: string; readonly check: (judged: Judged) => Verdict }[];

const ECHO_REASONS = { none: null, bracket: "echo_bracket", words: "echo_words", unknown: "unknown" } as const;

function withName(check: (name: ActionName, facts: Facts) => Verdict): (judged: Judged) => Verdict {
  return ({ name, facts }) => (name === null ? "not_judged" : check(name, facts));
}

function checkSwitches({ switches, policy }: Facts): Verdict {
  if (switches === null) return "unknown";
  if (switches.paused) return "paused";
  return switches.safeMode || policy.safeMode ? "safe_mode" : null;
}

function checkClass(name: ActionName, { policy, mayCall }: Facts): Verdict {
  if (policy.classes[CATALOGUE[name].class] === "off") return "class_off";
  if (mayCall === null) return "unknown";
  return mayCall ? null : "missing_scope";
}

function checkArguments({ name, written, call, facts }: Judged): Verdict {
  if (name === null) return "not_judged";
  if (written === null) return "arguments";
  if (facts.texts === null) return "unknown";
  if (facts.texts.kind === "refused") return "guard";
  return call === null ? "arguments" : null;
}

function checkTarget(name: ActionName, { target }: Facts): Verdict {
  if (target === null) return "unknown";
  if (target.kind === "refused") return target.reason;
  const wanted = CATALOGUE[name].target;
  if ((wanted === "none") !== (target.kind === "none")) return "unknown";
  return wanted === "message" && target.kind === "found" && target.messageId === null ? "no_message" : null;
}

function checkProtected(name: ActionName, facts: Facts): Verdict {
  const { target, untouchable, policy } = facts;
  if (target?.kind !== "found") return null;
  if (untouchable === null) return "unknown";
  const { userId, roles } = target.person;
  if (userId === untouchable.streamerId || userId === untouchable.botId) return "protected";
  if (isListed(policy.allowlist, target.person)) return "protected";
  // A raider may be shouted out before they ever spoke; nobody is silenced of whom nothing is known.
  if (roles === null) return CATALOGUE[name].class === "moderation" ? "unknown" : null;
  const isProtected = roles.broadcaster || roles.moderator || (policy.protectVips && roles.vip);
  return isProtected ? "protected" : null;
}

function checkDenylist(name: ActionName, { policy, target }: Facts): Verdict {
  if (policy.denylist.actions.includes(name)) return "denied_action";
  if (target?.kind !== "found") return null;
  return isListed(policy.denylist.targets, target.person) ? "denied_target" : null;
}

function isListed(list: readonly string[], person: { readonly userId: string; readonly login: string }): boolean {
  return list.includes(person.login) || list.includes(person.userId);
}

function checkRequester(name: ActionName, { policy, requester, target }: Facts): Verdict {
  if (requester === null) return "unknown";
  const spec = CATALOGUE[name];
  if (spec.class === "memory" || spec.asks === "anyone" || policy.autonomy[spec.class]) return null;
  if (requester === "viewer") return "not_allowed";
  return target?.kind === "found" && !target.isNamed ? "not_named" : null;
}

function checkCooldown(name: ActionName, facts: Facts): Verdict {
  const { recent } = facts;
  if (recent === null) return "unknown";
  const limits = limitsOf(name, facts.policy);
  const isTooSoon = (atMs: number | null, seconds: number) =>
    atMs !== null && facts.nowMs - atMs < seconds * 1_000;
  if (isTooSoon(recent.actionAtMs, limits.actionSeconds)) return "cooldown_action";
  if (isTooSoon(recent.targetAtMs, limits.targetSeconds)) return "cooldown_target";
  return isTooSoon(recent.requesterAtMs, limits.requesterSeconds) ? "cooldown_requester" : null;
}

function checkCaps(name: ActionName, facts: Facts): Verdict {
  const { recent } = facts;
  if (recent === null) return "unknown";
  const limits = limitsOf(name, facts.policy);
  if (recent.runsThisHour >= limits.perHour) return "cap_hour";
  return recent.runsThisStream >= limits.perStream ? "cap_stream" : null;
}

/** What holds for an action: the catalogue's, but where the configuration says otherwise. */
export function limitsOf(name: ActionName, policy: ActionPolicy): ActionLimits {
  const standard = CATALOGUE[name].limits;
  const own = policy.limits[name] ?? {};
  return {
    actionSeconds: own.actionSeconds ?? standard.actionSeconds,
    targetSeconds: own.targetSeconds ?? standard.targetSeconds,
    requesterSeconds: own.requesterSeconds ?? standard.requesterSeconds,
    perHour: own.perHour ?? standard.perHour,
    perStream: own.perStream ?? standard.perStream,
    secondsMin: own.secondsMin ?? standard.secondsMin,
    secondsMax: own.secondsMax ?? standard.secondsMax,
  };
}

/** Where the times of a run that still counts begin. */
export function hourBefore(nowMs: number): number {
  return nowMs - HOUR_MS;
}

function settle({ name, call, facts }: Judged): Decision {
  if (name === null || call === null) return { kind: "refuse", reason: "unknown" };
  const found = facts.target?.kind === "found" ? facts.target : null;
  const settled: Settled = {
    call: clamped(call, limitsOf(name, facts.policy)),
    targetId: found?.person.userId ?? null,
    messageId: CATALOGUE[name].target === "message" ? (found?.messageId ?? null) : null,
  };
  switch (facts.policy.classes[CATALOGUE[name].class]) {
    case "off":
      return { kind: "refuse", reason: "class_off" };
    case "dry_run":
      return { kind: "dry_run", reason: "dry_run", settled };
    case "approve":
      return facts.isApproved
        ? { kind: "run", reason: "approved", settled }
        : { kind: "hold", reason: "needs_approval", settled };
    case "live":
      return { kind: "run", reason: facts.isApproved ? "approved" : "allowed", settled };
  }
}

/** Last, so that nothing before it can widen the range; where the range is upside down, its shorter end holds. */
function clamped(call: ActionCall, { secondsMin, secondsMax }: ActionLimits): ActionCall {
  if (call.name !== "timeout" && call.name !== "poll") return call;
  const seconds = Math.max(1, Math.min(Math.max(call.args.seconds, secondsMin), secondsMax));
  return call.name === "poll"
    ? { ...call, args: { ...call.args, seconds } }
    : { ...call, args: { ...call.args, seconds } };
}
