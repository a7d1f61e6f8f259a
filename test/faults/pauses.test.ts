import { expect, test } from "vitest";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, handTime, openTown } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
const HOUR_MS = 3_600_000;

test("an order that waited in the network while the machine slept is not carried out hours later", async () => {
  const { now, wait, pass } = handTime();
  const slept = { ms: 0 };
  const scopes = ["user:write:chat", ...[ACTIONS.timeout.scope ?? []].flat()];
  const town = await openTown({ now: () => now() + slept.ms, wait, scopes });
  const classes = { moderation: "live" };
  const config = { actions: { classes }, replies: { viewerCooldownSeconds: 0 } };
  const house = await enter(town, {
    config,
    monotonicNow: now,
    sinceBootMs: () => now() + slept.ms,
  });
  const timeouts = () => house.helix.requests.filter(({ path }) => path.endsWith("/bans")).length;
  const moss = { userId: "20", login: "moss", displayName: "Moss", badges: "moderator/1" };
  house.say({ ...ROSA, text: "the ending is that the lamp did it" });
  const heard = house.db.prepare("SELECT 1 FROM events WHERE kind = 'message'");
  await until(() => house.daemon.status() && heard.get() !== undefined);
  const sentAtMs = String(town.now() + 1_000);
  slept.ms = 10 * HOUR_MS;
  house.say({
    ...moss,
    text: "@automark timeout rosa 60",
    tags: { "tmi-sent-ts": sentAtMs },
  });
  house.say({
    userId: "30",
    login: "wren",
    displayName: "Wren",
    text: "@automark how is your morning?",
  });
  await until(() => house.said.length === 1);
  expect(timeouts()).toBe(0);
  pass(2_000);
  house.say({ ...moss, text: "@automark timeout rosa 90" });
  await until(() => timeouts() === 1);
});

test("twenty messages right before a restart count for Twitch's limit after it", async () => {
  const { now, wait, pass } = handTime();
  const town = await openTown({ now, wait });
  const before = await enter(town);
  before.say({ text: "@automark there?" });
  await before.ended(1);
  const again = before.db.prepare<[number, number]>(
    `INSERT INTO replies (channel, user_id, trigger, state, created_at, sent_at)
     SELECT channel, user_id, trigger, state, ?, ? FROM replies WHERE id = 1`,
  );
  for (let n = 1; n < 20; n += 1) again.run(now(), now());
  await before.close();
  pass(20_000);
  const after = await enter(town);
  const startedAtMs = now();
  after.model.enqueue(geminiSays({ text: "back again" }));
  after.say({ text: "@automark and now?", userId: "30", login: "wren", displayName: "Wren" });
  await until(() => {
    pass(20);
    return after.said.length === 2;
  });
  expect(now() - startedAtMs).toBeGreaterThan(9_000);
});
