import { expect, test } from "vitest";
import { type Person, resolveTarget } from "../../src/chat/people.ts";
import { MOD, openRig, STREAMER } from "../actions/rig.ts";

const who = (userId: string, login: string, displayName = login): Person => ({
  userId,
  login,
  displayName,
  roles: null,
});
const PEOPLE = [
  who("1", "bob", "Bob"),
  who("2", "kinomi", "木の実"),
  who("3", "dora", "ДОРА"),
  who("4", "alice_1987"),
];

test.each([
  ["bob", "1"],
  ["@bob", "1"],
  ["BOB", "1"],
  ["＠Ｂｏｂ", "1"],
  ["木の実", "2"],
  ["@Kinomi", "2"],
  ["дора", "3"],
])("%s is one person", (written, userId) => {
  expect(resolveTarget(written, [...PEOPLE, who("1", "bob", "Bob")])).toMatchObject({
    kind: "found",
    person: { userId },
  });
});

test.each([
  ["nobody", "target_unknown"],
  ["", "target_unknown"],
  ["@", "target_unknown"],
  ["bo", "target_unknown"],
  ["bob alice", "target_unknown"],
  ["bоb", "target_unknown"],
  ["1", "target_is_id"],
  ["@4", "target_is_id"],
  ["{u:1}", "target_is_id"],
  ["u:1", "target_is_id"],
  ["id:1", "target_is_id"],
])("%s is nobody that may be meant", (written, reason) => {
  expect(resolveTarget(written, PEOPLE)).toEqual({ kind: "refused", reason });
});

test.each([
  ["two with the same display name", who("9", "other", "木の実"), "木の実"],
  ["a display name that is another's login", who("9", "other", "bob"), "bob"],
  ["a login that was passed on", who("9", "bob"), "bob"],
])("%s is ambiguous", (_name, other, written) => {
  expect(resolveTarget(written, [...PEOPLE, other])).toEqual({
    kind: "refused",
    reason: "target_ambiguous",
  });
});

test.each([
  ["in wide letters", "ｂｏｂ"],
  ["in look-alike letters", "bоb"],
  ["with ornaments", "b̈ob"],
])("a display name that is drawn like a login, %s, keeps nobody out of reach", (_name, shown) => {
  const people = [...PEOPLE, who("9", "other", shown)];
  expect(resolveTarget("bob", people)).toMatchObject({ kind: "found", person: { userId: "1" } });
  expect(resolveTarget("@Ｂｏｂ", people)).toMatchObject({ person: { userId: "1" } });
});

test("two display names that look alike are ambiguous", () => {
  const people = [who("1", "kate", "Кот"), who("2", "cate", "Koт")];
  expect(resolveTarget("Кот", people)).toMatchObject({ reason: "target_ambiguous" });
});

test("in a channel, two people of one display name cannot be told apart", async () => {
  const rig = await openRig({ withAmbiguous: true });
  expect(await rig.ask(MOD, "bob off", "[action timeout user=bob seconds=60]")).toMatchObject([
    { reason: "target_ambiguous" },
  ]);
  expect(await rig.line(MOD, "@automark timeout bob 60")).toBe(true);
  expect(rig.acts()).toEqual([]);
  expect(await rig.order(MOD, "@automark timeout sumire 60")).toMatchObject({ outcome: "done" });
});

test("of all who are here today, only those are read whom a line may name", async () => {
  const rig = await openRig({ withAmbiguous: true });
  const named = (...names: string[]) =>
    rig.parts.people.candidates("den", names).map(({ login }) => login);
  // Whose display name is not their login may be called by it, and is always looked at.
  const others = ["dora", "kinomi", "sumire"];
  expect(named("who", "today").toSorted()).toEqual(others);
  expect(named("carl", "bob").toSorted()).toEqual(["bob", "carl", ...others]);
  const plan = rig.db
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN SELECT user_id FROM viewers
      WHERE lower(display_name) <> login AND last_seen_at > 0`)
    .all();
  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringContaining("viewers_by_own_name"),
  ]);
  rig.clock.nowMs += 25 * 3_600_000;
  expect(named("carl")).toEqual([]);
});

test("Twitch says who holds a login that was not seen here lately", async () => {
  const rig = await openRig();
  rig.server.setUser({ id: "90", login: "raider", displayName: "Raider" });
  expect(await rig.order(MOD, "@automark shoutout @raider")).toMatchObject({ outcome: "done" });
  expect(await rig.ask(MOD, "raider off", "[action timeout user=raider seconds=60]")).toMatchObject(
    [{ reason: "unknown" }],
  );
  expect(await rig.ask(MOD, "ghost off", "[action timeout user=ghost seconds=60]")).toMatchObject([
    { reason: "target_unknown" },
  ]);
  rig.server.failNext("/mock/users", { kind: "status", status: 500 });
  expect(await rig.ask(MOD, "ghost off", "[action timeout user=ghost seconds=60]")).toMatchObject([
    { reason: "unknown" },
  ]);
  rig.clock.nowMs += 25 * 3_600_000;
  rig.server.setUser({ id: "91", login: "bob", displayName: "Bob" });
  expect(await rig.ask(MOD, "bob off", "[action timeout user=bob seconds=60]")).toMatchObject([
    { reason: "unknown" },
  ]);
  expect(rig.acts()).toHaveLength(1);
});

test.each([
  ["the streamer", "teastream", {}],
  ["a moderator", "Moss", {}],
  ["a VIP, where VIPs are", "violet", { protectVips: true }],
  ["one on the allowlist by login", "carl", { allowlist: ["carl"] }],
  ["one on the allowlist by id", "carl", { allowlist: ["34"] }],
])("%s is protected", async (_name, user, policy) => {
  const rig = await openRig({ policy });
  expect(
    await rig.ask(STREAMER, `${user} off`, `[action timeout user=${user} seconds=60]`),
  ).toMatchObject([{ reason: "protected" }]);
});
