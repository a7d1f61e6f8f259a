import { expect, test } from "vitest";
import { until } from "../stand-ins/until.ts";
import { BOB, CHANNEL, MOD, OTHER_MOD, openRig, removed, VIEWER } from "./rig.ts";

const APPROVE = { memory: "live", chat: "live", stream: "live", moderation: "approve" } as const;
const TIMEOUT = "[action timeout user=bob seconds=60]";

/** A den in which moderation waits for the streamer, and a time-out of bob that waits. */
async function withHeld(span = TIMEOUT, words = "bob off please") {
  const rig = await openRig({ policy: { classes: APPROVE } });
  expect(await rig.ask(MOD, words, span)).toMatchObject([
    { decision: "hold", reason: "needs_approval", outcome: null },
  ]);
  const [line] = rig.review.list({ decision: "hold", limit: 5 });
  return { ...rig, id: line?.id ?? 0 };
}

test("a held proposal waits, and runs once it is approved, once", async () => {
  const rig = await withHeld();
  expect(await rig.room.settleHeld()).toEqual([]);
  expect(rig.acts()).toEqual([]);
  expect(rig.review.answer(rig.id, "approve")).toBe(true);
  expect(rig.review.answer(rig.id, "refuse")).toBe(false);
  const [first, second] = await Promise.all([rig.room.settleHeld(), rig.room.settleHeld()]);
  expect([...(first ?? []), ...(second ?? [])]).toMatchObject([
    { decision: "run", reason: "approved", outcome: "done" },
  ]);
  expect(rig.acts()).toMatchObject([{ body: { data: { user_id: BOB, duration: 60 } } }]);
  expect(rig.review.list({ limit: 1 })).toMatchObject([
    { decision: "run", reason: "approved", outcome: "done" },
  ]);
});

test("an approved one that hangs at Twitch holds up no other that was approved", async () => {
  const rig = await withHeld();
  await rig.ask(OTHER_MOD, "warn bob please", "[action warn user=bob reason=please]");
  for (const { id } of rig.review.list({ decision: "hold", limit: 5 }))
    rig.review.answer(id, "approve");
  rig.server.failNext("/mock/moderation/bans", { kind: "hang" });
  const settled = rig.room.settleHeld();
  await until(() => rig.review.list({ limit: 5 }).some(({ outcome }) => outcome === "done"));
  expect(rig.review.list({ limit: 5 })).toMatchObject([
    { action: "warn", outcome: "done" },
    { action: "timeout", outcome: null },
  ]);
  await rig.server.close();
  expect(await settled).toMatchObject([{ outcome: "unknown" }, { outcome: "done" }]);
});

test("one that the streamer refuses does not run", async () => {
  const rig = await withHeld();
  rig.review.answer(rig.id, "refuse");
  expect(await rig.room.settleHeld()).toMatchObject([
    { decision: "refuse", reason: "refused_by_streamer" },
  ]);
  expect(rig.acts()).toEqual([]);
});

test("one that nobody answers in two minutes is gone, and an answer then comes too late", async () => {
  const rig = await withHeld();
  rig.clock.nowMs += 119_999;
  expect(await rig.room.settleHeld()).toEqual([]);
  rig.clock.nowMs += 1;
  expect(rig.review.answer(rig.id, "approve")).toBe(false);
  expect(await rig.room.settleHeld()).toMatchObject([{ decision: "refuse", reason: "expired" }]);
  expect(rig.acts()).toEqual([]);
});

test.each([
  ["paused", "paused"],
  ["safe_mode", "safe_mode"],
] as const)("approved while %s, it does not run", async (name, reason) => {
  const rig = await withHeld();
  rig.switches.set(name, true, "cli");
  rig.review.answer(rig.id, "approve");
  expect(await rig.room.settleHeld()).toMatchObject([{ decision: "refuse", reason }]);
  expect(rig.acts()).toEqual([]);
});

test("one whose target became a moderator meanwhile does not run", async () => {
  const rig = await withHeld();
  rig.db
    .prepare("UPDATE viewer_channels SET is_moderator = 1 WHERE channel = ? AND user_id = ?")
    .run(CHANNEL, BOB);
  rig.review.answer(rig.id, "approve");
  expect(await rig.room.settleHeld()).toMatchObject([{ decision: "refuse", reason: "protected" }]);
  expect(rig.acts()).toEqual([]);
});

