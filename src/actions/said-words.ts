// Pure: values in, values out.
import { foldLetters } from "../language/clean.ts";
import { LANGUAGES, type Language } from "../language/languages.ts";
import { literalPattern } from "../language/word-spans.ts";
import type { ActionName } from "../platform/config/names.ts";

/** A word, sign or character of a line, as it is compared, and as it stands there. */
export interface Token {
  /** In one form of its letters, in lower case, without accents. */
  readonly text: string;
  readonly raw: string;
  readonly at: number;
  readonly end: number;
}

/** A phrase as the texts of its tokens. */
export type Phrase = readonly string[];

/** What stands at a place of a line, and over how many tokens. */
export interface Found<T> {
  readonly value: T;
  readonly length: number;
}

const UNSPACED = "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\u30fc";
const UNSPACED_FIRST = new RegExp(`^[${UNSPACED}]`, "u");
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_]`;
/** Characters of scripts that write words together stand alone, so that a phrase is found wherever it begins. */
const TOKEN = new RegExp(
  `(?<!${LETTER})\\p{Nd}+(?:[.,:]\\p{Nd}+)+|[@＠](?:${LETTER})+|['’ʼ](?:${LETTER})*|(?:${LETTER})+|[${UNSPACED}]|[\\p{ExtPict}\\p{EMod}\\u200d\\ufe0f]+|\\S`,
  "gu",
);
const DIGITS = /^\d{1,7}$/;

export function tokensOf(line: string): Token[] {
  return [...line.matchAll(TOKEN)].map(({ 0: raw, index }) => ({
    text: foldLetters(raw),
    raw,
    at: index,
    end: index + raw.length,
  }));
}

/** Whether it is of a script that writes words together. */
export function isUnspaced(text: string): boolean {
  return UNSPACED_FIRST.test(text);
}

/** What ends or parts a sentence and means nothing else. */
export function isStop(text: string): boolean {
  return /^[.!,;…。！，、~]$/u.test(text);
}

export function phraseOf(words: string): Phrase {
  return tokensOf(words).map(({ text }) => text);
}

const keyOf = (phrase: Phrase): string => phrase.join(" ");
/** All phrases of one kind, of all languages. */
const phrases = (pick: (one: Language) => readonly string[]) =>
  LANGUAGES.flatMap(pick).map(phraseOf);
/** A word that is yes in one language and no in another is neither. */
const without = (some: readonly Phrase[], others: readonly Phrase[]) => {
  const not = new Set(others.map(keyOf));
  return some.filter((phrase) => !not.has(keyOf(phrase)));
};
const yeses = phrases(({ yes }) => yes);
const noes = phrases(({ no }) => no);
export const YES = without(yeses, noes);
export const NO = without(noes, yeses);
export const COURTESY = phrases(({ courtesy }) => courtesy);
export const POINTING = phrases(({ pointing }) => pointing);
const CONJUNCTIONS = phrases(({ conjunctions }) => conjunctions);

/** The phrases that name each action; one that ends in `@` needs a name with an @ behind it. */
export function actionPhrases(
  own: Readonly<Partial<Record<ActionName, readonly string[] | undefined>>>,
) {
  const all = [...LANGUAGES.map(({ actions }) => actions), own].flatMap(Object.entries);
  return all.flatMap(([name, written]: [string, readonly string[] | undefined]) =>
    (written ?? []).map((words) => {
      const phrase = phraseOf(words);
      const needsAt = phrase.at(-1) === "@";
      return { name: name as ActionName, phrase: needsAt ? phrase.slice(0, -1) : phrase, needsAt };
    }),
  );
}

/** Phrases, and what each of them means. */
type Lexicon<T> = readonly { readonly phrase: Phrase; readonly value: T }[];

const lexicon = <T>(pick: (one: Language) => readonly (readonly [string, T])[]): Lexicon<T> =>
  LANGUAGES.flatMap(pick).map(([words, value]) => ({ phrase: phraseOf(words), value }));
const UNITS = lexicon(({ units: { second, minute, hour } }) =>
  [second, minute, hour].flatMap((words, at) => words.map((word) => [word, 60 ** at] as const)),
);
const LENGTHS = lexicon(({ lengths }) => Object.entries(lengths));
/** `system`: its language, or digits. Only within one are tens and ones added up. */
const NUMBERS: Lexicon<Count> = lexicon(({ numbers, code: system }) =>
  Object.entries(numbers).map(([word, count]) => [word, { count, system }] as const),
);

