// Pure: values in, values out.
import { foldForms, foldLetters } from "./clean.ts";
import { LANGUAGES } from "./languages.ts";
import { ORDER_WORDS, type SpokenAction, UNITS_ELSEWHERE } from "./order-words.ts";
import { literalPattern } from "./word-spans.ts";

/** A word, sign or character of a line, as it is compared, and as it stands there. */
export interface Token {
  /** In one form of its letters, in lower case, without accents; `word`: with them. */
  readonly text: string;
  readonly word: string;
  readonly raw: string;
  readonly at: number;
  readonly end: number;
}

export type Tokens = readonly Token[];

/** A phrase as its words. */
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

export function tokensOf(line: string): Tokens {
  return [...line.matchAll(TOKEN)].map(({ 0: raw, index: at }) => {
    return { text: foldLetters(raw), word: foldForms(raw), raw, at, end: at + raw.length };
  });
}

/** Whether it begins with a script that writes words together. */
export function startsUnspaced(text: string): boolean {
  return UNSPACED_FIRST.test(text);
}

/** What ends or parts a sentence and means nothing else. */
export function isStop(text: string): boolean {
  return /^[.!,;…。！，、~]$/u.test(text);
}

/** A phrase as it is written, and without its accents: people leave them out, but put none where none belong. */
export function phrasesOf(words: string): Phrase[] {
  const tokens = tokensOf(words);
  const [exact, plain] = [tokens.map(({ word }) => word), tokens.map(({ text }) => text)];
  return exact.join() === plain.join() ? [plain] : [exact, plain];
}

/** All phrases of one kind, of all languages. */
const phrases = (pick: (one: (typeof ORDER_WORDS)[number]) => readonly string[]): Phrase[] =>
  ORDER_WORDS.flatMap(pick).flatMap(phrasesOf);
const answers = (some: readonly string[], others: readonly string[]): Phrase[] => {
  const not = new Set(others.map(foldLetters));
  return some.filter((words) => !not.has(foldLetters(words))).flatMap(phrasesOf);
};
const yes = LANGUAGES.flatMap((one) => one.yes);
const no = LANGUAGES.flatMap((one) => one.no);
/** A word that is yes in one language and no in another is neither. */
export const YES = answers(yes, no);
export const NO = answers(no, yes);
export const COURTESY = phrases(({ courtesy }) => courtesy);
export const LEADING = phrases(({ leading }) => leading);
export const THANKS = phrases(({ thanks }) => thanks);
export const POINTING = phrases(({ pointing }) => pointing);
const FRACTIONS = phrases(({ fractions }) => fractions);
const JOINTS = [["-"], ...phrases(({ conjunctions }) => conjunctions)];

/** The phrases that name each action; one that ends in `@` needs a name with an @ behind it. */
export function actionPhrases(
  own: Readonly<Partial<Record<SpokenAction, readonly string[] | undefined>>>,
) {
  const all = [...ORDER_WORDS.map(({ actions }) => actions), own].flatMap(Object.entries);
  return all.flatMap(([name, written]: [string, readonly string[] | undefined]) =>
    (written ?? []).flatMap(phrasesOf).map((words) => {
      const needsAt = words.at(-1) === "@";
      return { name: name as SpokenAction, phrase: needsAt ? words.slice(0, -1) : words, needsAt };
    }),
  );
}

/** Phrases, and what each of them means. */
type Lexicon<T> = readonly { readonly phrase: Phrase; readonly value: T }[];

const lexicon = <T>(
  pick: (one: (typeof ORDER_WORDS)[number]) => readonly (readonly [string, T])[],
): Lexicon<T> =>
  ORDER_WORDS.flatMap(pick).flatMap(([words, value]) =>
    phrasesOf(words).map((phrase) => ({ phrase, value })),
  );
