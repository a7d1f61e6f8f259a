// Pure: values in, values out.
import { foldLetters } from "../../language/clean.ts";
import { normalWords } from "../../language/words.ts";
import { factKey } from "../../memory/fact-key.ts";
import type { replayedNotes } from "../../memory/note-lists-store.ts";
import type { Trail } from "../../reply/trail.ts";
import { meanOf } from "../../telemetry/figures.ts";
import { type Random, randomFrom } from "../rehearsal/random.ts";
import type { ScenarioFact } from "./scenario.ts";

/** Something that the bot said. */
export interface BotLine {
  readonly text: string;
  readonly atMs: number;
}

type AuditedNote = ReturnType<ReturnType<typeof replayedNotes>["active"]["all"]>[number];

const ECHO_WORDS = 4;

/**
 * Counts what is wrong with the active notes, held against one another, their evidence, and what the bot said. `human`:
 * what people wrote.
 */
export function audit(
  notes: readonly AuditedNote[],
  bot: readonly BotLine[],
  human: readonly string[],
) {
  // Chat repeats itself.
  const said = new Set([...new Set(human)].flatMap(runsOf));
  const spoken = bot.map(({ text, atMs }) => ({ atMs, runs: runsOf(text) }));
  const keys = notes.map(({ subjectId, fact }) => JSON.stringify([subjectId, factKey(fact)]));
  const isEcho = ({ fact, createdAtMs }: AuditedNote): boolean => {
    const runs = new Set(runsOf(fact).filter((run) => !said.has(run)));
    return spoken.some(
      ({ atMs, runs: own }) => atMs < createdAtMs && own.some((run) => runs.has(run)),
    );
  };
  return {
    activeNotes: notes.length,
    /** Of a subject beyond the first with an equal key. */
    duplicates: notes.length - new Set(keys).size,
    /** Those that nothing supports. */
    orphans: notes.filter(({ evidence }) => evidence === 0).length,
    /** Those that repeat what the bot had said before, and no person. */
    echoes: notes.filter(isEcho).length,
  };
}

/** Every four telling words in a row. */
function runsOf(text: string): string[] {
  const words = normalWords(text);
  return words.slice(ECHO_WORDS - 1).map((_, at) => words.slice(at, at + ECHO_WORDS).join(" "));
}

type Seen = Pick<Trail, "sections" | "prefix" | "ladder" | "overBudget">;

/** What the prompts of a replay looked like. */
export type PromptMeasures = ReturnType<typeof promptMeasures>;

/** Measures prompts by their trails, in their order. */
export function promptMeasures(trails: readonly Seen[]) {
  const sizes = trails.map(({ sections }) =>
    Object.values(sections).reduce((sum, tokens) => sum + tokens, 0),
  );
  const changes = trails.filter(
    ({ prefix }, at) => at > 0 && prefix.hash !== trails[at - 1]?.prefix.hash,
  ).length;
  const names = new Set(
    trails.flatMap(({ sections, ladder }) => [
      ...Object.keys(sections),
      ...ladder.map(({ section }) => section),
    ]),
  );
  const share = (matches: (trail: Seen) => boolean) =>
    trails.filter(matches).length / Math.max(1, trails.length);
  const sections = [...names].sort().map((name) => {
    const present = share((trail) => (trail.sections[name] ?? 0) > 0);
    const cut = share(({ ladder }) => ladder.some(({ section }) => section === name));
    return [name, { present, cut }] as const;
  });
  return {
    prompts: trails.length,
    /** Estimated tokens, before correction. */
    tokensMean: meanOf(sizes),
    tokensMax: Math.max(0, ...sizes),
    /** By how many tokens a prompt grows from the first to the last, along the line that fits best. */
    growthTokens: slopeOf(sizes) * Math.max(0, sizes.length - 1),
    /** Share of the tokens that stood in the prefix. */
    prefixShare: meanOf(
      trails.map(({ prefix }, at) => prefix.tokens / Math.max(1, sizes[at] ?? 1)),
    ),
    /** Prompts for each change of the prefix. */
    callsPerPrefixChange: trails.length / Math.max(1, changes),
    overBudget: trails.filter(({ overBudget }) => overBudget).length,
    /** Of each section: in what share of prompts it stood at all, and in what share the ladder cut it. */
    sections: Object.fromEntries(sections),
  };
}

