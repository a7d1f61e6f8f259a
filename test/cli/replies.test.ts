import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { changeReader } from "../../src/page/live-store.ts";
import { addRow } from "../stand-ins/rows.ts";
import { openBotFolder } from "./bot-folder.ts";

/** Ann was answered, then thought of in the shadow, then not answered; Bob was answered in between, long ago. */
function talked() {
  const bot = openBotFolder();
  const nowMs = Date.now();
  const ann = { channel: "here", user_id: "7", created_at: nowMs };
  const add = (id: number, more: Parameters<typeof addRow>[2] = {}) =>
    addRow(bot.db, "replies", { ...ann, id, latency_ms: 1_234, ...more });
  add(1, { event_id: 41, text: "Hello, Ann." });
  add(2, { user_id: "9" });
  add(3, { state: "shadow", reason: "shadow", text: "I would say this." });
  add(4, { state: "refused", reason: "paused" });
  addRow(bot.db, "events", { ...ann, id: 41, text: "hello b" });
  const lines = async (...args: string[]) => (await bot.run("replies", ...args)).output.split("\n");
  return { ...bot, lines };
}

test("replies tells who asked, what was said or why not, oldest first, and that texts are gone", async () => {
  const { lines } = talked();
  const all = await lines();
  expect(all.map((line) => line.replace(/^\d\d:\d\d/, "12:00"))).toEqual([
    "12:00  Ann: hello b",
    "       ▸ b: Hello, Ann.  [1]  1.2 s",
    "12:00  Bob: (its text is gone: texts live for 24 hours)",
    "       ▸ b: (its text is gone: texts live for 24 hours)  [2]  1.2 s",
    "12:00  Ann: (its text is gone: texts live for 24 hours)",
    "       ▸ b would say: I would say this.  [3]  1.2 s",
    "12:00  Ann: (its text is gone: texts live for 24 hours)",
    "       · silent: the bot is paused  [4]  1.2 s",
    "4 replies; `forgetmenot explain ID` says what stood in its prompt.",
  ]);
});

test("--shadow, --last and --viewer choose among them, and go together", async () => {
  const { lines } = talked();
  const ids = async (...args: string[]) =>
    (await lines(...args)).join("\n").match(/(?<=\[)\d(?=\])/g) ?? [];
  expect(await ids("--shadow")).toEqual(["3"]);
  expect(await ids("--last", "2")).toEqual(["3", "4"]);
  expect(await ids("--viewer", "bob")).toEqual(["2"]);
  expect(await ids("--viewer", "id:7", "--last", "1")).toEqual(["4"]);
  expect(await lines("--viewer", "bob", "--shadow")).toEqual(["Shadow mode has no replies yet."]);
});

test("--json has them as values, with ids and codes as they are", async () => {
  const { run } = talked();
  const { replies } = JSON.parse((await run("replies", "--json", "--viewer", "ann")).output);
  expect(replies).toMatchObject([
    { id: 1, viewer: "Ann", asked: "hello b", text: "Hello, Ann.", state: "sent" },
    { id: 3, text: "I would say this.", state: "shadow" },
    { id: 4, text: null, state: "refused", reason: "paused" },
  ]);
});

test("who was never seen is told so, and a bot that said nothing yet", async () => {
  const { run } = openBotFolder();
  expect(await run("replies", "--viewer", "carol")).toMatchObject({ exit: 2, output: "" });
  expect((await run("replies")).output).toBe("The bot has sent nothing yet.");
});

test("the page's bubble has an answer that is sent after later ones, each once", () => {
  const { db, file } = openBotFolder();
  const other = openDatabase(loadConfig(file).databaseFile, { readOnly: true });
  onTestFinished(() => void other.close());
  const readChanges = changeReader(other);
  const row = db.prepare(
    `INSERT INTO replies (id, channel, user_id, "trigger", state, created_at, text)
     VALUES (?, 'here', '7', 'mention', ?, ?, ?)`,
  );
  row.run(1, "thinking", Date.now(), null);
  for (const id of [2, 3, 4, 5, 6]) row.run(id, "sent", Date.now(), `${id}`);
  expect(readChanges()?.said).toEqual(["2", "3", "4", "5", "6"]);
  row.run(7, "sent", Date.now(), "7");
  expect(readChanges()?.said).toEqual(["7"]);
  db.prepare("UPDATE replies SET state = 'sent', text = '1' WHERE id = 1").run();
  expect(readChanges()?.said).toEqual(["1"]);
  row.run(8, "sending", Date.now(), "8");
  expect(readChanges()?.said).toEqual([]);
});

test("nobody is answered in a pause or before Twitch lets it through, in plain words", async () => {
  const { db, run } = openBotFolder();
  const row = db.prepare(
    `INSERT INTO replies (channel, user_id, "trigger", state, reason, created_at)
     VALUES ('here', '7', 'mention', 'refused', ?, ?)`,
  );
  for (const reason of ["paused", "not_let_through"]) row.run(reason, Date.now());
  const { output } = await run("replies");
  expect(output).toContain("silent: the bot is paused");
  expect(output).toContain("silent: Twitch did not let the last messages through");
});
