import {
  type Llm,
  type LlmAnswer,
  type LlmRequest,
  NO_USAGE,
} from "../../platform/models/model-port.ts";
import { meanOf, type Share, shareOf } from "../../telemetry/figures.ts";
import { compare, type Difference, reversed } from "./measures.ts";
import { type FactFate, type Need, type Replayed, replay } from "./replay.ts";
import type { Scenario } from "./scenario.ts";
import type { StrategyName } from "./strategies.ts";

/** How old what was needed was, in sessions since it was last told. */
export const AGES = ["0", "1-2", "3-9", "10+"] as const;
type Age = (typeof AGES)[number];

/** Of what was needed, how much one strategy's prompts showed. */
interface StrategyRecall {
  readonly strategy: StrategyName;
  /** Of what there was a note of: how good the ranking is. */
  readonly byAge: Readonly<Record<Age, Share>>;
  readonly ranking: Share;
  /** Of everything, whether a note of it was ever made. */
  readonly everything: Share;
  readonly loreTokensMean: number;
  readonly stale: number;
  readonly fellBack: number;
}

export interface StrategyComparison {
  readonly better: StrategyName;
  readonly worse: StrategyName;
  readonly difference: Difference;
}

/** How many of the facts that somebody told came how far. */
export interface Survival {
  readonly told: number;
  readonly episode: number;
  readonly note: number;
  /** Of those that somebody asked for. */
  readonly asked: number;
  readonly prompt: number;
}

export interface Evaluation {
  readonly model: string;
  readonly strategies: readonly StrategyName[];
  readonly recall: readonly StrategyRecall[];
  /** Each strategy against every other, the better one first. */
  readonly comparisons: readonly StrategyComparison[];
  readonly survival: Survival;
  readonly scenarios: readonly (Omit<Replayed, "needs" | "costs" | "fates"> & {
    readonly recall: readonly StrategyRecall[];
    readonly survival: Survival;
  })[];
}

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
export async function evaluate(input: EvaluateInput): Promise<Evaluation> {
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

function recallOf(
  strategy: StrategyName,
  done: readonly Pick<Replayed, "needs" | "costs">[],
): StrategyRecall {
  const needs = done.flatMap((one) => one.needs);
  const noted = needs.filter(({ hasNote }) => hasNote);
  const costs = done.flatMap((one) => one.costs[strategy] ?? []);
  const share = (some: readonly Need[]) =>
    shareOf(some.filter(({ shown }) => shown[strategy] === true).length, some.length);
  const aged = (age: Age) => share(noted.filter((need) => ageOf(need) === age));
  const [fresh, young, old, oldest] = AGES;
  return {
    strategy,
    byAge: {
      [fresh]: aged(fresh),
      [young]: aged(young),
      [old]: aged(old),
      [oldest]: aged(oldest),
    },
    ranking: share(noted),
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
      return { better: b, worse: a, difference: reversed(difference) };
    }),
  );
}

function survivalOf(fates: readonly FactFate[]): Survival {
  const told = fates.filter(({ event }) => event);
  const asked = told.filter(({ prompt }) => prompt !== null);
  return {
    told: told.length,
    episode: told.filter(({ episode }) => episode).length,
    note: told.filter(({ note }) => note).length,
    asked: asked.length,
    prompt: asked.filter(({ prompt }) => prompt === true).length,
  };
}

type Scripted = Scenario["answers"][number];

const MODEL = "scripted";

/** The answers that a scenario carries, each once unless it says otherwise; "empty" where none fits. */
export function scriptedModel(answers: Scenario["answers"]): Llm {
  const used = new Set<Scripted>();
  return {
    ask: async (request) => {
      const fitting = answers.find(
        (one) =>
          one.purpose === request.purpose &&
          !used.has(one) &&
          (one.when === undefined || `${request.prefix}${request.tail}`.includes(one.when)),
      );
      if (fitting !== undefined && !fitting.again) used.add(fitting);
      return answerOf(request, fitting);
    },
  };
}

function answerOf<T>(request: LlmRequest<T>, scripted: Scripted | undefined): LlmAnswer<T> {
  const common = {
    model: MODEL,
    usage: NO_USAGE,
    latencyMs: 0,
  };
  const failed = (failure: "empty" | "invalid_json"): LlmAnswer<T> => ({
    ok: false,
    failure,
    detail: failure,
    finish: "stop",
    retryAtMs: null,
    ...common,
  });
  if (scripted === undefined) return failed("empty");
  if (request.schema === undefined) {
    return { ok: true, text: scripted.text ?? "", value: null, finish: "stop", ...common };
  }
  const parsed = request.schema.safeParse(scripted.json);
  if (!parsed.success) return failed("invalid_json");
  const text = JSON.stringify(scripted.json);
  return { ok: true, text, value: parsed.data, finish: "stop", ...common };
}
