// Pure: values in, values out.
import {
  type Language,
  languageOf,
  noteKey,
  plainText,
  stemOf,
  withoutContractions,
  wordsIn,
} from "../language/words.ts";
import { FILLERS, GENERIC, MARKS, OPPOSITES, ORDERING, SYNONYMS } from "./comparison-words.ts";
import { contrastIn } from "./contrast.ts";
import { byLanguage, DISLIKES, NEGATIONS, PROPERTIES } from "./predicates.ts";

/** A thing of which a person has one: what the fact says it is. */
export interface Property {
  readonly predicate: string;
  readonly value: ReadonlySet<string>;
  /** Where it holds, such as the game of a rank; empty where that is left open. */
  readonly of: ReadonlySet<string>;
  /** Words of the fact outside the property, and its marks there. */
  readonly rest: ReadonlySet<string>;
  readonly marks: string;
  /** Says that somebody moved, which ends where they were from. */
  readonly isMove: boolean;
}

/** A fact as it is compared with others: synonyms as one word, negation taken out. */
export interface FactReading {
  /** `noteKey` of the fact as far as it was read. */
  readonly key: string;
  readonly language: Language;
  /** In order, without fillers. */
  readonly words: readonly string[];
  /** Words that stand for names: capitalised inside the sentence, or with a digit in them. */
  readonly names: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Numbers that belong to a name, as of a sequel. */
  readonly hasNumberedName: boolean;
  /** Says that something is not, or no longer, so. */
  readonly isNegative: boolean;
  /** Says what somebody likes or dislikes. */
  readonly isTaste: boolean;
  /** `plan`, `past` …, and whether it is about something of theirs. */
  readonly marks: string;
  readonly isOrdered: boolean;
  readonly property: Property | null;
  /** Its sides, where it says that one thing is so and another is not. */
  readonly contrast: {
    readonly asserted: FactReading;
    readonly denied: readonly FactReading[];
  } | null;
}

const FACT_CHARS_MAX = 400;
/** Each new fact is held against all of somebody's notes: those are read once. Depends on nothing but the text. */
const READINGS_MAX = 300;
const readings = new Map<string, FactReading>();
/** A person's token went before, and what joined it to the sentence is still there. */
const LEAD = /^(?:'s(?!\p{L})|(?:さん|くん|君|ちゃん)|[\s:：,、—–-])*(?:は|が|も|の)?[、,]?\s*/u;
const OWNER =
  /^(?:'s|his|her|their|its|の|его|её|ее|их|su|sus|son|sa|ses|sein|seine|ihr|ihre)(?![\p{L}'])/u;
const NUMBER = /^\p{N}[\p{N}.,]*$/u;
const DIGIT = /\p{N}/u;
const UPPER = /^\p{Lu}/u;
const KATAKANA_NAME = /^[\p{sc=Kana}ー]{2,}$/u;
const UNSPACED: readonly Language[] = ["ja", "zh"];
/** A value ends where another clause begins. */
const VALUE =
  "[^,.;!?()、。，！？]{1,80}?(?=$|[,.;!?()、。，！？]|(?: (?:with|and|but|because|since|while|where|right|now|these|at the moment|currently|from|so|in|on|this|last|after|before|ago|instead|anymore|y|pero|con|desde|ahora|und|aber|mit|seit|jetzt|et|mais|avec|depuis|maintenant|e|mas|com|и|но|с|сейчас|теперь|уже)(?!\\p{L})))";
const UNSPACED_END = "(?=です|だ|に|へ|で|まで|$)";
const UNSPACED_VALUE = "[^、。，！？ ]{1,30}?";

/** What a pattern's values are called: given out from the second on, the first is for patterns that spell theirs out. */
const VALUE_GROUPS = ["v0", "v1", "v2", "v3"];

