import { expect, test } from "vitest";
import { NO_ROLES } from "../chat/say.ts";
import { BOB, LONG_FACT, MOD, NO_LIMITS, openRig, STREAMER, spokenBy, VIEWER } from "./rig.ts";

test("free text runs only as the requester wrote it", async () => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: NO_LIMITS } });
  const ask = async (words: string, span: string) => {
    rig.clock.nowMs += 31_000;
    await rig.room.settleHeld();
    const [outcome] = await rig.ask(MOD, words, span);
    return rig.send() ?? outcome?.reason;
  };
  const words = "tell them the raffle starts at Nine, and bob gets a warning for that spoiler";
  expect(await ask(words, '[action announce text="the raffle starts at nine"]')).toBe(
    "Announce this: the raffle starts at Nine – Reply yes or write !yes",
  );
  await rig.line(MOD, "!yes");
  const doors = "say:  doors  open at nine, don’t be late!";
  expect(await ask(doors, '[action announce text="Doors open at ten"]')).toBe("not_verbatim");
  expect(await ask(doors, `[action announce text="Doors open at nine, don't be late."]`)).toBe(
    "Announce this: doors open at nine, don’t be late – Reply yes or write !yes",
  );
  await rig.line(MOD, "!no");
  expect(await ask(words, '[action announce text="raffle time, everybody!"]')).toBe("not_verbatim");
  expect(await ask(words, '[action warn user=bob reason="that spoiler"]')).toBe(
    "Warn bob (that spoiler)? Reply yes or write !yes",
  );
  await rig.line(MOD, "!yes");
  expect(await ask(words, '[action warn user=bob reason="being a menace"]')).toBe(
    "Warn bob (Please mind the rules of this chat.)? Reply yes or write !yes",
  );
  await rig.line(MOD, "!yes");
  expect(
    await ask("poll on more tea? now", '[action poll title="more tea?" choices="Yes|No"]'),
  ).toBe("Start this poll for 60 s: more tea? (Yes / No) – Reply yes or write !yes");
  await rig.line(MOD, "!yes");
  expect(rig.acts().map(({ body }) => body)).toMatchObject([
    { message: "the raffle starts at Nine" },
    { data: { reason: "that spoiler" } },
    { data: { reason: "Please mind the rules of this chat." } },
    { title: "more tea?", duration: 60 },
  ]);
});

test("a viewer's memory is forgotten on their own yes, to a question that says what goes", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  await rig.ask(VIEWER, "please drop that about my instrument", "[action forget note=5]");
  expect(rig.send()).toBe(
    "Forget this about you: wren plays the cello with bob – Reply yes or write !yes",
  );
  expect(await rig.line(BOB, "!yes")).toBe(false);
  await rig.line(VIEWER, "!yes");
  expect(rig.remembered).toEqual([["forget", "den", VIEWER, 5]]);
  expect(await rig.ask(BOB, "drop it", "[action forget note=5]")).toMatchObject([
    { reason: "not_own_note" },
  ]);
  rig.clock.nowMs += 31_000;
  expect(await rig.ask(VIEWER, "never mind music", '[action forget topic="music"]')).toMatchObject([
    { decision: "hold" },
  ]);
  expect(rig.send()).toBe(
    "Forget all I know about you and this: music (wren plays the cello with bob) – Reply yes or write !yes",
  );
  rig.clock.nowMs += 31_000;
  await rig.room.settleHeld();
  expect(await rig.ask(VIEWER, "never mind", '[action forget topic="cats"]')).toMatchObject([
    { reason: "not_verbatim" },
  ]);
});

