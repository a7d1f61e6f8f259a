import { expect, test } from "vitest";
import { CHANNEL, MOD, openRig, VIEWER } from "./rig.ts";

const TIMEOUT = "[action timeout user=bob]";
const WORDS = "bob is spoiling again, do something";
const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 999,
  perStream: 999,
};
const NO_ROLES = { broadcaster: false, moderator: false, vip: false, subscriber: false };

test("twenty moderators who are asked at once: one question is open, and only its own yes counts", async () => {
  const rig = await openRig({ policy: { limits: { timeout: OPEN } } });
  const mods = Array.from({ length: 20 }, (_, at) => `8${at}`);
  const add = rig.db.prepare(
    `INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES (?, ?, ?, 0, 0)`,
  );
  const join = rig.db.prepare(
    `INSERT INTO viewer_channels (channel, user_id, is_moderator, first_seen_at, last_seen_at) VALUES (?, ?, 1, 0, 0)`,
  );
  for (const id of mods) {
    add.run(id, `mod${id}`, `Mod${id}`);
    join.run(CHANNEL, id);
  }
  const turns = mods.map((id) => rig.turnOf(id, WORDS, { messageId: `request-${id}` }));
  const asked = await Promise.all(turns.map((turn) => rig.room.handle(turn, [TIMEOUT])));
  await Promise.all(asked.map(({ outcomes }) => outcomes));
  const sent = asked.filter(
    ({ instead }) => instead?.kind === "question" && instead.question.onSending(),
  );
  expect(sent).toHaveLength(1);
  for (const { instead } of sent)
    if (instead?.kind === "question")
      instead.question.sent({ kind: "sent", messageId: "question", via: "helix" });
  rig.clock.nowMs += 1_000;
  for (const id of mods) {
    const person = {
      ...{ userId: id, login: `mod${id}`, displayName: `Mod${id}` },
      roles: { ...NO_ROLES, moderator: true },
    };
    await rig.line(id, "!yes", { person });
  }
  expect(rig.acts()).toHaveLength(1);
  const ends = rig.review.list({ limit: 50 }).map(({ endedAs }) => endedAs);
  expect(ends.filter((ended) => ended === "replaced")).toHaveLength(19);
  expect(ends.filter((ended) => ended === "yes")).toHaveLength(1);
});

test("a viewer is asked one thing about their memory at a time, beside what a moderator is asked", async () => {
  const rig = await openRig();
  await rig.ask(MOD, WORDS, TIMEOUT);
  rig.send();
  const forget = "[action forget note=5]";
  expect(await rig.ask(VIEWER, "drop it", forget)).toMatchObject([{ decision: "hold" }]);
  rig.send();
  rig.clock.nowMs += 6_000;
  expect(await rig.ask(VIEWER, "drop it", forget)).toMatchObject([{ reason: "question_open" }]);
  expect(await rig.line(MOD, "!yes")).toBe(true);
  expect(await rig.line(VIEWER, "!yes")).toBe(true);
  expect(rig.acts()).toHaveLength(1);
  expect(rig.remembered).toEqual([["forget", CHANNEL, VIEWER, 5]]);
});

test("whoever is asked something else says no second yes to what they were asked before", async () => {
  const rig = await openRig();
  await rig.ask(MOD, WORDS, TIMEOUT);
  rig.clock.nowMs += 4_900;
  expect(rig.send()).toBe("Time out bob for 60 s? Reply yes or write !yes");
  rig.clock.nowMs += 25_200;
  await rig.ask(MOD, "and never mind music", '[action forget topic="music"]');
  expect(rig.send()).toContain("music");
  expect(await rig.line(MOD, "!yes")).toBe(true);
  expect(await rig.line(MOD, "!yes")).toBe(false);
  expect(rig.acts()).toEqual([]);
  expect(rig.review.list({ limit: 2 })).toMatchObject([
    { action: "forget", reason: "confirmed" },
    { action: "timeout", reason: "replaced", endedAs: "replaced" },
  ]);
});
