import {
  type LlmCallStore,
  NO_SPEND,
  type Side,
  type Spend,
  type SpendBySide,
} from "./call-store.ts";

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