/** With those of languages that have no file, as CLDR names them; a number in words is read in none of these. */
const UNITS = [...ORDER_WORDS.map(({ units }) => units), UNITS_ELSEWHERE].flatMap(
  ({ second, minute, hour }) =>
    [second, minute, hour].flatMap((words, at) =>
      words.flatMap(phrasesOf).map((phrase) => ({ phrase, value: 60 ** at })),
    ),
);
const LENGTHS = lexicon(({ lengths }) => lengths);
/** `system`: its language, or "" for digits. Only within one language are tens and ones added up. */
const NUMBERS = lexicon(({ numbers, code: system }) =>
  numbers.map(([word, count]) => [word, { count, system }] as const),
);

/** Single words that mean something in an order: somebody called like one is named with an @. */
export const MEANINGFUL: ReadonlySet<string> = new Set(
  [
    ...[...COURTESY, ...LEADING, ...THANKS, ...POINTING, ...phrases(({ crowds }) => crowds)],
    ...[...UNITS, ...NUMBERS, ...LENGTHS, ...actionPhrases({})].map(({ phrase }) => phrase),
  ].flatMap((phrase) => (phrase.length === 1 ? phrase : [])),
);

/** "Them", "will", "nobody": more often such a word than somebody's name. */
export const STOP_WORDS = new Set(
  LANGUAGES.flatMap(({ stopWords, negators }) => [...stopWords, ...negators]).map(foldLetters),
);

/** Whether a phrase stands at a place. */
export function standsAt(tokens: Tokens, at: number, phrase: Phrase): boolean {
  return phrase.every((word, offset) => tokens[at + offset]?.word === word);
}

/** How many tokens each of these phrases takes that stand at a place. */
export function lengthsOf(some: readonly Phrase[], tokens: Tokens, at: number): number[] {
  return some.filter((phrase) => standsAt(tokens, at, phrase)).map(({ length }) => length);
}

/** What stands at a place, the longest first. */
function foundAt<T>(lexicon: Lexicon<T>, tokens: Tokens, at: number): Found<T>[] {
  return lexicon
    .filter(({ phrase }) => standsAt(tokens, at, phrase))
    .map(({ phrase: { length }, value }) => ({ value, length }))
    .toSorted((one, other) => other.length - one.length);
}

/**
 * What a whole line may mean, read piece by piece in every way: `piecesAt` says which pieces may stand at a place, and what
 * is known once each is read.
 */
export function readings<T>(
  tokens: Tokens,
  start: T,
  piecesAt: (at: number, known: T) => readonly Found<T>[],
): T[] {
  // Ways that come to the same go on as one: their number stays small.
  const known = Array.from({ length: tokens.length + 1 }, () => new Map<string, T>());
  known[0]?.set("", start);
  for (const [at, all] of known.slice(0, -1).entries())
    for (const one of all.values())
      for (const { value, length } of piecesAt(at, one))
        known[at + length]?.set(JSON.stringify(value), value);
  return [...(known.at(-1)?.values() ?? [])];
}

/** Whether these phrases alone make up a line. */
export function isMadeOf(tokens: Tokens, some: readonly Phrase[]): boolean {
  const pieces = (at: number) =>
    lengthsOf(some, tokens, at).map((length) => ({ value: null, length }));
  return readings(tokens, null, pieces).length > 0;
}

/** Every length of time that may be read at a place, in seconds: `5 minutes`, `5m30s`, `60`. */
export function lengthsAt(tokens: Tokens, at: number): Found<number>[] {
  const text = tokens[at]?.text ?? "";
  const bare = DIGITS.test(text) ? [{ value: Number(text), length: 1 }] : [];
  const counted = countedAt(tokens, at);
  return counted === null ? bare : [...bare, counted];
}

