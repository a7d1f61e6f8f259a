import fc from "fast-check";
import { expect, test } from "vitest";
import { CATALOGUE } from "../../src/actions/catalogue.ts";
import { type Decision, decide, verdicts } from "../../src/actions/policy.ts";
import { type Facts, limitsOf, type Proposal } from "../../src/actions/policy-facts.ts";
import { ACTION_NAMES, CLASS_GATES } from "../../src/config/names.ts";

const CASES = 100_000;
/** Under one policy. */
const PROPOSALS = 10;
const ARRAY = { minLength: PROPOSALS, maxLength: PROPOSALS };
const NOW_MS = 1_700_000_000_000;
const IDS = ["1", "2", "3", "4", "5"];
const logins = IDS.map((id) => `user${id}`);

/** Mostly what lets a proposal pass, so that the later rules are reached as well. */
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 7, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(usual, ...others) },
  );
const rarelyNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 20 });

const GOOD_ARGS = {
  remember: { fact: "plays the cello" },
  correct: { note: "4", fact: "plays the viola" },
  forget: { topic: "cello" },
  announce: { text: "raffle at nine" },
  shoutout: { user: "user2" },
  clip: {},
  marker: { text: "boss" },
  poll: { title: "tea?", choices: "yes|no" },
  warn: { user: "user2", reason: "spoilers" },
  delete: { user: "user2" },
  timeout: { user: "user2", seconds: "60" },
};

const name = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...ACTION_NAMES) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("ban", "unban", "raid", "constructor", "__proto__", "toString"),
  },
);
const parsed = name.chain((action) => {
  const known = ACTION_NAMES.find((one) => one === action);
  const good: Record<string, string> = known === undefined ? {} : GOOD_ARGS[known];
  const seconds = fc.oneof(fc.nat(2_000_000), fc.constantFrom(0, 1, 999_999_999)).map(String);
  return fc.record({ seconds, isBad: mostly(false, true) }).map(({ seconds: given, isBad }) => ({
    kind: "action" as const,
    name: action,
    args: {
      ...good,
      ...(action === "timeout" || action === "poll" ? { seconds: given } : {}),
      ...(isBad ? { user_id: "2" } : {}),
    },
  }));
});
const proposal: fc.Arbitrary<Proposal> = fc.record({
  parsed: fc.oneof(
    { weight: 30, arbitrary: parsed },
    { weight: 1, arbitrary: fc.constant({ kind: "malformed" as const }) },
  ),
  index: fc.oneof({ weight: 9, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(9) }),
});

const flag = mostly(false, true);
const roles = fc.record({ broadcaster: flag, moderator: flag, vip: fc.boolean() });
const person = fc
  .record({ userId: fc.constantFrom(...IDS), roles: rarelyNull(roles) })
  .map(({ userId, roles: seen }) => ({
    userId,
    login: `user${userId}`,
    displayName: `User${userId}`,
    roles: seen,
  }));
const found = fc.record({
  kind: fc.constant("found" as const),
  person,
  messageId: rarelyNull(fc.constant("message-1")),
  isNamed: mostly(true, false),
});
const atMs = fc.option(fc.integer({ min: NOW_MS - 4_000_000, max: NOW_MS + 10_000 }), { freq: 3 });
const limits = fc.record(
  {
    actionSeconds: fc.nat(4_000),
    perHour: fc.nat(40),
    secondsMin: fc.integer({ min: 1, max: 5_000 }),
    secondsMax: fc.integer({ min: 1, max: 5_000 }),
  },
  { requiredKeys: [] },
);
const gate = fc.constantFrom(...CLASS_GATES, "live" as const, "live" as const);
const policy = fc.record({
  safeMode: mostly(false, true),
  classes: fc.record({ memory: gate, chat: gate, stream: gate, moderation: gate }),
  autonomy: fc.record({ chat: fc.boolean(), stream: fc.boolean(), moderation: fc.boolean() }),
  allowlist: fc.subarray([...logins, ...IDS], { maxLength: 1 }),
  protectVips: fc.boolean(),
  denylist: fc.record({
    actions: fc.subarray([...ACTION_NAMES], { maxLength: 1 }),
    targets: fc.subarray(logins, { maxLength: 1 }),
  }),
  limits: fc.record({ timeout: limits, clip: limits, poll: limits }, { requiredKeys: [] }),
  approvalSeconds: fc.constant(120),
});

