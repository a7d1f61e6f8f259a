import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import { NO_ROLES } from "../chat/say.ts";
import { NEAR_COMMANDS, OTHER_YES, PLAIN_COMMANDS, RIGHT_YES } from "./command-corpora.ts";
import { INNOCENT } from "./innocent-lines.ts";
import { MODERATORS_TALK, REQUESTS, type Request } from "./moderators-talk.ts";
import {
  BOB,
  MOD,
  NO_LIMITS,
  OPEN_LIMITS,
  OTHER_MOD,
  openRig,
  READ_MS,
  replyTo,
  STREAMER,
  VIEWER,
} from "./rig.ts";
import { REQUESTS_ELSEWHERE, TALK_ELSEWHERE } from "./talk-elsewhere.ts";

const TIMEOUT = "[action timeout user=bob seconds=600]";
const QUESTION = "Time out bob for 600 s? Reply yes or write !yes";

const MOSS = {
  login: "moss",
  displayName: "Moss",
  roles: { ...NO_ROLES, moderator: true },
};

type Rig = Awaited<ReturnType<typeof openRig>>;

async function nextTurn({ clock, room }: Rig): Promise<void> {
  clock.nowMs += 61_000;
  await room.settleHeld();
}

test("plain commands in the usual forms all run at once", async () => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: NO_LIMITS } });
  rig.server.setUser({ id: "90", login: "rider_9", displayName: "Rider_9" });
  const wrong: unknown[] = [];
  const parents = {
    bob: { messageId: "hello-31", userId: BOB },
    bot: { messageId: "a-joke", userId: STREAMER },
  };
  for (const [line, runs, repliesTo] of PLAIN_COMMANDS) {
    const before = rig.acts().length;
    const more = repliesTo === undefined ? {} : { parent: parents[repliesTo] };
    const row = await rig.order(MOD, line, more);
    const isDone = row?.outcome === "done" && rig.acts().length === before + 1;
    if (!isDone || row.action !== runs.split(" ")[0]) wrong.push([line, row]);
  }
  expect(PLAIN_COMMANDS.length).toBeGreaterThanOrEqual(45);
  expect(wrong).toEqual([]);
});

test("150 lines of moderators that are almost commands run nothing by themselves", async () => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: NO_LIMITS } });
  for (const line of NEAR_COMMANDS) {
    await nextTurn(rig);
    await rig.line(MOD, line);
    rig.send();
  }
  expect(rig.acts()).toEqual([]);
});

test("a model that moderates on every line gets nothing done that nobody said yes to", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  const lines = [...INNOCENT, ...MODERATORS_TALK, ...TALK_ELSEWHERE];
  let asked = 0;
  for (const words of lines) {
    await nextTurn(rig);
    const span = words.includes("carl") ? "[action timeout user=carl]" : "[action delete user=bob]";
    if (!(await rig.line(MOD, `@automark ${words}`))) await rig.ask(MOD, words, span);
    if (rig.send() !== null) asked += 1;
  }
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(rig.acts()).toEqual([]);
  expect(asked).toBe(2);
});

async function withQuestion(): Promise<Rig> {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  await rig.ask(MOD, "bob is spoiling again, ten minutes", TIMEOUT);
  expect(rig.send()).toBe(QUESTION);
  return rig;
}

const MESSAGES = { question: "question-1", other: "a-joke" };
const replyToOne = (to: keyof typeof MESSAGES | undefined): Partial<Spoken> =>
  to === undefined ? {} : replyTo(MESSAGES[to]);

test("forty ways of saying yes to something else do nothing", async () => {
  const rig = await withQuestion();
  expect(OTHER_YES.length).toBeGreaterThanOrEqual(40);
  for (const [text, to] of OTHER_YES) {
    expect([text, await rig.line(MOD, text, replyToOne(to))]).toEqual([text, false]);
  }
  expect(rig.acts()).toEqual([]);
  await rig.line(MOD, "!yes");
  expect(rig.acts()).toHaveLength(1);
});

test.each(RIGHT_YES.map((answer) => ({ text: answer[0], to: answer[1] })))(
  "$text runs what was asked, once",
  async ({ text, to }) => {
    const rig = await withQuestion();
    const more = replyToOne(to);
    expect(await rig.line(MOD, text, more)).toBe(true);
    expect(await rig.line(MOD, text, more)).toBe(false);
    expect(rig.acts()).toMatchObject([{ body: { data: { user_id: BOB, duration: 600 } } }]);
  },
);

const YES: readonly (readonly [string, Partial<Spoken>])[] = [
  ["!yes", {}],
  ["yes", replyToOne("question")],
  ["👍", replyToOne("question")],
];

test.each<readonly [string, who: string, changed: Partial<Spoken>]>([
  ["another moderator", OTHER_MOD, {}],
  ["the streamer", STREAMER, {}],
  ["a viewer with the requester's name", VIEWER, { person: { ...MOSS, userId: VIEWER } }],
  ["the requester in another channel", MOD, { channel: "elsewhere" }],
  ["the requester with /me", MOD, { kind: "action" }],
  ["the requester with bits", MOD, { kind: "cheer", amount: 100 }],
  ["the requester with a resub", MOD, { kind: "resub" }],
  ["an account of a program", MOD, { memorable: false, isKnownBot: true }],
])("a yes by %s does nothing", async (_name, who, changed) => {
  for (const [text, more] of YES) {
    const rig = await withQuestion();
    expect(await rig.line(who, text, { ...more, ...changed })).toBe(false);
    expect(rig.acts()).toEqual([]);
  }
});

