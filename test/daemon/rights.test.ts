import { join } from "node:path";
import { expect, test } from "vitest";
import { findOrCreateHashKey } from "../../src/config/secrets.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import { forgetEverything } from "../../src/privacy/forget-store.ts";
import { enter, fastTime, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const ROSA = { userId: "viewer-770", login: "rosa", displayName: "Rosa" };
const LIO = { userId: "502", login: "lio_lamb", displayName: "Lio_Lamb" };
const STREAMER = { userId: STREAMER_ID, login: CHANNEL, displayName: "LanternRoom" };

/** Another process forgets a viewer. */
function forgetElsewhere({ db, dataDir }: House, userId: string): void {
  const hash = createKeyedHash(findOrCreateHashKey(dataDir));
  forgetEverything({ db, hash, now: Date.now, saveRecord: () => undefined }, userId);
}

/** Says a line and gives what the bot answered to it. */
async function told(house: House, line: Parameters<House["say"]>[0]): Promise<string> {
  const before = house.said.length;
  house.say(line);
  await until(() => house.said.length > before);
  return house.said.at(-1)?.text ?? "";
}

test("!remember, !memory and !forget work while the bot is paused, without the model", async () => {
  const time = fastTime(20);
  const house = await openHouse(time);
  new SwitchStore(house.db, Date.now).set("paused", true, "cli");
  expect(await told(house, { ...ROSA, text: "!memory" })).toBe("I know nothing about you.");
  const fact = "!remember I play the bass in a band";
  expect(await told(house, { ...LIO, text: fact })).toBe("I will remember that.");
  expect(await told(house, { ...LIO, text: "!forget football" })).toContain("nothing about that");
  await afterCooldown(time.now);
  expect(await told(house, { ...LIO, text: "!memory" })).toBe(
    "I know 1 thing about you: #1 Lio_Lamb plays the bass in a band",
  );
  expect(await told(house, { ...LIO, text: "!forget bass" })).toBe(
    "Forgotten, and I will not learn it again.",
  );
  expect(house.db.prepare("SELECT count(*) FROM semantic_notes").pluck().get()).toBe(0);
  expect(house.model.requests.length).toBe(0);
  const kept = house.db.prepare(
    "SELECT text FROM events WHERE text IS NOT NULL AND kind <> 'room_state'",
  );
  expect(kept.all()).toEqual([]);
});

async function afterCooldown(now: () => number): Promise<void> {
  const startedAtMs = now();
  await until(() => now() - startedAtMs > 5_000);
}

test("!forgetme leaves nothing of a viewer in any table, and cooldowns hold all the same", async () => {
  const given = { config: { replies: { viewerCooldownSeconds: 600 } } };
  const house = await openHouse(given);
  house.think("hello yourself");
  house.say({ ...ROSA, text: "@automark hello from the harbour" });
  await house.ended(1);
  house.say({ ...LIO, text: "@rosa is funny, isn't @Rosa?" });
  expect(await told(house, { ...ROSA, text: "!forgetme" })).toBe(
    "Done: I forgot everything about you, 0 notes and 1 message.",
  );
  const dump = everyText(house);
  for (const trace of [ROSA.userId, "rosa", "Rosa", "harbour", "hello yourself"]) {
    expect(dump.filter((text) => text.includes(trace))).toEqual([]);
  }
  expect(dump.some((text) => text.includes("someone is funny"))).toBe(true);
  const refused = { state: "refused", reason: "viewer_cooldown" };
  house.say({ ...ROSA, text: "@automark hello again" });
  expect((await house.ended(2)).at(-1)).toMatchObject(refused);
});

test("a viewer who opted out gets an answer, and nothing is stored", async () => {
  const house = await openHouse({ config: { replies: { viewerCooldownSeconds: 0 } } });
  house.say({ ...ROSA, text: "I own a purple kayak" });
  expect(await told(house, { ...ROSA, text: "!optout" })).toContain("!optin ends that");
  house.think("a purple kayak, you say");
  house.say({ ...ROSA, text: "@automark what of my purple kayak?" });
  await house.ended(1);
  expect(house.said.at(-1)?.text).toBe("a purple kayak, you say");
  house.think("nothing at all");
  house.say({ ...LIO, text: "@automark what did Rosa say?" });
  await house.ended(2);
  const prompt = JSON.stringify(house.model.requests.at(-1)?.body);
  expect(prompt).toContain("what did Rosa say?");
  expect(prompt).not.toContain("kayak");
  await until(() => !everyText(house).some((text) => text.includes("kayak")));
  const rosa = house.db
    .prepare("SELECT opted_out AS isOut FROM viewers WHERE login = 'rosa'")
    .get();
  expect(rosa).toEqual({ isOut: 1 });
  expect(
    house.db
      .prepare("SELECT count(*) FROM viewer_channels WHERE user_id = 'viewer-770'")
      .pluck()
      .get(),
  ).toBe(0);
  expect(await told(house, { ...ROSA, text: "!optin" })).toContain("remember you again");
  house.say({ ...ROSA, text: "back with a green kayak" });
  await until(() => everyText(house).some((text) => text.includes("green kayak")));
});

test("an opt-out is known to the next daemon", async () => {
  const town = await openTown();
  const house = await enter(town);
  await told(house, { ...ROSA, text: "!optout" });
  await told(house, { ...ROSA, text: "!forgetme" });
  await house.close();
  const next = await enter(town);
  next.say({ ...ROSA, text: "I am still nobody" });
  next.say({ ...LIO, text: "I am somebody" });
  await until(() => everyText(next).includes("I am somebody"));
  expect(everyText(next).join("\n").toLowerCase()).not.toMatch(/rosa|still nobody/);
});

/** What the database holds of Rosa and her lighthouse. */
const traces = (house: House) =>
  everyText(house).filter((text) => /viewer-770|lighthouse|rosa/i.test(text));

test("a forget drops the viewer's answer in progress", async () => {
  const house = await openHouse();
  house.model.enqueue({ kind: "hang" });
  house.say({ ...ROSA, text: "@automark tell me about the lighthouse" });
  await until(() => house.model.requests.length === 1);
  await told(house, { ...ROSA, text: "!forgetme" });
  expect((await house.ended(1))[0]).toMatchObject({
    state: "silent",
    reason: "removed",
    text: null,
  });
  expect(house.said).toHaveLength(1);
  expect(traces(house)).toEqual([]);
});

test.each(["in chat", "by another process"])(
  "an answer to somebody else that may name who is forgotten %s meanwhile is not given, and nothing of it kept",
  async (how) => {
    const house = await openHouse();
    house.say({ ...ROSA, text: "I keep the lighthouse" });
    house.model.enqueue({ kind: "hang" });
    house.say({ ...LIO, text: "@automark what does @Rosa keep?" });
    await until(() => house.model.requests.length === 1);
    if (how === "in chat") house.say({ ...ROSA, text: "!forgetme" });
    else forgetElsewhere(house, ROSA.userId);
    expect((await house.ended(1))[0]).toMatchObject({ state: "silent", reason: "removed" });
    await until(() => traces(house).length === 0);
  },
);

test("an answer that went out while who it names was forgotten is not kept", async () => {
  const house = await openHouse();
  house.say({ ...ROSA, text: "I keep the lighthouse" });
  house.think("Rosa keeps the lighthouse");
  house.helix.failNext("/mock/chat/messages", { kind: "hang", acted: true });
  house.say({ ...LIO, text: "@automark what does @Rosa keep?" });
  await until(() => house.said.length === 1);
  house.say({ ...ROSA, text: "!forgetme" });
  await until(() => house.db.prepare("SELECT 1 FROM forgets").get() !== undefined);
  await house.close();
  const kept = openDatabase(join(house.dataDir, "forgetmenot.db"));
  const texts = "SELECT text FROM replies UNION SELECT text FROM events";
  expect(JSON.stringify(kept.prepare(texts).pluck().all())).not.toMatch(/rosa/i);
  kept.close();
});

test("a forget by another process reaches what the bot is at", async () => {
  const house = await openHouse();
  house.model.enqueue({ kind: "hang" });
  house.say({ ...ROSA, text: "@automark tell me about the lighthouse" });
  await until(() => house.model.requests.length === 1);
  forgetElsewhere(house, ROSA.userId);
  await until(
    () =>
      house.replies().length > 0 && house.replies().every(({ userId }) => userId !== ROSA.userId),
  );
  await house.ended(1);
  expect(house.said).toEqual([]);
  await until(() => traces(house).length === 0);
});

test("a moderator can forget a viewer by login, and a viewer cannot", async () => {
  const house = await openHouse();
  const orla = { userId: "900", login: "orla", displayName: "Orla", badges: "moderator/1" };
  house.say({ ...ROSA, text: "hello" });
  house.say({ ...LIO, text: "!bot forget @rosa" });
  expect(await told(house, { ...orla, text: "!bot forget @ros" })).toContain("nobody here");
  expect(house.db.prepare("SELECT count(*) FROM viewers WHERE login = 'rosa'").pluck().get()).toBe(
    1,
  );
  expect(await told(house, { ...orla, text: "!bot forget @Rosa" })).toContain("about that viewer");
  expect(traces(house)).toEqual([]);
  const streamer = { ...STREAMER, badges: "broadcaster/1" };
  house.say({ ...streamer, text: "good evening" });
  const own = `!bot forget ${STREAMER.login}`;
  expect(await told(house, { ...orla, text: own })).toContain("only the streamer");
  expect(await told(house, { ...streamer, text: own })).toContain("forgot");
  house.say({ userId: "viewer-772", login: "noor", text: "and so to bed" });
  await until(() => everyText(house).includes("noor"));
  house.db.exec("UPDATE viewers SET login = 'twin'");
  expect(await told(house, { ...orla, text: "!bot forget twin" })).toContain(
    "More than one account",
  );
});

test("plain words lead to the command, go to no model, and are kept nowhere", async () => {
  const house = await openHouse();
  const wish = "@automark forget everything you know about me";
  expect(await told(house, { ...ROSA, text: wish })).toContain("!forgetme");
  house.say({ ...LIO, text: "moving on" });
  await until(() => everyText(house).includes("moving on"));
  expect(everyText(house).filter((text) => text.includes("everything you know"))).toEqual([]);
  expect(house.model.requests.length).toBe(0);
});

function everyText({ db }: House): string[] {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all();
  return tables.flatMap((table) =>
    db
      .prepare(`SELECT * FROM ${table}`)
      .raw()
      .all()
      .flatMap((row) => (Array.isArray(row) ? row.map((cell) => String(cell)) : [])),
  );
}
