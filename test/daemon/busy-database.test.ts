import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openHouse } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

test("while another program holds the database, chat is kept and written when it lets go", async () => {
  const house = await openHouse();
  house.db.exec("BEGIN IMMEDIATE");
  for (const text of ["one line", "another", "and a third"]) house.say({ text });
  await until(() => house.logged.some((line) => line.includes('"notice":"database"')));
  house.db.exec("ROLLBACK");
  const stored = house.db
    .prepare("SELECT text FROM events WHERE kind = 'message' ORDER BY id")
    .pluck();
  await until(() => stored.all().length === 3);
  expect(stored.all()).toEqual(["one line", "another", "and a third"]);
  await until(() => house.daemon.status().notices.every(({ kind }) => kind !== "database"));
});

test("while another program holds the database, the page has no link, and the bot goes on", async () => {
  const house = await openHouse({ config: { dashboard: { port: 0 } } });
  house.db.exec("BEGIN IMMEDIATE");
  expect(await house.daemon.pageLink()).toBeNull();
  house.db.exec("ROLLBACK");
  expect(await house.daemon.pageLink()).toContain("/enter?key=");
});

test("while another program has the database for a moment, nothing is told, and a mention has its answer and its row", async () => {
  const house = await openHouse();
  const notices = () => house.logged.filter((line) => line.includes('"notice":"database"'));
  house.model.enqueue(geminiSays({ text: "By the window." }));
  house.db.exec("BEGIN IMMEDIATE");
  house.say({ text: "@automark where does the lamp stand?" });
  const before = house.irc.pongs();
  house.irc.ping();
  await until(() => house.irc.pongs() > before);
  house.db.exec("ROLLBACK");
  await house.ended(1);
  expect(house.replies().map(({ state }) => state)).toEqual(["sent"]);
  expect(notices()).toEqual([]);
});
