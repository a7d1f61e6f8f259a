import { expect, test } from "vitest";
import { ActionRoom } from "../../src/actions/room.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openLog } from "../../src/log.ts";
import { MOD, openRig, STREAMER, spokenBy, VIEWER } from "./rig.ts";

const TIMEOUT = "[action timeout user=bob seconds=60]";
const COMMAND = "@automark timeout bob 60";
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

test("where the database takes nothing at all, it stands in the log, without a name or a text", async () => {
  const rig = await openRig();
  const lines: string[] = [];
  const log = openLog("warn", (line) => lines.push(line));
  const notices = new NoticeBoard(rig.db, rig.parts.now, log);
  const readOnly = (change: "ON" | "OFF") => rig.db.pragma(`query_only = ${change}`);
  const done = { kind: "done", as: "kept" } as const;
  const memory = {
    owns: () => true,
    factsOf: () => [],
    remember: () => {
      readOnly("ON");
      return done;
    },
    correct: () => done,
    forget: () => done,
  };
  const room = new ActionRoom({ ...rig.parts, memory, notices, log });
  const turn = rig.turnOf(VIEWER, "remember that I play the cello");
  const span = '[action remember fact="plays the cello" quote="I play the cello"]';
  expect(await rig.judge(turn, [span], room)).toMatchObject([{ decision: "run", outcome: "done" }]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { notice: "database:actions", msg: expect.stringContaining("cannot be written") },
  ]);
  expect(lines.join()).not.toMatch(/cello|wren/i);
  readOnly("OFF");
  // The next notice takes along what the database did not take.
  notices.raise("helix", "info", "something else");
  expect(rig.notices.list().map(({ cause }) => cause)).toContain("actions");
});
