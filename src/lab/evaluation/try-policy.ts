import type { Config } from "../../platform/config/load.ts";
import type { MemoryPolicy } from "../../platform/config/memory-schema.ts";
import { hashOf } from "../rehearsal/random.ts";
import { type PolicyRun, runPolicy } from "./policy-run.ts";
import type { Recorded, RecordedEpisode } from "./policy-run-store.ts";

/** Two policies over the same episodes. */
export interface PolicyHalf {
  readonly half: "tuning" | "held-out";
  readonly episodes: number;
  readonly now: PolicyRun;
  readonly tried: PolicyRun;
  /** Facts that only one of them keeps in force. */
  readonly onlyNow: readonly string[];
  readonly onlyTried: readonly string[];
}

export interface PolicyTrial {
  readonly unreadable: number;
  readonly halves: readonly PolicyHalf[];
}

/**
 * Runs the policy in force and another one over recorded episodes, in two halves that have no episode in common: one
 * to tune by, one to believe. Which half an episode is in hangs on its number alone, and never changes. Writes nothing.
 */
export function tryPolicy(config: Config, tried: MemoryPolicy, recorded: Recorded): PolicyTrial {
  const { trial: _, ...now } = config.memory;
  const halfOf = ({ id }: RecordedEpisode) =>
    hashOf(`episode ${id}`) % 2 === 0 ? "tuning" : "held-out";
  return {
    unreadable: recorded.unreadable,
    halves: (["tuning", "held-out"] as const).map((half) => {
      const episodes = recorded.episodes.filter((episode) => halfOf(episode) === half);
      const runs = {
        now: runPolicy(config, now, episodes),
        tried: runPolicy(config, tried, episodes),
      };
      return {
        half,
        episodes: episodes.length,
        ...runs,
        onlyNow: without(runs.now.kept, runs.tried.kept),
        onlyTried: without(runs.tried.kept, runs.now.kept),
      };
    }),
  };
}

function without(facts: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return facts.filter((fact) => !known.has(fact));
}
