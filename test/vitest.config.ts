import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/closing-line.ts"],
    testTimeout: 20_000,
    maxWorkers: 3,
  },
});