interface Count {
  readonly count: number;
  readonly system: string;
}

/** Single words that mean something in an order: somebody called like one is named with an @. */
export const MEANINGFUL: ReadonlySet<string> = new Set(
  [
    ...[...COURTESY, ...POINTING, ...phrases(({ crowds }) => crowds)],
    ...[...UNITS, ...NUMBERS, ...LENGTHS, ...actionPhrases({})].map(({ phrase }) => phrase),
  ].flatMap((phrase) => (phrase.length === 1 ? phrase : [])),
);

/** Whether a phrase stands at a place. */
export function standsAt(tokens: readonly Token[], at: number, phrase: Phrase): boolean {
  return phrase.every((word, offset) => tokens[at + offset]?.text === word);
}

/** How many tokens each of these phrases takes that stand at a place. */
export function lengthsOf(
  some: readonly Phrase[],
  tokens: readonly Token[],
  at: number,
): readonly number[] {
  return some.filter((phrase) => standsAt(tokens, at, phrase)).map(({ length }) => length);
}

/** What stands at a place, the longest first. */
function foundAt<T>(lexicon: Lexicon<T>, tokens: readonly Token[], at: number): Found<T>[] {
  return lexicon
    .filter(({ phrase }) => standsAt(tokens, at, phrase))
    .map(({ phrase: { length }, value }) => ({ value, length }))
    .toSorted((one, other) => other.length - one.length);
}

/** No honest line needs a hundredth of it. */
const STEPS_MAX = 20_000;

/**
 * Every way to read all of a line piece by piece: `piecesAt` says which pieces may stand at a place, and what is known
 * once each is read. None where there are too many ways.
 */
export function readings<T>(
  tokens: readonly Token[],
  start: T,
  piecesAt: (at: number, known: T) => readonly Found<T>[],
): T[] {
  const all: T[] = [];
  let steps = 0;
  const walk = (at: number, known: T): void => {
    steps += 1;
    if (steps > STEPS_MAX) return;
    if (at >= tokens.length) all.push(known);
    else for (const { value, length } of piecesAt(at, known)) walk(at + length, value);
  };
  walk(0, start);
  return steps > STEPS_MAX ? [] : all;
}

/** Whether these phrases alone make up a line. */
export function isMadeOf(tokens: readonly Token[], some: readonly Phrase[]): boolean {
  const ways = readings(tokens, null, (at) =>
    lengthsOf(some, tokens, at).map((length) => ({ value: null, length })),
  );
  return ways.length > 0;
}

/** Every length of time that may be read at a place, in seconds: `5 minutes`, `5m30s`, `60`. */
export function lengthsAt(tokens: readonly Token[], at: number): Found<number>[] {
  const text = tokens[at]?.text ?? "";
  const bare = DIGITS.test(text) ? [{ value: Number(text), length: 1 }] : [];
  const counted = countedAt(tokens, at);
  return counted === null ? bare : [...bare, counted];
}

/** A length with its unit; what follows it, also behind an "and", is added up. */
function countedAt(tokens: readonly Token[], at: number): Found<number> | null {
  const first = foundAt(LENGTHS, tokens, at)[0] ?? compoundAt(tokens, at) ?? pairAt(tokens, at);
  if (first === null) return null;
  for (const next of behindJoint(tokens, at + first.length)) {
    const rest = countedAt(tokens, next);
    if (rest !== null && rest.value < first.value)
      return { value: first.value + rest.value, length: next - at + rest.length };
  }
  return first;
}

/** Where what belongs to something may go on: at once, or behind a hyphen or an "and". */
function behindJoint(tokens: readonly Token[], at: number): readonly number[] {
  return [0, ...lengthsOf([["-"], ...CONJUNCTIONS], tokens, at)].map((length) => at + length);
}

/** "5m30s", which is one token. */
function compoundAt(tokens: readonly Token[], at: number): Found<number> | null {
  const text = tokens[at]?.text ?? "";
  if (!/^(?:\d{1,7}\p{L}+)+$/u.test(text)) return null;
  const parts = tokensOf(text.replace(/(?<=\d)(?=\p{L})|(?<=\p{L})(?=\d)/gu, " "));
  const whole = countedAt(parts, 0);
  return whole?.length === parts.length ? { value: whole.value, length: 1 } : null;
}

