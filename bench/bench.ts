/**
 * Measures the built program next to a bot that sends the last 20 lines and a bare client, in one run of at most five
 * minutes: `npm run bench [-- start ingest reply footprint memory] [-- --write] [-- --chat FOLDER]`. Exit code 1 if a goal
 * is missed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { formatCells, HEAD, isReached, type Row } from "./figures.ts";
import { measureFootprint } from "./footprint.ts";
import { measureIngest } from "./ingest.ts";
import { measureMemoryCost } from "./memory-cost.ts";
import { buildPrograms, type Programs } from "./programs.ts";
import { measureReply } from "./reply.ts";
import { measureStart } from "./start.ts";

const PAGE = new URL("../docs/performance.md", import.meta.url);
const BEGIN = "<!-- figures: written by `npm run bench -- --write` -->";
const END = "<!-- end of figures -->";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false }, chat: { type: "string" } },
});
const PARTS: Readonly<Record<string, (programs: Programs) => Promise<Row[]>>> = {
  start: measureStart,
  ingest: measureIngest,
  reply: measureReply,
  footprint: measureFootprint,
  memory: () => measureMemoryCost(values.chat ?? null),
};
const programs = buildPrograms();
try {
  const rows: Row[] = [];
  let failures = 0;
  const wanted = positionals.length === 0 ? Object.keys(PARTS) : positionals;
  for (const name of wanted) {
    const measure = PARTS[name];
    if (measure === undefined)
      throw new Error(`${name} is no part: ${Object.keys(PARTS).join(", ")}`);
    process.stderr.write(`${name} …\n`);
    try {
      rows.push(...(await measure(programs)));
    } catch (thrown) {
      // The figures of the other parts are still shown.
      failures += 1;
      process.stderr.write(`${name} failed: ${thrown instanceof Error ? thrown.stack : thrown}\n`);
    }
  }
  process.stdout.write(`${formatTable(rows)}\n`);
  if (values.write) writeFigures(rows);
  process.exitCode = failures === 0 && rows.every((row) => isReached(row) !== false) ? 0 : 1;
} finally {
  programs.remove();
}

function formatTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(formatCells)];
  const widths = HEAD.map((_, n) => Math.max(...cells.map((row) => row[n]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Replaces the table in `docs/performance.md`. */
function writeFigures(rows: readonly Row[]): void {
  const page = readFileSync(PAGE, "utf8");
  const [before] = page.split(BEGIN);
  const [, after] = page.split(END);
  if (before === undefined || after === undefined)
    throw new Error("the page has no place for figures");
  const processor = cpus()[0]?.model.trim() ?? "unknown processor";
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${day} with Node ${process.versions.node} on ${availableParallelism()} cores (${processor})`;
  const lines = [HEAD, HEAD.map(() => "---"), ...rows.map(formatCells)];
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  writeFileSync(PAGE, `${before}${BEGIN}\n\nMeasured ${machine}.\n\n${table}\n\n${END}${after}`);
}
