// Pure: values in, values out.
import type { Period } from "./period.ts";
import type { Collector } from "./reply-counts.ts";

/** A stretch of a period. */
export interface Stretch {
  readonly fromMs: number;
  readonly sent: number;
  readonly notSent: number;
  /** By the provider's count, or by our estimate where it did not count. */
  readonly tokens: number;
  /** Mean time in the model, ms; 0 where it was not asked. */
  readonly latencyMs: number;
}

const STRETCHES = 40;

/** The period in forty stretches of the same length. */
export function timeLine({ fromMs, toMs }: Pick<Period, "fromMs" | "toMs">): Collector<Stretch[]> {
  const lengthMs = Math.max(1, (toMs - fromMs) / STRETCHES);
  const stretches = Array.from({ length: STRETCHES }, (_, n) => ({
    fromMs: Math.floor(fromMs + n * lengthMs),
    sent: 0,
    notSent: 0,
    tokens: 0,
    asked: 0,
    askedMs: 0,
  }));
  return {
    add: ({ atMs, state, trail, latencyMs }) => {
      const stretch = stretches[Math.min(STRETCHES - 1, Math.floor((atMs - fromMs) / lengthMs))];
      if (stretch === undefined) return;
      if (state === "sent") stretch.sent += 1;
      else stretch.notSent += 1;
      stretch.tokens += trail === null ? 0 : (trail.promptTokens ?? trail.estimatedTokens);
      stretch.asked += latencyMs === null ? 0 : 1;
      stretch.askedMs += latencyMs ?? 0;
    },
    read: () =>
      stretches.map(({ asked, askedMs, ...stretch }) => ({
        ...stretch,
        latencyMs: asked === 0 ? 0 : askedMs / asked,
      })),
  };
}
