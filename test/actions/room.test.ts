import { expect, test } from "vitest";
import { Ledger } from "../../src/actions/ledger-store.ts";
import { ActionRoom } from "../../src/actions/room.ts";
import { until } from "../stand-ins/until.ts";
import { BOB, CHANNEL, MOD, openRig, START_MS, STREAMER, spokenBy, VIEWER } from "./rig.ts";

const TIMEOUT = "[action timeout user=@Bob seconds=60 reason=spoilers]";
const COMMAND = "@automark timeout bob 60";
const CELLO = '[action remember fact="plays the cello" quote="I play the cello"]';
const refused = (reason: string) => [
  expect.objectContaining({ decision: "refuse", reason, outcome: null }),
];
const done = [expect.objectContaining({ decision: "run", reason: "allowed", outcome: "done" })];

test("whoever asks, memory changes are made to their own memory", async () => {
  const rig = await openRig();
  await rig.ask(VIEWER, "remember that I play the cello", CELLO);
  rig.clock.nowMs += 10_000;
  const correct = '[action correct note=5 fact="plays the viola" quote="no, the viola"]';
  await rig.ask(VIEWER, "no, the viola", correct);
  rig.clock.nowMs += 10_000;
  expect(await rig.ask(BOB, "no, the viola", correct)).toEqual(refused("not_own_note"));
  expect(rig.remembered).toEqual([
    ["remember", "den", VIEWER, "plays the cello"],
    ["correct", "den", VIEWER, 5, "plays the viola"],
  ]);
  expect(rig.acts()).toEqual([]);
});

test("a cleared channel takes the arguments with it, and leaves what was decided", async () => {
  const rig = await openRig();
  await rig.order(VIEWER, "@automark warn bob: spoilers");
  rig.ledger.dropArgsIn("elsewhere");
  expect(rig.review.list({ limit: 1 })[0]?.argsJson).toContain("spoilers");
  rig.ledger.dropArgsIn(CHANNEL);
  expect(rig.review.list({ limit: 1 })).toMatchObject([{ argsJson: null, reason: "not_allowed" }]);
});

test("at most two of a reply are judged, and hundreds leave ten entries", async () => {
  const rig = await openRig();
  const spans = Array<string>(300).fill("[action marker]");
  const outcomes = await rig.ask(MOD, "clip it", [
    "[action clip]",
    "[Action clip]",
    "[action clip]",
    ...spans,
  ]);
  expect(outcomes.map(({ reason }) => reason).slice(0, 4)).toEqual([
    "allowed",
    "malformed",
    "too_many",
    "too_many",
  ]);
  expect(rig.review.list({ limit: 1_000 })).toHaveLength(10);
});

test("pause and safe mode hold from the next decision on, and survive a restart", async () => {
  const rig = await openRig();
  rig.switches.set("paused", true, "cli");
  expect(await rig.ask(MOD, "clip", "[action clip]")).toEqual(refused("paused"));
  rig.switches.set("paused", false, "cli");
  rig.switches.set("safe_mode", true, "cli");
  const again = new ActionRoom({ ...rig.parts });
  expect(await rig.judge(rig.turnOf(MOD, "clip"), ["[action clip]"], again)).toEqual(
    refused("safe_mode"),
  );
  expect(rig.acts()).toEqual([]);
});

test("a dry run is decided and recorded, and nothing is sent", async () => {
  const rig = await openRig();
  rig.policy.now = {
    ...rig.policy.now,
    classes: { ...rig.policy.now.classes, moderation: "dry_run" },
  };
  expect(await rig.ask(MOD, "bob: a minute off", TIMEOUT)).toMatchObject([
    { decision: "dry_run", reason: "dry_run" },
  ]);
  expect(rig.send()).toBeNull();
  expect(rig.acts()).toEqual([]);
});

