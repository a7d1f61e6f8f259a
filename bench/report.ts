/**
 * Report: how long `forgetmenot report` takes over 10,000 replies with full records, ten earlier streams to compare with
 * and 20,000 notes, and how much memory its process takes; medians of five. `npm run bench:report`; exit code 1 over a
 * bar.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { median, report } from "./figures.ts";
import { buildPrograms } from "./programs.ts";
import { REPORTED_CHANNEL, writeReportedChannel } from "./reported-channel.ts";

const RUNS = 5;
const REPLIES = 10_000;
const MS_MAX = 1_000;
const MEGABYTES_MAX = 150;
const SIZE = { replies: REPLIES, streamsBefore: 10, repliesBefore: 400, notes: 20_000 };
const FORMS = [[], ["--json"], ["--html", "report.html"]] as const;
/** Loaded before the program: what its process took at most is told when it ends. */
const WATCH = `import process from "node:process";
process.on("exit", () => process.stderr.write(String(process.resourceUsage().maxRSS)));`;

interface Run {
  readonly ms: number;
  readonly megabytes: number;
}

const reportSeen = z.object({ replies: z.object({ total: z.int() }) });

function runOnce(main: string, folder: string, form: readonly string[]): Run {
  const watch = join(folder, "watch.mjs");
  const begunAtMs = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", `file://${watch}`, main, "report", ...form],
    { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  const ms = performance.now() - begunAtMs;
  if (status !== 0) throw new Error(`the report failed: ${stderr}`);
  if (form[0] === "--json" && reportSeen.parse(JSON.parse(stdout)).replies.total !== REPLIES)
    throw new Error("the report is of something else");
  return { ms, megabytes: Number(stderr.trim().split("\\n").at(-1)) / 1_024 };
}

const program = buildPrograms();
const folder = mkdtempSync(join(tmpdir(), "forgetmenot-report-"));
try {
  writeFileSync(join(folder, "watch.mjs"), WATCH);
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({ channel: REPORTED_CHANNEL, mode: "shadow", dataDir: "." }),
  );
  writeReportedChannel(folder, SIZE);
  const figures = FORMS.flatMap((form) => {
    const runs = Array.from({ length: RUNS }, () => runOnce(program.daemon.main, folder, form));
    const name = `report ${form[0] ?? "as text"}`;
    return [
      {
        name,
        value: median(runs.map(({ ms }) => ms)),
        unit: "ms",
        digits: 0,
        bar: { atMost: MS_MAX },
      },
      {
        name: `${name}, memory`,
        value: median(runs.map(({ megabytes }) => megabytes)),
        unit: "MB",
        digits: 0,
        bar: { atMost: MEGABYTES_MAX },
      },
    ];
  });
  report(figures);
} finally {
  program.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
