// Pure: values in, values out.
import {
  areOpposite,
  type FactReading,
  isGeneric,
  type Property,
  readFact,
} from "./fact-reading.ts";

export type Comparison =
  | { readonly kind: "same" }
  /** Both cannot hold: `predicate` is what they disagree on, such as `home`, `negation` or `number`. */
  | { readonly kind: "conflict"; readonly predicate: string }
  | { readonly kind: "distinct" };

/** From here two facts are alike. Measured: design part 6, point 4. */
const LIKENESS_MIN = 0.7;
/** How much of a sentence and its negation has to be the same words. */
const NEGATED_SHARE_MIN = 0.4;
/** Two words so alike are forms of one. */
const WORD_LIKENESS_MIN = 0.6;
const YEAR = /^(?:19|20)\d\d$/;
const SAME: Comparison = { kind: "same" };
const DISTINCT: Comparison = { kind: "distinct" };

/**
 * What a new fact about somebody is to a known one about the same person or channel, by their words alone. A key in
 * common is the same; so is a likeness (mean of Jaccard over stems and Dice over trigrams) of 0.7 unless they differ in
 * a negation, a number, a name, in whose or when it is, or each has a word the other has nothing like. They conflict
 * where one denies the other, or gives another value to what a person has one of. In doubt they are distinct: a wrong
 * "same" loses a fact, a wrong "distinct" only keeps two. Of "not X but Y" each side is compared: it denies X, and is
 * more than Y alone. People in both are tokens, and not compared.
 */
export function compareFacts(known: string, fact: string): Comparison {
  const before = readFact(known);
  const after = readFact(fact);
  if (before.key === after.key) return SAME;
  const sides = compareSides(before, after);
  if (sides !== null) return sides;
  const whole = compareWhole(before, after);
  const isWider = (before.contrast === null) !== (after.contrast === null);
  return isWider && whole.kind === "same" ? DISTINCT : whole;
}

/** What is decided by the sides of a sentence that says that one thing is so and another is not. */
function compareSides(before: FactReading, after: FactReading): Comparison | null {
  if (before.contrast === null && after.contrast === null) return null;
  if (denies(after, before) || denies(before, after)) return conflict("negation");
  const [old, young] = [assertedIn(before), assertedIn(after)];
  if (old.key === young.key) {
    // What is new in a wider sentence is lost where it counts as known.
    if (after.contrast === null) return SAME;
    return before.contrast === null ? DISTINCT : compareDenied(before, after);
  }
  const byProperty = compareProperties(old, young);
  return byProperty?.kind === "conflict" ? byProperty : null;
}

/** Of two that say that the same is so. */
function compareDenied(before: FactReading, after: FactReading): Comparison | null {
  const keys = new Set(before.contrast?.denied.map(({ key }) => key));
  return after.contrast?.denied.some(({ key }) => keys.has(key)) === true ? SAME : null;
}

function assertedIn(reading: FactReading): FactReading {
  return reading.contrast?.asserted ?? reading;
}

/** Whether one of the things that a fact says are not so is what the other says is. One may like what is not so. */
function denies(one: FactReading, other: FactReading): boolean {
  const said = assertedIn(other);
  if (said.isNegative) return false;
  return (one.contrast?.denied ?? []).some(
    (side) => !side.isNegative && side.isTaste === said.isTaste && isDenied(said, side),
  );
}

function compareWhole(before: FactReading, after: FactReading): Comparison {
  if (before.language !== after.language && !shareNumbers(before, after))
    return likeness(before, after);
  if (before.isNegative !== after.isNegative)
    return isDenied(before, after) ? conflict("negation") : DISTINCT;
  return (
    compareProperties(before, after) ?? compareDetails(before, after) ?? likeness(before, after)
  );
}

/** Whether nothing in the words of two facts forbids that they are one: a negation, a number, a plan or the past. */
export function mayBeSame(known: string, fact: string): boolean {
  const before = readFact(known);
  const after = readFact(fact);
  return (
    !denies(before, after) &&
    !denies(after, before) &&
    (before.contrast === null) === (after.contrast === null) &&
    before.isNegative === after.isNegative &&
    before.marks === after.marks &&
    sameNumbers(before, after)
  );
}

function conflict(predicate: string): Comparison {
  return { kind: "conflict", predicate };
}

/** Facts in two languages can be held against each other where all that they say is a number. */
function shareNumbers(before: FactReading, after: FactReading): boolean {
  return [before, after].every(
    ({ property }) => property !== null && [...property.value].every(isNumber),
  );
}

function compareProperties(before: FactReading, after: FactReading): Comparison | null {
  const { property: old } = before;
  const { property: young } = after;
  if (old === null || young === null || old.marks !== young.marks || before.isNegative) return null;
  const endsOrigin = young.isMove && old.predicate === "origin";
  if (old.predicate !== young.predicate && !endsOrigin) return null;
  if (
    old.of.size > 0 &&
    young.of.size > 0 &&
    !isSubset(old.of, young.of) &&
    !isSubset(young.of, old.of)
  )
    return DISTINCT;
  if (!sameValue(old, young)) return conflict(young.predicate);
  if (endsOrigin) return DISTINCT;
  return isSubset(young.rest, new Set([...before.words, ...old.rest])) ? SAME : null;
}

