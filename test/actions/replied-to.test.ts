import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import { MOD, openRig } from "./rig.ts";

const CARL = "34";

const replyTo = (messageId: string, userId: string): Partial<Spoken> => ({
  parent: { messageId, userId },
});

test.each([
  ...["timeout", "timeout him", "mute le", "mute den mal bitte", "shoutout", "warn"],
  ...["timeout porfa", "warn: bob, no insults", "timeout 60: bob", "timeout bob 60"],
])("whoever reports somebody is not silenced by a reply that names nobody: %s", async (text) => {
  const rig = await openRig();
  rig.speak(CARL, "that guy keeps insulting me", "report");
  expect(await rig.line(MOD, `@Carl @automark ${text}`, replyTo("report", CARL))).toBe(true);
  rig.send();
  expect(rig.acts()).toEqual([]);
});

test.each(["time him out", "silencialo", "замуть его", "dale un timeout"])(
  "other words in a reply are left to the model: %s",
  async (text) => {
    const rig = await openRig();
    const reply = replyTo("hello-34", CARL);
    expect(await rig.line(MOD, `@Carl @automark ${text}`, reply)).toBe(false);
    const repliesTo = { messageId: "hello-34", userId: CARL };
    await rig.ask(MOD, text, "[action timeout user=carl]", { repliesTo });
    expect(rig.send()).toBe("Time out carl for 60 s? Reply yes or write !yes");
    await rig.line(MOD, "!yes");
    expect(rig.acts()).toMatchObject([{ body: { data: { user_id: CARL } } }]);
  },
);
