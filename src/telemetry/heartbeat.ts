import process from "node:process";
import { z } from "zod";
import type { Pace } from "../memory/recall/weigh.ts";
import { VERSION } from "../platform/config/environment.ts";
import type { Config } from "../platform/config/load.ts";
import type { Counters, RuntimeStore } from "../platform/database/runtime-store.ts";
import type { Tally } from "./figures.ts";

/** How many people are going out of every sentence right now, by the daemon: a name among the runtime values. */
export const FORGETTING = "forgetting";

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

/** What the daemon tells of itself, and of each channel. */
export function heartbeat(
  { channels, mode, llm, bot }: Config,
  pulse: Pick<Heartbeat, "startedAtMs" | "pageUrl"> & {
    readonly joined: readonly string[];
    readonly paceOf: (channel: string) => Pace;
    readonly perMinute: (channel: string) => number;
  },
): Heartbeat {
  const { startedAtMs, pageUrl, joined, paceOf, perMinute } = pulse;
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

/** What the counters stood at when a stream began. Counters only ever grow, so two of them make a difference. */
const baselinesSchema = z.array(
  z.strictObject({ sessionId: z.int(), atMs: z.int(), counters: z.record(z.string(), z.int()) }),
);

/** Its name among the runtime values. */
const BASELINES = "counter_baselines";
const BASELINES_MAX = 40;

/** A function that remembers what the counters stand at when a stream is first seen; null is none. */
export function baselineKeeper(
  runtime: RuntimeStore,
  counters: Counters,
  now: () => number,
): (sessionId: number | null) => void {
  let seen: ReadonlySet<number> | null = null;
  return (sessionId) => {
    if (sessionId === null) return;
    seen ??= new Set(readBaselines(runtime).map((baseline) => baseline.sessionId));
    if (seen.has(sessionId)) return;
    const added = { sessionId, atMs: now(), counters: counters.read() };
    const kept = [...readBaselines(runtime), added].slice(-BASELINES_MAX);
    runtime.write(BASELINES, kept);
    seen = new Set(kept.map((baseline) => baseline.sessionId));
  };
}

/** What was counted from the beginning of a stream to that of the next one; null where it was not noted. */
export function countedIn(
  sessionId: number,
  runtime: RuntimeStore,
  counters: Counters,
): Tally | null {
  const all = readBaselines(runtime);
  const at = all.findIndex((baseline) => baseline.sessionId === sessionId);
  const begun = all[at];
  if (begun === undefined) return null;
  const ended = all[at + 1]?.counters ?? counters.read();
  const grown = Object.entries(ended).map(
    ([name, value]) => [name, value - (begun.counters[name] ?? 0)] as const,
  );
  return Object.fromEntries(grown.filter(([, value]) => value > 0));
}

function readBaselines(runtime: RuntimeStore) {
  return runtime.read(BASELINES, baselinesSchema)?.value ?? [];
}