test("cooldowns and caps are what the ledger says, also after a restart", async () => {
  const rig = await openRig({
    policy: { limits: { clip: { perHour: 2, requesterSeconds: 60, actionSeconds: 30 } } },
  });
  const clip = () => rig.ask(VIEWER, "clip that", "[action clip]");
  expect(await clip()).toEqual(done);
  expect(await clip()).toEqual(refused("cooldown_action"));
  rig.clock.nowMs += 30_000;
  expect(await clip()).toEqual(refused("cooldown_requester"));
  rig.clock.nowMs += 30_000;
  expect(await clip()).toEqual(done);
  rig.clock.nowMs += 60_000;
  const restarted = new ActionRoom({
    ...rig.parts,
    ledger: new Ledger(rig.db, rig.parts.now),
  });
  expect(await rig.judge(rig.turnOf(VIEWER, "clip"), ["[action clip]"], restarted)).toEqual(
    refused("cap_hour"),
  );
  rig.clock.nowMs += 3_600_000;
  expect(await clip()).toEqual(done);
  expect(rig.acts()).toHaveLength(3);
});

test("a proposal that stands in the ledger already is not run again", async () => {
  const rig = await openRig({
    policy: { limits: { clip: { actionSeconds: 0, requesterSeconds: 0 } } },
  });
  const turn = { ...rig.turnOf(MOD, "clip"), replyId: null };
  expect(await rig.judge(turn, ["[action clip]"])).toEqual(done);
  expect(await rig.judge(turn, ["[action clip]"])).toEqual(refused("unknown"));
  expect(rig.acts()).toHaveLength(1);
});

test("on a disk that is full, every proposal is refused and nothing throws", async () => {
  const rig = await openRig();
  const pages = rig.db.pragma("page_count", { simple: true });
  const turn = rig.turnOf(MOD, "clip that, and I play the cello");
  rig.db.pragma(`max_page_count = ${pages}`);
  const filler = rig.db.prepare(
    "INSERT INTO action_log (channel, action, class, decision, reason, created_at, idempotency_key, args_json) VALUES ('x', 'x', 'x', 'refuse', 'x', 0, ?, ?)",
  );
  let size = 4_000;
  for (let at = 0; size >= 1; at += 1) {
    try {
      filler.run(`full-${at}`, "x".repeat(size));
    } catch {
      size = Math.floor(size / 2);
    }
  }
  for (const span of ["[action clip]", CELLO])
    expect(await rig.judge(turn, [span])).toEqual(refused("unknown"));
  expect(await rig.room.settleHeld()).toEqual([]);
  expect(rig.acts()).toEqual([]);
  expect(rig.remembered).toEqual([]);
});

test("a run that a crash cut short is unknown after the restart, and what waited is refused", async () => {
  const rig = await openRig({
    policy: { classes: { memory: "live", chat: "approve", stream: "live", moderation: "off" } },
  });
  rig.server.failNext("/mock/clips", { kind: "hang", acted: true });
  const hanging = rig.ask(MOD, "clip", "[action clip]");
  await until(() => rig.acts().length === 1);
  await rig.ask(MOD, "announce that the raffle is on", '[action announce text="the raffle is on"]');
  const ledger = new Ledger(rig.db, rig.parts.now);
  expect(ledger.settleUnfinished()).toBe(1);
  expect(rig.review.list({ limit: 5 })).toMatchObject([
    { action: "announce", decision: "refuse", reason: "restarted" },
    { action: "clip", decision: "run", outcome: "unknown", error: "crashed" },
  ]);
  expect(rig.acts()).toHaveLength(1);
  await rig.server.close();
  await hanging;
});

test("arguments leave the ledger when they run out, or with the person", async () => {
  const rig = await openRig();
  await rig.order(MOD, COMMAND);
  rig.clock.nowMs += 1_000;
  await rig.ask(VIEWER, "I play the cello", CELLO);
  expect(rig.ledger.expireArgs(START_MS + 1, 10)).toBe(1);
  const kept = () => rig.review.list({ limit: 5 }).map(({ argsJson }) => argsJson);
  expect(kept()).toEqual(['{"fact":"plays the cello"}', null]);
  rig.ledger.dropArgs(VIEWER);
  expect(kept()).toEqual([null, null]);
});

test("what a proposal copies from older chat is not kept with it", async () => {
  const rig = await openRig();
  const old = "the lighthouse keeper waters his tomatoes at midnight in the rain";
  const span = `[action remember fact="${old}" quote="${old}"]`;
  await rig.ask(VIEWER, `remember that ${old}`, span, { shown: [old] });
  expect(rig.remembered).toHaveLength(1);
  expect(rig.review.list({ limit: 1 })).toMatchObject([{ argsJson: '{"fact":"…"}' }]);
});