const synonyms = byLanguage(SYNONYMS, (rows, language) => {
  const pairs = rows.flatMap((row) => {
    const stems = row.split(" ").map((word) => stemOf(word, language));
    return stems.map((stem) => [stem, stems[0] ?? stem] as const);
  });
  return new Map<string, string>(pairs);
});
const fillers = byLanguage(FILLERS, stemSet);
const generic = byLanguage(GENERIC, (list, language) => {
  return new Set(
    [...stemSet(list, language)].map((stem) => synonyms.get(language)?.get(stem) ?? stem),
  );
});
const negations = byLanguage(NEGATIONS, replacements);
const dislikes = byLanguage(DISLIKES, replacements);
const tastes = byLanguage(DISLIKES, (rows, language) => {
  return new Set(rows.flatMap(([, liked]) => compared(liked, language)));
});
const properties = byLanguage(PROPERTIES, (rows, language) =>
  rows.map(([predicate, pattern]) => ({ predicate, pattern: propertyPattern(pattern, language) })),
);
const marks = byLanguage(MARKS, (kinds, language) =>
  Object.entries(kinds).map(([kind, pattern]) => ({
    kind,
    pattern: edged(pattern, language, "u"),
  })),
);
const ordering = byLanguage(ORDERING, (list, language) => edged(list, language, "u"));
const opposites = byLanguage(OPPOSITES, (list, language) =>
  list
    .split(" ")
    .map((pair) => pair.split("/").map((word) => [...wordsOf(word, language)].join(" "))),
);

/** Reads a fact with tokens for people. Nothing past 400 characters is read. Linear time but for the longest names. */
export function readFact(fact: string): FactReading {
  const known = readings.get(fact);
  if (known !== undefined) return known;
  const reading = read(fact.slice(0, FACT_CHARS_MAX));
  if (readings.size >= READINGS_MAX) readings.clear();
  if (fact.length <= FACT_CHARS_MAX) readings.set(fact, reading);
  return reading;
}

function read(fact: string): FactReading {
  const plain = plainText(fact).replace(/[.!。！]+$/u, "");
  const language = languageOf(plain);
  const whole = readSentence(plain, language, noteKey(fact));
  const sides = contrastIn(plain.replace(LEAD, ""), language);
  if (sides === null) return whole;
  const side = (text: string) => readSentence(text, language, noteKey(text));
  const asserted = side(sides.asserted);
  const contrast = { asserted, denied: sides.denied.map(side) };
  return { ...whole, property: asserted.property ?? whole.property, contrast };
}

function readSentence(plain: string, language: Language, key: string): FactReading {
  const lower = plain.toLowerCase();
  const whole = expanded(lower, language);
  const liked = without(whole, dislikes.get(language));
  const denied = without(liked.text, negations.get(language));
  const bare = denied.text.replace(LEAD, "").replace(/\s+/gu, " ").trim();
  const words = telling(bare, language);
  return {
    key,
    language,
    words,
    isTaste: words.some((word) => tastes.get(language)?.has(word) === true),
    ...namesAndNumbers(plain, language),
    isNegative: liked.found !== denied.found,
    marks: marksOf(whole, language, OWNER.test(plain.replace(/^[\s:：,]+/u, ""))),
    isOrdered: ordering.get(language)?.test(whole) === true,
    property: propertyOf(bare, language),
    contrast: null,
  };
}

/** Whether two words, as `readFact` gives them, exclude each other. */
export function areOpposite(one: string, other: string, language: Language): boolean {
  return (opposites.get(language) ?? []).some(
    ([left, right]) => (left === one && right === other) || (left === other && right === one),
  );
}

/** Whether a word, as `readFact` gives it, says nothing about what a fact is on. */
export function isGeneric(word: string, language: Language): boolean {
  return generic.get(language)?.has(word) === true;
}

