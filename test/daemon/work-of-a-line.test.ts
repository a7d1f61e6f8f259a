import type Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { Database } from "../../src/database/sqlite.ts";
import { openHouse } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

const LINES = 1_000;
const PEOPLE = 100;

/** Counts patterns that are made of a text, until the test ends: one for each line would be compiled for each line. */
function countPatterns(): () => number {
  const { RegExp: pattern } = globalThis;
  let made = 0;
  const count = <T>(make: () => T): T => {
    made += 1;
    return make();
  };
  globalThis.RegExp = new Proxy(pattern, {
    construct: (target, given, asked) => count(() => Reflect.construct(target, given, asked)),
    apply: (target, self, given) => count(() => Reflect.apply(target, self, given)),
  });
  onTestFinished(() => {
    globalThis.RegExp = pattern;
  });
  return () => made;
}

/** Counts what is asked of SQLite in this process, until the test ends. */
function countStatements(): { statements: number; commits: number } {
  const db = new Database(":memory:");
  const statement = Object.getPrototypeOf(db.prepare("SELECT 1"));
  db.close();
  const counts = { statements: 0, commits: 0 };
  for (const name of ["run", "get", "all", "iterate"]) {
    const was = statement[name];
    statement[name] = function counted(this: Sqlite.Statement, ...given: unknown[]) {
      counts.statements += 1;
      if (this.source === "COMMIT") counts.commits += 1;
      return was.apply(this, given);
    };
    onTestFinished(() => {
      statement[name] = was;
    });
  }
  return counts;
}

test("a thousand lines compile no pattern, and are a few statements each and few commits in all", async () => {
  const house = await openHouse({ config: { language: "en" } });
  const stored = house.db.prepare<[], number>("SELECT count(*) FROM events").pluck();
  let said = 0;
  const talk = async (lines: number): Promise<void> => {
    for (let n = 0; n < lines; n += 1) {
      said += 1;
      const login = `viewer${said % PEOPLE}`;
      house.say({
        login,
        userId: String(said % PEOPLE),
        text: `the ${said}th lantern of the street`,
      });
    }
    await until(() => (stored.get() ?? 0) >= said);
  };
  await talk(PEOPLE);
  const patterns = countPatterns();
  const counts = countStatements();
  await talk(LINES);
  // What the clock has done meanwhile is among them.
  expect(patterns()).toBeLessThan(LINES / 10);
  expect(counts.commits).toBeLessThan(LINES / 10);
  expect(counts.statements).toBeLessThan(3 * LINES);
});
