import { setTimeout as delay } from "node:timers/promises";
import { readEnvironment, useHelixStandIn } from "../config/environment.ts";
import { toConfig } from "../config/load.ts";
import { type Daemon, startDaemon } from "../daemon.ts";
import type { Log } from "../log.ts";
import { REST_EVENTS_MIN } from "../memory/windows.ts";
import type { Beat } from "./beat.ts";
import { writeScript } from "./script.ts";
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

const CHANNEL = "lanternlark";
export const REHEARSAL_BOT = "automark";
/** The cast's own utility bot. */
const OTHER_BOT = "tickerbot";
const TICK_MS = 1_000;
/** Sooner than in a real stream, so that there is something to see. */
const COMPACTION_SECONDS = 60;
/** What the last answers and the last memories may take, in simulated time. */
const CURTAIN_MS_MAX = 90_000;
const LOOK_EVERY_MS = 200;

/**
 * Runs the real daemon in a simulated channel until the script ends or `stop` aborts. Everything stays on loopback.
 * `whenOpen` gets the daemon once it has joined; `ending` gets it before it closes.
 */
export async function rehearse(
  options: RehearsalOptions,
  on: { readonly open: (daemon: Daemon) => void; readonly ending: (daemon: Daemon) => void },
): Promise<void> {
  const clock = fastClock(options.speed);
  const stage = await openStage({
    ...options,
    channel: CHANNEL,
    botLogin: REHEARSAL_BOT,
    now: clock.now,
  });
  try {
    useHelixStandIn(stage.helixPort);
    const script = writeScript({ ...options, channel: CHANNEL, botName: REHEARSAL_BOT });
    const opening = script.findIndex(({ kind }) => kind !== "live" && kind !== "title");
    for (const beat of script.slice(0, opening)) stage.perform(beat);
    const daemon = await startDaemon({
      config: rehearsalConfig(options, stage),
      environment: {
        ...readEnvironment(),
        twitchAccessToken: stage.accessToken,
        twitchRefreshToken: null,
        hasHelixStandIn: true,
      },
      now: clock.now,
      wait: clock.wait,
      random: Math.random,
      log: options.log,
    });
    const ticking = setInterval(() => options.onTick(daemon), TICK_MS);
    try {
      await daemon.ready;
      on.open(daemon);
      const theatre = { options, stage, wait: clock.wait, now: clock.now };
      await playOut(script.slice(opening), theatre);
      await settle(daemon, theatre);
      on.ending(daemon);
    } finally {
      clearInterval(ticking);
      await daemon.close();
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
  const isSettled = (): boolean => {
    const { channels, backlog } = daemon.status();
    return (
      channels.every(({ isLive }) => isLive === false) &&
      backlog.waitingEvents < REST_EVENTS_MIN &&
      backlog.pendingEpisodes === 0
    );
  };
  while (!options.stop.aborted && now() < untilMs && !isSettled()) {
    await delay(LOOK_EVERY_MS, undefined, { signal: options.stop }).catch(() => undefined);
  }
}

function rehearsalConfig({ dataDir, port, speed }: RehearsalOptions, stage: Stage) {
  return toConfig(
    {
      channel: CHANNEL,
      bot: { login: REHEARSAL_BOT, aliases: ["mark"], knownBots: [OTHER_BOT] },
      dataDir,
      twitch: { chatUrl: stage.chatUrl },
      llm: { provider: "offline", model: "offline-rules" },
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
} {
  const startedAtMs = Date.now();
  return {
    now: () => Math.floor(startedAtMs + (Date.now() - startedAtMs) * speed),
    wait: async (ms, signal) => {
      if (ms > 0) await delay(ms / speed, undefined, { signal }).catch(() => undefined);
    },
  };
}
