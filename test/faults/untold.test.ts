import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Fault } from "../../src/errors.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { switchStore } from "../../src/platform/database/runtime-store.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, type House, openHouse, openTown } from "../stand-ins/house.ts";
import type { Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

// Faults in whose way nothing stands, and of which nobody hears unless somebody tells.

const fileOf = ({ dataDir }: Town) => join(dataDir, "forgetmenot.db");
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };

/** Another program writes, and does not end; gives what ends it. */
function hold(house: Town): () => void {
  const other = openDatabase(fileOf(house), { busyTimeoutMs: 5_000 });
  other.exec("BEGIN IMMEDIATE");
  const letGo = (): void => {
    if (other.open) other.close();
  };
  onTestFinished(letGo);
  return letGo;
}

/** Resolves once the daemon has taken in what was said. */
async function taken({ irc }: Town): Promise<void> {
  const before = irc.pongs();
  irc.ping();
  await until(() => irc.pongs() > before);
}

test("a pause that chat orders of a held database is in force at once, answered when it is kept, and ended by whoever resumes", async () => {
  const house = await openHouse();
  const letGo = hold(house);
  house.say({ text: "!bot pause", ...ROSA, badges: "moderator/1" });
  house.say({ text: "@automark awake?", ...ROSA });
  await taken(house);
  expect(house.said).toEqual([]);
  letGo();
  await until(() => house.said.length === 1);
  expect((await house.ended(1))[0]).toMatchObject({ state: "refused", reason: "paused" });
  expect(house.logged.filter((line) => line.includes("bug:"))).toEqual([]);
  switchStore(house.db, house.now).set("paused", false, "cli");
  house.model.enqueue(geminiSays({ text: "awake" }));
  house.say({ text: "@automark awake now?", userId: "77", login: "fern", displayName: "Fern" });
  expect((await house.ended(2))[1]).toMatchObject({ state: "sent", text: "awake" });
});

test("a folder in the place of the database is told as one, with what the bot knew as the backup to restore", async () => {
  const town = await openTown();
  const house = await enter(town);
  house.say({ text: "a green umbrella stands there", ...ROSA });
  await until(() => count(house, "SELECT count(*) FROM events WHERE text IS NOT NULL") > 0);
  const file = fileOf(town);
  renameSync(file, `${file}.elsewhere`);
  mkdirSync(file);
  const { message, mend } = await house.daemon.broken;
  expect(message).toContain("another file than the bot had opened");
  house.db.close();
  await house.daemon.close();
  const [backup = ""] = readdirSync(join(town.dataDir, "backups"));
  expect(mend).toContain(`restore ${join(town.dataDir, "backups", backup)}`);
  expect(readFileSync(join(town.dataDir, "backups", backup)).includes("umbrella")).toBe(false);
  const refused = await enter(town).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: "database" });
  expect(String(refused)).toContain("a folder stands in its place");
  expect((refused as Fault).mend).toMatch(/move that folder away.*restore /);
});

function count({ db }: House, sql: string): number {
  return Number(db.prepare(sql).pluck().get());
}
