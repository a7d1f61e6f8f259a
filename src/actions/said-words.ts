// Pure: values in, values out.
import { LANGUAGES } from "../language/languages.ts";
import type { ActionName } from "../platform/config/names.ts";
import { type Person, resolveTarget } from "./resolve.ts";

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
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_]`;
/** Characters of scripts that write words together stand alone, so that a phrase is found wherever it begins. */
const TOKEN = new RegExp(
  `(?<!${LETTER})\\p{Nd}+(?:[.,:]\\p{Nd}+)+|[@＠](?:${LETTER})+|['’ʼ](?:${LETTER})*|(?:${LETTER})+|[${UNSPACED}]|[\\p{ExtPict}\\p{EMod}\\u200d\\ufe0f]+|\\S`,
  "gu",
);
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

function folded(raw: string): string {
  return raw
    .normalize("NFKD")
    .toLowerCase()
    .replace(ACCENTS, "")
    .replace(/[’ʼ]/gu, "'")
    .replace(/ı/gu, "i")
    .normalize("NFC");
}

function phraseOf(words: string): Phrase {
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
const unitsOf = (name: "second" | "minute" | "hour", seconds: number) =>
  phrases(({ units }) => units[name]).map((unit) => ({ unit, seconds }));
const UNITS = [...unitsOf("second", 1), ...unitsOf("minute", 60), ...unitsOf("hour", 3_600)];
const UNIT_SECONDS = new Map(UNITS.map(({ unit, seconds }) => [keyOf(unit), seconds]));
const NUMBERS = LANGUAGES.flatMap(({ numbers }) =>
  Object.entries(numbers).map(([word, value]) => ({ word: phraseOf(word), value })),
);

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
const MEANINGFUL = new Set(
  [
    ...COURTESY,
    ...POINTING,
    ...UNITS.map(({ unit }) => unit),
    ...NUMBERS.map(({ word }) => word),
    ...actionPhrases({}).map(({ phrase }) => phrase),
  ].flatMap((phrase) => (phrase.length === 1 ? phrase : [])),
);

/** Whether a phrase stands at a place. */
export function standsAt(tokens: readonly Token[], at: number, phrase: Phrase): boolean {
  return phrase.every((word, offset) => tokens[at + offset]?.text === word);
}

/** Every length of time that may be read at a place, in seconds: `5 minutes`, `5m30s`, `60`. */
export function lengthsAt(tokens: readonly Token[], at: number): Found<number>[] {
  const text = tokens[at]?.text ?? "";
  const bare = DIGITS.test(text) ? [{ value: Number(text), length: 1 }] : [];
  const counted = countedAt(tokens, at);
  return counted === null ? bare : [...bare, counted];
}

/** A length with its unit; pairs that follow each other are added up. */
function countedAt(tokens: readonly Token[], at: number): Found<number> | null {
  const first = compoundAt(tokens, at) ?? pairAt(tokens, at);
  const rest = first === null ? null : countedAt(tokens, at + first.length);
  if (first === null || rest === null) return first;
  return { value: first.value + rest.value, length: first.length + rest.length };
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

function pairAt(tokens: readonly Token[], at: number): Found<number> | null {
  const digits = tokens[at]?.text ?? "";
  const counts = DIGITS.test(digits)
    ? [{ value: Number(digits), length: 1 }]
    : NUMBERS.filter(({ word }) => standsAt(tokens, at, word)).map(({ word, value }) => ({
        value,
        length: word.length,
      }));
  const pairs = counts.flatMap(({ value, length }) =>
    UNITS.filter(({ unit }) => standsAt(tokens, at + length, unit)).map((found) => ({
      value: value * found.seconds,
      length: length + found.unit.length,
    })),
  );
  return pairs.toSorted((one, other) => other.length - one.length)[0] ?? null;
}

/**
 * The one length that free words speak of, in seconds; null where they speak of none, of several, or in a way that is not
 * certain. A bare number counts only at the end.
 */
export function saidLength(lines: readonly string[]): number | null {
  const tokens = lines.flatMap(tokensOf).filter(({ text }) => !isStop(text));
  const counted: number[] = [];
  const others: number[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = countedAt(tokens, at);
    if (found === null) others.push(at);
    else if (!isWait(found.value, tokens[at])) counted.push(found.value);
    at += found?.length ?? 1;
  }
  if (counted.length > 0) return counted.length === 1 ? (counted[0] ?? null) : null;
  return bareLength(
    tokens,
    others.filter((at) => /\d/.test(tokens[at]?.text ?? "")),
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
  return (
    tokens.length === 0 ||
    COURTESY.some(
      (phrase) => standsAt(tokens, 0, phrase) && isAllCourtesy(tokens.slice(phrase.length)),
    )
  );
}

/** What ends or parts a sentence and means nothing else. */
export function isStop(text: string): boolean {
  return /^[.!,;…。！，、~]$/u.test(text);
}

/** Who is named at a place, with or without an @; a bare name must be no word that an order is made of. */
export function personAt<P extends Person>(
  tokens: readonly Token[],
  at: number,
  people: readonly P[],
): (Found<P> & { readonly isMention: boolean }) | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const isMention = /^[@＠]/u.test(token.raw);
  const from = token.text === "@" ? at + 1 : at;
  const written = writtenName(tokens, from, people);
  const isWord = !isMention && MEANINGFUL.has(token.text);
  const found = isWord || written === null ? null : resolveTarget(written.value, people);
  if (found?.kind !== "found" || written === null) return null;
  return { value: found.person, length: written.length + from - at, isMention };
}

/** One word, or, in a script without spaces, the longest name that begins there. */
function writtenName(
  tokens: readonly Token[],
  at: number,
  people: readonly Person[],
): Found<string> | null {
  const token = tokens[at];
  if (token === undefined) return null;
  if (!new RegExp(`^[${UNSPACED}]`, "u").test(token.raw)) return { value: token.raw, length: 1 };
  const names = people
    .map(({ displayName }) => ({ value: displayName, phrase: phraseOf(displayName) }))
    .filter(({ phrase }) => phrase.length > 1 && standsAt(tokens, at, phrase));
  const [longest] = names.toSorted((one, other) => other.phrase.length - one.phrase.length);
  return longest === undefined ? null : { value: longest.value, length: longest.phrase.length };
}

/** The ids of all whom lines name. */
export function namedIn(lines: readonly string[], people: readonly Person[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const line of lines) {
    const tokens = tokensOf(line);
    for (let at = 0; at < tokens.length; at += 1) {
      const found = personAt(tokens, at, people);
      if (found !== null) named.add(found.value.userId);
    }
  }
  return named;
}

/** Where lines hold a text word for word: as it stands there; null where none does. */
export function wordForWord(text: string, lines: readonly string[]): string | null {
  const wanted = text.trim().replace(/\s+/gu, " ");
  if (wanted === "") return null;
  for (const line of lines) {
    const isAligned = line.toLowerCase().length === line.length;
    const at = isAligned ? line.toLowerCase().indexOf(wanted.toLowerCase()) : line.indexOf(wanted);
    const end = at + wanted.length;
    if (at >= 0 && !isInWord(line, at) && !isInWord(line, end)) return line.slice(at, end);
  }
  return null;
}

function isInWord(line: string, at: number): boolean {
  return new RegExp(`^${LETTER}${LETTER}$`, "u").test(line.slice(Math.max(0, at - 1), at + 1));
}
