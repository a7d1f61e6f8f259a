import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/closing-line.ts"],
    globalSetup: ["./test/stand-ins/built-folder.ts"],
    testTimeout: 60_000,
    maxWorkers: 3,
    // No module keeps state, and loading them anew for each file takes longer than most files run.
    isolate: false,
  },
});
