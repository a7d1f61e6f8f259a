import { expect, test } from "vitest";
import { INNOCENT } from "./innocent-lines.ts";
import { MODERATORS_TALK, REQUESTS, type Request } from "./moderators-talk.ts";
import { MOD, openRig } from "./rig.ts";
import { REQUESTS_ELSEWHERE, TALK_ELSEWHERE } from "./talk-elsewhere.ts";

const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 999,
  perStream: 999,
};
const FREE = { timeout: OPEN, warn: OPEN, delete: OPEN, shoutout: OPEN };

test("a model that moderates on every line gets nothing done that nobody said yes to", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  const lines = [...INNOCENT, ...MODERATORS_TALK, ...TALK_ELSEWHERE];
  const asked: number[] = [];
  for (const words of lines) {
    rig.clock.nowMs += 7_000;
    await rig.room.settleHeld();
    expect([words, await rig.line(MOD, `@automark ${words}`)]).toEqual([words, false]);
    const span = words.includes("carl") ? "[action timeout user=carl]" : "[action delete user=bob]";
    await rig.ask(MOD, words, span);
    if (rig.send() !== null) asked.push(rig.clock.nowMs);
  }
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(rig.acts()).toEqual([]);
  expect(asked).toHaveLength(2);
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(30_000);
});

type Rig = Awaited<ReturnType<typeof openRig>>;

/** Null where it ran on the right person, once, and a question before it said so. */
async function wrongAbout(rig: Rig, { line, action, login, seconds }: Request): Promise<unknown> {
  const before = rig.acts().length;
  if (!(await rig.line(MOD, line))) {
    await rig.ask(MOD, line.replace("@automark ", ""), `[action ${action} user=${login}]`);
    const question = rig.send() ?? "";
    const length = action === "timeout" ? `${seconds ?? 60} s` : "";
    if (!question.includes(login) || !question.includes(length)) return [line, question];
    await rig.line(MOD, "!yes");
  }
  const row = rig.review.list({ limit: 1 })[0];
  const isDone = row?.action === action && row.targetLogin === login && row.outcome === "done";
  return isDone && rig.acts().length === before + 1 ? null : [line, row];
}

test("each of a hundred natural requests runs at once, or is asked for with the right target and length", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  const wrong: unknown[] = [];
  for (const request of [...REQUESTS, ...REQUESTS_ELSEWHERE]) {
    rig.clock.nowMs += 31_000;
    const found = await wrongAbout(rig, request);
    if (found !== null) wrong.push(found);
  }
  expect(REQUESTS).toHaveLength(100);
  expect(wrong).toEqual([]);
});
