import type { ConfigFile } from "../config/schema.ts";
import {
  type LlmCallStore,
  NO_SPEND,
  type Side,
  type Spend,
  type SpendBySide,
} from "./call-store.ts";

export type CapsConfig = ConfigFile["llm"]["caps"];
type CapName = Exclude<keyof CapsConfig, "memoryShare">;

export interface CapReached {
  readonly cap: CapName;
  readonly limit: number;
  readonly periodMs: number;
}

export interface Caps {
  /**
   * The first cap that one more call of this cost would exceed; null where there is room. `keptShare` of the side's
   * calls is kept for others.
   */
  exceeded(side: Side, cost: Spend, nowMs: number, keptShare?: number): CapReached | null;
  /** Counts a call that is under way, until the returned function is called. */
  hold(side: Side, cost: Spend): () => void;
}

const CALL_CAPS: ReadonlySet<CapName> = new Set(["callsPerHour", "callsPerDay"]);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The caps on calls, tokens and dollars, as they are now, each side with its share, over what `llm_calls` says was spent. */
export function openCaps(config: () => CapsConfig, store: LlmCallStore): Caps {
  const hour = openSpendWindow(store, HOUR_MS);
  const day = openSpendWindow(store, DAY_MS);
  const held: Record<Side, Spend> = { reply: NO_SPEND, memory: NO_SPEND };

  return {
    exceeded(side, cost, nowMs, keptShare = 0) {
      const next = plus(cost, held[side]);
      const inHour = plus(hour.read(nowMs)[side], next);
      const inDay = plus(day.read(nowMs)[side], next);
      const checks: readonly (readonly [CapName, number, number])[] = [
        ["callsPerHour", inHour.calls, HOUR_MS],
        ["callsPerDay", inDay.calls, DAY_MS],
        ["tokensPerDay", inDay.tokens, DAY_MS],
        ["dollarsPerDay", inDay.dollars, DAY_MS],
      ];
      for (const [cap, used, periodMs] of checks) {
        const share = shareOf(config(), cap, side);
        const limit = CALL_CAPS.has(cap) ? share - Math.floor(share * keptShare) : share;
        if (used > limit) return { cap, limit, periodMs };
      }
      return null;
    },
    hold(side, cost) {
      held[side] = plus(held[side], cost);
      return () => {
        held[side] = plus(held[side], {
          calls: -cost.calls,
          tokens: -cost.tokens,
          dollars: -cost.dollars,
        });
      };
    },
  };
}

/** Calls and tokens come whole: what memory's share rounds off goes to replies. */
function shareOf(config: CapsConfig, cap: CapName, side: Side): number {
  const exact = config[cap] * config.memoryShare;
  const memory = cap === "dollarsPerDay" ? exact : Math.floor(exact);
  return side === "memory" ? memory : config[cap] - memory;
}

function plus(a: Spend, b: Spend): Spend {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, dollars: a.dollars + b.dollars };
}

export interface SpendWindow {
  /** What each side spent in the window that ends at `nowMs`. */
  read(nowMs: number): SpendBySide;
}

/**
 * The calls of the last `lengthMs`, summed. The table is the only truth: each read adds the rows that are new since
 * the last one and takes off those that left, so that it costs the same on a busy day; a clock set back, or a table
 * that was emptied, sums anew.
 */
export function openSpendWindow(store: LlmCallStore, lengthMs: number): SpendWindow {
  let sums: SpendBySide = { reply: NO_SPEND, memory: NO_SPEND };
  let fromMs = Number.POSITIVE_INFINITY;
  let idMax = 0;

  return {
    read(nowMs) {
      const nextFromMs = nowMs - lengthMs;
      const newestId = store.lastId();
      if (nextFromMs < fromMs || newestId < idMax) {
        sums = store.spendAfterId(0, nextFromMs);
      } else {
        const left = store.spendBetween(fromMs, nextFromMs, idMax);
        const added = store.spendAfterId(idMax, nextFromMs);
        sums = combine(sums, left, added);
      }
      fromMs = nextFromMs;
      idMax = newestId;
      return sums;
    },
  };
}

function combine(sums: SpendBySide, left: SpendBySide, added: SpendBySide): SpendBySide {
  const change = (side: Side): Spend => ({
    calls: sums[side].calls - left[side].calls + added[side].calls,
    tokens: sums[side].tokens - left[side].tokens + added[side].tokens,
    dollars: sums[side].dollars - left[side].dollars + added[side].dollars,
  });
  return { reply: change("reply"), memory: change("memory") };
}