test("refusals are counted by reason and by who asked", async () => {
  const rig = await openRig();
  await rig.ask(VIEWER, "timeout bob", TIMEOUT);
  await rig.ask(VIEWER, "ban bob", "[action ban user=bob]");
  expect(rig.review.countByReason(0)).toEqual([
    { decision: "refuse", reason: "never", count: 1 },
    { decision: "refuse", reason: "not_allowed", count: 1 },
  ]);
  expect(rig.review.countRefusals(0)).toEqual([{ userId: VIEWER, login: "wren", count: 2 }]);
  expect(rig.review.list({ requester: "WREN", reason: "never", limit: 9 })).toHaveLength(1);
  expect(rig.review.list({ requester: "bob", limit: 9 })).toEqual([]);
});

test("of what is asked for in one instant, no more runs than the cooldowns let through", async () => {
  const rig = await openRig();
  const clips = [VIEWER, BOB, MOD].map((who) => rig.ask(who, "clip that", "[action clip]"));
  const [first, ...others] = (await Promise.all(clips)).flat();
  expect(first).toMatchObject({ outcome: "done" });
  expect(others.map(({ reason }) => reason)).toEqual(["cooldown_action", "cooldown_action"]);
  await Promise.all([MOD, STREAMER].map((who) => rig.line(who, COMMAND)));
  expect(rig.review.list({ limit: 2 }).map(({ reason }) => reason)).toEqual([
    "cooldown_target",
    "allowed",
  ]);
  expect(rig.acts()).toHaveLength(2);
});

test("a clock that was set back opens no cooldown, and no cap of the stream", async () => {
  const clip = { actionSeconds: 0, requesterSeconds: 0, perStream: 2 };
  const rig = await openRig({ policy: { limits: { clip } } });
  // The stream began while the clock was ahead.
  rig.db.prepare("UPDATE stream_sessions SET started_at = ?").run(START_MS + 7_200_000);
  const reasons: unknown[] = [];
  for (const user of [VIEWER, BOB, MOD]) {
    rig.clock.nowMs += 1_000;
    reasons.push((await rig.ask(user, "clip that", "[action clip]"))[0]?.reason);
  }
  expect(reasons).toEqual(["allowed", "allowed", "cap_stream"]);
  rig.policy.now = { ...rig.policy.now, limits: {} };
  rig.clock.nowMs = START_MS - 3_600_000;
  expect(await rig.ask(VIEWER, "clip that", "[action clip]")).toEqual(refused("cooldown_action"));
});

const REMEMBER = '[action remember fact="plays the cello" quote="I play the cello"]';

test("a turn that nobody asked for does nothing, whoever spoke", async () => {
  const rig = await openRig();
  for (const who of [VIEWER, MOD, STREAMER]) {
    for (const span of [TIMEOUT, "[action clip]", REMEMBER]) {
      expect(
        await rig.ask(who, "bob is loud when I play the cello", span, { isAsked: false }),
      ).toMatchObject([{ decision: "refuse", outcome: null }]);
    }
  }
  expect(rig.acts()).toEqual([]);
  expect(rig.remembered).toEqual([]);
});

test("a wish about a memory that nobody has is no trouble of the streamer's", async () => {
  const rig = await openRig();
  const memory = {
    ...rig.parts.memory,
    remember: () => ({ kind: "refused", reason: "sensitive" }) as const,
    correct: () => ({ kind: "refused", reason: "not_yours" }) as const,
  };
  const room = new ActionRoom({ ...rig.parts, memory });
  for (const span of [REMEMBER, REMEMBER.replace("remember", "correct note=5")]) {
    rig.clock.nowMs += 10_000;
    const handled = await room.handle(rig.turnOf(VIEWER, "I play the cello"), [span]);
    expect(await handled.outcomes).toMatchObject([{ decision: "run", outcome: "failed" }]);
  }
  expect(rig.notices.list()).toEqual([]);
  expect(rig.review.list({ limit: 2 }).map(({ error }) => error)).toEqual([
    "not_yours",
    "sensitive",
  ]);
});

