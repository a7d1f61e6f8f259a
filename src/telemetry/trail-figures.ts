// Pure: values in, values out.
/** What a report reads of a reply's trail: the same in every version of it. */
export interface TrailFigures {
  readonly rulesVersion: string;
  readonly messageKind: string;
  readonly pace: string;
  readonly estimatedTokens: number;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  readonly sections: Readonly<Record<string, number>>;
  readonly prefix: {
    readonly version: number;
    readonly hash: string;
    readonly tokens: number;
    readonly fresh: boolean;
  };
  readonly ladder: readonly LadderStep[];
  readonly notes: { readonly kept: readonly number[]; readonly dropped: readonly number[] };
  readonly episodes: { readonly kept: readonly number[] };
  readonly model: string | null;
  readonly overBudget: boolean;
  readonly guard: { readonly removed: readonly string[]; readonly rule: string | null };
  readonly actions: readonly { readonly decision: string; readonly reason: string }[];
}

interface LadderStep {
  readonly section: string;
  readonly from: number;
  readonly to: number;
  readonly savedTokens: number;
}

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
    return isFigures(found) ? found : null;
  } catch {
    return null;
  }
}

/** By hand: a report asks this ten thousand times, and a schema takes five times as long. */
function isFigures(it: unknown): it is TrailFigures {
  return (
    isObject(it) &&
    [it["rulesVersion"], it["messageKind"], it["pace"]].every(isText) &&
    isWhole(it["estimatedTokens"]) &&
    [it["promptTokens"], it["outputTokens"]].every(isWholeOrNull) &&
    isObject(it["sections"]) &&
    Object.values(it["sections"]).every(isWhole) &&
    isPrefix(it["prefix"]) &&
    isListOf(it["ladder"], isStep) &&
    isObject(it["notes"]) &&
    isListOf(it["notes"]["kept"], isWhole) &&
    isListOf(it["notes"]["dropped"], isWhole) &&
    isObject(it["episodes"]) &&
    isListOf(it["episodes"]["kept"], isWhole) &&
    isTextOrNull(it["model"]) &&
    typeof it["overBudget"] === "boolean" &&
    isObject(it["guard"]) &&
    isListOf(it["guard"]["removed"], isText) &&
    isTextOrNull(it["guard"]["rule"]) &&
    isListOf(it["actions"], isAction)
  );
}

function isPrefix(it: unknown): boolean {
  return (
    isObject(it) &&
    isWhole(it["version"]) &&
    isText(it["hash"]) &&
    isWhole(it["tokens"]) &&
    typeof it["fresh"] === "boolean"
  );
}

function isStep(it: unknown): boolean {
  return (
    isObject(it) &&
    isText(it["section"]) &&
    [it["from"], it["to"], it["savedTokens"]].every(isWhole)
  );
}

function isAction(it: unknown): boolean {
  return isObject(it) && isText(it["decision"]) && isText(it["reason"]);
}

function isListOf(it: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(it) && it.every((one) => isOne(one));
}

function isObject(it: unknown): it is Readonly<Record<string, unknown>> {
  return typeof it === "object" && it !== null && !Array.isArray(it);
}

function isText(it: unknown): boolean {
  return typeof it === "string";
}

function isTextOrNull(it: unknown): boolean {
  return it === null || isText(it);
}

function isWhole(it: unknown): boolean {
  return Number.isSafeInteger(it);
}

function isWholeOrNull(it: unknown): boolean {
  return it === null || isWhole(it);
}
