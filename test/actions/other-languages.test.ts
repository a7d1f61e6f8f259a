import { expect, test } from "vitest";
import { ACTION_NAMES } from "../../src/config/names.ts";
import { MOD, openRig, spokenBy } from "./rig.ts";

const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 999,
  perStream: 999,
};
const FREE = Object.fromEntries(ACTION_NAMES.map((name) => [name, OPEN]));

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
