import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { writePrivately } from "../../src/config/private-file.ts";
import { makeBackup } from "../../src/database/backup.ts";
import { readExport, sealExport } from "../../src/memory/export-store.ts";
import { enter, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { inventedLines } from "./lines.ts";
import { copyFolder, runsIn, wordsIn } from "./search.ts";

const DAY_MS = 86_400_000;
const GIVEN = {
  llm: { provider: "offline", baseUrl: null },
  config: { memory: { compactionSeconds: 1, noteSeconds: 0 } },
};
const PATIENCE_MS = 15_000;

const ROSA = { userId: "50123401", login: "rosalindqq", displayName: "RosalindQQ" };
const OTHERS = Array.from({ length: 6 }, (_, n) => ({
  userId: `6012340${n}`,
  login: `regular_${n}`,
  displayName: `Regular_${n}`,
}));

function count(house: House, sql: string): number {
  return Number(house.db.prepare(sql).pluck().get());
}

/** Says lines, by several people in turn, and waits until all are in the database. */
async function speak(house: House, lines: readonly string[]): Promise<string[]> {
  const before = count(house, "SELECT count(*) FROM events WHERE message_id IS NOT NULL");
  const ids = lines.map((text, n) => house.say({ ...OTHERS[n % OTHERS.length], text }));
  await until(
    () =>
      count(house, "SELECT count(*) FROM events WHERE message_id IS NOT NULL") >=
      before + lines.length,
    PATIENCE_MS,
  );
  return ids;
}

async function remembered(house: House): Promise<void> {
  const waiting =
    "SELECT count(*) FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL";
  const pending = "SELECT count(*) FROM episodes WHERE status = 'pending'";
  await until(() => count(house, waiting) < 25 && count(house, pending) === 0, PATIENCE_MS);
  expect(count(house, "SELECT count(*) FROM episodes WHERE summary <> ''")).toBeGreaterThan(0);
}

async function cleaned(house: House): Promise<void> {
  await until(() => {
    const { cleaning } = house.daemon.status();
    return cleaning.pendingSinceMs === null && !cleaning.filesPending;
  }, PATIENCE_MS);
}

/** A backup and an export, as the commands make them. */
function copied({ db, dataDir }: House, now: () => number): void {
  makeBackup(join(dataDir, "backups", "one.db"), join(dataDir, "forgetmenot.db"));
  const path = join(dataDir, "exports", "one.json");
  writePrivately(path, sealExport(readExport({ db, isOptedOut: () => false, now }, null)));
}

test("24 hours later no distinctive run of a line or an answer is left in any byte of the data folder", async () => {
  const clock = { nowMs: 1_760_000_000_000 };
  const now = () => clock.nowMs;
  const lines = inventedLines(140);
  const town = await openTown({ now });
  const house = await enter(town, GIVEN);
  await speak(house, lines);
  for (const [n, person] of OTHERS.entries()) {
    house.say({
      ...person,
      text: `@automark which of the ${n + 40} lanterns hangs highest tonight?`,
    });
    await house.ended(n + 1);
    clock.nowMs += 20_000;
  }
  await remembered(house);
  copied(house, now);
  // What an answer took from memory stays in memory.
  const copies = ["backups", "exports"].map((folder) => join(house.dataDir, folder));
  const answers = house.said
    .map(({ text }) => text)
    .filter(
      (text) => text.length >= 25 && copies.every((copy) => runsIn(copy, [text]).length === 0),
    );
  expect(answers.length).toBeGreaterThan(0);
  expect(runsIn(house.dataDir, lines)).not.toEqual([]);
  for (const copy of copies) expect(runsIn(copy, lines)).toEqual([]);
  await house.close();
  clock.nowMs += DAY_MS;
  const next = await enter(town, GIVEN);
  await cleaned(next);
  expect(count(next, "SELECT count(*) FROM episodes WHERE summary <> ''")).toBeGreaterThan(0);
  expect(runsIn(next.dataDir, [...lines, ...answers])).toEqual([]);
});

test("no byte of a deleted message or a banned viewer's messages is left", async () => {
  const house = await openHouse(GIVEN);
  const lines = inventedLines(60);
  const ids = await speak(house, lines);
  await remembered(house);
  const [deleted, banned] = [3, OTHERS[1]];
  house.irc.deleteMessage(CHANNEL, {
    id: ids[deleted] ?? "",
    login: OTHERS[deleted]?.login ?? "",
    text: lines[deleted] ?? "",
  });
  if (banned !== undefined) house.irc.ban(CHANNEL, banned);
  const gone = lines.filter((_, n) => n === deleted || n % OTHERS.length === 1);
  const left = "SELECT count(*) FROM events WHERE text IS NOT NULL AND message_id IS NOT NULL";
  await until(() => count(house, left) === lines.length - gone.length);
  await cleaned(house);
  const held = lines.filter((line) => !gone.includes(line));
  expect(runsIn(house.dataDir, held.slice(0, 1))).not.toEqual([]);
  // Invented lines share phrases: what only those that went have is their number.
  const numbers = gone.map((line) => /, number \d+.*$/.exec(line)?.[0] ?? line);
  const found = wordsIn(
    house.dataDir,
    numbers.filter((tail) => !held.some((line) => line.includes(tail))),
  );
  expect(found).toEqual([]);
});

test("after !forgetme no trace of the viewer is left in any byte, also where the program died at once: no name, no id, no line, no fact", async () => {
  const town = await openTown();
  const house = await enter(town, GIVEN);
  const own = [
    "I live in Reykjavik and my cat is called Professor Biscuit the Third",
    "I play the theremin every single evening until the neighbours complain",
    "@automark do you remember which instrument I play in the evening?",
  ];
  for (const text of own) house.say({ ...ROSA, text });
  await speak(house, [
    ...inventedLines(30),
    "@RosalindQQ your theremin is rather loud, you know that?",
    "@rosalindqq has the strangest instrument of us all tonight",
  ]);
  await remembered(house);
  await house.ended(1);
  copied(house, Date.now);
  expect(wordsIn(house.dataDir, [ROSA.userId])).not.toEqual([]);
  house.say({ ...ROSA, text: "!forgetme" });
  await until(() => count(house, "SELECT count(*) FROM forgets") === 1);
  const asItDied = join(dirname(house.dataDir), "as-it-died");
  // Nothing writes to the files while they are copied, a VACUUM least of all.
  house.db.exec("BEGIN IMMEDIATE");
  copyFolder(house.dataDir, asItDied);
  house.db.exec("ROLLBACK");
  expect(wordsIn(asItDied, [ROSA.userId])).not.toEqual([]);
  await cleaned(house);
  expect(wordsIn(house.dataDir, [...Object.values(ROSA), ...own])).toEqual([]);
  expect(runsIn(house.dataDir, own)).toEqual([]);
  await house.close();
  cpSync(asItDied, house.dataDir, { recursive: true });
  const next = await enter(town, GIVEN);
  await cleaned(next);
  expect(wordsIn(next.dataDir, [...Object.values(ROSA), ...own])).toEqual([]);
}, 180_000);
