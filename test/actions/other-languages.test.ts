import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import { ACTION_NAMES } from "../../src/config/names.ts";
import { MOD, openRig, STREAMER, spokenBy } from "./rig.ts";

const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 999,
  perStream: 999,
};
const FREE = Object.fromEntries(ACTION_NAMES.map((name) => [name, OPEN]));

/** Almost commands in languages whose words the program does not know. */
const NEAR_COMMANDS = [
  "@automark timeout bob 60 alsjeblieft",
  "@automark geef bob een timeout van 60 seconden",
  "@automark demp @bob 10m",
  "@automark timeout bob i 60 sekunder",
  "@automark stäng av bob 60",
  "@automark mute bobille 60s",
  "@automark timeout bob 5 min",
  "@automark timeout bobovi 60",
  "@automark smaž bob",
  "@automark timeout lui bob 60",
  "@automark avertizează-l pe bob: fără spoilere",
  "@automark timeout bobnak 1 perc",
  "@automark timeout τον bob 60",
  "@automark σίγαση @bob 60",
  "@automark cấm chat bob 60",
  "@automark timeout bob 60 giây",
  "@automark tolong mute bob 60",
  "@automark mute si bob 60",
  "@automark timeout bob 60 วินาที",
  "@automark ปิดเสียง @bob 60",
  "@automark timeout את bob 60",
  "@automark השתק את bob",
  "@automark timeout bob ۶۰",
  "@automark timeout bob ৬০",
  "@automark timeout bob ６０",
  "@automark slet bob",
  "@automark delete bobs besked",
  "@automark poll al cap",
  "@automark avisa bob: prou",
  "@automark timeout mo si bob 60",
  "@automark mute bob dakika 5",
  "@automark timeout bob 60, molim",
  "@automark изтрий bob",
  "@automark warn bobi: spoilerid",
  "@automark shoutout vores ven bob",
  "@automark announce raffle klokken ni",
  "@automark timeout @bob, 60",
  "@automark timeout bob 60..",
  "@automark timeout bob +60",
  "@automark timeout bob -60",
  "@automark timeout bob 1e2",
  "@automark timeout @bоb 60",
  "@automark timeout bob60",
  "@automark timeout bob/60",
];

test("almost commands in further languages run nothing by themselves", async () => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: FREE } });
  expect(new Set(NEAR_COMMANDS).size).toBeGreaterThanOrEqual(40);
  for (const line of NEAR_COMMANDS) {
    rig.clock.nowMs += 61_000;
    await rig.room.settleHeld();
    await rig.line(MOD, line);
    rig.send();
    expect([line, rig.acts()]).toEqual([line, []]);
  }
});

/** Yes to something else, and no yes at all; `question` and `other` say what the message replies to. */
const OTHER_YES: readonly (readonly [text: string, repliesTo?: "question" | "other"])[] = [
  ["!yes!"],
  ["!yes."],
  ["!ｙｅｓ"],
  ["!yes @bob"],
  ["!no !yes"],
  ["@automark !yes"],
  ["kyllä"],
  ["igen"],
  ["ναι"],
  ["vâng"],
  ["כן"],
  ["ใช่"],
  ["sim sim", "question"],
  ["yes 😂", "question"],
  ["ok boomer", "question"],
  ["sure jan", "question"],
  ["klar, warum nicht", "question"],
  ["va bene ma dopo", "question"],
  ["да?", "question"],
  ["はい？", "question"],
  ["ok no", "question"],
  ["@moss yes", "question"],
  ["!yes 👍", "question"],
  ["si", "other"],
  ["✅", "other"],
];
const MESSAGES = { question: "question-1", other: "a-joke" };

test("a yes to something else does nothing, in further languages too", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  await rig.ask(MOD, "bob is spoiling again", "[action timeout user=bob seconds=600]");
  expect(rig.send()).toBe("Time out bob for 600 s? Reply yes or write !yes");
  for (const [text, to] of OTHER_YES) {
    const parent = to && { messageId: MESSAGES[to], userId: "77" };
    const more: Partial<Spoken> = parent === undefined ? {} : { parent };
    expect([text, await rig.line(MOD, text, more)]).toEqual([text, false]);
  }
  expect(rig.acts()).toEqual([]);
  await rig.line(MOD, "!yes");
  expect(rig.acts()).toHaveLength(1);
});

test("a viewer called like a length or a number is meant only with an @", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  const roles = { broadcaster: false, moderator: false, vip: false, subscriber: false };
  for (const [userId, login] of [
    ["91", "100m"],
    ["92", "123456"],
  ] as const) {
    const person = { userId, login, displayName: login, roles };
    rig.events.add(spokenBy(userId, "hello", { person, messageId: `hello-${userId}` }));
    rig.events.flush();
    const before = rig.acts().length;
    await rig.line(MOD, `@automark timeout ${login}`);
    expect([login, rig.acts().length]).toEqual([login, before]);
    await rig.line(MOD, `@automark timeout @${login} 60`);
    expect(rig.acts().slice(before)).toMatchObject([{ body: { data: { user_id: userId } } }]);
  }
});
