import { setSharedInterval } from "../clock.ts";
import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Llm } from "../models/model-port.ts";
import type { ProgramControl } from "../page/api.ts";
import type { Dashboard } from "../page/server.ts";
import type { Wait } from "../twitch/bounded-call.ts";

export interface DaemonOptions {
  readonly config: Config;
  /** File of the configuration. The daemon watches it and applies what needs no restart. */
  readonly configFile?: string;
  /** A page that is already open. Without it the daemon opens one. */
  readonly page?: Dashboard;
  /** The page's control of the program; undefined if it has none. */
  readonly control?: ProgramControl;
  /** Interval of reading the file, ms; default 1,000. */
  readonly configLookMs?: number;
  readonly environment: Environment;
  /** The model if the provider is `offline`: the daemon brings none. */
  readonly offlineModel: Llm;
  readonly now: () => number;
  /** Milliseconds of a clock that is never set, from any start. */
  readonly monotonicNow?: () => number;
  /** Milliseconds of a clock that is never set, and that also counts while the machine sleeps. */
  readonly sinceBootMs?: () => number;
  /** Waits in the time of `now`. */
  readonly wait?: Wait;
  /** Speed of `now`, as a multiple of real time; default 1, for the demo and tests. */
  readonly speed?: number;
  readonly random: () => number;
  readonly log: Log;
}

const LOOK_EVERY_MS = 1_000;

/** Collects what the end of the daemon must close, and runs regular tasks until then. */
export class Lifetime {
  /** Called in reverse order at the end, each even if another fails. */
  readonly closers: (() => unknown)[] = [];
  /** Returns true for an error that was handled: then it is no bug. */
  isHandled: (thrown: unknown) => boolean = () => false;
  readonly #log: Log;
  readonly #speed: number;

  constructor({ log, speed = 1 }: { readonly log: Log; readonly speed?: number }) {
    this.#log = log;
    this.#speed = speed;
  }

  /** Logs the error of a task as a bug, unless it was handled. */
  report(thrown: unknown, what = "a regular task failed"): void {
    if (!this.isHandled(thrown)) this.#log.error({ ...describeBug(thrown) }, `bug: ${what}`);
  }

  /**
   * Runs `work` at intervals until the end, and reports its errors. Does not wait until the last run has ended. `ms` is
   * in the time of `now`. As a function it is a setting, in real time, which is read each second.
   */
  repeat(ms: number | (() => number), work: () => unknown): void {
    let lastAtMs = performance.now();
    const runIfDue = async (): Promise<void> => {
      if (typeof ms === "function" && performance.now() - lastAtMs < ms()) return;
      lastAtMs = performance.now();
      try {
        await work();
      } catch (thrown) {
        this.report(thrown);
      }
    };
    const everyMs = typeof ms === "number" ? ms / this.#speed : LOOK_EVERY_MS;
    this.closers.push(setSharedInterval(everyMs, () => void runIfDue()));
  }

  /** Runs `work` at intervals, like `repeat`, and once more at the end. */
  repeatToEnd(ms: number, work: () => unknown): void {
    this.closers.push(work);
    this.repeat(ms, work);
  }

  /** Makes the end close `part`, and returns it. */
  closeAtEnd<T extends { close(): unknown }>(part: T): T {
    this.closers.push(() => part.close());
    return part;
  }

  async closeAll(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) {
      try {
        await close();
      } catch (thrown) {
        this.report(thrown, "something could not be closed");
      }
    }
  }
}