test.each([
  ["a topic without notes, which is blocked, sends no line", "nothing_known", []],
  [
    "a note that is gone sends one line",
    "not_yours",
    ["Not done: something that I must know first is not known"],
  ],
] as const)("what memory refuses after a yes: %s", async (_, reason, said) => {
  const rig = await openRig();
  const forget = () => ({ kind: "refused", reason }) as const;
  const room = new ActionRoom({ ...rig.parts, memory: { ...rig.parts.memory, forget } });
  const turn = rig.turnOf(VIEWER, "forget the tractors");
  const what = reason === "nothing_known" ? 'topic="tractors"' : "note=5";
  const handled = await room.handle(turn, [`[action forget ${what}]`]);
  await handled.outcomes;
  const { instead } = handled;
  rig.state.question = instead?.kind === "question" ? instead.question : null;
  rig.send();
  expect(await rig.line(VIEWER, "!yes", {}, room)).toBe(true);
  expect(rig.review.list({ limit: 1 })).toMatchObject([{ error: reason }]);
  expect(rig.said).toEqual(said);
});

test("a memory that fails by a bug is told", async () => {
  const rig = await openRig();
  const remember = () => {
    throw new Error("broken");
  };
  const room = new ActionRoom({ ...rig.parts, memory: { ...rig.parts.memory, remember } });
  const handled = await room.handle(rig.turnOf(VIEWER, "I play the cello"), [REMEMBER]);
  expect(await handled.outcomes).toMatchObject([{ outcome: "unknown" }]);
  expect(rig.notices.list().map(({ cause }) => cause)).toEqual(["remember"]);
});

const NO_OUTCOMES = `CREATE TRIGGER no_outcomes BEFORE UPDATE OF outcome ON action_log
  BEGIN SELECT RAISE(ABORT, 'disk full'); END`;
test("an outcome that cannot be written down is told, counts, and is not tried again", async () => {
  const rig = await openRig();
  rig.db.exec(NO_OUTCOMES);
  const sameLine = { messageId: "the-line" };
  expect(await rig.order(MOD, COMMAND, sameLine)).toMatchObject({ decision: "run" });
  expect(rig.notices.list()).toMatchObject([
    {
      kind: "database",
      cause: "actions",
      severity: "error",
      message: expect.stringMatching(/^The record of actions cannot be written/),
    },
  ]);
  expect(JSON.stringify(rig.notices.list())).not.toMatch(/bob|spoilers/);
  expect(rig.review.list({ limit: 5 })).toMatchObject([{ decision: "run", outcome: null }]);

  // The same proposal, another one of it, and a room that was opened anew.
  await rig.line(MOD, COMMAND, sameLine);
  expect(rig.review.list({ limit: 5 })).toHaveLength(1);
  rig.clock.nowMs += 9_999;
  expect(await rig.order(STREAMER, COMMAND)).toMatchObject({ reason: "cooldown_target" });
  rig.db.exec("DROP TRIGGER no_outcomes");
  expect(rig.ledger.settleUnfinished()).toBe(1);
  const restarted = new ActionRoom(rig.parts);
  expect(await restarted.settleHeld()).toEqual([]);
  expect(restarted.hear(spokenBy(MOD, COMMAND, { messageId: "another" }))).toBe(true);
  expect(rig.review.list({ limit: 1 })).toMatchObject([{ reason: "cooldown_target" }]);
  expect(rig.acts()).toHaveLength(1);
  // The start has settled it.
  expect(rig.notices.list()).toEqual([]);
  expect(rig.review.list({ limit: 9 }).at(-1)).toMatchObject({
    outcome: "unknown",
    error: "crashed",
  });
});

test("one that was approved, and whose outcome was not written, does not run twice", async () => {
  const classes = { memory: "live", chat: "live", stream: "live", moderation: "approve" } as const;
  const rig = await openRig({ policy: { classes } });
  await rig.ask(MOD, "bob off", TIMEOUT);
  const [held] = rig.review.list({ limit: 1 });
  rig.db.exec(NO_OUTCOMES);
  rig.review.answer(held?.id ?? 0, "approve");
  expect(await rig.room.settleHeld()).toMatchObject([{ decision: "run", outcome: "done" }]);
  expect(await rig.room.settleHeld()).toEqual([]);
  expect(rig.acts()).toHaveLength(1);
  expect(rig.notices.list().map(({ cause }) => cause)).toEqual(["actions"]);
});
