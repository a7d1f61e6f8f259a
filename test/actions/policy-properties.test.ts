import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Decision,
  decide,
  type Facts,
  judgeRules,
  mergeLimits,
  type Proposal,
} from "../../src/actions/action-policy.ts";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { factsFor, gathered, policy, proposal } from "./policy-cases.ts";

/** Each with this many proposals, each of which meets this many sets of facts. */
const POLICIES = 300;
const EACH = { minLength: 10, maxLength: 10 };

test("over many thousand proposals, facts and policies the promises of the policy hold", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(
      policy,
      fc.array(proposal, EACH),
      fc.array(gathered, EACH),
      (own, proposals, found) => {
        for (const [one, given] of proposals.flatMap((left) =>
          found.map((right) => [left, right] as const),
        )) {
          const facts = factsFor(one, own, given);
          const decision = decide(one, facts);
          seen.set(decision.reason, (seen.get(decision.reason) ?? 0) + 1);
          const broken = PROMISES.filter(([, holds]) => !holds(decision, facts, one)).map(
            ([promise]) => promise,
          );
          if (broken.length > 0)
            throw new Error(`${broken.join(", ")}: ${JSON.stringify(decision)}`);
        }
      },
    ),
    { numRuns: POLICIES },
  );
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(30_000);
  const reached = ["allowed", "approved", "dry_run", "needs_approval", "needs_yes", ...REACHABLE];
  expect(reached.filter((reason) => (seen.get(reason) ?? 0) < 10)).toEqual([]);
});

const REACHABLE =
  "malformed too_many paused safe_mode never class_off missing_scope arguments guard target_ambiguous no_message \
protected denied_action denied_target not_allowed not_asked no_quote unsupported private \
questions_ignored question_cooldown raid cooldown_action cooldown_target \
cooldown_requester cap_hour cap_stream unknown".split(" ");

type Promise_ = (decision: Decision, facts: Facts, proposal: Proposal) => boolean;

const runs =
  (holds: (decision: Exclude<Decision, { kind: "refuse" }>, facts: Facts) => boolean): Promise_ =>
  (decision, facts) =>
    decision.kind === "refuse" || holds(decision, facts);

const ageMs = (then: number | null, { nowMs }: Facts) =>
  then === null ? Number.POSITIVE_INFINITY : nowMs - then;

const PROMISES: readonly (readonly [string, Promise_])[] = [
  [
    "a protected id is never the target",
    runs(({ settled: { targetId } }, facts) => !isProtected(targetId, facts)),
  ],
  [
    "nothing in safe mode",
    runs((_, { switches, policy: { safeMode } }) => switches?.safeMode === false && !safeMode),
  ],
  ["nothing while paused", runs((_, { switches }) => switches?.paused === false)],
  [
    "the gate of its class is what it says",
    runs(({ kind, settled }, { policy: { classes }, isApproved, consent }) => {
      const isAsked = ACTIONS[settled.call.name].consent === "yes" && consent !== "given";
      const open = classes[ACTIONS[settled.call.name].class];
      const wanted = {
        off: "refuse",
        dry_run: "dry_run",
        approve: isApproved ? "run" : "hold",
        live: isAsked ? "hold" : "run",
      };
      return wanted[open] === kind;
    }),
  ],
  [
    "nothing inside a cooldown or over a cap",
    runs(({ settled }, facts) => {
      const { recent } = facts;
      const limit = mergeLimits(settled.call.name, facts.policy);
      return (
        recent !== null &&
        ageMs(recent.actionAtMs, facts) >= limit.actionSeconds * 1_000 &&
        ageMs(recent.targetAtMs, facts) >= limit.targetSeconds * 1_000 &&
        ageMs(recent.requesterAtMs, facts) >= limit.requesterSeconds * 1_000 &&
        recent.runsThisHour < limit.perHour &&
        recent.runsThisStream < limit.perStream
      );
    }),
  ],
  [
    "durations are within the clamp",
    runs(({ settled: { call } }, { policy: own }) => {
      if (call.name !== "timeout" && call.name !== "poll") return true;
      const { secondsMin, secondsMax } = mergeLimits(call.name, own);
      const seconds = Number(call.args["seconds"]);
      return (
        Number.isInteger(seconds) &&
        seconds >= Math.min(secondsMin, secondsMax) &&
        seconds >= 1 &&
        seconds <= secondsMax
      );
    }),
  ],
  [
    "a viewer's turn moderates nobody",
    runs(
      ({ settled }, { requester }) =>
        ACTIONS[settled.call.name].class !== "moderation" ||
        (requester !== "viewer" && requester !== null),
    ),
  ],
  [
    "what touches another person runs only on consent, and nobody asks who is not to be asked",
    runs(({ kind, settled: { call } }, { consent, policy: { classes } }) => {
      const { consent: wanted, class: actionClass } = ACTIONS[call.name];
      if (wanted !== "yes" || kind === "dry_run" || classes[actionClass] === "approve") return true;
      return kind === "hold" || consent === "given";
    }),
  ],
  [
    "what is kept about somebody is proved by their words",
    runs(({ settled: { call } }, { consent }) => {
      if (ACTIONS[call.name].consent !== "quote") return true;
      return consent === "given" || consent?.quote === null;
    }),
  ],
  [
    "nothing lasts longer than was said, where the range allows that",
    (decision, { policy: own }, { parsed }) => {
      if (decision.kind === "refuse" || parsed.kind === "malformed") return true;
      const { call } = decision.settled;
      const asked = parsed.args["seconds"];
      if ((call.name !== "timeout" && call.name !== "poll") || asked === undefined) return true;
      const { secondsMin } = mergeLimits(call.name, own);
      return Number(call.args["seconds"]) <= Math.max(1, Number(asked), secondsMin);
    },
  ],
  [
    "only the first two of a reply run",
    (decision, _, { index }) => decision.kind === "refuse" || index < 2,
  ],
  [
    "only what the catalogue names runs",
    runs(({ settled }) => Object.hasOwn(ACTIONS, settled.call.name)),
  ],
  [
    "one reason, the first rule's that refuses",
    (decision, facts, one) => {
      const refusals = judgeRules(one, facts)
        .map(({ verdict }) => verdict)
        .filter((verdict) => verdict !== "passes" && verdict !== "not_judged");
      return decision.kind === "refuse" ? refusals[0] === decision.reason : refusals.length === 0;
    },
  ],
  [
    "the same input, the same decision",
    (decision, facts, one) => JSON.stringify(decide(one, facts)) === JSON.stringify(decision),
  ],
];

function isProtected(
  targetId: string | null,
  { policy: own, target, untouchable }: Facts,
): boolean {
  if (targetId === null) return false;
  if (untouchable === null || target?.person?.userId !== targetId) return true;
  const seen = target.person.roles;
  return (
    ["1", "5"].includes(targetId) ||
    own.allowlist.includes(targetId) ||
    own.allowlist.includes(`user${targetId}`) ||
    seen?.moderator === true ||
    seen?.broadcaster === true ||
    (own.protectVips && seen?.vip === true)
  );
}
