import fc from "fast-check";
import type { Facts, Proposal } from "../../src/actions/action-policy.ts";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { toConfig } from "../../src/config/load.ts";
import { ACTION_NAMES, CLASS_GATES } from "../../src/config/names.ts";
import type { QuoteRefusal } from "../../src/memory/evidence.ts";

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
export const proposal: fc.Arbitrary<Proposal> = fc.record({
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
  refused: fc.constant(null),
  person,
  messageId: rarelyNull(fc.constant("message-1")),
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
const DEFAULTS = toConfig({ channel: "den", bot: { login: "automark" } }, "/folder").actions;
const gate = fc.constantFrom(...CLASS_GATES, "live" as const, "live" as const);
export const policy = fc
  .record({
    safeMode: mostly(false, true),
    classes: fc.record({ memory: gate, chat: gate, stream: gate, moderation: gate }),
    allowlist: fc.subarray([...logins, ...IDS], { maxLength: 1 }),
    protectVips: fc.boolean(),
    denylist: fc.record({
      actions: fc.subarray([...ACTION_NAMES], { maxLength: 1 }),
      targets: fc.subarray(logins, { maxLength: 1 }),
    }),
    limits: fc.record({ timeout: limits, clip: limits, poll: limits }, { requiredKeys: [] }),

    timeoutSeconds: fc.integer({ min: 1, max: 5_000 }),
  })
  .map((own) => ({ ...DEFAULTS, ...own }));

/** What gathering finds beside what depends on the proposal. */
export const gathered = fc.record({
  nowMs: fc.constant(NOW_MS),
  switches: rarelyNull(fc.record({ paused: mostly(false, true), safeMode: mostly(false, true) })),
  mayCall: rarelyNull(mostly<Facts["mayCall"]>(true, "missing_scope")),
  texts: fc.constantFrom(...Array<string>(18).fill("passed"), "refused", "unknown"),
  target: fc.constantFrom(...Array<string>(16).fill("fits"), "refused", "none", "found", "unknown"),
  found,
  untouchable: rarelyNull(fc.constant({ streamerId: "1", botId: "5" })),
  requester: rarelyNull(
    fc.constantFrom("streamer" as const, "moderator" as const, "viewer" as const),
  ),
  recent: rarelyNull(
    fc.record({
      actionAtMs: atMs,
      targetAtMs: atMs,
      requesterAtMs: atMs,
      runsThisHour: fc.nat(70),
      runsThisStream: fc.nat(220),
    }),
  ),
  isAsked: mostly(true, false),
  consent: rarelyNull(
    fc.oneof(
      fc.constant("given" as const),
      fc.record({
        quote: mostly<QuoteRefusal | null>(null, "no_quote", "unsupported", "private"),
        asking: fc.record({
          isRaid: mostly(false, true),
          lastAtMs: atMs,
          ignored: mostly(0, 1, 2),
        }),
      }),
    ),
  ),
  isApproved: fc.boolean(),
});
type Gathered = typeof gathered extends fc.Arbitrary<infer G> ? G : never;

/** Facts that fit a proposal, as gathering makes them, or at times do not. */
export function factsFor(
  { parsed: written }: Proposal,
  own: Facts["policy"],
  given: Gathered,
): Facts {
  const { texts, target, found: person, ...facts } = given;
  const args = written.kind === "action" ? written.args : {};
  return {
    ...facts,
    policy: own,
    texts: textsFor(texts, args),
    target: targetFor(written, target, person),
  };
}

function textsFor(kind: string, args: Readonly<Record<string, string>>): Facts["texts"] {
  if (kind === "passed") return args;
  return kind === "refused" ? "guard" : null;
}

const NOBODY = { person: null, messageId: null, refused: null };

function targetFor(
  written: Proposal["parsed"],
  kind: string,
  person: Facts["target"],
): Facts["target"] {
  const known = ACTION_NAMES.find((one) => written.kind === "action" && one === written.name);
  const hasTarget = known !== undefined && ACTIONS[known].target !== "none";
  switch (kind) {
    case "fits":
      return hasTarget ? person : NOBODY;
    case "found":
      return person;
    case "none":
      return NOBODY;
    case "refused":
      return { ...NOBODY, refused: "target_ambiguous" };
    default:
      return null;
  }
}
