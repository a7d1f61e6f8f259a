import { setTimeout as delay } from "node:timers/promises";
import { type Daemon, startDaemon } from "../../daemon/daemon.ts";
import type { Log } from "../../log.ts";
import { REST_EVENTS_MIN } from "../../memory/windows.ts";
import { readEnvironment, useHelixStandIn } from "../../platform/config/environment.ts";
import { toConfig } from "../../platform/config/load.ts";
import { offlineModel } from "../offline/offline-model.ts";
import type { Beat } from "./beat.ts";
import { writeScript } from "./script.ts";
import { REHEARSAL_BOT, REHEARSAL_CHANNEL, REHEARSAL_SETTINGS } from "./settings.ts";
import { openStage, type Stage } from "./stage.ts";

export interface RehearsalOptions {
  readonly seed: number;
  /** How many simulated seconds pass in a real one. */
  readonly speed: number;
  readonly dataDir: string;
  /** Port of the local page; 0 takes any. */
  readonly port: number;
  readonly minutes?: number;
  readonly streams?: number;
  readonly log: Log;
  /** Aborts when the operator wants it to end. */
  readonly stop: AbortSignal;
  readonly onBeat: (beat: Beat) => void;
  readonly onBotSaid: (text: string) => void;
  /** Once a real second. */
  readonly onTick: (daemon: Daemon) => void;
}

const TICK_MS = 1_000;
/** Sooner than in a real stream, so that there is something to see. */
const COMPACTION_SECONDS = 60;
/** What the last answers and the last memories may take, in simulated time; and in real time, however fast it goes. */
const CURTAIN_MS_MAX = 90_000;
const CURTAIN_REAL_MS_MIN = 20_000;
const LOOK_EVERY_MS = 50;
/** From one stream to the next: longer than raw chat lives. */
const NIGHT_MS = 26 * 3_600_000;

export interface RehearsalMoments {
  /** The bot has joined, in the first stream. */
  readonly open: (daemon: Daemon) => void;
  /** Another stream begins, a night later. */
  readonly next: (stream: number) => void;
  /** The last stream is over, and the bot closes now. `lastBeganAtMs` is when that stream began, epoch ms. */
  readonly ending: (daemon: Daemon, lastBeganAtMs: number) => void;
}

/**
 * Runs the real daemon in a simulated channel until the script ends or `stop` aborts. Everything stays on loopback.
 * Between two streams it is closed, the clock moves on by a night, and another is opened over the same data: what ran
 * out meanwhile goes, what was remembered is there.
 */
export async function rehearse(options: RehearsalOptions, on: RehearsalMoments): Promise<void> {
  const clock = fastClock(options.speed);
  const stage = await openStage({
    ...options,
    channel: REHEARSAL_CHANNEL,
    botLogin: REHEARSAL_BOT,
    now: clock.now,
  });
  try {
    useHelixStandIn(stage.helixPort);
    const script = writeScript({ ...options, channel: REHEARSAL_CHANNEL, botName: REHEARSAL_BOT });
    const streams = script.at(-1)?.stream ?? 1;
    const theatre = { options, stage, now: clock.now, wait: clock.wait };
    for (let stream = 1; stream <= streams && !options.stop.aborted; stream += 1) {
      if (stream > 1) {
        clock.skip(NIGHT_MS);
        on.next(stream);
      }
      const beats = script.filter((beat) => beat.stream === stream);
      await playStream(beats, theatre, {
        ...on,
        isFirst: stream === 1,
        isLast: stream === streams,
      });
    }
  } finally {
    await stage.close();
  }
}

interface Theatre {
  readonly options: RehearsalOptions;
  readonly stage: Stage;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface StreamMoments extends Pick<RehearsalMoments, "open" | "ending"> {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** One stream with a daemon of its own, over the data that the streams before it left. */
async function playStream(
  beats: readonly Beat[],
  theatre: Theatre,
  { open, ending, isFirst, isLast }: StreamMoments,
): Promise<void> {
  const { options, stage, now, wait } = theatre;
  const beganAtMs = now();
  const opening = beats.findIndex(({ kind }) => kind !== "live" && kind !== "title");
  for (const beat of beats.slice(0, opening)) stage.perform(beat);
  const daemon = await startDaemon({
    offlineModel: offlineModel(),
    config: rehearsalConfig(options, stage),
    environment: {
      ...readEnvironment(),
      twitchAccessToken: stage.accessToken,
      twitchRefreshToken: null,
      twitchStreamerAccessToken: null,
      twitchStreamerRefreshToken: null,
      hasHelixStandIn: true,
    },
    now,
    wait,
    random: Math.random,
    log: options.log,
  });
  const ticking = setInterval(() => options.onTick(daemon), TICK_MS);
  try {
    await daemon.ready;
    if (isFirst) open(daemon);
    await playOut(beats.slice(opening), theatre);
    await settle(daemon, theatre);
    if (isLast || options.stop.aborted) ending(daemon, beganAtMs);
  } finally {
    clearInterval(ticking);
    await daemon.close();
  }
}

async function playOut(
  beats: readonly Beat[],
  { options, stage, now, wait }: Theatre,
): Promise<void> {
  const { stop } = options;
  const beganAtMs = now() - (beats[0]?.atMs ?? 0);
  for (const beat of beats) {
    await wait(beganAtMs + beat.atMs - now(), stop);
    if (stop.aborted) return;
    stage.perform(beat);
    options.onBeat(beat);
  }
}

/** Waits until the end of the stream was noticed and all of it is remembered. */
async function settle(daemon: Daemon, { options, now }: Theatre): Promise<void> {
  const untilMs = now() + CURTAIN_MS_MAX;
  const untilRealMs = Date.now() + CURTAIN_REAL_MS_MIN;
  const isSettled = (): boolean => {
    const { channels, backlog } = daemon.status();
    return (
      channels.every(({ isLive }) => isLive === false) &&
      backlog.waitingEvents < REST_EVENTS_MIN &&
      backlog.pendingEpisodes === 0
    );
  };
  const mayWait = (): boolean => now() < untilMs || Date.now() < untilRealMs;
  while (!options.stop.aborted && mayWait() && !isSettled()) {
    await delay(LOOK_EVERY_MS, undefined, { signal: options.stop }).catch(() => undefined);
  }
}

function rehearsalConfig({ dataDir, port, speed }: RehearsalOptions, stage: Stage) {
  return toConfig(
    {
      ...REHEARSAL_SETTINGS,
      dataDir,
      twitch: { chatUrl: stage.chatUrl },
      memory: { compactionSeconds: Math.max(1, COMPACTION_SECONDS / speed) },
      dashboard: { port },
    },
    dataDir,
  );
}

/** A clock that runs `speed` times as fast as the wall's, and waits in its own time. */
function fastClock(speed: number): {
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  skip: (ms: number) => void;
} {
  const startedAtMs = Date.now();
  let skippedMs = 0;
  return {
    now: () => Math.floor(startedAtMs + skippedMs + (Date.now() - startedAtMs) * speed),
    skip: (ms) => {
      skippedMs += ms;
    },
    wait: async (ms, signal) => {
      if (ms > 0) await delay(ms / speed, undefined, { signal }).catch(() => undefined);
    },
  };
}