test("one whose requester is no moderator any more does not run", async () => {
  const rig = await withHeld();
  rig.db
    .prepare("UPDATE viewer_channels SET is_moderator = 0 WHERE channel = ? AND user_id = ?")
    .run(CHANNEL, MOD);
  rig.review.answer(rig.id, "approve");
  expect(await rig.room.settleHeld()).toMatchObject([
    { decision: "refuse", reason: "not_allowed" },
  ]);
});

test("a login that went to somebody else meanwhile still means whom the streamer was asked about", async () => {
  const rig = await withHeld();
  rig.db
    .prepare("UPDATE viewers SET login = 'robert', display_name = 'Robert' WHERE user_id = ?")
    .run(BOB);
  rig.db.prepare("UPDATE viewers SET login = 'bob' WHERE user_id = '34'").run();
  rig.review.answer(rig.id, "approve");
  expect(await rig.room.settleHeld()).toMatchObject([{ outcome: "done" }]);
  expect(rig.acts()).toMatchObject([{ body: { data: { user_id: BOB } } }]);
});

test("a deletion takes the message that the streamer was asked about, not a later one", async () => {
  const rig = await withHeld("[action delete user=bob]", "delete what bob said");
  rig.speak(BOB, "a later, harmless line", "later");
  rig.review.answer(rig.id, "approve");
  expect(await rig.room.settleHeld()).toMatchObject([{ outcome: "done" }]);
  expect(rig.acts()).toMatchObject([{ method: "DELETE", query: { message_id: `hello-${BOB}` } }]);
});

test("what waits counts for the cooldown, so that a queue cannot be flooded; once refused it counts no more", async () => {
  const rig = await withHeld();
  expect(await rig.ask(MOD, "bob off", TIMEOUT)).toMatchObject([{ reason: "cooldown_target" }]);
  rig.review.answer(rig.id, "refuse");
  await rig.room.settleHeld();
  expect(await rig.ask(MOD, "bob off", TIMEOUT)).toMatchObject([{ decision: "hold" }]);
});

test("a viewer's proposal of a class that waits is refused, not held", async () => {
  const rig = await withHeld();
  expect(await rig.ask(VIEWER, "bob off", TIMEOUT)).toMatchObject([{ reason: "not_allowed" }]);
});

test.each([
  ["who asked for it", MOD],
  ["whom it is about", BOB],
])("one is withdrawn when the words of %s are taken away", async (_name, userId) => {
  const rig = await withHeld();
  rig.room.endRemoved(removed({ userId: VIEWER }));
  rig.room.endRemoved(removed({ channel: "elsewhere", userId }));
  rig.room.endRemoved(removed({ channel: "elsewhere" }));
  expect(rig.review.list({ decision: "hold", limit: 5 })).toHaveLength(1);
  rig.room.endRemoved(removed({ userId }));
  expect(rig.review.list({ limit: 1 })).toMatchObject([
    { decision: "refuse", reason: "withdrawn", outcome: null },
  ]);
  expect(rig.review.answer(rig.id, "approve")).toBe(false);
  expect(await rig.room.settleHeld()).toEqual([]);
  expect(rig.acts()).toEqual([]);
});

test("a cleared channel withdraws all that waits in it", async () => {
  const rig = await withHeld();
  rig.room.endRemoved(removed({}));
  expect(rig.review.list({ limit: 1 })).toMatchObject([{ reason: "withdrawn" }]);
});

test("the streamer is told what waits, until nothing does", async () => {
  const rig = await withHeld();
  const told = () => rig.notices.list().filter(({ cause }) => cause === "held");
  expect(told()).toMatchObject([{ message: expect.stringContaining(`approve ${rig.id}`) }]);
  rig.review.answer(rig.id, "refuse");
  await rig.room.settleHeld();
  expect(told()).toEqual([]);
  expect(await rig.ask(MOD, "bob off", TIMEOUT)).toMatchObject([{ decision: "hold" }]);
  expect(told()).toHaveLength(1);
  rig.room.endRemoved(removed({ userId: BOB }));
  expect(told()).toEqual([]);
});
