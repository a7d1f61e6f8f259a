import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openHouse } from "../stand-ins/house.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const MODERATOR = { userId: "900", login: "orla", displayName: "Orla", badges: "moderator/1" };

test("a moderator takes the channel notes of the last answer back to shadow", async () => {
  const house = await openHouse();
  const add = house.db.prepare(
    `INSERT INTO semantic_notes (channel, scope, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at)
     VALUES (?, 'channel', 'event', ?, 0.9, 'active', 'episode', ?, ?)`,
  );
  add.run(CHANNEL, "the cat is called Biscuit", house.now(), house.now());
  house.model.enqueue(geminiSays({ text: "it is Biscuit" }));
  house.say({ text: "@automark what is the cat called?" });
  await house.ended(1);
  const status = house.db.prepare("SELECT status FROM semantic_notes").pluck();
  house.say({ text: "!bot unlearn" });
  expect(status.get()).toBe("active");
  house.say({ ...MODERATOR, text: "!bot unlearn" });
  await until(() => status.get() === "shadow");
  await until(() => house.said.some(({ text }) => text.includes("1 channel note")));
  const before = house.db.prepare("SELECT status_before FROM semantic_notes").pluck();
  expect(before.get()).toBe("active");
});
