import { existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtProgram } from "../stand-ins/built-program.ts";
import { enter, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { fill, smallDisk } from "../stand-ins/obstacles.ts";
import { startProgram } from "../stand-ins/program.ts";
import { launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const main = builtProgram();
const fileOf = ({ dataDir }: Town) => join(dataDir, "forgetmenot.db");
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };

function backUp({ dataDir }: Town): string {
  const folder = join(dataDir, "backups");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "forgetmenot-auto-20260101-000000Z.db");
  writeFileSync(file, "a backup");
  return file;
}

test("a database that is emptied while the bot runs is noticed, with the restore to type", async () => {
  const town = await openTown();
  const house = await enter(town);
  const backup = backUp(town);
  truncateSync(fileOf(town), 0);
  const fault = await house.daemon.broken;
  expect(fault).toMatchObject({ code: "broken" });
  expect(fault.fix).toContain(`restore ${backup}`);
});

test.each(["gone", "empty"])(
  "a start without its database is refused where a backup shows that there was one (%s)",
  async (how) => {
    const town = await openTown();
    const first = await enter(town);
    await first.close();
    const backup = backUp(town);
    const file = fileOf(town);
    if (how === "gone") rmSync(file);
    else truncateSync(file, 0);
    for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    const program = startProgram(launchIn(town, main), "run");
    expect(await program.ended).toBe(2);
    expect(program.errors()).toContain(`main.js restore ${backup}`);
    expect(existsSync(file) ? statSync(file).size : 0).toBe(0);
  },
);

test("a file that is no database is refused with a restore, and never with advice that loses memory", async () => {
  const town = await openTown();
  mkdirSync(town.dataDir, { recursive: true });
  writeFileSync(fileOf(town), "this is no database, and long enough to look like one ".repeat(40));
  const program = startProgram(launchIn(town, main), "run");
  expect(await program.ended).toBe(2);
  expect(program.errors()).toContain("main.js restore FILE");
  expect(program.errors()).not.toMatch(/begin anew|move the file away/);
});

test("on a full disk chat waits and is told, and is written when there is room again", async ({
  skip,
}) => {
  const disk = smallDisk();
  if (disk === null) return skip("no small disk can be made here");
  const house = await openHouse({ config: { dataDir: join(disk, "data") } });
  const letGo = fill(disk);
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n} ${"x".repeat(200)}`);
  for (const text of lines) house.say({ text, ...ROSA });
  await until(() => house.logged.some((line) => line.includes("the disk is full")));
  expect(house.logged.join("\n")).toContain("Free some space on the disk");
  letGo();
  await until(() => count(house, "SELECT count(*) FROM events WHERE text LIKE 'line %'") === 400);
  await until(() => house.daemon.status().notices.length === 0);
});

test("an end of life that a wrong clock set is brought forward to a day from now", async () => {
  const town = await openTown();
  const first = await enter(town);
  first.say({ text: "kept for too long", ...ROSA });
  await until(() => count(first, "SELECT count(*) FROM events WHERE text IS NOT NULL") >= 1);
  first.db.exec("UPDATE events SET expires_at = expires_at + 9 * 86400000");
  await first.close();
  const next = await enter(town);
  const latest = next.db
    .prepare("SELECT max(expires_at) FROM events WHERE text IS NOT NULL")
    .pluck();
  expect(Number(latest.get())).toBeLessThanOrEqual(Date.now() + 86_400_000);
});

function count({ db }: House, sql: string): number {
  return Number(db.prepare(sql).pluck().get());
}
