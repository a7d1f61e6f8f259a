import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import { MOD, openRig } from "./rig.ts";

const CARL = "34";

const replyTo = (messageId: string, userId: string): Partial<Spoken> => ({
  parent: { messageId, userId },
});

test("whoever replies to a report does not silence whoever reported", async () => {
  const rig = await openRig();
  rig.speak(CARL, "@moss bob keeps posting the ending", "report");
  const reply = replyTo("report", CARL);
  expect(await rig.line(MOD, "@automark timeout", reply)).toBe(false);
  expect(await rig.line(MOD, "@automark time him out", reply)).toBe(false);
  const repliesTo = { messageId: "report", userId: CARL };
  expect(
    await rig.ask(MOD, "time him out", "[action timeout user=carl]", { repliesTo }),
  ).toMatchObject([{ reason: "not_named" }]);
  rig.speak(CARL, "the butler did it", "spoiler");
  expect(await rig.order(MOD, "@automark timeout", replyTo("spoiler", CARL))).toMatchObject({
    targetId: CARL,
    outcome: "done",
  });
});

test.each([
  ...["mute le", "mute le stp", "mute den mal bitte", "mute die 5 minuten", "verwarne den"],
  ...["silencia o", "silencia a por 5 minutos", "time him out", "silencialo", "замуть его"],
  ...["dale un timeout", "dale timeout porfa", "warn: bob, no insults", "timeout 60: bob"],
])("somebody else is meant, in reply to who reports them without a name: %s", async (text) => {
  const rig = await openRig();
  rig.speak(CARL, "that guy keeps insulting me", "report");
  expect(await rig.line(MOD, `@automark ${text}`, replyTo("report", CARL))).toBe(false);
  expect(rig.acts()).toEqual([]);
});

test("of a message whose words are gone, Twitch's copy tells whether it reports somebody", async () => {
  const rig = await openRig();
  const reply = (text: string | null) => ({
    parent: { messageId: "unknown", userId: CARL, text },
  });
  expect(await rig.line(MOD, "@automark timeout", reply(null))).toBe(false);
  expect(await rig.line(MOD, "@automark timeout", reply("bob spoils again"))).toBe(false);
  expect(await rig.line(MOD, "@automark timeout", reply("the butler did it"))).toBe(true);
  expect(rig.acts()).toMatchObject([{ body: { data: { user_id: CARL } } }]);
});

test("who is insulting somebody may be asked about in reply, and is not timed out unasked", async () => {
  const rig = await openRig();
  rig.speak(CARL, "@Wren @moss, you are both trash", "insult");
  expect(await rig.line(MOD, "@automark timeout", replyTo("insult", CARL))).toBe(false);
  const repliesTo = { messageId: "insult", userId: CARL };
  await rig.ask(MOD, "timeout", "[action timeout user=carl]", { repliesTo });
  expect(rig.send()).toBe("Time out carl for 60 s? !yes");
  await rig.line(MOD, "!yes");
  expect(rig.acts()).toMatchObject([{ body: { data: { user_id: CARL } } }]);
});
