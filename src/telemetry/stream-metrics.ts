// Pure: values in, values out.
import { meanOf } from "./distribution.ts";
import type { Metric } from "./drift.ts";
import type { MemoryChanges } from "./memory-store.ts";
import type { Collector } from "./reply-counts.ts";
import { tallyMaker } from "./tally.ts";

/** How a bot behaved in a stream, as far as its replies tell. */
export interface Behaviour {
  readonly metrics: readonly Metric[];
  readonly models: readonly string[];
  readonly rules: readonly string[];
}

/** Behaviour: how replies ended, how long they and their prompts were, which steps the ladder took. */
export function behaviour(): Collector<Behaviour> {
  const endings = tallyMaker();
  const steps = tallyMaker();
  const models = new Set<string>();
  const rules = new Set<string>();
  const outputTokens: number[] = [];
  const promptTokens: number[] = [];
  return {
    add: ({ state, reason, model, trail }) => {
      endings.add(reason === null ? state : `${state}.${reason}`);
      if (model !== null) models.add(model);
      if (trail === null) return;
      rules.add(trail.rulesVersion);
      promptTokens.push(trail.estimatedTokens);
      if (trail.outputTokens !== null) outputTokens.push(trail.outputTokens);
      for (const section of new Set(trail.ladder.map((step) => step.section))) steps.add(section);
    },
    read: () => ({
      models: [...models].sort(),
      rules: [...rules].sort(),
      metrics: [
        ...shares("replies", endings.read()),
        ...sharesOf("ladder", steps.read(), promptTokens.length),
        ...means("reply.tokens", outputTokens),
        ...means("prompt.tokens", promptTokens),
      ],
    }),
  };
}

/** What memory made of a stream: kinds, scopes, confidence, and why candidates were dropped. */
export function memoryMetrics({ made, candidates }: MemoryChanges): Metric[] {
  const kinds = tallyMaker();
  const scopes = tallyMaker();
  const decisions = tallyMaker();
  for (const { kind, scope, count } of made) {
    kinds.add(kind, count);
    scopes.add(scope, count);
  }
  for (const { decision, reason, count } of candidates)
    decisions.add(`${decision}:${reason}`, count);
  const confidences = made.flatMap(({ count, confidence }) =>
    Array.from({ length: count }, () => confidence),
  );
  return [
    ...shares("notes.kind", kinds.read()),
    ...shares("notes.scope", scopes.read()),
    ...shares("candidates", decisions.read()),
    ...means("notes.confidence", confidences),
  ];
}

function shares(family: string, counts: Readonly<Record<string, number>>): Metric[] {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return sharesOf(family, counts, total);
}

function sharesOf(family: string, counts: Readonly<Record<string, number>>, of: number): Metric[] {
  return Object.entries(counts).map(([name, count]) => ({
    // One name, whatever it holds: families are told apart by the last dot.
    name: `${family}.${name.replaceAll(".", ":")}`,
    unit: "share",
    value: of === 0 ? 0 : count / of,
    of,
    deviation: 0,
  }));
}

function means(name: string, values: readonly number[]): Metric[] {
  if (values.length === 0) return [];
  const value = meanOf(values);
  const deviation = Math.sqrt(meanOf(values.map((one) => (one - value) ** 2)));
  return [{ name, unit: "mean", value, of: values.length, deviation }];
}
