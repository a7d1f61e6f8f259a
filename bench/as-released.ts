/**
 * Runs a benchmark that measures the program within its own process as a release runs it: compiled to plain JavaScript
 * first. `tsx bench/as-released.ts recall --notes 100000`; the exit code is the benchmark's.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildFile } from "../test/stand-ins/program.ts";

const [name = "", ...options] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "forgetmenot-built-"));
try {
  const file = buildFile(folder, fileURLToPath(new URL(`${name}.ts`, import.meta.url)));
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