function sameValue(old: Property, young: Property): boolean {
  const numbers = ({ value }: Property) => [...value].filter(isNumber).join(" ");
  if (numbers(old) !== numbers(young)) return false;
  return isSubset(old.value, young.value) || isSubset(young.value, old.value);
}

/** Sentences alike in all but a number, in one word and its opposite, or in the order of what they compare. */
function compareDetails(before: FactReading, after: FactReading): Comparison | null {
  if (before.marks !== after.marks) return null;
  const left = missing(before.words, after.words);
  const right = missing(after.words, before.words);
  if (left.length === 0 && right.length === 0) {
    const isSwapped =
      before.isOrdered && after.isOrdered && before.words.join(" ") !== after.words.join(" ");
    return isSwapped ? conflict("order") : null;
  }
  if (left.length !== right.length) return null;
  if ([...left, ...right].every(isNumber))
    return compareNumbers(before, after, [...left, ...right]);
  const isOpposite = left.every((one) =>
    right.some((other) => areOpposite(one, other, before.language)),
  );
  return isOpposite ? conflict("opposite") : null;
}

/** A year tells two events apart, and the number of a sequel two games. */
function compareNumbers(
  before: FactReading,
  after: FactReading,
  numbers: readonly string[],
): Comparison {
  const saysMore = before.words.some((word) => !isNumber(word));
  const isName = before.hasNumberedName || after.hasNumberedName;
  const isYear = numbers.some((number) => YEAR.test(number));
  return saysMore && !isName && !isYear ? conflict("number") : DISTINCT;
}

/** Whether one of two facts says that the other is not, or no longer, so. */
function isDenied(before: FactReading, after: FactReading): boolean {
  const left = new Set(before.words);
  const right = new Set(after.words);
  const smaller = left.size <= right.size ? left : right;
  const shared = [...left].filter((word) => right.has(word));
  if (
    before.property !== null &&
    after.property !== null &&
    before.property.predicate === after.property.predicate
  ) {
    return sameValue(before.property, after.property);
  }
  const isWhole = smaller.size > 0 && shared.length === smaller.size;
  const says = left.size === right.size || shared.some((word) => !isGeneric(word, before.language));
  return isWhole && says && jaccard(left, right) >= NEGATED_SHARE_MIN;
}

function likeness(before: FactReading, after: FactReading): Comparison {
  const shared = jaccard(new Set(before.words), new Set(after.words));
  // Most pairs share too few words for any likeness of letters to make up for it: nothing else is looked at.
  if ((shared + 1) / 2 < LIKENESS_MIN || differs(before, after)) return DISTINCT;
  return (shared + dice(before.words, after.words)) / 2 >= LIKENESS_MIN ? SAME : DISTINCT;
}

/** What no likeness outweighs. */
function differs(before: FactReading, after: FactReading): boolean {
  if (before.isNegative !== after.isNegative || before.marks !== after.marks) return true;
  if (!sameNumbers(before, after)) return true;
  const isNew = (names: ReadonlySet<string>, words: readonly string[]) =>
    [...names].some((name) => !words.includes(name));
  if (isNew(before.names, after.words) || isNew(after.names, before.words)) return true;
  const left = missing(before.words, after.words).filter((word) => !hasLike(word, after.words));
  const right = missing(after.words, before.words).filter((word) => !hasLike(word, before.words));
  return left.length > 0 && right.length > 0;
}

function sameNumbers(before: FactReading, after: FactReading): boolean {
  return isSubset(before.numbers, after.numbers) && isSubset(after.numbers, before.numbers);
}

function missing(words: readonly string[], from: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => !from.includes(word));
}

function hasLike(word: string, words: readonly string[]): boolean {
  return words.some((other) => dice([word], [other]) >= WORD_LIKENESS_MIN);
}

function isNumber(word: string): boolean {
  return /^\p{N}[\p{N}.,]*$/u.test(word);
}

function isSubset(small: ReadonlySet<string>, big: ReadonlySet<string>): boolean {
  return [...small].every((word) => big.has(word));
}

function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Over the trigrams of words in a row, with the edges of words marked. */
function dice(one: readonly string[], other: readonly string[]): number {
  const left = trigrams(one);
  const right = trigrams(other);
  const shared = [...left].filter((trigram) => right.has(trigram)).length;
  return left.size + right.size === 0 ? 0 : (2 * shared) / (left.size + right.size);
}

function trigrams(words: readonly string[]): ReadonlySet<string> {
  const letters = [...` ${words.join("  ")} `];
  return new Set(letters.slice(2).map((_, at) => letters.slice(at, at + 3).join("")));
}