test("what is remembered stands in the words of whom it is about", async () => {
  const rig = await openRig();
  const words = "remember that I play the cello on sundays";
  const others = ["wren owns a private island"];
  for (const [span, reason] of [
    ['[action remember fact="plays the cello"]', "no_quote"],
    ['[action remember fact="plays the cello" quote="owns a private island"]', "no_quote"],
    ['[action remember fact="owns an island" quote="I play the cello"]', "unsupported"],
    ['[action remember fact="plays the cello" quote="I play the cello"]', "allowed"],
  ] as const) {
    expect([span, (await rig.ask(VIEWER, words, span, { others }))[0]?.reason]).toEqual([
      span,
      reason,
    ]);
  }
  expect(rig.remembered).toEqual([["remember", "den", VIEWER, "plays the cello"]]);
  expect(rig.review.list({ limit: 1 })[0]?.argsJson).toBe('{"fact":"plays the cello"}');
});

test.each([
  ["don't forget that i have two cats", "has two cats", "i have two cats"],
  ["dont forget i live in berlin", "lives in berlin", "i live in berlin"],
  ["vergiss nicht ich wohne in köln", "wohnt in köln", "ich wohne in köln"],
  ["no olvides que vivo en madrid", "vive en madrid", "vivo en madrid"],
  ["n'oublie pas que j'habite à lyon", "habite à lyon", "j'habite à lyon"],
  ["non dimenticare che vivo a roma", "vive a roma", "vivo a roma"],
  ["não esquece que eu moro em lisboa", "mora em lisboa", "eu moro em lisboa"],
  ["nie zapomnij że mieszkam w krakowie", "mieszka w krakowie", "mieszkam w krakowie"],
  ["не забудь что я люблю оливки", "любит оливки", "я люблю оливки"],
  ["не забудь, що я живу у львові", "живе у львові", "я живу у львові"],
  ["잊지 마 나는 서울에 살아", "서울에 산다", "나는 서울에 살아"],
  ["别忘了我住在上海", "住在上海", "我住在上海"],
  ["لا تنس أنني أعيش في القاهرة", "يعيش في القاهرة", "أعيش في القاهرة"],
  ["मत भूलना मैं दिल्ली में रहता हूँ", "दिल्ली में रहता है", "मैं दिल्ली में रहता हूँ"],
])("whoever says not to forget denies nothing: %s", async (words, fact, quote) => {
  const rig = await openRig();
  const remember = `[action remember fact="${fact}" quote="${quote}"]`;
  expect(await rig.ask(VIEWER, words, remember)).toMatchObject([{ decision: "run" }]);
});

test.each([
  ["don't forget i do not like olives", "likes olives", "do not like olives"],
  ["vergiss nicht, dass ich keine oliven mag", "mag oliven", "ich keine oliven mag"],
  [
    "no olvides que no me gustan las aceitunas",
    "le gustan las aceitunas",
    "me gustan las aceitunas",
  ],
  ["не забудь что я не люблю оливки", "любит оливки", "не люблю оливки"],
])("but what they deny stays denied: %s", async (words, fact, quote) => {
  const rig = await openRig();
  const remember = `[action remember fact="${fact}" quote="${quote}"]`;
  expect(await rig.ask(VIEWER, words, remember)).toMatchObject([{ reason: "unsupported" }]);
});

test("a viewer called like a length or a number is meant only with an @", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  for (const [userId, login] of [
    ["91", "100m"],
    ["92", "123456"],
  ] as const) {
    const person = { userId, login, displayName: login, roles: NO_ROLES };
    rig.events.add(spokenBy(userId, "hello", { person, messageId: `hello-${userId}` }));
    rig.events.flush();
    const before = rig.acts().length;
    await rig.line(MOD, `@automark timeout ${login}`);
    expect([login, rig.acts().length]).toEqual([login, before]);
    await rig.line(MOD, `@automark timeout @${login} 60`);
    expect(rig.acts().slice(before)).toMatchObject([{ body: { data: { user_id: userId } } }]);
  }
});

test("a question about a topic shows its first fact, however long", async () => {
  const rig = await openRig();
  const asked = await rig.ask(VIEWER, "never mind sailing", '[action forget topic="sailing"]');
  expect(asked).toMatchObject([{ decision: "hold" }]);
  expect(rig.send()).toContain(`sailing (${LONG_FACT} +1)`);
});
