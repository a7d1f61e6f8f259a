import type { Db } from "../platform/database/open-database.ts";
import { meanOf, medianOf, tallyMaker } from "./figures.ts";
import { type StreamRow, streamStore } from "./period-store.ts";
import { visitReplies } from "./replies-store.ts";
import type { Collector } from "./reply-counts.ts";
import {
  type AcceptedPolicy,
  type MemoryChanges,
  memoryReportStore,
  policiesBetween,
} from "./report-store.ts";

/** What moved in a stream against the ten before it, and what had changed by then. */
export interface Drift {
  /** Earlier streams compared with; fewer than three say nothing. */
  readonly streams: number;
  readonly moved: readonly Moved[];
  /** Policies accepted since the stream before began. */
  readonly policies: readonly AcceptedPolicy[];
  /** Models that answered, where they are not those of the stream before; null where they are. */
  readonly models: Changed;
  /** Versions of the prompt's rules, likewise. */
  readonly rules: Changed;
}

type Changed = { readonly from: readonly string[]; readonly to: readonly string[] } | null;

const STREAMS_MAX = 10;
/** Replies looked at in each stream: more would not tell more. */
const REPLIES_SAMPLED = 150;

interface Look extends Behaviour {
  readonly stream: StreamRow;
  readonly all: readonly Metric[];
}

/** Compares a stream with the last ten of its channel. */
export function* readDrift(db: Db, stream: StreamRow, nowMs: number): Generator<void, Drift> {
  const streams = streamStore(db);
  const memory = memoryReportStore(db);
  function* look(one: StreamRow): Generator<void, Look> {
    const span = {
      channels: [one.channel],
      fromMs: one.startedAtMs,
      toMs: one.endedAtMs ?? nowMs,
    };
    const seen = behaviour();
    yield* visitReplies(db, span, seen.add, REPLIES_SAMPLED);
    const found = seen.read();
    const all = [...found.metrics, ...memoryMetrics(memory.changes(span))];
    return { ...found, stream: one, all };
  }
  const earlier: Look[] = [];
  for (const one of streams.before(stream, STREAMS_MAX)) earlier.push(yield* look(one));
  const current = yield* look(stream);
  const last = earlier[0];
  return {
    streams: earlier.length,
    moved:
      earlier.length < STREAMS_MIN
        ? []
        : movedMetrics(
            current.all,
            earlier.map(({ all }) => all),
          ),
    policies:
      last === undefined
        ? []
        : policiesBetween(db, last.stream.startedAtMs, stream.endedAtMs ?? nowMs),
    models: changed(last?.models, current.models),
    rules: changed(last?.rules, current.rules),
  };
}

function changed(from: readonly string[] | undefined, to: readonly string[]): Changed {
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

interface Moved {
  readonly name: string;
  readonly unit: Metric["unit"];
  readonly from: number;
  readonly to: number;
  /** How many deviations it lies from the earlier streams' median. */
  readonly score: number;
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
 * What moved against earlier streams, the furthest first. The scale is how far those lie apart among themselves (median
 * absolute deviation) and how far a sample of this size may lie off by chance, together.
 */
export function movedMetrics(
  current: readonly Metric[],
  earlier: readonly (readonly Metric[])[],
): Moved[] {
  const names = new Set([...current, ...earlier.flat()].map(({ name }) => name));
  return [...names]
    .flatMap((name) => movedOne(name, current, earlier) ?? [])
    .sort((one, other) => Math.abs(other.score) - Math.abs(one.score));
}

function movedOne(
  name: string,
  current: readonly Metric[],
  earlier: readonly (readonly Metric[])[],
): Moved | null {
  const now = metricNamed(current, name);
  if (now === null) return null;
  const before = earlier
    .map((metrics) => metricNamed(metrics, name))
    .filter((metric) => metric !== null);
  if (before.length < STREAMS_MIN) return null;
  const from = medianOf(before.map(({ value }) => value));
  const apart = medianOf(before.map(({ value }) => Math.abs(value - from))) * MAD_SCALE;
  const score = (now.value - from) / Math.hypot(apart, chanceOf(now, from));
  const isFar = Math.abs(score) >= SCORE_MIN && isWorthAWord(now, from);
  return isFar ? { name, unit: now.unit, from, to: now.value, score } : null;
}

/** With enough samples. A name that a stream lacks is a share of nothing: of none, where its family has samples. */
function metricNamed(metrics: readonly Metric[], name: string): Metric | null {
  const found = metrics.find((metric) => metric.name === name);
  if (found !== undefined) return found.of >= SAMPLES_MIN ? found : null;
  const family = name.slice(0, name.lastIndexOf(".") + 1);
  const kin = metrics.find((metric) => metric.unit === "share" && isOfFamily(metric.name, family));
  if (kin === undefined || kin.of < SAMPLES_MIN) return null;
  return { ...kin, name, value: 0 };
}

function isOfFamily(name: string, family: string): boolean {
  return family !== "" && name.slice(0, name.lastIndexOf(".") + 1) === family;
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

/** How a bot behaved in a stream, as far as its replies tell. */
interface Behaviour {
  readonly metrics: readonly Metric[];
  readonly models: readonly string[];
  readonly rules: readonly string[];
}

/** Behaviour: how replies ended, how long they and their prompts were, which steps the ladder took. */
function behaviour(): Collector<Behaviour> {
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
