import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { keyedHash } from "../../src/language/people.ts";
import { hashKey } from "../../src/platform/config/secrets.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { Database } from "../../src/platform/database/sqlite.ts";
import { makeBackup } from "../../src/privacy/made-files-store.ts";
import { wait } from "../../src/twitch/bounded-call.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, fastTime, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { KNOWS_PROCESSES, processesOf } from "../stand-ins/own-processes.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

/**
 * Has the file written anew, and resolves while it is: the other process is stopped at its beginning until what this gives
 * is called.
 */
async function writtenAnew(house: House): Promise<() => void> {
  house.db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");
  expect(house.daemon.status().cleaning.pendingSinceMs).not.toBeNull();
  const pid = await processAt(house);
  process.kill(pid, "SIGSTOP");
  return () => process.kill(pid, "SIGCONT");
}

/** Resolves while a process writes the file anew, or does another task with it, or is about to. */
async function processAt({ db }: House, task = "vacuum"): Promise<number> {
  const found = () =>
    processesOf(process.pid).find(({ args }) => args.includes(` ${task} ${db.name} `));
  await until(() => found() !== undefined);
  return found()?.pid ?? 0;
}

/** Nobody else can write, as while the file is written. */
function heldBy({ db }: House): () => void {
  const writer = openDatabase(db.name);
  onTestFinished(() => void writer.close());
  writer.exec("BEGIN IMMEDIATE");
  return () => writer.exec("ROLLBACK");
}

/** Resolves once the daemon has taken in what was said. */
async function taken({ irc }: House): Promise<void> {
  irc.ping();
  await until(() => irc.pongs() === 1);
}

const testHeld = test.runIf(KNOWS_PROCESSES);

testHeld("while the file is written anew no line is lost and an answer is given", async () => {
  const house = await openHouse();
  house.model.enqueue(geminiSays({ text: "it hangs over there" }));
  const goOn = await writtenAnew(house);
  const letGo = heldBy(house);
  const texts = Array.from({ length: 50 }, (_, n) => `line ${n}`);
  for (const text of texts) house.say({ text });
  house.say({ text: "@automark where is the lamp?" });
  await taken(house);
  letGo();
  goOn();
  await house.ended(1);
  expect(house.replies()).toMatchObject([{ state: "sent", text: "it hangs over there" }]);
  const stored = house.db.prepare("SELECT text FROM events WHERE text LIKE 'line %' ORDER BY id");
  await until(() => stored.pluck().all().length === texts.length);
  expect(stored.pluck().all()).toEqual(texts);
  await until(() => house.daemon.status().cleaning.pendingSinceMs === null);
  expect(house.daemon.status().notices).toEqual([]);
  expect(house.logged.filter((line) => /bug|"notice":"database"/.test(line))).toEqual([]);
});

testHeld(
  "what is asked for by a command while the file is written anew is done after it, and answered",
  async () => {
    const house = await openHouse();
    house.say({
      userId: "900",
      login: "orla",
      displayName: "Orla",
      badges: "moderator/1",
      text: "hi",
    });
    const goOn = await writtenAnew(house);
    const letGo = heldBy(house);
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
    await taken(house);
    letGo();
    goOn();
    await until(() => house.said.length === 2);
    expect(house.said.map(({ text }) => text)).toEqual([
      "I will remember that.",
      "Done: everything about that viewer is forgotten.",
    ]);
    const facts = house.db.prepare("SELECT fact FROM semantic_notes").pluck().all();
    expect(facts).toEqual(["{u:501} plays the bass"]);
    expect(house.logged.filter((line) => line.includes("bug"))).toEqual([]);
  },
);

testHeld("the bot ends within moments although the file is being written anew", async () => {
  const house = await openHouse();
  await writtenAnew(house);
  house.say({ text: "one last line" });
  const startedAtMs = performance.now();
  await house.close();
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
});

testHeld(
  "a file that is not written to its end silences nobody",
  async () => {
    const house = await openHouse({ now: Date.now, wait });
    await writtenAnew(house);
    heldBy(house);
    house.model.enqueue(geminiSays({ text: "it hangs over there" }));
    house.say({ text: "@automark where is the lamp?" });
    await until(() => house.said.length > 0);
    expect(house.said).toMatchObject([{ text: "it hangs over there" }]);
  },
  30_000,
);

