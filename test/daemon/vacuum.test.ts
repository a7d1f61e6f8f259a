import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { type House, openHouse } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

/** Enough that writing it anew takes a while. */
function grow({ db }: House): void {
  const insert = db.prepare(
    `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, summary, stage, status, created_at)
     VALUES ('elsewhere', 'window', 1, 1, 1, ?, 'extracted', 'done', 1)`,
  );
  db.transaction(() => {
    for (let n = 0; n < 15_000; n += 1) insert.run(`${n} `.padEnd(1_500, "lantern "));
  })();
}

function isHeld({ db }: House): boolean {
  db.pragma("busy_timeout = 0");
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

test("while the file is written anew no line is lost and an answer is given", async () => {
  const house = await openHouse();
  grow(house);
  house.model.enqueue(geminiSays({ text: "it hangs over there" }));
  house.db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");
  expect(house.daemon.status().cleaning.pendingSinceMs).not.toBeNull();
  await until(() => isHeld(house));
  const texts = Array.from({ length: 50 }, (_, n) => `line ${n}`);
  for (const text of texts) house.say({ text });
  house.say({ text: "@automark where is the lamp?" });
  await house.ended(1);
  expect(house.replies()).toMatchObject([{ state: "sent", text: "it hangs over there" }]);
  const stored = house.db.prepare("SELECT text FROM events WHERE text LIKE 'line %' ORDER BY id");
  await until(() => stored.pluck().all().length === texts.length);
  expect(stored.pluck().all()).toEqual(texts);
  await until(() => house.daemon.status().cleaning.pendingSinceMs === null);
  expect(house.daemon.status().notices).toEqual([]);
  expect(house.logged.filter((line) => /bug|database_busy/.test(line))).toEqual([]);
});

test("what is asked for by a command while the file is written anew is done after it, and answered", async () => {
  const house = await openHouse();
  grow(house);
  house.say({
    userId: "900",
    login: "orla",
    displayName: "Orla",
    badges: "moderator/1",
    text: "hi",
  });
  house.db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");
  await until(() => isHeld(house));
  house.say({ userId: "77", login: "fern", displayName: "Fern", text: "new here" });
  house.say({ text: "!remember I play the bass" });
  const asked = "!bot forget fern";
  house.say({
    userId: "900",
    login: "orla",
    displayName: "Orla",
    badges: "moderator/1",
    text: asked,
  });
  await until(() => house.said.length === 2);
  expect(house.said.map(({ text }) => text)).toEqual([
    "I will remember that.",
    "Done: everything about that viewer is forgotten.",
  ]);
  const facts = house.db.prepare("SELECT fact FROM semantic_notes").pluck().all();
  expect(facts).toEqual(["{u:501} plays the bass"]);
  expect(house.logged.filter((line) => line.includes("bug"))).toEqual([]);
});

test("the bot ends within moments although the file is being written anew", async () => {
  const house = await openHouse();
  grow(house);
  house.db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");
  await until(() => isHeld(house));
  house.say({ text: "one last line" });
  const startedAtMs = performance.now();
  await house.close();
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
});
