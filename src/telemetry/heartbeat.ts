import process from "node:process";
import { z } from "zod";
import type { Pace } from "../memory/recall/depth.ts";
import type { Config } from "../platform/config/load.ts";
import { VERSION } from "../platform/config/version.ts";

/** What the daemon says about itself every few seconds; other processes read it. */
export const heartbeatSchema = z.strictObject({
  pid: z.int(),
  version: z.string(),
  startedAtMs: z.int(),
  mode: z.string(),
  provider: z.string(),
  model: z.string(),
  /** Of the local page; null while there is none. */
  pageUrl: z.string().nullable(),
  /** null: anonymous. */
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
/** Its name among the runtime values. */
export const HEARTBEAT = "daemon";
export const HEARTBEAT_EVERY_MS = 5_000;

export interface Pulse {
  readonly startedAtMs: number;
  readonly pageUrl: string | null;
  readonly joined: readonly string[];
  readonly paceOf: (channel: string) => Pace;
  readonly perMinute: (channel: string) => number;
}

export function heartbeat({ channels, mode, llm, bot }: Config, pulse: Pulse): Heartbeat {
  return {
    pid: process.pid,
    version: VERSION,
    startedAtMs: pulse.startedAtMs,
    mode,
    provider: llm.provider,
    model: llm.models.reply ?? llm.model,
    pageUrl: pulse.pageUrl,
    botLogin: bot.login,
    channels: channels.map((channel) => ({
      channel,
      joined: pulse.joined.includes(channel),
      pace: pulse.paceOf(channel),
      messagesPerMinute: pulse.perMinute(channel),
    })),
  };
}
