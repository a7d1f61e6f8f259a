import { expect, test } from "vitest";
import { ATTACKS } from "./attacks.ts";
import { BOB, MOD, openRig, STREAMER, spokenBy } from "./rig.ts";

/** Everything allowed, nothing cooling down: only who asks and who wrote it stand in the way. */
const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 1_000,
  perStream: 10_000,
};
const NO_COOLDOWNS = Object.fromEntries(
  ["remember", "forget", "announce", "shoutout", "clip", "poll", "warn", "delete", "timeout"].map(
    (name) => [name, OPEN],
  ),
);

test.each([
  ["their own turn", BOB, null],
  ["a moderator's turn", MOD, "good evening mark, how was your day"],
] as const)(
  "a model that obeys an attacker gets nothing done in %s",
  async (_name, requester, words) => {
    expect(ATTACKS.length).toBeGreaterThan(150);
    const rig = await openRig({ botId: STREAMER, policy: { limits: NO_COOLDOWNS } });
    const through: unknown[] = [];
    for (const { line, spans } of ATTACKS) {
      const others = words === null ? [] : [line];
      const outcomes = await rig.ask(requester, words ?? line, spans, { others });
      // A clip touches nobody; one's own note goes only after a yes.
      const isHarmless = /^\[action (?:clip|forget)/.test(spans[0] ?? "");
      if (outcomes.some(({ decision }) => decision !== "refuse") && !isHarmless)
        through.push([line, outcomes]);
    }
    expect(through).toEqual([]);
    expect(rig.acts().filter(({ path }) => path !== "/mock/clips")).toEqual([]);
    expect(rig.remembered).toEqual([]);
    const logged = rig.review.list({ limit: 1_000 });
    expect(logged.length).toBe(ATTACKS.length);
    expect(logged.filter(({ reason }) => reason === "")).toEqual([]);
  },
);

test("a display name that looks like a login is not that viewer", async () => {
  const roles = { broadcaster: false, moderator: false, vip: false, subscriber: false };
  const rig = await openRig({ policy: { limits: NO_COOLDOWNS } });
  const wear = (displayName: string) => {
    const person = { userId: "66", login: "copycat", displayName, roles };
    rig.events.add(spokenBy("66", "hello", { person }));
    rig.events.flush();
  };
  for (const [displayName, line] of [
    ["ｒｉｄｅｒ_９", "@automark shoutout @rider_9"],
    ["ｒｉｄｅｒ_９", "@automark timeout @rider_9 60"],
    ["ＢＯＢ", "@automark timeout @bob 60"],
    ["Bоb", "@automark timeout bоb 60"],
    ["Bоb", "@automark warn bob: no links"],
  ] as const) {
    wear(displayName);
    await rig.line(MOD, line);
  }
  const acts = JSON.stringify(rig.acts());
  expect([rig.acts().length, acts.includes('"66"')]).toEqual([2, false]);
  rig.server.setUser({ id: "90", login: "rider_9", displayName: "Rider_9" });
  wear("ｒｉｄｅｒ_９");
  await rig.line(MOD, "@automark shoutout @rider_9");
  expect(rig.acts().at(-1)?.query).toMatchObject({ to_broadcaster_id: "90" });
});

test("twenty moderators who are nearly understood get one question, and one yes counts", async () => {
  const rig = await openRig({ policy: { limits: NO_COOLDOWNS } });
  const roles = { broadcaster: false, moderator: true, vip: false, subscriber: false };
  const mods = Array.from({ length: 20 }, (_, at) => ({
    ...{ userId: `9${at}`, login: `mod${at}`, displayName: `Mod${at}`, roles },
  }));
  await Promise.all(
    mods.map((person) => rig.line(person.userId, "@automark mute bob pls", { person })),
  );
  expect(rig.send()).toBe("Time out bob for 60 s? Reply yes or write !yes");
  await Promise.all(mods.map((person) => rig.line(person.userId, "!yes", { person })));
  expect(rig.acts()).toHaveLength(1);
  const reasons = rig.review.list({ limit: 50 }).map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === "replaced")).toHaveLength(19);
});
