import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";

const SECTIONS = ["Promises", "Mechanisms", "Fixtures"];
const DEMO_IMPORT = /from "[./]*\/src\/(demo|evaluation)\//;

const files = readdirSync("test", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).split(sep).slice(1).join("/"))
  .filter((file) => file !== "README.md");
const listed = readList();

test("every test file is listed once, and every listed file exists", () => {
  expect(files.length).toBeGreaterThan(100);
  expect([...listed.keys()].toSorted()).toEqual(files.toSorted());
});

test("tests are listed as promises or mechanisms, and nothing else is", () => {
  const wrong = [...listed].filter(
    ([file, section]) => file.endsWith(".test.ts") === (section === "Fixtures"),
  );
  expect(wrong).toEqual([]);
});

test("tests of promises and stand-ins import nothing from src/demo and src/evaluation", () => {
  const checked = files.filter(
    (file) => file.startsWith("stand-ins/") || listed.get(file) === "Promises",
  );
  const wrong = checked.filter((file) =>
    DEMO_IMPORT.test(readFileSync(join("test", file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

/** Reads the section of each file from README.md. Throws on a file that is listed twice. */
function readList(): ReadonlyMap<string, string> {
  const list = new Map<string, string>();
  let section = "";
  for (const line of readFileSync("test/README.md", "utf8").split(/\r?\n/)) {
    section = SECTIONS.find((name) => line === `## ${name}`) ?? section;
    const [, file] = /^- (\S+)$/.exec(line) ?? [];
    if (file === undefined) continue;
    if (list.has(file)) throw new Error(`test/README.md lists ${file} twice`);
    list.set(file, section);
  }
  return list;
}
