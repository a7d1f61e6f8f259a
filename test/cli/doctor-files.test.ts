import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { geteuid, platform } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { lookAt } from "../../src/database/inspect-file.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { judgeFreeBytes } from "../../src/system/folder-checks.ts";
import { enter } from "../stand-ins/house.ts";
import { examine, freePort, makeDatabase, openPatient, takenPort } from "./examined.ts";

const POSIX = platform !== "win32";

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

test("a file where the bot keeps its logs or backups is told, with what does not come about", async () => {
  const patient = await openPatient();
  for (const [name, lost] of [
    ["logs", "no log is written"],
    ["backups", "no backup is made"],
  ] as const) {
    const dataDir = join(patient.folder, `data-${name}`);
    mkdirSync(join(dataDir, name), { recursive: true, mode: 0o700 });
    expect((await examine(patient, { dataDir })).of("folder")[0]?.found).toBe(dataDir);
    rmdirSync(join(dataDir, name));
    writeFileSync(join(dataDir, name), "");
    const [finding] = (await examine(patient, { dataDir })).of("folder");
    expect(finding?.found).toBe(`${join(dataDir, name)} cannot be used: it is a file, so ${lost}`);
  }
});

test("a folder that cannot be used is a problem", async () => {
  const patient = await openPatient();
  writeFileSync(join(patient.folder, "taken"), "");
  for (const dataDir of [join(patient.folder, "taken"), join(patient.folder, "taken", "data")]) {
    const { of, exit } = await examine(patient, { dataDir });
    expect(of("folder")).toEqual([
      {
        state: "problem",
        found: expect.stringContaining(`${dataDir} cannot be used: `),
        mend: expect.stringContaining("dataDir"),
      },
    ]);
    expect(of("database")).toMatchObject([{ state: "not_checked" }]);
    expect(exit).toBe(1);
  }
});

test.runIf(POSIX)(
  "a folder that is a link to nowhere is a problem: nothing can be made there",
  async () => {
    const patient = await openPatient();
    symlinkSync(join(patient.folder, "gone"), patient.dataDir);
    const { of } = await examine(patient);
    expect(of("folder")).toMatchObject([
      {
        state: "problem",
        found: `${patient.dataDir} cannot be used: it is a link that leads nowhere`,
      },
    ]);
  },
);

test("what stands where the bot's files should be is a problem", async () => {
  const patient = await openPatient();
  mkdirSync(patient.databaseFile, { recursive: true, mode: 0o700 });
  writeFileSync(join(patient.dataDir, "forgetmenot.lock"), "no lock at all, but a text".repeat(50));
  const { of, exit } = await examine(patient);
  expect(of("folder")).toMatchObject([
    { state: "problem", found: `${patient.databaseFile} cannot be used: it is not a file` },
  ]);
  expect(of("database")).toMatchObject([{ state: "not_checked" }]);
  expect(of("daemon")).toMatchObject([
    {
      state: "problem",
      found: expect.stringContaining("forgetmenot.lock cannot be used: file is not a database"),
      mend: expect.stringContaining("remove the file"),
    },
  ]);
  expect(exit).toBe(1);
});

test.runIf(POSIX)(
  "a database that this user may not write is a problem, but for who may write everywhere",
  async () => {
    const patient = await openPatient();
    makeDatabase(patient);
    chmodSync(patient.databaseFile, 0o400);
    const refused = { state: "problem", found: expect.stringContaining("EACCES") };
    const expected = geteuid?.() === 0 ? { state: "ok" } : refused;
    expect((await examine(patient)).of("folder")).toMatchObject([expected]);
  },
);

test.runIf(POSIX)(
  "a path with a blank stands in quotation marks where it is to be typed",
  async () => {
    const patient = await openPatient();
    const dataDir = join(patient.folder, "my data");
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    const { of } = await examine(patient, { dataDir });
    expect(of("folder")[0]?.mend).toContain(`chmod 700 '${dataDir}'`);
  },
);

test.runIf(POSIX)("a folder that others can enter is told", async () => {
  const patient = await openPatient();
  mkdirSync(patient.dataDir);
  chmodSync(patient.dataDir, 0o755);
  const { of, exit } = await examine(patient);
  expect(of("folder")).toMatchObject([
    { state: "warning", mend: expect.stringContaining(`chmod 700 ${patient.dataDir}`) },
  ]);
  expect(exit).toBe(0);
  expect(statSync(patient.dataDir).mode & 0o777).toBe(0o755);
});

test.each(["OneDrive", "OneDrive - Personal", "Dropbox", "Dropbox (Work)", "iCloudDrive"])(
  "a folder in %s is told: chat would leave the machine",
  async (name) => {
    const patient = await openPatient();
    const dataDir = join(patient.folder, name, "data");
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const { of } = await examine(patient, { dataDir });
    expect(of("folder")).toMatchObject([
      { state: "warning", found: expect.stringContaining("copied elsewhere by") },
    ]);
  },
);

test("a folder whose name only begins like a cloud's is none", async () => {
  const patient = await openPatient();
  const dataDir = join(patient.folder, "Synchronised", "data");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  expect((await examine(patient, { dataDir })).of("folder")[0]?.state).toBe("ok");
});

test.each([
  [5e9, "ok", "5.0 GB free"],
  [9e8, "warning", "900 MB free"],
  [1e8, "problem", "100 MB free"],
])("%d free bytes", (bytes, state, found) => {
  expect(judgeFreeBytes(bytes)).toMatchObject({ state, found: expect.stringContaining(found) });
});

test("a port that another program has is a warning; one that is free is not", async () => {
  const patient = await openPatient();
  const { port, free } = await takenPort();
  const taken = await examine(patient, { dashboard: { port } });
  expect(taken.of("page")).toEqual([
    {
      state: "warning",
      found: `port ${port} is taken by another program: the page takes another one, and the bot prints which`,
      mend: expect.stringContaining("dashboard.port"),
    },
  ]);
  await free();
  const there = await examine(patient, { dashboard: { port: await freePort() } });
  expect(there.of("page")[0]?.found).toMatch(/^port \d+ is free$/);
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
