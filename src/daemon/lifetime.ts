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
  /** A page that is open already; else the daemon opens one. */
  readonly page?: Dashboard;
  readonly control?: ProgramControl;
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

/** The interval of cheap checks. */
export const CHECK_EVERY_MS = 1_000;

/** Collects what the end of the daemon must close, and runs regular tasks until then. */
export class Lifetime {
  /** Called in reverse order at the end, each even if another fails. */
  readonly closers: (() => unknown)[] = [];
  /** Handles an error. Returns false if it is a bug. */
  handleError: (thrown: unknown) => boolean = () => false;
  readonly #log: Log;
  readonly #speed: number;

  constructor({ log, speed = 1 }: DaemonOptions) {
    this.#log = log;
    this.#speed = speed;
  }

  /** Runs `work`, and reports its error. Never rejects. */
  async run(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.report(thrown);
    }
  }

  /** Handles an error; logs it if it is a bug. */
  report(thrown: unknown): void {
    if (!this.handleError(thrown))
      this.#log.error({ ...describeBug(thrown) }, "bug: a task failed");
  }

  /** Runs `work` every `ms`, in the time of `now`, even if the last run is still in progress. */
  repeat(ms: number, work: () => unknown): void {
    this.closers.push(setSharedInterval(ms / this.#speed, () => void this.run(work)));
  }

  /** Runs `work` at an interval that a reload may change, in ms of real time. */
  repeatAsSet(getMs: () => number, work: () => unknown): void {
    let lastAtMs = performance.now();
    const runIfDue = (): void => {
      if (performance.now() - lastAtMs < getMs()) return;
      lastAtMs = performance.now();
      void this.run(work);
    };
    this.closers.push(setSharedInterval(CHECK_EVERY_MS, runIfDue));
  }

  /** Runs `work` now, and then like `repeat`. */
  repeatFromNow(ms: number, work: () => unknown): void {
    void this.run(work);
    this.repeat(ms, work);
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
    for (const close of this.closers.splice(0).reverse()) await this.run(close);
  }
}
