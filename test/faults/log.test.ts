import { expect, test } from "vitest";
import { openHouse } from "../stand-ins/house.ts";
import { MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const SECRET = "the marble heron sleeps at noon";

test.each([400, 403, 404, 429, 500])(
  "a model's refusal (%i) that quotes the prompt, the key and the people puts none of it into the log",
  async (status) => {
    const house = await openHouse();
    const said = `${SECRET}; rosa 501; key=${MODEL_KEY}; Bearer ${TWITCH_TOKEN}`;
    const error = { code: status, status: said, message: said, details: [{ reason: said }] };
    for (let n = 0; n < 4; n += 1)
      house.model.enqueue({ kind: "answer", status, body: JSON.stringify({ error }) });
    house.say({ text: `@automark ${SECRET}?` });
    await until(() => house.logged.some((line) => line.includes("turn ended")));
    expectClean(house.logged);
  },
);

test("an answer that is no JSON, one that is cut off and one that is blocked put nothing into the log", async () => {
  const house = await openHouse();
  for (const body of [
    SECRET,
    `{"candidates":[{"content":"${SECRET}"`,
    `{"promptFeedback":{"blockReason":"${SECRET}"}}`,
  ]) {
    house.model.enqueue({ kind: "answer", status: 200, body });
    house.say({ text: `@automark ${SECRET}?` });
    const before = house.logged.length;
    await until(() => house.logged.slice(before).some((line) => line.includes("turn ended")));
  }
  expectClean(house.logged);
});

test("what Twitch refuses with its reasons in words puts nothing into the log", async () => {
  const house = await openHouse();
  house.irc.faults.refuseMessage = () => "msg_rejected";
  house.helix.failNext("/mock/chat/messages", { kind: "status", status: 403 }, 1);
  house.think(`${SECRET} indeed`);
  house.say({ text: `@automark ${SECRET}?` });
  await house.ended(1);
  house.irc.inject(`@msg-id=${TWITCH_TOKEN} :tmi.twitch.tv NOTICE #lanternroom :${SECRET}`);
  house.irc.cutAll();
  await until(() => house.logged.some((line) => line.includes("connection ended")));
  expectClean(house.logged);
});

function expectClean(logged: readonly string[]): void {
  const log = logged.join("");
  expect(log).not.toContain("heron");
  expect(log).not.toMatch(/\brosa\b|"501"|\b501;/i);
  expect(log).not.toContain(MODEL_KEY);
  expect(log).not.toContain(TWITCH_TOKEN);
}
