// Pure: values in, values out.
import { isJsonObject } from "../platform/config/json-tree.ts";

type Check<T> = (it: unknown) => it is T;
type Shape = Readonly<Record<string, Check<unknown>>>;
type Shaped<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Check<infer T> ? T : never;
};

const text = (it: unknown): it is string => typeof it === "string";
const whole = (it: unknown): it is number => Number.isSafeInteger(it);
const truth = (it: unknown): it is boolean => typeof it === "boolean";
const orNull =
  <T>(is: Check<T>) =>
  (it: unknown): it is T | null =>
    it === null || is(it);
const listOf =
  <T>(is: Check<T>) =>
  (it: unknown): it is readonly T[] =>
    Array.isArray(it) && it.every(is);
const counts = (it: unknown): it is Readonly<Record<string, number>> =>
  isJsonObject(it) && Object.values(it).every(whole);
/** A report asks this ten thousand times, and a schema takes five times as long. */
function shaped<S extends Shape>(shape: S) {
  const checks = Object.entries(shape);
  return (it: unknown): it is Shaped<S> =>
    isJsonObject(it) && checks.every(([key, is]) => is(it[key]));
}

/** What a report reads of a reply's trail: the same in every version of it. */
const FIGURES = shaped({
  rulesVersion: text,
  messageKind: text,
  pace: text,
  estimatedTokens: whole,
  promptTokens: orNull(whole),
  outputTokens: orNull(whole),
  sections: counts,
  prefix: shaped({ version: whole, hash: text, tokens: whole, fresh: truth }),
  ladder: listOf(shaped({ section: text, from: whole, to: whole, savedTokens: whole })),
  notes: shaped({ kept: listOf(whole), dropped: listOf(whole) }),
  episodes: shaped({ kept: listOf(whole) }),
  model: orNull(text),
  overBudget: truth,
  guard: shaped({ removed: listOf(text), rule: orNull(text) }),
  actions: listOf(shaped({ decision: text, reason: text })),
});
export type TrailFigures = typeof FIGURES extends Check<infer T> ? T : never;

/**
 * Most of a trail's bytes, and of no use here: the ids in each section, and the scores of all candidates. They are cut
 * out before anything is parsed, between marks as `reply/trail.ts` writes them.
 */
const CUTS = [
  ['"ids":{', '"notes":{'],
  ['"candidates":[', '"kept":['],
] as const;

/** The figures of a stored trail; null where there is none that can be read. Never throws. */
export function trailFigures(json: string | null): TrailFigures | null {
  if (json === null) return null;
  // What was written in another order may have lost too much: then all of it is read.
  return parsed(CUTS.reduce(without, json)) ?? parsed(json);
}

function without(json: string, [from, to]: (typeof CUTS)[number]): string {
  const start = json.indexOf(from);
  const end = start === -1 ? -1 : json.indexOf(to, start);
  return end === -1 ? json : json.slice(0, start) + json.slice(end);
}

function parsed(json: string): TrailFigures | null {
  try {
    const found: unknown = JSON.parse(json);
    return FIGURES(found) ? found : null;
  } catch {
    return null;
  }
}
