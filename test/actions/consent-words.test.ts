import { expect, test } from "vitest";
import { BOB, MOD, openRig, STREAMER, VIEWER } from "./rig.ts";

const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 999,
  perStream: 999,
};
const FREE = { announce: OPEN, poll: OPEN, warn: OPEN, forget: OPEN };

test("free text runs only as the requester wrote it", async () => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: FREE } });
  const ask = async (words: string, span: string) => {
    rig.clock.nowMs += 31_000;
    await rig.room.settleHeld();
    const [outcome] = await rig.ask(MOD, words, span);
    return rig.send() ?? outcome?.reason;
  };
  const words = "tell them the raffle starts at Nine, and bob gets a warning for that spoiler";
  expect(await ask(words, '[action announce text="the raffle starts at nine"]')).toBe(
    "Announce this: the raffle starts at Nine – !yes",
  );
  await rig.line(MOD, "!yes");
  const doors = "say:  doors  open at nine, don’t be late!";
  expect(await ask(doors, '[action announce text="Doors open at ten"]')).toBe("not_verbatim");
  expect(await ask(doors, `[action announce text="Doors open at nine, don't be late."]`)).toBe(
    "Announce this: doors open at nine, don’t be late – !yes",
  );
  await rig.line(MOD, "!no");
  expect(await ask(words, '[action announce text="raffle time, everybody!"]')).toBe("not_verbatim");
  expect(await ask(words, '[action warn user=bob reason="that spoiler"]')).toBe(
    "Warn bob (that spoiler)? !yes",
  );
  await rig.line(MOD, "!yes");
  expect(await ask(words, '[action warn user=bob reason="being a menace"]')).toBe(
    "Warn bob (Please mind the rules of this chat.)? !yes",
  );
  await rig.line(MOD, "!yes");
  expect(
    await ask("poll on more tea? now", '[action poll title="more tea?" choices="Yes|No"]'),
  ).toBe("Start this poll for 60 s: more tea? (Yes / No) – !yes");
  await rig.line(MOD, "!yes");
  expect(rig.acts().map(({ body }) => body)).toMatchObject([
    { message: "the raffle starts at Nine" },
    { data: { reason: "that spoiler" } },
    { data: { reason: "Please mind the rules of this chat." } },
    { title: "more tea?", duration: 60 },
  ]);
});

test("a viewer's memory is forgotten on their own yes, to a question that says what goes", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  await rig.ask(VIEWER, "please drop that about my instrument", "[action forget note=5]");
  expect(rig.send()).toBe("Forget this about you: wren plays the cello with bob – !yes");
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
    "Forget all I know about you and this: music (wren plays the cello with bob) – !yes",
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
