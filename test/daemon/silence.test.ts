import { expect, test } from "vitest";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { enter, type House, handTime, openHouse, openTown } from "../stand-ins/house.ts";
import type { ModelScript } from "../stand-ins/model-server.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const HANG: ModelScript = { kind: "hang" };
const WORDS = "which lamp should stand by the window tonight";

/** Everything that the database holds, as it lies on the disk. */
function textsLike(house: House, words: string): number {
  house.daemon.status();
  const like = `%${words}%`;
  const count = (table: string) =>
    Number(house.db.prepare(`SELECT count(*) FROM ${table} WHERE text LIKE ?`).pluck().get(like));
  return count("events") + count("replies");
}

async function thinkingAbout(house: House, text: string): Promise<string> {
  house.model.enqueue(HANG);
  const id = house.say({ text });
  await house.model.received(1);
  return id;
}

test.for(["deletion", "timeout", "ban"] as const)(
  "after a %s while the model thinks there is no answer, and no text stays",
  async (act) => {
    const house = await openHouse();
    const id = await thinkingAbout(house, `@automark ${WORDS}`);
    expect(textsLike(house, WORDS)).toBe(1);
    const rosa = { userId: "501", login: "rosa" };
    if (act === "ban") house.irc.ban(CHANNEL, rosa);
    else if (act === "timeout") house.irc.timeout(CHANNEL, rosa, 60);
    else house.irc.deleteMessage(CHANNEL, { id, login: "rosa", text: `@automark ${WORDS}` });
    const [row] = await house.ended(1);
    expect(row).toMatchObject({ state: "silent", reason: "removed", text: null });
    expect(house.said).toEqual([]);
    expect(textsLike(house, WORDS)).toBe(0);
  },
);

test("one that is deleted while it waits for its turn is dropped, and so is what it would have said", async () => {
  const house = await openHouse();
  await thinkingAbout(house, "@automark the first question");
  const second = house.say({ text: `@automark ${WORDS}`, userId: "502", login: "iris" });
  await until(() => textsLike(house, WORDS) === 1);
  house.irc.deleteMessage(CHANNEL, { id: second, login: "iris", text: `@automark ${WORDS}` });
  const rows = await house.ended(1);
  expect(rows).toMatchObject([{ userId: "502", state: "refused", reason: "removed" }]);
});

test("a question in pieces is dropped when one of its pieces is deleted", async () => {
  const house = await openHouse();
  const piece = house.say({ text: WORDS });
  await until(() => textsLike(house, WORDS) === 1);
  await thinkingAbout(house, "@automark");
  house.irc.deleteMessage(CHANNEL, { id: piece, login: "rosa", text: WORDS });
  const [row] = await house.ended(1);
  expect(row).toMatchObject({ state: "silent", reason: "removed" });
  expect(house.said).toEqual([]);
});

test("a pause that another process wrote stops the very next answer, even one already thought of", async () => {
  const { pass, ...time } = handTime();
  const house = await openHouse(time);
  const switches = new SwitchStore(house.db, Date.now);
  house.think("the answer before");
  house.say({ text: "@automark what came before?" });
  await house.ended(1);
  await thinkingAfter(house);
  switches.set("paused", true, "cli");
  house.say({ text: "@automark what now, while paused?", userId: "503", login: "nell" });
  pass(SLOT_MS);
  const rows = await house.ended(3);
  expect(rows.map(({ state, reason }) => [state, reason])).toEqual([
    ["sent", null],
    ["silent", "paused"],
    ["refused", "paused"],
  ]);
  switches.set("paused", false, "cli");
  house.think("the answer after");
  house.say({ text: "@automark what came after?", userId: "504", login: "otto" });
  await house.ended(4);
  expect(house.said.map(({ text }) => text)).toEqual(["the answer before", "the answer after"]);
});

/** More than the second that Twitch wants between two messages. */
const SLOT_MS = 1_500;

/** A turn that is about to send: its answer waits for its slot, for as long as the clock stands. */
async function thinkingAfter(house: House): Promise<void> {
  house.think("an answer that waits");
  house.say({ text: "@automark what is the second question?", userId: "502", login: "iris" });
  const calls = house.db.prepare<[], number>("SELECT count(*) FROM llm_calls").pluck();
  await until(() => calls.get() === 2);
}

test("chat is stored while the model hangs", async () => {
  const house = await openHouse({ llm: { timeoutSeconds: 120 } });
  await thinkingAbout(house, "@automark hello?");
  for (let n = 1; n <= 20; n += 1) house.say({ text: `line ${n}`, userId: "502", login: "iris" });
  await until(() => textsLike(house, "line ") === 20);
  expect(house.replies()[0]?.state).toBe("thinking");
});

test("a turn whose model hangs ends by its time limit", async () => {
  const house = await openHouse({ llm: { timeoutSeconds: 1 } });
  await thinkingAbout(house, "@automark hello?");
  const [row] = await house.ended(1);
  expect(row).toMatchObject({ state: "silent", reason: "model_timeout" });
  expect(house.said).toEqual([]);
});

test("another bot that answers at once gets three exchanges in a row", async () => {
  const { pass, ...time } = handTime();
  const house = await openHouse(time);
  const other = { userId: "505", login: "echoing" };
  for (let n = 1; n <= 4; n += 1) {
    pass(SLOT_MS);
    house.think(`answer ${n}`);
    house.say({ ...other, text: `@automark what is question ${n}?` });
    await house.ended(n);
  }
  expect(house.replies().map(({ state, reason }) => reason ?? state)).toEqual([
    "sent",
    "sent",
    "sent",
    "loop",
  ]);
});

test("a viewer's cooldown survives a restart", async () => {
  const replies = { viewerCooldownSeconds: 60, channelCooldownSeconds: 0, continuationSeconds: 0 };
  const town = await openTown();
  const before = await enter(town, { config: { replies } });
  before.say({ text: "@automark hello" });
  await before.ended(1);
  await before.close();
  const after = await enter(town, { config: { replies } });
  after.say({ text: "@automark hello again" });
  const rows = await after.ended(2);
  expect(rows.map(({ state, reason }) => reason ?? state)).toEqual(["sent", "viewer_cooldown"]);
});

test("a turn that breaks leaves a row that says so, and the next one is taken", async () => {
  const house = await openHouse();
  house.db.exec("ALTER TABLE semantic_notes RENAME TO elsewhere");
  house.say({ text: "@automark hello" });
  expect((await house.ended(1))[0]).toMatchObject({ state: "refused", reason: "bug" });
  house.db.exec("ALTER TABLE elsewhere RENAME TO semantic_notes");
  house.say({ text: "@automark hello", userId: "502", login: "iris" });
  expect((await house.ended(2))[1]).toMatchObject({ state: "sent", reason: null });
});
