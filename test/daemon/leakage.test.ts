import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { type House, openHouse } from "../stand-ins/house.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const ALICE = { userId: "8101", login: "alice", displayName: "Alice" };

/** A note about the speaker of each, and one about the channel. */
function fill({ db }: House): void {
  const add = db.prepare(
    `INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, words, confidence, status, source_kind, created_at, last_confirmed_at)
     VALUES ('${CHANNEL}', ?, ?, 'profile', ?, '', .9, 'active', 'extracted', ?, ?)`,
  );
  const nowMs = Date.now();
  add.run("viewer", ALICE.userId, "{u:8101} hides the zeppelin key", nowMs, nowMs);
  add.run("bit", null, "the harbour bell rings thrice", nowMs, nowMs);
}

async function promptFor(house: House, line: Parameters<House["say"]>[0]): Promise<string> {
  const count = house.model.requests.length;
  house.model.enqueue(geminiSays({ text: `an answer of its own, number ${count}` }));
  house.say(line);
  await until(() => house.model.requests.length > count);
  await house.ended(count + 1);
  return JSON.stringify(house.model.requests[count]?.body);
}

const OTHERS = [
  ["a login with one character more", { userId: "8102", login: "alice_", displayName: "alice_" }],
  ["a name in letters that look alike", { userId: "8103", login: "a1ice", displayName: "Аlice" }],
  [
    "a display name that is another's login",
    { userId: "8104", login: "zara", displayName: "Alice" },
  ],
  ["a login that was another's before", { userId: "8105", login: "alice", displayName: "Alice" }],
  ["an id that begins like another's", { userId: "810", login: "bo", displayName: "Bo" }],
] as const;

test("a viewer who resembles another sees no lore of theirs", async () => {
  const house = await openHouse({ config: { replies: { channelCooldownSeconds: 0 } } });
  house.say({ ...ALICE, text: "good evening" });
  await until(
    () => house.db.prepare("SELECT 1 FROM viewers WHERE user_id = '8101'").get() !== undefined,
  );
  fill(house);
  for (const [what, other] of OTHERS) {
    const text = "@automark what do you know of me, Alice?";
    const prompt = await promptFor(house, { ...other, text });
    expect(prompt, what).not.toContain("zeppelin");
    expect(prompt, what).toContain("harbour bell");
    const asked = house.say({ ...other, text: "!memory" });
    const answer = () => house.said.find(({ replyTo }) => replyTo === asked)?.text;
    await until(() => answer() !== undefined);
    expect(answer(), what).not.toContain("zeppelin");
  }
});

test("lore stays with its account through a rename", async () => {
  const house = await openHouse({
    config: { replies: { channelCooldownSeconds: 0, viewerCooldownSeconds: 0 } },
  });
  house.say({ ...ALICE, text: "good evening" });
  await until(
    () => house.db.prepare("SELECT 1 FROM viewers WHERE user_id = '8101'").get() !== undefined,
  );
  fill(house);
  const renamed = { userId: ALICE.userId, login: "alicia", displayName: "Alicia" };
  const heir = { userId: "8109", login: "alice", displayName: "Alice" };
  expect(await promptFor(house, { ...renamed, text: "@automark it is me" })).toContain(
    "hides the zeppelin key",
  );
  expect(await promptFor(house, { ...heir, text: "@automark it is me" })).not.toContain("zeppelin");
});
