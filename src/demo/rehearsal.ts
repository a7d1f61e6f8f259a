import { setTimeout as delay } from "node:timers/promises";
import { setSharedInterval } from "../clock.ts";
import { helixTestPort, readEnvironment, useHelixStandIn } from "../config/environment.ts";
import { toConfig } from "../config/load.ts";
import { type Daemon, startDaemon } from "../daemon/daemon.ts";
import type { DaemonOptions } from "../daemon/lifetime.ts";
import type { Log } from "../log.ts";
import { REST_EVENTS_MIN } from "../memory/windows.ts";
import type { Dashboard } from "../page/server.ts";
import { REHEARSAL_BOT, REHEARSAL_SETTINGS } from "./data-folder.ts";
import { openRecordedModel } from "./recorded-model.ts";
import { type Beat, recordEvenings, writeEvenings } from "./script.ts";
import { SimulatedChannel } from "./simulated-channel.ts";

interface RehearsalOptions {
  /** Simulated seconds in a real second. */
  readonly speed: number;
  readonly dataDir: string;
  /** The page, which stays open over both evenings. */
  readonly page: Dashboard;
  /** The buttons of the page that end the demo. */
  readonly control?: DaemonOptions["control"];
  readonly log: Log;
  /** Aborts when the operator wants it to end. */
  readonly stop: AbortSignal;
  readonly onBeat: (beat: Beat) => void;
  /** The bot sent a message, in answer to a beat; null: to none. */
  readonly onBotSaid: (text: string, beat: number | null) => void;
  readonly onBotDid: (what: string) => void;
  /** Once a real second. */
  readonly onTick: (daemon: Daemon) => void;
}

const TICK_MS = 1_000;
/** Sooner than in a real stream, so that there is something to see. */
const COMPACTION_SECONDS = 60;
/** Limit for the last answers and notes, in simulated time. The second one is the least real time. */
const CURTAIN_MS_MAX = 90_000;
const CURTAIN_REAL_MS_MIN = 20_000;
const LOOK_EVERY_MS = 50;
/** From one stream to the next: longer than raw chat lives. */
const NIGHT_MS = 26 * 3_600_000;

/** So far the clock jumps when a stream is over, so that the bot looks whether it is. */
const AFTER_STREAM_MS = 61_000;

interface RehearsalMoments {
  /** The bot has joined, in the first stream. */
  readonly open: (daemon: Daemon) => void | Promise<void>;
  /** A stream is over and remembered, and the bot closes. */
  readonly over: () => void;
  /** Another stream begins, a night later, and the bot has restarted. */
  readonly next: (stream: number) => void;
  /** The last stream is over, and the bot closes once this resolves. `script`: all that was played. */
  readonly ending: (daemon: Daemon, shown: { readonly script: readonly Beat[] }) => Promise<void>;
}

/**
 * Runs the real daemon in a simulated channel until the script ends or `stop` aborts. Everything stays on loopback.
 * Between two streams the daemon closes, the clock skips a night, and a new daemon opens the same data. So expired data
 * is removed, and notes stay.
 */
export async function runRehearsal(options: RehearsalOptions, on: RehearsalMoments): Promise<void> {
  const clock = openSimulatedClock(options.speed);
  const standInBefore = helixTestPort();
  const stage = new SimulatedChannel({ ...options, now: clock.now });
  try {
    await stage.listen();
    useHelixStandIn(stage.helixPort);
    const script = writeEvenings(REHEARSAL_BOT);
    const streams = script.at(-1)?.stream ?? 1;
    for (let stream = 1; stream <= streams && !options.stop.aborted; stream += 1) {
      if (stream > 1) clock.skip(NIGHT_MS);
      await playStream({ options, on, stage, clock, script, stream, isLast: stream === streams });
    }
  } finally {
    clock.close();
    useHelixStandIn(standInBefore);
    stage.close();
  }
}

interface StreamRun {
  readonly options: RehearsalOptions;
  readonly on: RehearsalMoments;
  readonly stage: SimulatedChannel;
  readonly clock: ReturnType<typeof openSimulatedClock>;
  readonly script: readonly Beat[];
  readonly stream: number;
  readonly isLast: boolean;
}