/** A proposal and facts that fit it, as gathering makes them, or at times do not. */
const cases = proposal.chain((one) =>
  fc.tuple(
    fc.constant(one),
    fc.record({
      nowMs: fc.constant(NOW_MS),
      switches: rarelyNull(
        fc.record({ paused: mostly(false, true), safeMode: mostly(false, true) }),
      ),
      mayCall: rarelyNull(mostly(true, false)),
      texts: rarelyNull(
        mostly<Facts["texts"]>(
          { kind: "passed", args: one.parsed.kind === "action" ? one.parsed.args : {} },
          { kind: "refused" },
        ),
      ),
      target: rarelyNull(targetFor(one)),
      untouchable: rarelyNull(fc.constant({ streamerId: "1", botId: "5" })),
      requester: rarelyNull(
        fc.constantFrom("streamer" as const, "moderator" as const, "viewer" as const),
      ),
      echo: rarelyNull(mostly<NonNullable<Facts["echo"]>>("none", "bracket", "words")),
      recent: rarelyNull(
        fc.record({
          actionAtMs: atMs,
          targetAtMs: atMs,
          requesterAtMs: atMs,
          runsThisHour: fc.nat(70),
          runsThisStream: fc.nat(220),
        }),
      ),
      isAsked: fc.boolean(),
      isOwnWish: fc.option(fc.boolean()),
      isApproved: fc.boolean(),
    }),
  ),
);

function targetFor({ parsed: written }: Proposal): fc.Arbitrary<Facts["target"]> {
  const known = ACTION_NAMES.find((one) => written.kind === "action" && one === written.name);
  const none = fc.constant({ kind: "none" as const });
  const refused = fc.constant({ kind: "refused" as const, reason: "target_ambiguous" as const });
  const usual = known !== undefined && CATALOGUE[known].target !== "none" ? found : none;
  return fc.oneof({ weight: 12, arbitrary: usual }, refused, none, found);
}

test("over many thousand proposals, facts and policies the promises of the policy hold", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(policy, fc.array(cases, ARRAY), (own, all) => {
      for (const [one, gathered] of all) {
        const facts = { ...gathered, policy: own };
        const decision = decide(one, facts);
        seen.set(decision.reason, (seen.get(decision.reason) ?? 0) + 1);
        const broken = PROMISES.filter(([, holds]) => !holds(decision, facts, one)).map(
          ([promise]) => promise,
        );
        if (broken.length > 0) throw new Error(`${broken.join(", ")}: ${JSON.stringify(decision)}`);
      }
    }),
    { numRuns: CASES / PROPOSALS },
  );
  const reached = ["allowed", "approved", "dry_run", "needs_approval", ...REACHABLE];
  expect(reached.filter((reason) => (seen.get(reason) ?? 0) < 10)).toEqual([]);
});

const REACHABLE =
  "malformed too_many paused safe_mode never class_off missing_scope arguments guard target_ambiguous no_message \
protected denied_action denied_target not_allowed not_named echo_bracket echo_words cooldown_action cooldown_target \
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
    runs(({ kind, settled }, { policy: { classes }, isApproved }) => {
      const open = classes[CATALOGUE[settled.call.name].class];
      const wanted = {
        off: "refuse",
        dry_run: "dry_run",
        approve: isApproved ? "run" : "hold",
        live: "run",
      };
      return wanted[open] === kind;
    }),
  ],
  [
    "nothing inside a cooldown or over a cap",
    runs(({ settled }, facts) => {
      const { recent } = facts;
      const limit = limitsOf(settled.call.name, facts.policy);
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
      const { secondsMin, secondsMax } = limitsOf(call.name, own);
      const { seconds } = call.args;
      return (
        Number.isInteger(seconds) &&
        seconds >= Math.min(secondsMin, secondsMax) &&
        seconds >= 1 &&
        seconds <= secondsMax
      );
    }),
  ],
  [
    "a viewer's turn moderates nobody unless autonomy is on",
    runs(
      ({ settled }, { requester, policy: { autonomy } }) =>
        CATALOGUE[settled.call.name].class !== "moderation" ||
        autonomy.moderation ||
        (requester !== "viewer" && requester !== null),
    ),
  ],
  ["an echo never runs", runs((_, { echo }) => echo === "none")],
  [
    "only the first two of a reply run",
    (decision, _, { index }) => decision.kind === "refuse" || index < 2,
  ],
  [
    "only what the catalogue names runs",
    runs(({ settled }) => Object.hasOwn(CATALOGUE, settled.call.name)),
  ],
  [
    "one reason, the first rule's that refuses",
    (decision, facts, one) => {
      const refusals = verdicts(one, facts)
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
  if (untouchable === null || target?.kind !== "found" || target.person.userId !== targetId)
    return true;
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
