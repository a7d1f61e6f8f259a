import { dirname } from "node:path";
import { z } from "zod";
import { type ChildJob, startChild } from "./child.ts";
import type { VacuumEnd } from "./vacuum-file.ts";

const endSchema = z.union([
  z.strictObject({ kind: z.enum(["done", "wal_busy"]), tookMs: z.number() }),
  z.strictObject({ kind: z.literal("failed"), code: z.string() }),
]);
/** Past it the disk is stuck: the daemon must write again before its buffer is full. */
const TIME_MS_MAX = 3 * 60_000;

/** Runs `VACUUM` on a database in a process of its own. Never rejects; `kill` ends it without harm to the file. */
export function startVacuum(file: string): ChildJob<VacuumEnd> {
  const job = startChild("vacuum-child", [file], {
    // A temporary file in the folder of the database is as private as that.
    temporaryFolder: dirname(file),
    timeMsMax: TIME_MS_MAX,
    folder: import.meta.url,
  });
  return {
    kill: job.kill,
    ended: job.ended.then((output) => {
      const parsed = endSchema.safeParse(output);
      return parsed.success ? parsed.data : { kind: "failed", code: "NO_ANSWER" };
    }),
  };
}
