import { statfsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ReadingReport } from "./reading-report.ts";
import { SlowFirst } from "./slow-first.ts";
import { childrenAsReleased } from "./stand-ins/built-folder.ts";

const MEMORY_DISK = "/dev/shm";
const MEMORY_BYTES_MIN = 4e9;

// Temporary folders in memory, where this system has room for them: no test asks what a power cut leaves on a disk.
if (freeBytes(MEMORY_DISK) >= MEMORY_BYTES_MIN) process.env["TMPDIR"] = MEMORY_DISK;

export default defineConfig({
  plugins: [childrenAsReleased()],
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    reporters: ["default", new ReadingReport(), "./test/closing-line.ts"],
    setupFiles: ["./test/each-file.ts"],
    globalSetup: ["./test/stand-ins/built-folder.ts"],
    testTimeout: 60_000,
    // Where nobody watches, a machine that stalls for seconds fails no landing; what passed only then is listed as such.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // More than two processors: half of its time a worker waits for a program, a browser or a clock.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    // No module keeps state, and loading them anew for each file takes longer than most files run.
    isolate: false,
  },
});

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
