// Pure: values in, values out.
import { type Distribution, distributionOf } from "./distribution.ts";
import type { Collector } from "./reply-counts.ts";
import type { ReplyFacts } from "./reply-facts.ts";
import { bySectionOrder } from "./section-order.ts";

/** What prompts were made of. */
export interface PromptUse {
  readonly prompts: number;
  /** Mean estimated tokens of each section, in the prompt's order. */
  readonly sections: Readonly<Record<string, number>>;
  readonly prefix: {
    /** Of all estimated tokens, those in the stable prefix. */
    readonly share: number;
    /** Replies whose prefix was of another version or pace than the one before it in its channel. */
    readonly changes: number;
    /** Replies for which the ladder cut the prefix that the one before it had whole, or the other way round. */
    readonly cuts: number;
  };
  readonly ladder: readonly LadderUse[];
  readonly estimates: readonly EstimateError[];
  /** Time in the language model, ms. */
  readonly modelLatency: Distribution | null;
  /** From the trigger's turn to the message in chat, ms. */
  readonly turnLatency: Distribution | null;
}

interface LadderUse {
  readonly messageKind: string;
  readonly section: string;
  readonly fired: number;
  readonly droppedLines: number;
  readonly savedTokens: number;
}

/** How far estimates lay from what the provider counted: 0.1 is a tenth too many. */
interface EstimateError {
  readonly model: string;
  readonly error: Distribution;
  /** Prompts by error: one bin for each percent from -15 to 15, the last ones open. */
  readonly histogram: readonly number[];
  /** Shares of replies within ±2, ±5 and ±10 %. */
  readonly within: Readonly<Record<"2" | "5" | "10", number>>;
}

type Trail = NonNullable<ReplyFacts["trail"]>;

export function promptUse(): Collector<PromptUse> {
  const ladder = new Map<string, LadderUse>();
  const errors = new Map<string, number[]>();
  const sections = new Map<string, number>();
  const before = new Map<string, Trail>();
  const modelMs: number[] = [];
  const turnMs: number[] = [];
  const sums = { prompts: 0, prefixTokens: 0, changes: 0, cuts: 0 };
  const addPrefix = (channel: string, trail: Trail): void => {
    const last = before.get(channel);
    before.set(channel, trail);
    if (last === undefined || last.prefix.hash === trail.prefix.hash) return;
    const isCut = last.prefix.version === trail.prefix.version;
    if (isCut) sums.cuts += 1;
    else sums.changes += 1;
  };
  const addTrail = (channel: string, trail: Trail): void => {
    sums.prompts += 1;
    sums.prefixTokens += trail.prefix.tokens;
    for (const [name, tokens] of Object.entries(trail.sections))
      sections.set(name, (sections.get(name) ?? 0) + tokens);
    addPrefix(channel, trail);
    for (const step of trail.ladder) addStep(ladder, trail.messageKind, step);
    if (trail.promptTokens === null || trail.promptTokens === 0) return;
    const model = trail.model ?? "unknown";
    const known = errors.get(model) ?? [];
    known.push(trail.estimatedTokens / trail.promptTokens - 1);
    errors.set(model, known);
  };
  return {
    add: ({ channel, trail, latencyMs, atMs, sentAtMs }) => {
      if (trail !== null) addTrail(channel, trail);
      if (latencyMs !== null) modelMs.push(latencyMs);
      if (sentAtMs !== null) turnMs.push(sentAtMs - atMs);
    },
    read: () => {
      const total = [...sections.values()].reduce((sum, tokens) => sum + tokens, 0);
      const each = [...sections]
        .sort(([one], [other]) => bySectionOrder(one, other))
        .map(([name, tokens]) => [name, tokens / sums.prompts] as const);
      return {
        prompts: sums.prompts,
        sections: Object.fromEntries(each),
        prefix: {
          share: total === 0 ? 0 : sums.prefixTokens / total,
          changes: sums.changes,
          cuts: sums.cuts,
        },
        ladder: [...ladder.values()].sort((one, other) => other.fired - one.fired),
        estimates: [...errors].map(([model, values]) => estimateError(model, values)),
        modelLatency: distributionOf(modelMs),
        turnLatency: distributionOf(turnMs),
      };
    },
  };
}

function addStep(
  ladder: Map<string, LadderUse>,
  messageKind: string,
  { section, from, to, savedTokens }: Trail["ladder"][number],
): void {
  const key = `${messageKind} ${section}`;
  const known = ladder.get(key) ?? {
    messageKind,
    section,
    fired: 0,
    droppedLines: 0,
    savedTokens: 0,
  };
  ladder.set(key, {
    ...known,
    fired: known.fired + 1,
    droppedLines: known.droppedLines + from - to,
    savedTokens: known.savedTokens + savedTokens,
  });
}

function estimateError(model: string, values: readonly number[]): EstimateError {
  const within = (limit: number): number =>
    values.filter((value) => Math.abs(value) <= limit).length / values.length;
  const error = distributionOf(values);
  if (error === null) throw new Error("an estimate without values");
  return {
    model,
    error,
    histogram: histogramOf(values),
    within: { "2": within(0.02), "5": within(0.05), "10": within(0.1) },
  };
}

const PERCENT_MAX = 15;

function histogramOf(values: readonly number[]): number[] {
  const bins = Array.from({ length: 2 * PERCENT_MAX + 1 }, () => 0);
  for (const value of values) {
    const percent = Math.max(-PERCENT_MAX, Math.min(PERCENT_MAX, Math.round(value * 100)));
    bins[percent + PERCENT_MAX] = (bins[percent + PERCENT_MAX] ?? 0) + 1;
  }
  return bins;
}
