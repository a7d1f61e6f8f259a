import { createSteadyClock } from "../../src/clock.ts";
import { openLog } from "../../src/log.ts";
import type { DeliveryOutcome, Offer } from "../../src/twitch/delivery.ts";
import { Outbox, type OutboxOptions } from "../../src/twitch/outbox.ts";

export const START_MS = 1_700_000_000_000;
/** Twitch's window, without the outbox's margin. */
export const WINDOW_MS = 30_000;

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock that moves only when told to, and the waits on it. */
function fakeClock() {
  let nowMs = START_MS;
  const sleepers = new Set<Sleeper>();
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => nowMs,
    set: (ms: number) => {
      nowMs = ms;
    },
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) return resolve();
        const sleeper = {
          atMs: nowMs + ms,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal.addEventListener("abort", sleeper.wake, { once: true });
      }),
    /** Moves on by `ms`, stopping wherever somebody wakes. */
    advance: async (ms: number) => {
      const untilMs = nowMs + ms;
      for (;;) {
        await turn();
        const next = [...sleepers].sort((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined || next.atMs > untilMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
      }
      nowMs = Math.max(nowMs, untilMs);
      await turn();
    },
  };
}

export interface Arrival {
  readonly channel: string;
  readonly text: string;
  readonly atMs: number;
}

/** An outbox over IRC alone, or over `sendHelix`, with what arrived and the outcomes so far. */
export function bench(more: Partial<OutboxOptions> = {}) {
  const clock = fakeClock();
  const now = createSteadyClock(clock.now);
  const arrivals: Arrival[] = [];
  const outcomes: (DeliveryOutcome | null)[] = [];
  const logLines: string[] = [];
  const outbox = new Outbox({
    sendHelix: null,
    sendIrc: ({ channel, text }) => {
      arrivals.push({ channel, text, atMs: clock.now() - START_MS });
      return { kind: "sent", messageId: null };
    },
    now,
    wait: clock.wait,
    log: openLog("debug", (line) => void logLines.push(line)),
    ...more,
  });
  const offer = (text: string, rest: Partial<Offer> = {}) => {
    const at = outcomes.push(null) - 1;
    const whole: Offer = {
      channel: "teastream",
      text,
      replyTo: null,
      expiresAtMs: now() + 25_000,
      onSending: () => true,
      ...rest,
    };
    void outbox.offer(whole).then((outcome) => {
      outcomes[at] = outcome;
    });
  };
  return { clock, outbox, arrivals, outcomes, logLines, offer };
}