/** Plays one stream with its own daemon, over the data that the streams before it left. */
async function playStream(run: StreamRun): Promise<void> {
  const { options, on, stage, clock, script, stream, isLast } = run;
  const { dataDir, page, speed, stop, log } = options;
  const beats = script.filter((beat) => beat.stream === stream);
  const opening = beats.findIndex(({ kind }) => kind !== "live");
  for (const beat of beats.slice(0, opening)) stage.perform(beat);
  const settings = {
    ...REHEARSAL_SETTINGS,
    dataDir,
    twitch: { chatUrl: stage.chatUrl },
    memory: { compactionSeconds: Math.max(1, COMPACTION_SECONDS / speed) },
    dashboard: { port: Number(new URL(page.url).port) },
  };
  const daemon = await startDaemon({
    offlineModel: openRecordedModel(recordEvenings()),
    page,
    ...(options.control && { control: options.control }),
    config: toConfig(settings, dataDir),
    environment: {
      ...readEnvironment(),
      twitchAccessToken: stage.accessToken,
      twitchRefreshToken: null,
      twitchStreamerAccessToken: null,
      twitchStreamerRefreshToken: null,
      hasHelixStandIn: true,
    },
    now: clock.now,
    wait: clock.wait,
    speed,
    random: Math.random,
    log,
  });
  const endTicks = setSharedInterval(TICK_MS, () => options.onTick(daemon));
  try {
    await daemon.ready;
    if (stream === 1) await on.open(daemon);
    else on.next(stream);
    const played = beats.slice(opening);
    const beganAtMs = clock.now() - (played[0]?.atMs ?? 0);
    for (const beat of played) {
      await clock.wait(beganAtMs + beat.atMs - clock.now(), stop);
      if (stop.aborted) break;
      stage.perform(beat);
      options.onBeat(beat);
    }
    await settle(daemon, run);
    if (isLast || stop.aborted) await on.ending(daemon, { script });
    else on.over();
  } finally {
    endTicks();
    await daemon.close();
  }
}

/** Waits until the end of the stream was noticed and all of it is remembered. */
async function settle(daemon: Daemon, { options, clock }: StreamRun): Promise<void> {
  const { now } = clock;
  clock.skip(AFTER_STREAM_MS);
  const untilMs = now() + CURTAIN_MS_MAX;
  const untilRealMs = Date.now() + CURTAIN_REAL_MS_MIN;
  const isSettled = (): boolean => {
    const { channels, backlog } = daemon.status();
    const isRemembered = backlog.waitingEvents < REST_EVENTS_MIN && backlog.pendingEpisodes === 0;
    return channels.every(({ isLive }) => isLive === false) && isRemembered;
  };
  const mayWait = () => now() < untilMs || Date.now() < untilRealMs;
  while (!options.stop.aborted && mayWait() && !isSettled())
    await delay(LOOK_EVERY_MS, undefined, { signal: options.stop }).catch(() => undefined);
}

const CLOCK_TICK_MS = 5;
/** A machine that is busy for longer stops the clock: its work must not use up the time of an answer. */
const CLOCK_STEP_MS_MAX = 20;

/** Opens a clock, epoch ms, that runs `speed` times as fast as real time, waits in its own time, and may jump. */
function openSimulatedClock(speed: number) {
  const waiting = new Map<() => void, number>();
  let nowMs = Date.now();
  let tickedAtMs = performance.now();
  const skip = (ms: number): void => {
    nowMs += ms;
    for (const [end, untilMs] of [...waiting]) if (untilMs <= nowMs) end();
  };
  const ticks = setInterval(() => {
    const passedMs = performance.now() - tickedAtMs;
    tickedAtMs += passedMs;
    skip(Math.min(passedMs, CLOCK_STEP_MS_MAX) * speed);
  }, CLOCK_TICK_MS).unref();
  return {
    now: (): number => Math.floor(nowMs),
    skip,
    wait: (ms: number, signal: AbortSignal): Promise<void> => {
      if (ms <= 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const end = (): void => {
          waiting.delete(end);
          signal.removeEventListener("abort", end);
          resolve();
        };
        waiting.set(end, nowMs + ms);
        signal.addEventListener("abort", end);
      });
    },
    close: (): void => clearInterval(ticks),
  };
}
