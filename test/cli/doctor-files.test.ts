import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lookAt, openDatabase } from "../../src/database/open-database.ts";
import { judgeFreeBytes } from "../../src/system/machine-checks.ts";
import { enter } from "../stand-ins/house.ts";
import { examine, openPatient } from "./examined.ts";

/** Every file in a folder, with what is in it. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
      const stats = statSync(join(folder, name));
      const bytes = stats.isFile() ? readFileSync(join(folder, name)) : "";
      const hash = createHash("sha256").update(bytes).digest("hex");
      return [name, `${stats.mode.toString(8)} ${hash}`];
    }),
  );
}

test("nothing is made where there is nothing yet", async () => {
  const patient = await openPatient();
  const { of } = await examine(patient);
  expect(readdirSync(patient.folder)).toEqual(["config.json"]);
  expect(of("folder")[0]?.found).toBe(`${patient.dataDir} will be made at the first start`);
  expect(of("database")[0]?.found).toBe("none yet: the bot makes it at its first start");
});

test("nothing is changed in a folder that a bot has used", async () => {
  const patient = await openPatient();
  const house = await enter(patient.town);
  house.say({ text: "@automark hello" });
  await house.ended(1);
  await house.close();
  const before = contents(patient.dataDir);
  const { exit, of } = await examine(patient);
  expect(of("database")[0]?.found).toMatch(/forgetmenot\.db: undamaged, version \d+, /);
  expect(exit).toBe(0);
  expect(contents(patient.dataDir)).toEqual(before);
});

test("what a crashed bot left in its write-ahead log is read, and stays there", async () => {
  const { folder, databaseFile } = await openPatient();
  const db = openDatabase(databaseFile);
  onTestFinished(() => void db.close());
  db.exec("INSERT INTO counters (name, value) VALUES ('test', 1)");
  const crashed = join(folder, "crashed");
  cpSync(dirname(databaseFile), crashed, { recursive: true });
  const before = contents(crashed);
  const value = lookAt(join(crashed, "forgetmenot.db"), (seen) =>
    seen.prepare("SELECT value FROM counters WHERE name = 'test'").pluck().get(),
  );
  expect(value).toBe(1);
  const after = contents(crashed);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const name of ["forgetmenot.db", "forgetmenot.db-wal"])
    expect(after[name]).toBe(before[name]);
});

test.each([
  [5e9, "ok", "5.0 GB free"],
  [9e8, "warning", "900 MB free"],
  [1e8, "problem", "100 MB free"],
])("%d free bytes", (bytes, state, found) => {
  expect(judgeFreeBytes(bytes)).toMatchObject({ state, found: expect.stringContaining(found) });
});

test("beside a running bot its page and its database are its own", async () => {
  const patient = await openPatient();
  const { daemon, db } = await enter(patient.town, { config: { dashboard: { port: 0 } } });
  db.exec(
    "INSERT INTO notices (kind, severity, message, first_at, last_at, count) VALUES ('llm', 'error', 'the model is down', 1, 1, 1), ('hint', 'info', 'well', 1, 1, 1)",
  );
  const port = Number(new URL(daemon.pageUrl ?? "").port);
  const { of, exit } = await examine(patient, { dashboard: { port } });
  expect(of("daemon")).toEqual([{ state: "ok", found: "is running on this folder", mend: null }]);
  expect(of("page")).toEqual([
    { state: "ok", found: `the bot serves it at http://127.0.0.1:${port}/`, mend: null },
  ]);
  expect(of("database")[0]?.state).toBe("ok");
  expect(of("notice")).toMatchObject([
    { state: "warning", found: expect.stringMatching(/: the model is down$/) },
  ]);
  expect(exit).toBe(0);
});

test("whoever looks at a running bot from another window has not got its variables", async () => {
  const patient = await openPatient();
  await enter(patient.town);
  const none = { TWITCH_ACCESS_TOKEN: "", GEMINI_API_KEY: "" };
  const { of, exit } = await examine(patient, {}, none);
  for (const check of ["bot_token", "model"] as const)
    expect(of(check)).toMatchObject([
      { state: "not_checked", found: expect.stringContaining("where the bot was started") },
    ]);
  expect(exit).toBe(0);
});
