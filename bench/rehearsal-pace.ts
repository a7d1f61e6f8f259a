/**
 * Rehearsal: how long `forgetmenot rehearse` takes at its own pace, start and end included, with its output piped.
 * `npm run bench:rehearsal`; exit code 1 over the bar, and where it does not show all that it is there to show.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { report } from "./figures.ts";
import { buildPrograms } from "./programs.ts";

const SECONDS_MAX = 150;

const program = buildPrograms();
const folder = mkdtempSync(join(tmpdir(), "forgetmenot-rehearsed-"));
try {
  const begunAtMs = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program.daemon.main, "rehearse"],
    { cwd: folder, encoding: "utf8" },
  );
  const seconds = (performance.now() - begunAtMs) / 1_000;
  if (status !== 0) throw new Error(`the rehearsal failed: ${stdout}${stderr}`);
  report([
    {
      name: "rehearsal at its own pace",
      value: seconds,
      unit: "s",
      digits: 1,
      bar: { atMost: SECONDS_MAX },
    },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
  program.remove();
}
