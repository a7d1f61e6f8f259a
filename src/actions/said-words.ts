// Pure: values in, values out.
import { LANGUAGES } from "../language/languages.ts";
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
/** Most of chat: nothing in it has another form. */
const ASCII = /^[\x20-\x7e]*$/;
const ACCENTS = /[\u0300-\u036f\ufe0f]|\p{EMod}/gu;
const COMPOUND = /^(?:\d{1,7}\p{L}+)+$/u;
const DIGITS = /^\d{1,7}$/;

export function tokensOf(line: string): Token[] {
  return [...line.matchAll(TOKEN)].map(({ 0: raw, index }) => ({
    text: folded(raw),
    raw,
    at: index,
    end: index + raw.length,
  }));
}

/** One form of the letters, in lower case, without accents. */
export function folded(raw: string): string {
  if (ASCII.test(raw)) return raw.toLowerCase();
  return raw
    .normalize("NFKD")
    .toLowerCase()
    .replace(ACCENTS, "")
    .replace(/[’ʼ]/gu, "'")
    .replace(/ı/gu, "i")
    .replace(/\p{Nd}/gu, digitOf)
    .normalize("NFC");
}

/** In Unicode the ten digits of a script stand in a row, zero first. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const row = Array.from({ length: 10 }, (_, back) => String.fromCodePoint(code - back - 1));
  return String(row.findIndex((one) => !/\p{Nd}/u.test(one)));
}

export function phraseOf(words: string): Phrase {
  return tokensOf(words).map(({ text }) => text);
}

/** All words of all languages that an order, a yes or a no is made of. */
const phrases = (pick: (one: (typeof LANGUAGES)[number]) => readonly string[]) =>
  LANGUAGES.flatMap(pick).map(phraseOf);
const keyOf = (phrase: Phrase): string => phrase.join(" ");

export const COURTESY = phrases(({ courtesy }) => courtesy);
export const POINTING = phrases(({ pointing }) => pointing);
const yeses = phrases(({ yes }) => yes);
const noes = phrases(({ no }) => no);
export const YES = withoutEach(yeses, noes);
export const NO = withoutEach(noes, yeses);
const timed = (pick: (one: (typeof LANGUAGES)[number]) => Readonly<Record<string, number>>) =>
  LANGUAGES.flatMap((one) =>
    Object.entries(pick(one)).map(([written, value]) => ({
      phrase: phraseOf(written),
      value,
      language: one.code,
    })),
  );
const unitsOf = (name: "second" | "minute" | "hour", seconds: number) =>
  phrases(({ units }) => units[name]).map((phrase) => ({ phrase, value: seconds }));
const UNITS = [...unitsOf("second", 1), ...unitsOf("minute", 60), ...unitsOf("hour", 3_600)];
const UNIT_SECONDS = new Map(UNITS.map(({ phrase, value }) => [keyOf(phrase), value]));
const NUMBERS = timed(({ numbers }) => numbers);
const LENGTHS = timed(({ lengths }) => lengths);
const JOINTS = [["-"], ...phrases(({ conjunctions }) => conjunctions)];

/** The phrases that name each action; one that ends in `@` needs a name with an @ behind it. */
export function actionPhrases(
  own: Readonly<Partial<Record<ActionName, readonly string[] | undefined>>>,
): { readonly name: ActionName; readonly phrase: Phrase; readonly needsAt: boolean }[] {
  const all = [
    ...LANGUAGES.flatMap(({ actions }) => Object.entries(actions)),
    ...Object.entries(own),
  ];
  return all.flatMap(([name, written]) =>
    (written ?? []).map((words) => {
      const phrase = phraseOf(words);
      const needsAt = phrase.at(-1) === "@";
      return { name: name as ActionName, phrase: needsAt ? phrase.slice(0, -1) : phrase, needsAt };
    }),
  );
}

/** A word that is yes in one language and no in another is neither. */
function withoutEach(some: readonly Phrase[], others: readonly Phrase[]): readonly Phrase[] {
  const not = new Set(others.map(keyOf));
  return some.filter((phrase) => !not.has(keyOf(phrase)));
}

