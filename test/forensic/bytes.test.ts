import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openDatabase, runVacuum } from "../../src/database/open-database.ts";
import { Database } from "../../src/database/sqlite.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { inventedLines } from "./lines.ts";
import { runsIn } from "./search.ts";

interface Steps {
  readonly secureDelete: boolean;
  readonly truncate: boolean;
  readonly vacuum: boolean;
}

const LINES = inventedLines(2_000);
const ALL: Steps = { secureDelete: true, truncate: true, vacuum: true };

/** The page size of an earlier release. Large pages keep more of what was in them. */
const LARGE_PAGE_BYTES = 4_096;

/** Chat that became episodes, in whatever order models answered; then most of it goes, and the rest changes length. */
function written(folder: string, pageBytes?: number): string {
  const file = join(folder, "forgetmenot.db");
  if (pageBytes !== undefined) {
    const empty = new Database(file);
    empty.pragma(`page_size = ${pageBytes}`);
    empty.exec("VACUUM");
    empty.close();
  }
  const db = openDatabase(file);
  const event = db.prepare(
    "INSERT INTO events (channel, kind, text, memorable, created_at, expires_at) VALUES ('c', 'message', ?, 1, 1, 2)",
  );
  const episode = db.prepare(
    "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, created_at) VALUES ('c', 'window', 1, 1, 1, 1)",
  );
  const summarise = db.prepare("UPDATE episodes SET summary = ?, stage = 'extracted' WHERE id = ?");
  const member = db.prepare("UPDATE events SET episode_id = ? WHERE id = ?");
  db.transaction(() => {
    for (const line of LINES) {
      event.run(line);
      episode.run();
    }
    for (const id of shuffled()) {
      member.run(id, id);
      summarise.run(LINES[id - 1] ?? "", id);
    }
  })();
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return file;
}

/** Every row's id once, always in the same disorder. */
function shuffled(): number[] {
  return LINES.map((_, index) => ((index * 1_237) % LINES.length) + 1);
}

/** Does to a copy what the program does, with some of it left out: the product has no switch for that. */
function removed(original: string, steps: Steps): { folder: string; close: () => void } {
  const folder = temporaryFolder();
  const file = join(folder, "forgetmenot.db");
  copyFileSync(original, file);
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma(`secure_delete = ${steps.secureDelete ? "ON" : "OFF"}`);
  db.pragma("temp_store = MEMORY");
  db.pragma("wal_autocheckpoint = 0");
  db.pragma("foreign_keys = OFF");
  const rewrite = db.prepare("UPDATE episodes SET summary = ? WHERE id = ?");
  db.transaction(() => {
    db.exec("UPDATE events SET text = NULL WHERE id % 3 <> 0");
    for (const id of shuffled()) rewrite.run("told ".repeat((id * 7) % 90), id);
    db.exec("DELETE FROM episodes WHERE id % 5 <> 0");
  })();
  db.exec("UPDATE events SET text = NULL; UPDATE episodes SET summary = 'nothing'");
  if (steps.truncate) db.pragma("wal_checkpoint(TRUNCATE)");
  if (steps.vacuum && steps.truncate) expect(runVacuum(db)).toBe(true);
  if (steps.vacuum && !steps.truncate) db.exec("VACUUM");
  return { folder, close: () => db.close() };
}

const shared = mkdtempSync(join(tmpdir(), "forgetmenot-forensic-"));
const [freshFolder, earlierFolder] = [join(shared, "fresh"), join(shared, "earlier")];
mkdirSync(freshFolder);
mkdirSync(earlierFolder);
const fresh = written(freshFolder);
const earlier = written(earlierFolder, LARGE_PAGE_BYTES);
afterAll(() => rmSync(shared, { recursive: true, force: true }));

describe.each([
  ["this release", fresh],
  ["an earlier release", earlier],
])("a database of %s", (_, original) => {
  test("holds the lines before they are removed", () => {
    expect(runsIn(dirname(original), LINES).length).toBeGreaterThan(0);
  });

  test("has no distinctive run in any byte after removal, truncation and VACUUM", () => {
    const { folder, close } = removed(original, ALL);
    expect(runsIn(folder, LINES)).toEqual([]);
    close();
  });
});

test.each<readonly [string, Steps]>([
  ["VACUUM", { ...ALL, vacuum: false }],
  ["secure_delete and VACUUM", { ...ALL, secureDelete: false, vacuum: false }],
  ["the truncation of the log", { ...ALL, truncate: false }],
])("without %s something is left, so this search would tell", (_, steps) => {
  const { folder, close } = removed(earlier, steps);
  expect(runsIn(folder, LINES)).not.toEqual([]);
  close();
});
