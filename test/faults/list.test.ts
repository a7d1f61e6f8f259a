import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FAULTS_MIN = 60;
const ROW =
  /^\| (?<fault>[^|]+) \| (?<end>[^|]+) \| `(?<file>test\/[^`]+\.test\.ts)`: (?<title>.+) \|$/;

interface Row {
  readonly fault: string;
  readonly file: string;
  readonly title: string;
}

const rows = readFileSync("test/faults/README.md", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| fault "))
  .map((line): Row => {
    const { fault, file, title } = ROW.exec(line)?.groups ?? {};
    if (fault === undefined || file === undefined || title === undefined) throw new Error(line);
    return { fault, file, title };
  });

test("sixty faults and more are driven, each under a name of its own, by a test that is there", () => {
  expect(new Set(rows.map(({ fault }) => fault)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(FAULTS_MIN);
  const missing = rows.filter(({ file, title }) => {
    const text = readFileSync(file, "utf8");
    return ![`"${title}"`, `\`${title}\``].some((quoted) => text.includes(quoted));
  });
  expect(missing).toEqual([]);
  expect(new Set(rows.map(({ file, title }) => `${file} ${title}`)).size).toBe(rows.length);
});