/** A number and a unit: "5 minutes", "five-minute", "treinta y cinco segundos". */
function pairAt(tokens: readonly Token[], at: number): Found<number> | null {
  const sums = numbersAt(tokens, at).flatMap(({ value: { count, system }, length }) => {
    const isTens = count % 10 === 0 && count <= 90 && system !== "";
    const ones = (isTens ? behindJoint(tokens, at + length) : []).flatMap((next) =>
      numbersAt(tokens, next)
        .filter(({ value: one }) => one.count < 10 && one.system === system)
        .map(({ value: one, length: more }) => ({ count: count + one.count, to: next + more })),
    );
    return [{ count, to: at + length }, ...ones];
  });
  const [longest] = sums.toSorted((one, other) => other.to - one.to);
  if (longest === undefined) return null;
  const hyphen = tokens[longest.to]?.text === "-" ? 1 : 0;
  const [unit] = foundAt(UNITS, tokens, longest.to + hyphen);
  if (unit === undefined) return null;
  return { value: longest.count * unit.value, length: longest.to + hyphen + unit.length - at };
}

/** Numbers in digits (no system) or in words. */
function numbersAt(tokens: readonly Token[], at: number): readonly Found<Count>[] {
  const text = tokens[at]?.text ?? "";
  const written = { value: { count: Number(text), system: "" }, length: 1 };
  return DIGITS.test(text) ? [written] : foundAt(NUMBERS, tokens, at);
}

/**
 * The one length that free words speak of, in seconds; null where they speak of none, of several, or in a way that is not
 * certain, such as behind another number. A bare number counts only at the end.
 */
export function saidLength(lines: readonly string[]): number | null {
  const tokens = lines.flatMap(tokensOf).filter(({ text }) => !isStop(text));
  const [first, ...others] = countedFrom(tokens, 0);
  if (first !== undefined) return others.length === 0 ? first : null;
  const bare = tokens.findIndex(({ text }) => /\d/.test(text));
  const text = tokens[bare]?.text ?? "";
  return DIGITS.test(text) && isMadeOf(tokens.slice(bare + 1), COURTESY) ? Number(text) : null;
}

/** Each length with its unit from a place on; null for one that is not certain. */
function countedFrom(tokens: readonly Token[], at: number): readonly (number | null)[] {
  if (at >= tokens.length) return [];
  const found = countedAt(tokens, at);
  const rest = countedFrom(tokens, at + (found?.length ?? 1));
  // "A second" asks to wait.
  const isWait = found?.value === 1 && !DIGITS.test(tokens[at]?.text ?? "");
  if (found === null || isWait) return rest;
  return [isBehindNumber(tokens, at) ? null : found.value, ...rest];
}

/** Then it is the end of a number that is not read as a whole: "three hundred seconds", unlike "a five-minute break". */
function isBehindNumber(tokens: readonly Token[], at: number): boolean {
  const systems = numbersAt(tokens, at).map(({ value }) => value.system);
  return [1, 2].some((back) =>
    numbersAt(tokens, at - back).some(
      ({ length, value: { count, system } }) =>
        length === back && (count > 1 || system === "") && systems.includes(system),
    ),
  );
}

/** Between words: not both of its sides are letters of one. */
const EDGE = `(?:(?<!${LETTER})|(?!${LETTER}))`;

/** Where lines hold a text, but for its case, spaces and last full stop: as it stands there; null where none does. */
export function wordForWord(text: string, lines: readonly string[]): string | null {
  const plain = (one: string) => one.replace(/[’ʼ]/gu, "'");
  const [, body = "", stop = ""] = /^\s*(.*?)\s*([.!,;…。！，、~]?)\s*$/su.exec(plain(text)) ?? [];
  const wanted = `${EDGE}${literalPattern(body)}${EDGE}(?:${literalPattern(stop)})?`;
  const found = lines.map((line) => [line, new RegExp(wanted, "iu").exec(plain(line))] as const);
  const [line = "", first] = found.find(([, one]) => one !== null) ?? [];
  return first == null || body === ""
    ? null
    : line.slice(first.index, first.index + first[0].length);
}
