import process from "node:process";
import { z } from "zod";
import type { Pace } from "../memory/recall/pace.ts";
import { VERSION } from "../platform/config/environment.ts";
import type { Config } from "../platform/config/load.ts";

/** The runtime value that the daemon writes every few seconds, for other processes to read. */
export const HEARTBEAT = "daemon";
export const HEARTBEAT_EVERY_MS = 5_000;

export const heartbeatSchema = z.strictObject({
  pid: z.int(),
  version: z.string(),
  startedAtMs: z.int(),
  mode: z.string(),
  provider: z.string(),
  model: z.string(),
  /** Of the local page; null if there is none. */
  pageUrl: z.string().nullable(),
  /** Null if anonymous. */
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

/** Describes the daemon and each of its channels. */
export function heartbeat(
  { channels, mode, llm, bot }: Config,
  {
    startedAtMs,
    pageUrl,
    joined,
    paceOf,
    perMinute,
  }: {
    startedAtMs: number;
    pageUrl: string | null;
    joined: readonly string[];
    paceOf: (channel: string) => Pace;
    perMinute: (channel: string) => number;
  },
): Heartbeat {
  return {
    pid: process.pid,
    version: VERSION,
    startedAtMs,
    mode,
    provider: llm.provider,
    model: llm.models.reply ?? llm.model,
    pageUrl,
    botLogin: bot.login,
    channels: channels.map((channel) => ({
      channel,
      joined: joined.includes(channel),
      pace: paceOf(channel),
      messagesPerMinute: perMinute(channel),
    })),
  };
}