testHeld(
  "a process that hangs over the log keeps neither an answer waiting nor the end",
  async () => {
    const house = await openHouse();
    const session = house.db.prepare(
      "INSERT INTO stream_sessions (channel, started_at, recap) VALUES ('c', ?, ?)",
    );
    house.db.transaction(() => {
      for (let n = 0; n < 20; n += 1) session.run(n, "x".repeat(1_000_000));
    })();
    process.kill(await processAt(house, "copy-wal"), "SIGSTOP");
    house.model.enqueue(geminiSays({ text: "it hangs over there" }));
    house.say({ text: "@automark where is the lamp?" });
    expect(await house.ended(1)).toMatchObject([{ state: "sent", text: "it hangs over there" }]);
    const startedAtMs = performance.now();
    await house.close();
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  },
);

testHeld(
  "somebody who reads on while the file is written anew keeps no mention waiting",
  async () => {
    // Fast enough for what waits as long as the reader was waited for once: nobody is answered after 25 s.
    const house = await openHouse(fastTime(4));
    const reader = openDatabase(house.db.name, { readOnly: true });
    onTestFinished(() => void reader.close());
    reader.exec("BEGIN; SELECT count(*) FROM episodes");
    house.say({ userId: "77", login: "fern", displayName: "Fern", text: "!forgetme" });
    await processAt(house);
    house.model.enqueue(geminiSays({ text: "it hangs over there" }));
    house.say({ text: "@automark where is the lamp?" });
    expect(await house.ended(1)).toMatchObject([{ state: "sent", text: "it hangs over there" }]);
    expect(house.daemon.status().cleaning.pendingSinceMs).not.toBeNull();
    reader.close();
    await until(() => house.daemon.status().cleaning.pendingSinceMs === null);
  },
);

test("an end while backups are brought in line is no failure, and the next start goes on with it", async () => {
  const town = await openTown();
  const house = await enter(town);
  const databaseFile = join(town.dataDir, "forgetmenot.db");
  const hash = keyedHash(hashKey(town.dataDir));
  const path = join(town.dataDir, "backups", "one.db");
  makeBackup(path, { db: house.db, databaseFile, hash, now: Date.now });
  const other = new Database(join(town.dataDir, "files.lock"));
  other.exec("BEGIN EXCLUSIVE");
  house.db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");
  await until(() => house.daemon.status().cleaning.lastDoneAtMs !== null);
  expect(house.daemon.status().cleaning.filesPending).toBe(true);
  await house.close();
  other.close();
  const next = await enter(town);
  expect(next.daemon.status().notices).toEqual([]);
  await until(() => !next.daemon.status().cleaning.filesPending);
  expect(readFileSync(path, "latin1")).toContain("h:somebody");
});

test("forgetting somebody heavy waits for whoever reads, rather than let the log grow, and is done afterwards", async () => {
  const house = await openHouse();
  const spokenAtMs = Date.now() - 3_600_000;
  house.db
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24000)
       INSERT INTO events (channel, kind, user_id, message_id, text, memorable, created_at, expires_at)
       SELECT ?, 'message', 'viewer-770', 'heavy-' || i, printf('%.*c', 900, 'x'), 1, ?, ? FROM n`,
    )
    .run(CHANNEL, spokenAtMs, spokenAtMs + 86_400_000);
  house.db.pragma("wal_checkpoint(TRUNCATE)");
  const left = house.db
    .prepare<[], number>("SELECT count(*) FROM events WHERE user_id = 'viewer-770'")
    .pluck();
  const reader = openDatabase(house.db.name, { readOnly: true });
  reader.exec("BEGIN; SELECT count(*) FROM events");
  house.say({ userId: "viewer-770", login: "heavy", text: "!forgetme" });
  const logPages = () => statSync(`${house.db.name}-wal`).size / 4_120;
  await until(() => logPages() > 4_000);
  for (let answers = 1; answers <= 3; answers += 1) {
    house.model.enqueue(geminiSays({ text: "it hangs over there" }));
    house.say({ userId: `${answers}`, login: `lio_${answers}`, text: "@automark are you there?" });
    await house.ended(answers);
  }
  expect(left.get()).toBeGreaterThan(0);
  expect(logPages()).toBeLessThan(4_500);
  reader.close();
  await until(() => left.get() === 0);
}, 20_000);