test("a yes counts from one second after the question to sixty", async () => {
  for (const [afterMs, runs] of [
    [0, 0],
    [999, 0],
    [1_000, 1],
    [59_999, 1],
    [60_000, 0],
  ] as const) {
    const rig = await withQuestion();
    rig.clock.nowMs += afterMs - READ_MS;
    await rig.line(MOD, "!yes");
    expect([afterMs, rig.acts().length]).toEqual([afterMs, runs]);
  }
});

test("any later message of the bot to the requester ends the question", async () => {
  const rig = await withQuestion();
  rig.room.endQuestionTo("elsewhere", MOD);
  rig.room.endQuestionTo("den", BOB);
  expect(rig.review.list({ limit: 1 })).toMatchObject([{ decision: "hold" }]);
  rig.room.endQuestionTo("den", MOD);
  expect(rig.review.list({ limit: 1 })).toMatchObject([
    { reason: "overtaken", endedAs: "unanswered" },
  ]);
  expect(await rig.line(MOD, "!yes")).toBe(false);
  const refused = await withQuestion();
  await refused.line(MOD, "@automark timeout teastream 60");
  expect(refused.said).toEqual(["Not done: teastream is protected"]);
  expect(await refused.line(MOD, "!yes")).toBe(false);
});

test("the same question again sends nothing, and the open one stays", async () => {
  const rig = await withQuestion();
  expect(await rig.ask(MOD, "really, bob", TIMEOUT)).toMatchObject([{ reason: "question_open" }]);
  expect(rig.state.instead).toEqual({ kind: "silence" });
  expect(await rig.line(MOD, "@automark mute bob 10m now")).toBe(true);
  expect([rig.send(), rig.said]).toEqual([null, []]);
  await rig.line(MOD, "!yes");
  expect(rig.acts()).toHaveLength(1);
});

test("a moderator's line that begins like a command is answered by code", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  expect(await rig.line(MOD, "@automark mute bob:P lol")).toBe(true);
  expect(rig.send()).toBe("Time out bob for 60 s? Reply yes or write !yes");
  await rig.line(MOD, "!yes");
  expect(rig.acts()).toHaveLength(1);
  expect(await rig.line(MOD, "@automark mute him")).toBe(true);
  rig.state.isRaid = true;
  await nextTurn(rig);
  expect(await rig.line(MOD, "@automark mute carl for 5m")).toBe(true);
  await nextTurn(rig);
  expect(await rig.line(MOD, "@automark warn carl:no links")).toBe(true);
  expect(rig.said).toEqual([
    "Nothing done yet. To do it, type: @automark timeout @name 60",
    "Nothing done yet. To do it, type: @automark timeout @carl 300",
    "Nothing done yet. To do it, type: @automark warn @carl",
  ]);
  expect(await rig.line(BOB, "@automark mute carl:P")).toBe(false);
  rig.policy.now = { ...rig.policy.now, classes: { ...rig.policy.now.classes, moderation: "off" } };
  expect(await rig.line(MOD, "@automark mute carl:P")).toBe(false);
});

test("a length above the maximum is shortened, and chat is told", async () => {
  const rig = await openRig({
    policy: { limits: { timeout: { ...OPEN_LIMITS, secondsMax: 600 } } },
  });
  expect(await rig.order(MOD, "@automark timeout bob 1h")).toMatchObject({ outcome: "done" });
  expect(rig.said).toEqual(["600 s is the longest allowed"]);
  await rig.ask(MOD, "an hour for bob", "[action timeout user=bob seconds=3600]");
  expect(rig.send()).toBe(`${QUESTION} (600 s is the longest allowed)`);
  expect(rig.acts()).toMatchObject([{ body: { data: { duration: 600 } } }]);
});

/** Null if it ran on the right person, once, and a question before it said so. */
async function wrongAbout(rig: Rig, { line, action, login, seconds }: Request): Promise<unknown> {
  const before = rig.acts().length;
  if (!(await rig.line(MOD, line)) || rig.acts().length === before) {
    const said = action === "timeout" ? ` seconds=${seconds ?? 60}` : "";
    const span = `[action ${action} user=${login}${said}]`;
    if (rig.state.question === null) await rig.ask(MOD, line.replace("@automark ", ""), span);
    const question = rig.send() ?? "";
    if (!question.includes(login)) return [line, question];
    await rig.line(MOD, "!yes");
  }
  const row = rig.review.list({ limit: 1 })[0];
  const isDone = row?.action === action && row.targetLogin === login && row.outcome === "done";
  return isDone && rig.acts().length === before + 1 ? null : [line, row];
}

test("each of 150 requests in any language is asked for with the right target, or runs", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  const wrong: unknown[] = [];
  for (const request of [...REQUESTS, ...REQUESTS_ELSEWHERE]) {
    await nextTurn(rig);
    const found = await wrongAbout(rig, request);
    if (found !== null) wrong.push(found);
  }
  expect(wrong).toEqual([]);
});