/** Least squares over the places 0, 1, 2 …; 0 where there are fewer than two. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = meanOf(values);
  let above = 0;
  let below = 0;
  values.forEach((value, at) => {
    above += (at - middle) * (value - mean);
    below += (at - middle) ** 2;
  });
  return below === 0 ? 0 : above / below;
}

/** Says whether a sentence holds a fact. */
export type Recognise = (sentence: string) => boolean;

/** Of the words of a fact that names none by which it is known, so many have to be there. */
const WORDS_SHARE = 0.6;

/**
 * By what a fact is recognised in a claim, a note or a summary, without a model as judge: a word of each of its
 * groups and none of those that must not be there, in any case; where it names none, most of its own words.
 */
export function recogniser(
  { fact, words, without }: ScenarioFact,
  wordsOf: WordsOf = wordsReadOnce(),
): Recognise {
  if (words === undefined || words.length === 0) return byOwnWords(fact, wordsOf);
  const groups = words.map((group) => group.map(foldLetters));
  const forbidden = without.map(foldLetters);
  return (sentence) => {
    const folded = foldLetters(sentence);
    const has = (word: string): boolean => folded.includes(word);
    return groups.every((group) => group.some(has)) && !forbidden.some(has);
  };
}

type WordsOf = (sentence: string) => ReadonlySet<string>;

/** Reads the words of a sentence once, however many facts are looked for in it. */
export function wordsReadOnce(): WordsOf {
  const known = new Map<string, ReadonlySet<string>>();
  return (sentence) => {
    const found = known.get(sentence) ?? new Set(normalWords(sentence));
    known.set(sentence, found);
    return found;
  };
}

function byOwnWords(fact: string, wordsOf: WordsOf): Recognise {
  const own = [...wordsOf(fact)];
  const needed = Math.ceil(own.length * WORDS_SHARE);
  return (sentence) => {
    const there = wordsOf(sentence);
    return own.length > 0 && own.filter((word) => there.has(word)).length >= needed;
  };
}

const SAMPLES = 2_000;
const SEED = "paired";
const TAIL = 0.025;

/** How much better one strategy is than another, over the same questions. */
export type Difference = ReturnType<typeof compare>;

/**
 * Compares two strategies question by question. `a[i]` and `b[i]` are the shares of what question i needed that each
 * showed, 0 to 1. Bootstrap by percentiles, 2,000 samples with a fixed seed (Efron and Tibshirani, 1993, chapter 13).
 */
export function compare(a: readonly number[], b: readonly number[]) {
  const differences = a.map((share, at) => share - (b[at] ?? 0));
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  const means = resampled(differences, randomFrom(SEED)).sort((x, y) => x - y);
  return {
    /** Mean of the differences, in shares: 0.1 is ten in a hundred. */
    mean: meanOf(differences),
    /** 95 % interval of that mean, by paired bootstrap. */
    low: means[Math.floor(SAMPLES * TAIL)] ?? 0,
    high: means[Math.ceil(SAMPLES * (1 - TAIL)) - 1] ?? 0,
    /** Questions that went better, and worse. */
    better,
    worse,
    /** Chance of so uneven a split, or a more uneven one, were both equally good: two-sided exact sign test. */
    p: signTest(better, worse),
  };
}

function resampled(values: readonly number[], random: Random): number[] {
  if (values.length === 0) return [];
  return Array.from({ length: SAMPLES }, () => {
    let sum = 0;
    for (let at = 0; at < values.length; at += 1)
      sum += values[random.int(0, values.length - 1)] ?? 0;
    return sum / values.length;
  });
}

/** Binomial with p = 1/2, ties left out. In logarithms: factorials of hundreds are too large. */
function signTest(better: number, worse: number): number {
  const n = better + worse;
  if (n === 0) return 1;
  const least = Math.min(better, worse);
  let logTerm = -n * Math.LN2;
  let sum = 0;
  for (let k = 0; k <= least; k += 1) {
    sum += Math.exp(logTerm);
    logTerm += Math.log(n - k) - Math.log(k + 1);
  }
  return Math.min(1, 2 * sum);
}
