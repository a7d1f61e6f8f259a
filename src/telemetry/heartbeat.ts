import { z } from "zod";

/** The runtime value that the daemon writes every 15 seconds, for other processes to read. */
export const HEARTBEAT = "daemon";
export const HEARTBEAT_EVERY_MS = 15_000;

export const heartbeatSchema = z.strictObject({
  pid: z.int(),
  version: z.string(),
  startedAtMs: z.int(),
  mode: z.string(),
  provider: z.string(),
  model: z.string(),
  /** Address of the local page; null if there is none. */
  pageUrl: z.string().nullable(),
  /** null if anonymous. */
  botLogin: z.string().nullable(),
  channels: z.array(
    z.strictObject({
      channel: z.string(),
      joined: z.boolean(),
      pace: z.string(),
      messagesPerMinute: z.int(),
    }),
  ),
});

export type Heartbeat = z.output<typeof heartbeatSchema>;
