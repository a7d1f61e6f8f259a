import type { Llm } from "../../platform/models/model-port.ts";
import { meanOf, type Share, shareOf } from "../../telemetry/figures.ts";
import { answerOf, unanswered } from "../offline/offline-model.ts";
import { compare, type Difference } from "./measures.ts";
import { type FactFate, type Need, type Replayed, replay } from "./replay.ts";
import type { Scenario } from "./scenario.ts";
import type { StrategyName } from "./strategies.ts";

/** How old what was needed was, in sessions since it was last told. */
export const AGES = ["0", "1-2", "3-9", "10+"] as const;
type Age = (typeof AGES)[number];

export interface StrategyComparison {
  readonly better: StrategyName;
  readonly worse: StrategyName;
  readonly difference: Difference;
}

/** How many of the facts that somebody told came how far. */
export type Survival = ReturnType<typeof survivalOf>;

export type Evaluation = Awaited<ReturnType<typeof evaluate>>;

export interface EvaluateInput {
  readonly scenarios: readonly Scenario[];
  readonly strategies: readonly StrategyName[];
  /** The model for one scenario: the scripted one differs. */
  readonly llmFor: (scenario: Scenario) => Llm;
  readonly model: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Called before each scenario; throws to end it. */
  readonly onScenario?: (name: string) => void;
}

/** Replays scenarios one after another and sums up. The same input gives the same figures to the last digit. */
export async function evaluate(input: EvaluateInput) {
  const { strategies, model, settings = {} } = input;
  const done: Replayed[] = [];
  for (const scenario of input.scenarios) {
    input.onScenario?.(scenario.name);
    const llm = input.llmFor(scenario);
    done.push(await replay({ scenario, strategies, llm, model, settings }));
  }
  return {
    model,
    strategies,
    recall: strategies.map((strategy) => recallOf(strategy, done)),
    comparisons: comparisonsOf(
      strategies,
      done.flatMap(({ needs }) => needs),
    ),
    survival: survivalOf(done.flatMap(({ fates }) => fates)),
    scenarios: done.map(({ needs, costs, fates, ...rest }) => ({
      ...rest,
      recall: strategies.map((strategy) => recallOf(strategy, [{ needs, costs }])),
      survival: survivalOf(fates),
    })),
  };
}

/** Of what was needed, how much one strategy's prompts showed. */
function recallOf(strategy: StrategyName, done: readonly Pick<Replayed, "needs" | "costs">[]) {
  const needs = done.flatMap((one) => one.needs);
  const noted = needs.filter(({ hasNote }) => hasNote);
  const costs = done.flatMap((one) => one.costs[strategy] ?? []);
  const share = (some: readonly Need[]): Share =>
    shareOf(some.filter(({ shown }) => shown[strategy] === true).length, some.length);
  const aged = AGES.map((age) => [age, share(noted.filter((need) => ageOf(need) === age))]);
  return {
    strategy,
    byAge: Object.fromEntries(aged) as Readonly<Record<Age, Share>>,
    /** Of what there was a note of: how good the ranking is. */
    ranking: share(noted),
    /** Of everything, whether a note of it was ever made. */
    everything: share(needs),
    loreTokensMean: meanOf(costs.flatMap(({ loreTokens }) => loreTokens)),
    stale: costs.reduce((sum, cost) => sum + cost.stale, 0),
    fellBack: costs.reduce((sum, cost) => sum + cost.fellBack, 0),
  };
}

function ageOf({ age }: Need): Age {
  if (age <= 0) return "0";
  if (age < 3) return "1-2";
  return age < 10 ? "3-9" : "10+";
}

/** Over what there was a note of: what was never noted tells nothing about ranking. */
function comparisonsOf(
  strategies: readonly StrategyName[],
  needs: readonly Need[],
): StrategyComparison[] {
  const noted = needs.filter(({ hasNote }) => hasNote);
  const column = (name: StrategyName) => noted.map(({ shown }) => Number(shown[name] === true));
  return strategies.flatMap((a, at) =>
    strategies.slice(at + 1).map((b): StrategyComparison => {
      const difference = compare(column(a), column(b));
      if (difference.mean >= 0) return { better: a, worse: b, difference };
      return { better: b, worse: a, difference: compare(column(b), column(a)) };
    }),
  );
}

function survivalOf(fates: readonly FactFate[]) {
  const told = fates.filter(({ event }) => event);
  const asked = told.filter(({ prompt }) => prompt !== null);
  return {
    told: told.length,
    episode: told.filter(({ episode }) => episode).length,
    note: told.filter(({ note }) => note).length,
    /** Of those that somebody asked for. */
    asked: asked.length,
    prompt: asked.filter(({ prompt }) => prompt === true).length,
  };
}

/** The answers that a scenario carries, each once unless it says otherwise; "empty" where none fits. */
export function scriptedModel(answers: Scenario["answers"]): Llm {
  const used = new Set<Scenario["answers"][number]>();
  return {
    ask: async (request) => {
      const fitting = answers.find(
        (one) =>
          one.purpose === request.purpose &&
          !used.has(one) &&
          (one.when === undefined || `${request.prefix}${request.tail}`.includes(one.when)),
      );
      if (fitting === undefined) return unanswered("scripted", "empty");
      if (!fitting.again) used.add(fitting);
      const { text = "", json } = fitting;
      return (
        answerOf("scripted", request, { text, value: json }) ??
        unanswered("scripted", "invalid_json")
      );
    },
  };
}
