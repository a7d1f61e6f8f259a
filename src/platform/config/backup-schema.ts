import { z } from "zod";

/** How often the running bot makes a backup by itself, and how many of those stay. */
export const backupSchema = z
  .strictObject({
    everyHours: z
      .union([z.number().min(1).max(8_760), z.literal(false)])
      .default(24)
      .describe("How often the running bot makes a backup by itself; false never."),
    keep: z
      .int()
      .min(1)
      .max(365)
      .default(7)
      .describe("How many of the backups that the bot makes by itself stay; older ones go."),
  })
  .prefault({});
