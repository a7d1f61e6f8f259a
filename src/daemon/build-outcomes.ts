import { type Outcomes, outcomeWatcher } from "../telemetry/gather-outcomes.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

const SETTLE_EVERY_MS = 1_000;

/** What comes of replies, written down every second and at the end. */
export function openOutcomes(
  { config, now, log }: DaemonOptions,
  {
    stores,
    life,
    botUserId,
  }: {
    readonly stores: Stores;
    readonly life: Lifetime;
    readonly botUserId: () => string | null;
  },
): Outcomes {
  const thumbs = () => ({ good: config.replies.goodCommand, bad: config.replies.badCommand });
  const outcomes = outcomeWatcher({ db: stores.db, now, botUserId, thumbs });
  life.closers.push(outcomes.settle);
  every(SETTLE_EVERY_MS, () => stores.gate.whenOpen(outcomes.settle), { life, log });
  return outcomes;
}
