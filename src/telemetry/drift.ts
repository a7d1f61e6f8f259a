import type { Db } from "../platform/database/open-database.ts";
import { meanOf, medianOf, type Tally, tallyMaker } from "./figures.ts";
import { type StreamRow, streamStore } from "./period-store.ts";
import { type ReplyFacts, visitReplies } from "./replies-store.ts";
import { type MemoryChanges, memoryReportStore, policiesBetween } from "./report-store.ts";

const STREAMS_MAX = 10;
/** Replies looked at in each stream: more would not tell more. */
const REPLIES_SAMPLED = 150;

/** What moved in a stream against the ten before it in its channel, and what had changed by then. */
export function* readDrift(db: Db, stream: StreamRow, nowMs: number) {
  const streams = streamStore(db);
  const memory = memoryReportStore(db);
  function* look({ channel, startedAtMs, endedAtMs }: StreamRow) {
    const span = { channels: [channel], fromMs: startedAtMs, toMs: endedAtMs ?? nowMs };
    const seen = behaviour();
    yield* visitReplies(db, span, seen.add, REPLIES_SAMPLED);
    const { metrics, ...found } = seen.read();
    return { ...found, metrics: [...metrics, ...memoryMetrics(memory.changes(span))], startedAtMs };
  }
  const earlier: Look[] = [];
  for (const one of streams.before(stream, STREAMS_MAX)) earlier.push(yield* look(one));
  const current: Look = yield* look(stream);
  const [last] = earlier;
  const before = earlier.map(({ metrics }) => metrics);
  return {
    /** Earlier streams compared with; fewer than three say nothing. */
    streams: earlier.length,
    moved: before.length < STREAMS_MIN ? [] : movedMetrics(current.metrics, before),
    /** Accepted since the stream before began. */
    policies:
      last === undefined ? [] : policiesBetween(db, last.startedAtMs, stream.endedAtMs ?? nowMs),
    /** Models that answered, where they are not those of the stream before; null where they are. */
    models: changed(last?.models, current.models),
    /** Versions of the prompt's rules, likewise. */
    rules: changed(last?.rules, current.rules),
  };
}

/** How a bot behaved in a stream, and since when. */
interface Look extends ReturnType<ReturnType<typeof behaviour>["read"]> {
  readonly startedAtMs: number;
}

function changed(from: readonly string[] | undefined, to: readonly string[]) {
  if (from === undefined || from.length === 0 || to.length === 0) return null;
  return from.join("\n") === to.join("\n") ? null : { from, to };
}

/** Something of a stream that can be compared with earlier ones: a share of `of`, or a mean over `of`. */
export interface Metric {
  /** Dotted: `notes.kind.profile`, `replies.refused.stale`. */
  readonly name: string;
  readonly unit: "share" | "mean";
  readonly value: number;
  readonly of: number;
  /** Standard deviation of what a mean is over; 0 for a share. */
  readonly deviation: number;
}

/** Fewer earlier streams than this are no habit. */
const STREAMS_MIN = 3;
/** Fewer samples in a stream than this say nothing. */
const SAMPLES_MIN = 20;
/** B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers (1993): the modified z-score's limit. */
const SCORE_MIN = 3.5;
/** Turns the median absolute deviation of normal values into their standard deviation. */
const MAD_SCALE = 1.4826;
/** A smaller move is true but not worth a word: points of a share, parts of a mean. */
const SHARE_MOVE_MIN = 0.05;
const MEAN_MOVE_MIN = 0.1;

/**
 * What moved against earlier streams, by how many deviations (`score`), the furthest first. The scale is how far those lie apart among themselves (median
 * absolute deviation) and how far a sample of this size may lie off by chance, together.
 */
export function movedMetrics(current: readonly Metric[], earlier: readonly (readonly Metric[])[]) {
  const names = new Set([...current, ...earlier.flat()].map(({ name }) => name));
  return [...names]
    .flatMap((name) => movedOne(name, current, earlier) ?? [])
    .sort((one, other) => Math.abs(other.score) - Math.abs(one.score));
}

function movedOne(
  name: string,
  current: readonly Metric[],
  earlier: readonly (readonly Metric[])[],
) {
  const now = metricNamed(current, name);
  if (now === null) return null;
  const before = earlier.flatMap((metrics) => metricNamed(metrics, name) ?? []);
  if (before.length < STREAMS_MIN) return null;
  const from = medianOf(before.map(({ value }) => value));
  const apart = medianOf(before.map(({ value }) => Math.abs(value - from))) * MAD_SCALE;
  const score = (now.value - from) / Math.hypot(apart, chanceOf(now, from));
  const isFar = Math.abs(score) >= SCORE_MIN && isWorthAWord(now, from);
  return isFar ? { name, unit: now.unit, from, to: now.value, score } : null;
}

/** With enough samples. A name that a stream lacks is a share of nothing: of none, where its family has samples. */
function metricNamed(metrics: readonly Metric[], name: string): Metric | null {
  const found =
    metrics.find((metric) => metric.name === name) ??
    metrics.find((metric) => metric.unit === "share" && familyOf(metric.name) === familyOf(name));
  if (found === undefined || found.of < SAMPLES_MIN) return null;
  return found.name === name ? found : { ...found, name, value: 0 };
}

/** A name without its last part. */
function familyOf(name: string): string {
  return name.slice(0, name.lastIndexOf(".") + 1) || name;
}

/** The standard error of the value, if nothing had changed; a share of none is smoothed, or any one would be a wonder. */
function chanceOf({ unit, of, deviation }: Metric, from: number): number {
  if (unit === "mean") return deviation / Math.sqrt(of);
  const share = (from * of + 1) / (of + 2);
  return Math.sqrt((share * (1 - share)) / of);
}

function isWorthAWord({ unit, value }: Metric, from: number): boolean {
  const move = Math.abs(value - from);
  return unit === "share" ? move >= SHARE_MOVE_MIN : move >= MEAN_MOVE_MIN * Math.abs(from);
}

/** Behaviour: how replies ended, how long they and their prompts were, which steps the ladder took. */
function behaviour() {
  const endings = tallyMaker();
  const steps = tallyMaker();
  const models = new Set<string>();
  const rules = new Set<string>();
  const outputTokens: number[] = [];
  const promptTokens: number[] = [];
  return {
    add: ({ state, reason, model, trail }: ReplyFacts): void => {
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
        ...shares("ladder", steps.read(), promptTokens.length),
        ...means("reply.tokens", outputTokens),
        ...means("prompt.tokens", promptTokens),
      ],
    }),
  };
}

/** What memory made of a stream: kinds, scopes, confidence, and why candidates were dropped. */
function memoryMetrics({ made, candidates }: MemoryChanges): Metric[] {
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

/** Of all that was counted, unless something else is said. */
function shares(family: string, counts: Tally, total?: number): Metric[] {
  const of = total ?? Object.values(counts).reduce((sum, count) => sum + count, 0);
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