function expanded(lower: string, language: Language): string {
  const text = lower.replace(/[“”«»„"「」『』]/gu, " ");
  if (language === "en") return withoutContractions(text);
  return language === "fr" ? text.replace(/(?<!\p{L})n'/gu, "ne ") : text;
}

function compared(text: string, language: Language): string[] {
  const same = synonyms.get(language);
  return wordsIn(text, language).map(({ stem }) => same?.get(stem) ?? stem);
}

function telling(text: string, language: Language): string[] {
  return compared(text, language).filter((word) => fillers.get(language)?.has(word) !== true);
}

function wordsOf(text: string, language: Language): ReadonlySet<string> {
  const words = compared(text, language);
  return new Set(words.length > 0 ? words : text.trim().split(" "));
}

interface Replacement {
  readonly pattern: RegExp;
  readonly left: string;
}

function replacements(
  rows: readonly (readonly [string, string])[],
  language: Language,
): readonly Replacement[] {
  return rows.map(([pattern, left]) => ({
    pattern: edged(pattern, language, "gu"),
    left: ` ${left} `,
  }));
}

function without(
  text: string,
  patterns: readonly Replacement[] | undefined,
): { text: string; found: boolean } {
  const left = (patterns ?? []).reduce(
    (rest, { pattern, left: instead }) => rest.replace(pattern, instead),
    text,
  );
  return { text: left, found: left !== text };
}

function namesAndNumbers(plain: string, language: Language) {
  const names = new Set<string>();
  const numbers = new Set<string>();
  let hasNumberedName = false;
  let wasName = false;
  for (const [index, { surface, stem }] of wordsIn(plain, language).entries()) {
    const isNumber = NUMBER.test(stem);
    if (isNumber) {
      numbers.add(stem);
      hasNumberedName ||= wasName;
    }
    const isCapital = UPPER.test(surface) && (index > 0 || !plain.startsWith(surface));
    wasName =
      !isNumber &&
      ((isCapital && language !== "de") || KATAKANA_NAME.test(surface) || DIGIT.test(surface));
    const word = synonyms.get(language)?.get(stem) ?? stem;
    if (wasName && !isGeneric(word, language)) names.add(word);
  }
  return { names, numbers, hasNumberedName };
}

function marksOf(text: string, language: Language, isOwner: boolean): string {
  const found = (marks.get(language) ?? [])
    .filter(({ pattern }) => pattern.test(text))
    .map(({ kind }) => kind);
  return [...found, ...(isOwner ? ["owner"] : [])].join(" ");
}

function propertyOf(bare: string, language: Language): Property | null {
  for (const { predicate, pattern } of properties.get(language) ?? []) {
    const match = pattern.exec(bare);
    const value = VALUE_GROUPS.map((name) => match?.groups?.[name]).find(
      (found) => found !== undefined,
    );
    if (match === null || value === undefined) continue;
    const { what, of } = match.groups ?? {};
    const isMove = predicate === "moved";
    const rest = `${bare.slice(0, match.index)} ${bare.slice(match.index + match[0].length)}`;
    return {
      predicate: [
        isMove ? "home" : predicate,
        ...(what === undefined ? [] : wordsOf(what, language)),
      ].join(" "),
      value: wordsOf(value, language),
      of: of === undefined ? new Set() : wordsOf(of, language),
      rest: new Set(telling(rest, language)),
      marks: marksOf(rest, language, false),
      isMove,
    };
  }
  return null;
}

/** In a language with spaces a property begins the sentence: further in, it is somebody else's. */
function propertyPattern(pattern: string, language: Language): RegExp {
  const isUnspaced = UNSPACED.includes(language);
  const value = isUnspaced ? UNSPACED_VALUE : VALUE;
  const ended = isUnspaced ? pattern.replaceAll(/V(?=$|\|)/g, `V${UNSPACED_END}`) : pattern;
  const filled = ["v1", "v2", "v3"].reduce(
    (text, name) => text.replace("V", `(?<${name}>${value})`),
    ended,
  );
  const start = isUnspaced
    ? "^(?:今は|今|現在は|現在)?(?:主に)?"
    : "^(?:(?:he|she|they|it|now|currently|actually|still|finally|just|recently|has|his|her|their|il|elle|er|sie|он|она|теперь|сейчас|недавно|уже|ahora|él|ella|su|son|sa|sein|seine|ihr|ihre) )*";
  return new RegExp(`${start}(?:${filled})`, "u");
}

function edged(pattern: string, language: Language, flags: string): RegExp {
  return UNSPACED.includes(language) || language === "ko"
    ? new RegExp(`(?:${pattern})`, flags)
    : new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, flags);
}

function stemSet(list: string, language: Language): ReadonlySet<string> {
  return new Set(list.split(" ").map((word) => stemOf(word, language)));
}