/** Single words that mean something in an order: somebody called like one is named with an @. */
export const MEANINGFUL: ReadonlySet<string> = new Set(
  [
    ...COURTESY,
    ...POINTING,
    ...phrases(({ crowds }) => crowds),
    ...[...UNITS, ...NUMBERS, ...LENGTHS].map(({ phrase }) => phrase),
    ...actionPhrases({}).map(({ phrase }) => phrase),
  ].flatMap((phrase) => (phrase.length === 1 ? phrase : [])),
);

/** Whether it is of a script that writes words together. */
export function isUnspaced(text: string): boolean {
  return UNSPACED_FIRST.test(text);
}

/** Whether a phrase stands at a place. */
export function standsAt(tokens: readonly Token[], at: number, phrase: Phrase): boolean {
  return phrase.every((word, offset) => tokens[at + offset]?.text === word);
}

/** How many tokens each of these phrases takes that stand at a place. */
export function lengthsOf(
  phrases: readonly Phrase[],
  tokens: readonly Token[],
  at: number,
): number[] {
  return phrases.filter((phrase) => standsAt(tokens, at, phrase)).map(({ length }) => length);
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

/** Every length of time that may be read at a place, in seconds: `5 minutes`, `5m30s`, `60`. */
export function lengthsAt(tokens: readonly Token[], at: number): Found<number>[] {
  const text = tokens[at]?.text ?? "";
  const bare = DIGITS.test(text) ? [{ value: Number(text), length: 1 }] : [];
  const counted = countedAt(tokens, at);
  return counted === null ? bare : [...bare, counted];
}

/** A length with its unit; what follows it, also behind an "and", is added up. */
function countedAt(tokens: readonly Token[], at: number): Found<number> | null {
  const first = longestAt(LENGTHS, tokens, at) ?? compoundAt(tokens, at) ?? pairAt(tokens, at);
  if (first === null) return null;
  const next = at + first.length;
  for (const gap of [0, ...lengthsOf(JOINTS, tokens, next)]) {
    const rest = countedAt(tokens, next + gap);
    if (rest !== null && rest.value < first.value)
      return { value: first.value + rest.value, length: first.length + gap + rest.length };
  }
  return first;
}

function compoundAt(tokens: readonly Token[], at: number): Found<number> | null {
  const text = tokens[at]?.text ?? "";
  if (!COMPOUND.test(text)) return null;
  const parts = [...text.matchAll(/(\d+)(\p{L}+)/gu)].map(
    ([, count, unit]) => Number(count) * (UNIT_SECONDS.get(unit ?? "") ?? Number.NaN),
  );
  const value = parts.reduce((sum, part) => sum + part, 0);
  return Number.isNaN(value) ? null : { value, length: 1 };
}

/** A number and a unit: "5 minutes", "five-minute". */
function pairAt(tokens: readonly Token[], at: number): Found<number> | null {
  const count = numberAt(tokens, at);
  if (count === null) return null;
  const hyphen = tokens[at + count.length]?.text === "-" ? 1 : 0;
  const unit = longestAt(UNITS, tokens, at + count.length + hyphen);
  if (unit === null) return null;
  return { value: count.value * unit.value, length: count.length + hyphen + unit.length };
}

/** In digits or in words; tens and ones of one language are added up: "forty-five", "treinta y cinco". */
function numberAt(tokens: readonly Token[], at: number): Found<number> | null {
  const digits = tokens[at]?.text ?? "";
  if (DIGITS.test(digits)) return { value: Number(digits), length: 1 };
  const sums = wordNumbersAt(tokens, at).flatMap((tens) => {
    if (tens.value % 10 !== 0 || tens.value > 90) return [tens];
    const next = at + tens.length;
    const ones = [0, ...lengthsOf(JOINTS, tokens, next)].flatMap((gap) =>
      wordNumbersAt(tokens, next + gap)
        .filter(({ value, language }) => value < 10 && language === tens.language)
        .map(({ value, length }) => ({
          value: tens.value + value,
          length: tens.length + gap + length,
        })),
    );
    return [tens, ...ones];
  });
  return longest(sums);
}

function wordNumbersAt(tokens: readonly Token[], at: number) {
  return NUMBERS.filter(({ phrase }) => standsAt(tokens, at, phrase)).map(
    ({ phrase: { length }, value, language }) => ({ length, value, language }),
  );
}

function longestAt(
  some: readonly { readonly phrase: Phrase; readonly value: number }[],
  tokens: readonly Token[],
  at: number,
): Found<number> | null {
  const found = some.filter(({ phrase }) => standsAt(tokens, at, phrase));
  return longest(found.map(({ phrase: { length }, value }) => ({ value, length })));
}

function longest<T>(found: readonly Found<T>[]): Found<T> | null {
  return found.toSorted((one, other) => other.length - one.length)[0] ?? null;
}

/**
 * The one length that free words speak of, in seconds; null where they speak of none, of several, or in a way that is not
 * certain, such as behind another number. A bare number counts only at the end.
 */
export function saidLength(lines: readonly string[]): number | null {
  const tokens = lines.flatMap(tokensOf).filter(({ text }) => !isStop(text));
  const [counted, ...others] = countedIn(tokens, 0);
  if (counted !== undefined) return others.length === 0 ? counted : null;
  return bareLength(
    tokens,
    [...tokens.keys()].filter((at) => /\d/.test(tokens[at]?.text ?? "")),
  );
}

/** Each length with its unit from a place on; null for one that is not certain. */
function countedIn(tokens: readonly Token[], at: number): (number | null)[] {
  if (at >= tokens.length) return [];
  const found = countedAt(tokens, at);
  const rest = countedIn(tokens, at + (found?.length ?? 1));
  if (found === null || isWait(found.value, tokens[at])) return rest;
  return [isBehindNumber(tokens, at) ? null : found.value, ...rest];
}

/** Then it is the end of a number that is not read as a whole: "three hundred seconds", unlike "a five-minute break". */
function isBehindNumber(tokens: readonly Token[], at: number): boolean {
  if (DIGITS.test(tokens[at]?.text ?? "")) return DIGITS.test(tokens[at - 1]?.text ?? "");
  const here = wordNumbersAt(tokens, at);
  return [1, 2].some((back) =>
    wordNumbersAt(tokens, at - back).some(
      ({ length, language, value }) =>
        length === back && value > 1 && here.some((one) => one.language === language),
    ),
  );
}

/** "A second" asks to wait. */
function isWait(seconds: number, token: Token | undefined): boolean {
  return seconds === 1 && !DIGITS.test(token?.text ?? "");
}

/** The only number of a line, where nothing but courtesy follows it. */
function bareLength(tokens: readonly Token[], numbers: readonly number[]): number | null {
  const [only, ...more] = numbers;
  const text = only === undefined ? "" : (tokens[only]?.text ?? "");
  if (only === undefined || more.length > 0 || !DIGITS.test(text)) return null;
  return isAllCourtesy(tokens.slice(only + 1)) ? Number(text) : null;
}

function isAllCourtesy(tokens: readonly Token[]): boolean {
  const ways = readings(tokens, true, (at) =>
    lengthsOf(COURTESY, tokens, at).map((length) => ({ value: true, length })),
  );
  return ways.length > 0;
}

/** What ends or parts a sentence and means nothing else. */
export function isStop(text: string): boolean {
  return /^[.!,;…。！，、~]$/u.test(text);
}

/** Where lines hold a text, but for its case, spaces and last full stop: as it stands there; null where none does. */
export function wordForWord(text: string, lines: readonly string[]): string | null {
  const wanted = phraseOf(text);
  const isStopped = isStop(wanted.at(-1) ?? "");
  for (const phrase of isStopped ? [wanted, wanted.slice(0, -1)] : [wanted]) {
    const found = phrase.length === 0 ? undefined : lines.map((line) => heldBy(line, phrase));
    const first = found?.find((one) => one !== null);
    if (first !== undefined) return first;
  }
  return null;
}

function heldBy(line: string, phrase: Phrase): string | null {
  const tokens = tokensOf(line);
  const at = tokens.findIndex((_, start) => standsAt(tokens, start, phrase));
  const [first, last] = [tokens[at], tokens[at + phrase.length - 1]];
  return first === undefined || last === undefined ? null : line.slice(first.at, last.end);
}
