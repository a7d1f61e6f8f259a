import { expect, test } from "vitest";
import { enter, type House, handTime, openHouse, openTown } from "../stand-ins/house.ts";
import { BOT } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const SEND = "/mock/chat/messages";
const said = { count: 0 };

/** Asks the bot something and gives how that ended. The words are new each time: Twitch drops what is said twice. */
async function ask(house: House): Promise<{ state: string; reason: string | null }> {
  const before = house.replies().length;
  said.count += 1;
  const asked = said.count;
  house.think(`answer number ${asked}`);
  house.say({
    text: `@automark question ${asked}?`,
    userId: String(600 + asked),
    login: `v${asked}`,
  });
  const rows = await house.ended(before + 1);
  const { state = "", reason = null } = rows.at(-1) ?? {};
  return { state, reason };
}

const notices = (house: House) => house.daemon.status().notices;

test.each([
  ["forbids it", { kind: "status", status: 403 }],
  ["wants less of it", { kind: "rate_limit", resetAtMs: 4_000_000_000_000 }],
] as const)("where Helix %s, the message goes by chat", async (_name, fault) => {
  const house = await openHouse();
  house.helix.failNext(SEND, fault, 3);
  for (let times = 0; times < 3; times += 1)
    expect(await ask(house)).toMatchObject({ state: "sent" });
  expect(house.said.map(({ via }) => via)).toEqual(["irc", "irc", "irc"]);
  expect(notices(house)).toEqual([]);
});

test("after Helix failed twice, chat takes over; what may have arrived is not said again", async () => {
  const house = await openHouse();
  house.helix.failNext(SEND, { kind: "status", status: 503, acted: true }, 10);
  expect(await ask(house)).toMatchObject({ state: "unknown" });
  expect(await ask(house)).toMatchObject({ state: "unknown" });
  expect(await ask(house)).toMatchObject({ state: "sent" });
  const texts = house.said.map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
  expect(house.said.map(({ via }) => via)).toEqual(["helix", "helix", "irc"]);
  await until(() => notices(house).length === 0);
});

test("a bot that is banned in the channel pays for no fourth answer; the notice says what to type", async () => {
  const time = handTime();
  const house = await openHouse({ scopes: [], ...time });
  const ban = { ban: true };
  house.irc.faults.refuseMessage = () => (ban.ban ? "msg_banned" : null);
  for (let times = 0; times < 3; times += 1) {
    expect(await ask(house)).toMatchObject({ state: "silent", reason: "send_msg_banned" });
    time.pass(2_000);
  }
  const paid = house.model.requests.length;
  expect(await ask(house)).toMatchObject({ state: "refused", reason: "not_let_through" });
  expect(house.model.requests.length).toBe(paid);
  expect(notices(house).find(({ cause }) => cause === "refused")?.message).toContain(
    `/unban ${BOT}`,
  );
  ban.ban = false;
  time.pass(61_000);
  expect(await ask(house)).toMatchObject({ state: "sent" });
  expect(notices(house)).toEqual([]);
  expect(house.daemon.status().pastNotices.map(({ cause }) => cause)).toContain("refused");
});

test("an answer that shutdown cuts off raises no notice and is not repeated", async () => {
  const town = await openTown();
  const house = await enter(town);
  town.helix.failNext(SEND, { kind: "hang", acted: true });
  house.say({ text: "@automark are you there?", userId: "601", login: "v1" });
  await until(() => town.said.length === 1);
  await house.close();
  const next = await enter(town);
  expect([...notices(next), ...next.daemon.status().pastNotices]).toEqual([]);
  expect(next.replies().map(({ state }) => state)).toEqual(["unknown"]);
  expect(town.said).toHaveLength(1);
});
