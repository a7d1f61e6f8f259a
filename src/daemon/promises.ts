import { setImmediate as breathe } from "node:timers/promises";
import type { EventStore } from "../chat/event-store.ts";
import { describeBug } from "../errors.ts";
import { inThirdPerson } from "../language/third-person.ts";
import type { Log } from "../log.ts";
import type { Memory } from "../memory/memory-loop.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { type SpoolEntry, wishSpool } from "../privacy/wish-spool.ts";
import { plural } from "../telemetry/figures.ts";
import type { DaemonRights } from "./build-privacy.ts";
import { type DaemonOptions, every, type Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

/** What was promised, or taken away, and is not in the database yet: it survives an end of the program. */
export interface Promises {
  /** Each says what waits of its own. */
  readonly waiting: (() => readonly SpoolEntry[])[];
  /** Whether the last run ended in order, and could only not write that into the database. */
  readonly endedUnwritten: boolean;
  /** The database has it that this is an end in order. */
  endWritten(): void;
  /** What the end left undone; `wishesLost`: promised or taken away, and written down nowhere. */
  readonly ending: { linesLost: number; wishesLost: number };
  /** Takes away what was to be taken away before the last end; before anything else happens. */
  takeAway(): void;
  /** Takes up the rest, and tells what was lost. */
  takeUp(rights: DaemonRights, memory: Memory): void;
}

interface PromiseParts {
  readonly events: Pick<EventStore, "remove" | "removalsWaiting" | "unwritten">;
  readonly notices: NoticeBoard;
  readonly life: Lifetime;
}

const SPOOL_EVERY_MS = 1_000;

export function keepPromises(
  { config, log }: Pick<DaemonOptions, "config" | "log">,
  { events, notices, life }: PromiseParts,
): Promises {
  const spool = wishSpool(config.dataDir);
  const before = spool.read();
  /** Until it is taken up: a start that ends before loses none of it. */
  let untaken = before;
  const ending = { linesLost: 0, wishesLost: 0 };
  let isEndWritten = false;
  const waiting: Promises["waiting"] = [
    () => untaken,
    () => events.removalsWaiting().map((removal) => ({ kind: "removal", removal }) as const),
  ];
  /** How many wishes and removals could not be written down. */
  const write = (more: readonly SpoolEntry[]): number => {
    const entries = [...waiting.flatMap((say) => say()), ...more];
    const wishes = entries.filter(({ kind }) => kind !== "lost").length;
    if (spool.write(entries) || wishes === 0) return 0;
    log.error({ wishes }, "what was promised could not be written down anywhere");
    return wishes;
  };
  every(SPOOL_EVERY_MS, () => write([]), { life, log });
  life.closers.push(() => {
    const lines = events.unwritten();
    ending.linesLost = lines;
    ending.wishesLost = write(lines > 0 || !isEndWritten ? [{ kind: "lost", lines }] : []);
  });
  return {
    waiting,
    endWritten: () => {
      isEndWritten = true;
    },
    endedUnwritten: before.some(({ kind }) => kind === "lost"),
    ending,
    takeAway: () => {
      for (const entry of before) if (entry.kind === "removal") events.remove(entry.removal);
    },
    takeUp: (rights, memory) => {
      for (const entry of before) rights.resume(entry, (wish) => grantLate(memory, wish));
      tellLost(notices, before);
      untaken = [];
      write([]); // what was told of the last end says nothing about this one's
    },
  };
}

/** A wish from before the last end. Nobody waits for its answer any more. */
function grantLate(
  { requests }: Memory,
  { kind, channel, userId, what }: Parameters<DaemonRights["grant"]>[0],
): void {
  if (kind === "remember") {
    requests?.remember(channel, userId, inThirdPerson(what));
    return;
  }
  const number = /^#?(\d{1,12})$/.exec(what)?.[1];
  requests?.forget(channel, userId, number === undefined ? { topic: what } : Number(number));
}

function tellLost(notices: NoticeBoard, entries: readonly SpoolEntry[]): void {
  const lines = entries.reduce((sum, one) => sum + (one.kind === "lost" ? one.lines : 0), 0);
  if (lines === 0) notices.clear("chat_lost");
  if (lines === 0) return;
  notices.raise(
    "chat_lost",
    "warning",
    `${plural(lines, "line")} of chat could not be written when the bot ended: lost to memory; nothing to do, wishes and removals were kept`,
  );
}

/** What is done between two breaths of the program, ms. */
export const SLICE_MS = 5;
const FINISH_MS_MAX = 500;
/** A command beside the bot may have the database for a moment; the next try is a second later. */
const HELD_UPS_TOLD = 2;
/** Thrown where chat is not written yet, and work has to come after it. */
export const NOT_NOW = new Error("chat waits to be written");

const WAITING =
  "what somebody asked for (to be forgotten, or something kept) waits for the database; `forgetmenot status` says what keeps it; it is tried again, and survives a restart";

/**
 * Throws where the database does not take it now; `more`: it goes on with what is left; `later`: the same, after
 * `LATER_MS`.
 */
export type Work = () => "more" | "later" | "done";
export const LATER_MS = 20;

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
  /** At first it is one from before this process, perhaps. */
  let isTold = true;
  /** In a row. */
  let heldUps = 0;
  let isResting = false;
  let isOver = false;
  /** `held_up`: the database did not take it. What fails for another reason would fail again: it is dropped. */
  const attempt = ({ work }: Undone): ReturnType<Work> | "held_up" => {
    try {
      return work();
    } catch (thrown) {
      if (thrown === NOT_NOW || health.heard(thrown)) return "held_up";
      log.error({ ...describeBug(thrown) }, "bug: a wish could not be granted");
      return "done";
    }
  };
  const tell = (isHeldUp: boolean): void => {
    heldUps = isHeldUp ? heldUps + 1 : 0;
    if (heldUps >= HELD_UPS_TOLD) notices.raise("rights_waiting", "warning", WAITING);
    else if (isTold && !isHeldUp) notices.clear("rights_waiting");
    isTold = heldUps >= HELD_UPS_TOLD;
  };
  /** Gives what kept it from going on. */
  const workUntil = (untilMs: number): "held_up" | "later" | null => {
    for (let next = undone[0]; next !== undefined; next = undone[0]) {
      const outcome = attempt(next);
      if (outcome === "held_up" || outcome === "later") return outcome;
      if (outcome === "done") undone.shift();
      if (performance.now() >= untilMs) return null;
    }
    return null;
  };
  const retry = (): void => {
    if (isWorking || gate.isClosed()) return;
    isWorking = true;
    const obstacle = workUntil(performance.now() + SLICE_MS);
    isWorking = false;
    tell(obstacle === "held_up");
    if (isResting) return;
    isResting = true;
    const goOn = (): void => {
      isResting = false;
      if (undone.length > 0 && obstacle !== "held_up" && !isOver) retry();
    };
    if (obstacle === "later") setTimeout(goOn, LATER_MS).unref();
    else setImmediate(goOn);
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
      isOver = true;
    },
    waiting: () => undone.flatMap(({ entry }) => entry ?? []),
    do: (entry: SpoolEntry | null, work: Work): void => {
      undone.push({ entry, work });
      gate.whenOpen(retrySoon);
    },
  };
}
