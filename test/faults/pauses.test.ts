import { expect, test } from "vitest";
import { ACTIONS } from "../../src/catalogue/actions.ts";
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
