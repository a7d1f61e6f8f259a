import { z } from "zod";
import { setSharedInterval } from "../clock.ts";
import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import { localTime } from "../config/local-time.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Llm } from "../models/model-port.ts";
import type { Dashboard } from "../page/server.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import type { Wait } from "../twitch/bounded-call.ts";
import type { Stores } from "./stores.ts";

export interface DaemonOptions {
  readonly config: Config;
  /** Where it stands: watched from then on, so that what can change without a restart does. */
  readonly configFile?: string;
  /** A page that is open already, and shows the bot from now on; without it the daemon opens one. */
  readonly page?: Dashboard;
  /** Ends the demo and opens setup; only the demo gives it. */
  readonly goLive?: () => void;
  /** How often it is looked at, in ms of real time; 500 where nothing is said. */
  readonly configLookMs?: number;
  /** Told of each configuration that was taken over. */
  readonly onConfig?: (config: Config) => void;
  readonly environment: Environment;
  /** Answers where the configuration names no other: the daemon has no model of its own. */
  readonly offlineModel: Llm;
  readonly now: () => number;
  /** Ms since any moment, by a clock that nobody sets. */
  readonly monotonicNow?: () => number;
  /** The same, and it goes on while the machine sleeps. */
  readonly sinceBootMs?: () => number;
  /** Waits in the time that `now` tells; a rehearsal's runs faster than the wall's. */
  readonly wait?: Wait;
  readonly random: () => number;
  readonly log: Log;
}

export interface Lifetime {
  /** Called in reverse order at the end. */
  readonly closers: (() => unknown)[];
  readonly closeAll: () => Promise<void>;
  /** Each may take what a task threw, and say so by true: it is told then, and no bug. */
  readonly takers: ((thrown: unknown) => boolean)[];
}

const LOOK_EVERY_MS = 250;

/** What is to be closed at the end, in reverse order. One that fails keeps no other from it. */
export function lifetime(log: Log): Lifetime {
  const closers: Lifetime["closers"] = [];
  const takers: Lifetime["takers"] = [];
  const closeOne = async (close: () => unknown): Promise<void> => {
    try {
      await close();
    } catch (thrown) {
      if (takers.some((takes) => takes(thrown))) return;
      log.error({ ...describeBug(thrown) }, "bug: something could not be closed");
    }
  };
  return {
    closers,
    takers,
    closeAll: async () => {
      for (const close of closers.splice(0).reverse()) await closeOne(close);
    },
  };
}

interface Every {
  readonly life: Lifetime;
  readonly log: Log;
  /** Whether to begin now, and not only after the first interval. */
  readonly atOnce?: boolean;
}

/** Does `work` at regular intervals of real time until the end; a failure is reported, and it goes on. */
export function every(ms: number, work: () => unknown, { life, log, atOnce = false }: Every): void {
  const once = async (): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      reportFailure(thrown, { life, log });
    }
  };
  if (atOnce) void once();
  life.closers.push(setSharedInterval(ms, () => void once()));
}

/** Tells that a task threw: a trouble of the database as such, anything else as a bug. */
export function reportFailure(thrown: unknown, { life, log }: Pick<Every, "life" | "log">): void {
  if (life.takers.some((takes) => takes(thrown))) return;
  log.error({ ...describeBug(thrown) }, "bug: a regular task failed");
}

/** The same at intervals that may change, and that are a second at the least. */
export function everySo(
  msOf: () => number,
  work: () => unknown,
  parts: { life: Lifetime; log: Log },
): void {
  let lastAtMs = performance.now();
  const look = (): unknown => {
    if (performance.now() - lastAtMs < msOf()) return undefined;
    lastAtMs = performance.now();
    return work();
  };
  every(LOOK_EVERY_MS, look, parts);
}

/** Its name among the runtime values. */
const ORDERLY = "orderly_end";
const CRASHED = "crashed";

/** How the last run ended is told at the start of the next one. */
export function lastEnd({ runtime, notices }: Pick<Stores, "runtime" | "notices">, log: Log) {
  const before = runtime.read(HEARTBEAT, heartbeatSchema);
  const isOrderly = runtime.read(ORDERLY, z.boolean())?.value === true;
  if (before !== null && !isOrderly && !wasToldOfCrash()) {
    notices.raise(
      CRASHED,
      "info",
      `The bot was cut off after ${localTime(before.updatedAtMs)} (power, a kill, a crash), and the last seconds of chat may be missing. Nothing to do.`,
    );
  }
  runtime.write(ORDERLY, false);

  function wasToldOfCrash(): boolean {
    return notices.list().some(({ kind, severity }) => kind === CRASHED && severity === "error");
  }

  let isCrash = false;
  return {
    /** Records an error that nobody caught: its kind and place, and none of its words. */
    crashed: (thrown: unknown): void => {
      isCrash = true;
      const { bug, at } = describeBug(thrown);
      log.error({ bug, at }, "the bot ends: an error that nobody caught");
      notices.raise(
        CRASHED,
        "error",
        `The bot stopped because of a bug (${bug}${at === null ? "" : ` ${at}`}). Start it again with \`forgetmenot run\`, and report this line.`,
      );
    },
    orderly: (): void => {
      if (!isCrash) notices.clear(CRASHED);
      runtime.write(ORDERLY, true);
    },
  };
}