/** A length with its unit; what follows it, also behind an "and", is added up. */
function countedAt(tokens: Tokens, at: number): Found<number> | null {
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
function behindJoint(tokens: Tokens, at: number): readonly number[] {
  return [0, ...lengthsOf(JOINTS, tokens, at)].map((length) => at + length);
}

/** "5m30s", which is one token. */
function compoundAt(tokens: Tokens, at: number): Found<number> | null {
  const text = tokens[at]?.text ?? "";
  if (!/^(?:\d{1,7}\p{L}+)+$/u.test(text)) return null;
  const parts = tokensOf(text.replace(/(?<=\d)(?=\p{L})|(?<=\p{L})(?=\d)/gu, " "));
  const whole = countedAt(parts, 0);
  return whole?.length === parts.length ? { value: whole.value, length: 1 } : null;
}

/** A number and its unit: "45 seconds", "forty-five seconds". */
function pairAt(tokens: Tokens, at: number): Found<number> | null {
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
  const unitAt = longest.to + (tokens[longest.to]?.text === "-" ? 1 : 0);
  const [unit] = foundAt(UNITS, tokens, unitAt);
  return unit ? { value: longest.count * unit.value, length: unitAt + unit.length - at } : null;
}

/** Numbers in digits or in words. */
function numbersAt(tokens: Tokens, at: number) {
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
  const [first, ...others] = countedIn(tokens);
  if (first !== undefined) return others.length === 0 ? first : null;
  const bare = tokens.findIndex(({ text }) => /\d/.test(text));
  const text = tokens[bare]?.text ?? "";
  return DIGITS.test(text) && isMadeOf(tokens.slice(bare + 1), [...COURTESY, ...THANKS])
    ? Number(text)
    : null;
}

/** Each length with its unit; null for one that is not certain. */
function countedIn(tokens: Tokens): readonly (number | null)[] {
  const all: (number | null)[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = countedAt(tokens, at);
    // "A second" asks to wait.
    const isWait = found?.value === 1 && !DIGITS.test(tokens[at]?.text ?? "");
    const to = at + (found?.length ?? 1);
    if (found !== null && !isWait) all.push(isPartOfMore(tokens, at, to) ? null : found.value);
    at = to;
  }
  return all;
}

/**
 * Whether a length is not read as a whole: behind a number ("three hundred seconds", unlike "a five-minute break"), right
 * before one ("a minute thirty"), or with a fraction beside it.
 */
function isPartOfMore(tokens: Tokens, from: number, to: number): boolean {
  const systems = numbersAt(tokens, from).map(({ value }) => value.system);
  const isJoined =
    tokens[from - 1]?.text !== "-" && lengthsOf(JOINTS, tokens, from - 1).includes(1);
  const end = isJoined ? from - 1 : from;
  const isBehind = [1, 2].some((back) =>
    numbersAt(tokens, end - back).some(
      ({ length, value: { count, system } }) =>
        length === back && (count > 1 || system === "") && (isJoined || systems.includes(system)),
    ),
  );
  const isBefore =
    tokens[to]?.at === (tokens[to - 1]?.end ?? 0) + 1 &&
    numbersAt(tokens, to).some(({ value }) => value.count > 1);
  const beside = [from - 1, to, to + 1, to + 2];
  return isBehind || isBefore || beside.some((at) => lengthsOf(FRACTIONS, tokens, at).length > 0);
}

/** Between words: not both of its sides are letters of one. */
const EDGE = `(?:(?<!${LETTER})|(?!${LETTER}))`;

/** Where lines hold a text, but for its case, spaces and last full stop: as it stands there; null where none does. */
export function wordForWord(text: string, lines: readonly string[]): string | null {
  const plain = (one: string) => one.replace(/[’ʼ]/gu, "'");
  const [, body = "", stop = ""] = /^\s*(.*?)\s*([.!,;…。！，、~]?)\s*$/su.exec(plain(text)) ?? [];
  if (body === "") return null;
  const pattern = `${EDGE}${literalPattern(body)}${EDGE}(?:${literalPattern(stop)})?`;
  const wanted = new RegExp(pattern, "iu");
  const found = lines.flatMap((line) => {
    const { index, 0: all } = wanted.exec(plain(line)) ?? { index: 0, 0: null };
    return all === null ? [] : line.slice(index, index + all.length);
  });
  return found[0] ?? null;
}
