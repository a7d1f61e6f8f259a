import { expect, test } from "vitest";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { SAID } from "../../src/privacy/command-answers.ts";
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

test("while another program locks the database, the page has no link and the bot runs", async () => {
  const house = await openHouse({ config: { dashboard: { port: 0 } } });
  house.db.exec("BEGIN IMMEDIATE");
  expect(house.daemon.pageLink()).toBeNull();
  house.db.exec("ROLLBACK");
  expect(house.daemon.pageLink()).toContain("/enter?key=");
});

test("a short lock raises no notice, and a mention gets its answer and its row", async () => {
  const house = await openHouse();
  const notices = () => house.logged.filter((line) => line.includes('"notice":"database"'));
  house.think("By the window.");
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

test("while another program holds the database, !bot pause silences at once and is answered at once", async () => {
  const house = await openHouse();
  house.db.exec("BEGIN IMMEDIATE");
  house.say({ text: "!bot pause", badges: "moderator/1" });
  await until(() => house.said.length === 1);
  expect(house.said).toMatchObject([{ text: SAID.later[0] }]);
  house.say({ text: "@automark where does the lamp stand?" });
  const before = house.irc.pongs();
  house.irc.ping();
  await until(() => house.irc.pongs() > before);
  house.db.exec("ROLLBACK");
  const switches = new SwitchStore(house.db, Date.now);
  await until(() => switches.read().paused);
  house.say({ text: "@automark and where the shelf?", userId: "502", login: "iris" });
  await until(() => house.replies().some(({ userId }) => userId === "502"));
  expect(house.replies().every(({ reason }) => reason === "paused")).toBe(true);
  expect(house.model.requests).toHaveLength(0);
  expect(house.said).toHaveLength(1);
});

test("an event that the database rejects is skipped, and a notice is raised", async () => {
  const house = await openHouse();
  house.db.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON events WHEN NEW.text = 'the odd one'
     BEGIN SELECT RAISE(ABORT, 'no'); END`,
  );
  for (const text of ["before", "the odd one", "after"]) house.say({ text });
  const kinds = () => house.daemon.status().notices.map(({ kind, cause }) => `${kind}:${cause}`);
  await until(() => kinds().includes("database:rejected"));
  expect(house.db.prepare("SELECT text FROM events WHERE kind = 'message'").pluck().all()).toEqual([
    "before",
    "after",
  ]);
});
