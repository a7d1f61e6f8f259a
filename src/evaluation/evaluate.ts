import { answerOf, failUnsent, makeMessageKey, openRecordedModel } from "../demo/recorded-model.ts";
import type { Llm } from "../models/model-port.ts";
import { calculateShare, type Share } from "../telemetry/figures.ts";
import {
  calculateMean,
  type FactFate,
  makeRecogniser,
  type Need,
  type ReplayResult,
  replay,
} from "./replay.ts";
import type { StrategyName } from "./replay-room.ts";
import type { Scenario } from "./scenario.ts";

/** Age groups of a question's facts, in sessions since the last mention. */
export const AGES = ["0", "1-2", "3-9", "10+"] as const;
type Age = (typeof AGES)[number];

export type Evaluation = Awaited<ReturnType<typeof evaluate>>;

/**
 * Replays each scenario once a strategy and sums up. Figures that are not about one strategy are those of the last.
 * The same input gives the same figures to the last digit.
 */
export async function evaluate(input: {
  scenarios: readonly Scenario[];
  /** At least one. */
  strategies: readonly StrategyName[];
  /** Makes the model for a replay: the scripted one uses its answers up. */
  llmFor: (scenario: Scenario) => Llm;
  model: string;
  settings?: Readonly<Record<string, unknown>>;
  /** Called before each scenario; may throw to stop. */
  onScenario?: (name: string) => void;
}) {
  const { strategies, model, settings = {} } = input;
  const replays: ReplayResult[] = [];
  for (const scenario of input.scenarios) {
    input.onScenario?.(scenario.name);
    for (const strategy of strategies)
      replays.push(await replay({ scenario, strategy, llm: input.llmFor(scenario), settings }));
  }
  const measureAll = (some: readonly ReplayResult[]) =>
    strategies.map((strategy) =>
      measureRecall(
        strategy,
        some.filter((one) => one.strategy === strategy),
      ),
    );
  const last = replays.filter(({ strategy }) => strategy === strategies.at(-1));
  return {
    model,
    strategies,
    recall: measureAll(replays),
    survival: countSurvival(last.flatMap(({ fates }) => fates)),
    scenarios: last.map(({ scenario, prompts, audit, episodes, othersMin, fates }) => ({
      ...{ scenario, model, prompts, audit, episodes, othersMin },
      recall: measureAll(replays.filter((one) => one.scenario === scenario)),
      survival: countSurvival(fates),
    })),
  };
}

/** Measures how many needed facts one strategy's prompts showed. */
function measureRecall(strategy: StrategyName, replays: readonly ReplayResult[]) {
  const needs = replays.flatMap((one) => one.needs);
  const noted = needs.filter(({ hasNote }) => hasNote);
  const share = (some: readonly Need[]): Share =>
    calculateShare(some.filter(({ isShown }) => isShown).length, some.length);
  const byAge = AGES.map((age) => [age, share(noted.filter((need) => getAge(need) === age))]);
  return {
    strategy,
    byAge: Object.fromEntries(byAge) as Readonly<Record<Age, Share>>,
    /** Share of the facts that had a note: quality of the ranking. */
    ranking: share(noted),
    /** Of everything, whether or not a note of it was ever made. */
    everything: share(needs),
    loreTokensMean: calculateMean(replays.flatMap(({ loreTokens }) => loreTokens)),
    stale: replays.reduce((sum, { stale }) => sum + stale, 0),
  };
}

function getAge({ age }: Need): Age {
  if (age <= 0) return "0";
  if (age < 3) return "1-2";
  return age < 10 ? "3-9" : "10+";
}

/** Counts how far the stated facts came. */
function countSurvival(fates: readonly FactFate[]) {
  const stored = fates.filter(({ event }) => event);
  const asked = stored.filter(({ prompt }) => prompt !== null);
  return {
    told: stored.length,
    episode: stored.filter(({ episode }) => episode).length,
    note: stored.filter(({ note }) => note).length,
    /** Facts that someone asked for. */
    asked: asked.length,
    prompt: asked.filter(({ prompt }) => prompt === true).length,
  };
}

/** A model that gives a scenario's answers, each once unless it says `again`; "empty" if none fits. */
export function openScriptedModel(answers: Scenario["answers"]): Llm {
  const used = new Set<Scenario["answers"][number]>();
  return {
    ask: async (request) => {
      const fitting = answers.find(
        (one) =>
          one.purpose === request.purpose &&
          !used.has(one) &&
          (one.when === undefined || `${request.prefix}${request.tail}`.includes(one.when)),
      );
      if (fitting === undefined) return failUnsent("scripted", "empty");
      if (!fitting.again) used.add(fitting);
      const { text = "", json } = fitting;
      return answerOf("scripted", request, { text, value: json });
    },
  };
}

/**
 * Opens a model that knows a scenario's facts: it claims a fact when its line is in a window, and replaces the fact
 * that `replaces` names. So the figures measure recall and the write policy, not how well a model reads.
 */
export function openFactsModel({ facts, sessions }: Scenario): Llm {
  const recorded = facts.map((fact) => {
    const { about, session, note, replaces } = fact;
    const holds = makeRecogniser(fact);
    const lines = sessions[session]?.lines ?? [];
    const factLines = lines.filter(
      ({ by, text }) => (about === "channel" || by === about) && holds(text),
    );
    const keys = new Set(factLines.map(({ text }) => makeMessageKey(text)));
    const old = facts.find(({ id }) => id === replaces)?.fact;
    return {
      key: fact.id,
      about: about === "channel" ? ("channel" as const) : ("viewer" as const),
      statement: fact.fact,
      kind: note?.kind ?? ("preference" as const),
      topics: note?.topics ?? [],
      ...(old === undefined ? {} : { replaces: old }),
      isToldBy: (text: string) => keys.has(makeMessageKey(text)),
    };
  });
  return openRecordedModel({ facts: recorded, streams: [], replies: [] });
}
