/**
 * All numbers of the program that people run, in one table: `npm run bench [-- start ingest reply footprint channels money growth
 * page]`, ten minutes at most. Each row drives processes over the wire; exit code 1 where a goal is missed.
 */
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { measureChannels } from "./channels.ts";
import { cellsOf, HEAD, isRowReached, type Row } from "./figures.ts";
import { measureFootprint } from "./footprint.ts";
import { measureGrowth } from "./growth.ts";
import { measureIngest } from "./ingest.ts";
import { measureMoney } from "./money.ts";
import { measureOpenPage } from "./open-page.ts";
import { buildPrograms, type Programs } from "./programs.ts";
import { measureReply } from "./reply.ts";
import { measureStart } from "./start.ts";
import { writeTable } from "./write-table.ts";

const PARTS: Readonly<Record<string, (programs: Programs) => Promise<Row[]>>> = {
  start: measureStart,
  ingest: measureIngest,
  reply: measureReply,
  footprint: (programs) => measureFootprint(programs, Number(values.minutes)),
  channels: measureChannels,
  money: measureMoney,
  growth: measureGrowth,
};
/** Only where it is asked for: it needs a browser. */
const PAGE = { page: measureOpenPage };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // `minutes` of chat with questions, for the footprint: 60 shows whether live heap stays flat. `profile`: a folder for
  // profiles of the daemon. `write`: into docs/performance.md. `other`: the built main file of another release, to compare replies with.
  options: {
    minutes: { type: "string", default: "1" },
    profile: { type: "string" },
    write: { type: "boolean", default: false },
    other: { type: "string" },
  },
});
const programs = buildPrograms(
  values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`],
  values.other ?? null,
);
try {
  const rows: Row[] = [];
  let failures = 0;
  const wanted = positionals.length === 0 ? Object.keys(PARTS) : positionals;
  for (const [name, measure] of Object.entries({ ...PARTS, ...PAGE })) {
    if (!wanted.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    try {
      rows.push(...(await measure(programs)));
    } catch (thrown) {
      // What the other parts measured is shown all the same.
      failures += 1;
      process.stderr.write(`${name} failed: ${thrown instanceof Error ? thrown.stack : thrown}\n`);
    }
  }
  process.stdout.write(`${tableOf(rows)}\n`);
  if (values.write) writeTable(rows, machine());
  process.exitCode = failures === 0 && rows.every((row) => isRowReached(row) !== false) ? 0 : 1;
} finally {
  programs.remove();
}

function tableOf(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
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

function machine(): string {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${date} with Node ${process.versions.node} on ${availableParallelism()} cores (${cpu?.model.trim() ?? "unknown"})`;
}
