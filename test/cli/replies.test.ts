import { expect, test } from "vitest";
import { openNewsReader } from "../../src/cli/run.ts";
import { openBotFolder, remember } from "./bot-folder.ts";

/** Ann was answered, then thought of in the shadow, then not answered; Bob was answered in between, long ago. */
function talked() {
  const bot = openBotFolder();
  const nowMs = Date.now();
  const row = bot.db.prepare(
    `INSERT INTO replies (id, channel, user_id, "trigger", event_id, state, reason, created_at, latency_ms, text)
     VALUES (?, 'here', ?, 'mention', ?, ?, ?, ?, 1234, ?)`,
  );
  row.run(1, "7", 41, "sent", null, nowMs, "Hello, Ann.");
  row.run(2, "9", null, "sent", null, nowMs, null);
  row.run(3, "7", null, "shadow", "shadow", nowMs, "I would say this.");
  row.run(4, "7", null, "refused", "paused", nowMs, null);
  bot.db
    .prepare(
      `INSERT INTO events (id, channel, kind, user_id, text, created_at, expires_at)
       VALUES (41, 'here', 'message', '7', 'hello b', ?, ?)`,
    )
    .run(nowMs, nowMs + 1_000_000);
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

test("the live view tells an answer that ends after a later one was told, each once", () => {
  const { db } = openBotFolder();
  const row = db.prepare(
    `INSERT INTO replies (id, channel, user_id, "trigger", state, reason, created_at, text)
     VALUES (?, 'here', '7', 'mention', ?, ?, ?, ?)`,
  );
  const news = openNewsReader(db, "b");
  const told = () =>
    news()
      .join("\n")
      .match(/(?<=\[)\d+(?=\])/g) ?? [];
  row.run(1, "thinking", null, Date.now(), null);
  for (let id = 2; id < 40; id += 1) row.run(id, "refused", "paused", Date.now(), null);
  expect(told()).toHaveLength(20);
  row.run(40, "refused", "paused", Date.now(), null);
  expect(told()).toEqual(["40"]);
  db.prepare("UPDATE replies SET state = 'sent', text = 'At last.' WHERE id = 1").run();
  expect(news().join("\n")).toContain("▸ b: At last.  [1]");
  expect(news()).toEqual([]);
});

test("the live view tells a silence with its reason, what was learned, and what waits for a word", () => {
  const { db } = openBotFolder();
  const news = openNewsReader(db, "b");
  db.prepare(
    `INSERT INTO replies (channel, user_id, "trigger", state, reason, created_at)
     VALUES ('here', '7', 'mention', 'refused', 'offline', ?)`,
  ).run(Date.now());
  remember(db, "keeps bees", "bees", { id: 3, kind: "profile" });
  db.prepare(
    `INSERT INTO action_log (channel, action, class, target_id, decision, reason, created_at, idempotency_key)
     VALUES ('here', 'timeout', 'moderation', '9', 'hold', 'needs_approval', ?, 'k')`,
  ).run(Date.now());
  const [, silent, ...more] = news();
  expect(silent).toBe("       · silent: your channel is offline  [1]");
  expect(more[0]).toBe("       + learned [3] keeps bees");
  expect(more[1]).toMatch(/^ {7}\? timeout Bob waits \[1\]: .*actions approve 1\b/);
  expect(news()).toEqual([]);
});
