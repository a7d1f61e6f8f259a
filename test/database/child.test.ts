import { expect, test } from "vitest";
import { startChild } from "../../src/database/child.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a process that the system refuses to start gave no answer", async () => {
  // No system takes so long an argument.
  const job = startChild("database-child", ["check", "x".repeat(3_000_000)], {
    folder: new URL("../../src/database/child.ts", import.meta.url).href,
    temporaryFolder: temporaryFolder(),
    timeMsMax: 60_000,
  });
  job.kill();
  expect(await job.ended).toBeNull();
});
