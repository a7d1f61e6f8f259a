import { setImmediate as breathe } from "node:timers/promises";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { SpoolEntry } from "../privacy/wish-spool.ts";
import type { Stores } from "./stores.ts";

/** What is done between two breaths of the program, ms. */
export const SLICE_MS = 5;
const FINISH_MS_MAX = 500;
/** Thrown where chat is not written yet, and work has to come after it. */
export const NOT_NOW = new Error("chat waits to be written");

const WAITING =
  "what somebody asked for (to be forgotten, or something kept) waits for the database; `forgetmenot status` says what keeps it; it is tried again, and survives a restart";

/** Throws where the database does not take it now; `more`: it goes on with what is left. */
export type Work = () => "more" | "done";

interface Undone {
  /** How it survives an end of the program; null where it need not. */
  readonly entry: SpoolEntry | null;
  readonly work: Work;
}

/** Does work in order, a little at a time, now or, where the database does not take it, at the next try. */
export function workQueue(
  { gate, notices, health }: Pick<Stores, "gate" | "notices" | "health">,
  log: Log,
) {
  const undone: Undone[] = [];
  let isWorking = false;
  let isTold = false;
  let isResting = false;
  /** `held_up`: the database did not take it. What fails for another reason would fail again: it is dropped. */
  const attempt = ({ work }: Undone): "done" | "more" | "held_up" => {
    try {
      return work();
    } catch (thrown) {
      if (thrown === NOT_NOW || health.heard(thrown)) return "held_up";
      log.error({ ...describeBug(thrown) }, "bug: a wish could not be granted");
      return "done";
    }
  };
  const tell = (isHeldUp: boolean): void => {
    if (isHeldUp) notices.raise("rights_waiting", "warning", WAITING);
    else if (isTold) notices.clear("rights_waiting");
    isTold = isHeldUp;
  };
  /** Gives whether the database held it up. */
  const workUntil = (untilMs: number): boolean => {
    for (let next = undone[0]; next !== undefined; next = undone[0]) {
      const outcome = attempt(next);
      if (outcome === "held_up") return true;
      if (outcome === "done") undone.shift();
      if (performance.now() >= untilMs) return false;
    }
    return false;
  };
  const retry = (): void => {
    if (isWorking || gate.isClosed()) return;
    isWorking = true;
    const isHeldUp = workUntil(performance.now() + SLICE_MS);
    isWorking = false;
    tell(isHeldUp);
    if (isResting) return;
    isResting = true;
    setImmediate(() => {
      isResting = false;
      if (undone.length > 0 && !isHeldUp) retry();
    });
  };
  /** At once, but not again before the program has breathed: a thousand wishes may come in one frame. */
  const retrySoon = (): void => {
    if (!isResting) retry();
  };
  return {
    retry,
    /** As much as there is time for at the end. */
    finish: async () => {
      const untilMs = performance.now() + FINISH_MS_MAX;
      for (let left = -1; undone.length !== left && performance.now() < untilMs; ) {
        left = undone.length;
        retry();
        await breathe();
      }
    },
    waiting: () => undone.flatMap(({ entry }) => entry ?? []),
    do: (entry: SpoolEntry | null, work: Work): void => {
      undone.push({ entry, work });
      gate.whenOpen(retrySoon);
    },
  };
}
