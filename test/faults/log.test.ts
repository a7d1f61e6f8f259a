import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, openHouse } from "../stand-ins/house.ts";
import { CHANNEL, MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
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
  house.model.enqueue(geminiSays({ text: `${SECRET} indeed` }));
  house.say({ text: `@automark ${SECRET}?` });
  await house.ended(1);
  house.irc.inject(`@msg-id=${TWITCH_TOKEN} :tmi.twitch.tv NOTICE #lanternroom :${SECRET}`);
  house.irc.cutAll();
  await until(() => house.logged.some((line) => line.includes("connection ended")));
  expectClean(house.logged);
});

const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
const WARDEN = { userId: "20", login: "warden", displayName: "Warden", badges: "moderator/1" };

test("what the bot logs of replies, memory, actions and errors has no word of chat in it", async () => {
  const house = await openHouse({
    ...fastTime(30),
    isWorkingModel: true,
    scopes: ["user:write:chat", "clips:edit"],
    config: {
      memory: { compactionSeconds: 1, noteSeconds: 1 },
      actions: { classes: { stream: "live" } },
      dashboard: { port: 0 },
    },
  });
  const { logged, db, helix, irc } = house;
  const logs = (message: string) =>
    until(() => logged.some((line) => JSON.parse(line).msg === message), 20_000);
  const ask = (n: number) =>
    house.say({ ...ROSA, userId: String(60_000 + n), text: `@automark ${SECRET}?` });
  ask(0);
  await logs("turn ended");
  house.say({ ...WARDEN, text: "@automark clip" });
  await logs("action judged");
  for (let n = 0; n < 40; n += 1) house.say({ ...ROSA, text: `I live in Norway, ${SECRET} ${n}` });
  await logs("an episode was made");
  await logs("notes were made");
  for (let n = 0; n < 3; n += 1)
    house.model.enqueue({ kind: "answer", status: 500, body: `${SECRET}; rosa 501` });
  ask(1);
  await logs("model call failed");
  house.model.drain();
  helix.failNext("/mock/chat/messages", { kind: "status", status: 403 });
  ask(2);
  await logs("twitch: Helix did not send, trying IRC");
  irc.cutAll();
  await logs("chat: connection ended");
  await until(() => irc.listeners(CHANNEL) === 1);
  db.exec("ALTER TABLE viewers RENAME TO viewers_elsewhere");
  ask(3);
  await logs("a turn failed");
  db.exec("ALTER TABLE viewers_elsewhere RENAME TO viewers");
  expectClean(logged);
}, 120_000);

function expectClean(logged: readonly string[]): void {
  const log = logged.join("");
  expect(log).not.toContain("heron");
  expect(log).not.toMatch(/\brosa\b|"501"|\b501;/i);
  expect(log).not.toContain(MODEL_KEY);
  expect(log).not.toContain(TWITCH_TOKEN);
}
