// Pure: values in, values out.
import type { ActionName } from "../platform/config/names.ts";
import { type ActionCall, CATALOGUE } from "./catalogue.ts";
import { type Facts, limitsOf, type Proposal, type RefusalReason } from "./policy-facts.ts";

const PROPOSALS_MAX = 2;

/** A proposal as the rules look at it. */
export interface Judged {
  readonly proposal: Proposal;
  readonly facts: Facts;
  readonly name: ActionName | null;
  /** As the model wrote it. */
  readonly written: ActionCall | null;
  /** With its texts as the guard lets them pass. */
  readonly call: ActionCall | null;
}

type Verdict = RefusalReason | "not_judged" | null;

/** In this order, the first refusal wins. Design part 9. */
export const RULES = [
  {
    name: "grammar",
    check: ({ proposal }) => (proposal.parsed.kind === "malformed" ? "malformed" : null),
  },
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
] as const satisfies readonly {
  readonly name: string;
  readonly check: (judged: Judged) => Verdict;
}[];

const ECHO_REASONS = {
  none: null,
  bracket: "echo_bracket",
  words: "echo_words",
  unknown: "unknown",
} as const;

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
  if (mayCall === true) return null;
  if (mayCall === "rate_limited") return mayCall;
  return CATALOGUE[name].class === "memory" ? "no_memory" : "missing_scope";
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
  return wanted === "message" && target.kind === "found" && target.messageId === null
    ? "no_message"
    : null;
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

function isListed(
  list: readonly string[],
  person: { readonly userId: string; readonly login: string },
): boolean {
  return list.includes(person.login) || list.includes(person.userId);
}

function checkRequester(name: ActionName, facts: Facts): Verdict {
  const { policy, requester, isAsked, wish } = facts;
  if (requester === null) return "unknown";
  const spec = CATALOGUE[name];
  if (spec.class !== "memory" && policy.autonomy[spec.class]) return null;
  if (!isAsked) return "not_asked";
  if (spec.asks === "moderator" && requester === "viewer") return "not_allowed";
  if (wish === null) return "unknown";
  return wish === "said" ? null : wish;
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
