// Pure: values in, values out.

import {
  type CountryCode,
  findPhoneNumbersInText,
  isSupportedCountry,
} from "libphonenumber-js/min";
import validator from "validator";
import { memoize } from "../bounded-map.ts";
import privateWords from "./data/private.json" with { type: "json" };
import { fold } from "./fold.ts";
import { LANGUAGES, type Language, languageFinder, splitEntries } from "./languages.ts";
import { PERSON } from "./people.ts";
import { readContent } from "./stems.ts";
import { createWordFinder, readWords } from "./words.ts";

/** Replaces a viewer's token or label, whose digits are no number. */
const SOMEBODY = "somebody";

export type PrivateMatter = "listed" | "age" | PiiKind;

/** The private words of each language. An entry with `#` in front is private only with a number: "14 years". */
const listsOf = memoize(
  () =>
    new Map(
      Object.entries(privateWords).map(([code, list]) => {
        const entries = splitEntries(list);
        const listed = entries.filter((entry) => !entry.startsWith("#"));
        const ages = entries.filter((entry) => entry.startsWith("#"));
        const ageWords = new Set(ages.map((entry) => fold(entry.slice(1))));
        return [code, { find: createWordFinder({ listed }), ageWords }];
      }),
    ),
);

/**
 * Finds the private matter in a sentence, or null. It uses the word lists of its languages, and the shape of cards,
 * accounts, phones, mail and addresses. It backs up the model's own flag.
 */
export function findPrivateMatter(
  text: string,
  languagesOf: (text: string) => readonly Language[] = languageFinder([]),
): PrivateMatter | null {
  const bare = text.replaceAll(PERSON, " ");
  const read = readWords(bare);
  const languages = languagesOf(bare);
  const isListed = ({ code }: Language) => (listsOf().get(code)?.find(read) ?? []).length > 0;
  if (languages.some(isListed)) return "listed";
  if (languages.some((language) => isAge(bare, language))) return "age";
  return findPii(fold(text.replaceAll(PERSON, SOMEBODY), { lookAlikes: true }));
}

/** The most UTF-16 units of a sentence that is an age. A longer one is about something else. */
const AGE_CHARS_MAX = 60;
/** Years of an age. Fewer years are a duration. */
const AGE_YEARS = /^(?:[6-9]|[1-9]\d)$/u;

/** Returns true if a sentence is a number of years, from 6 to 99, and nothing else. "Played for 14 years" is no age. */
function isAge(text: string, language: Language): boolean {
  if (text.length > AGE_CHARS_MAX) return false;
  const apart = text.replace(/(?<=\p{N})(?=\p{L})/gu, " ");
  const content = readContent(apart, language);
  const years = content.filter(({ stem }) => AGE_YEARS.test(stem));
  const words = content.filter(({ word }) => listsOf().get(language.code)?.ageWords.has(word));
  return years.length > 0 && words.length > 0 && content.length === years.length + words.length;
}

/** Private data with a recognisable shape. */
const PII_KINDS = ["email", "password", "money", "id_number", "phone", "address"] as const;
export type PiiKind = (typeof PII_KINDS)[number];

const WORDS = /\S+/gu;
const EDGES = /^[^\p{L}\p{N}+]+|[^\p{L}\p{N}]+$/gu;
/** Runs that may be a number written in groups. */
const DIGIT_GROUPS = /\d(?:[ -]?\d){11,18}/gu;
const ACCOUNT =
  /(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?(?![\p{L}\p{N}])/giu;
/** The digits of a possible phone number. */
const PHONE_LIKE = /\+?\d(?:[ ().\-/]{0,2}\d){8,14}/u;
const PLAIN_NUMBER = /(?<![\d+(]|\d[ ().\-/])[1-9]\d{6,}(?![\d-])/gu;
/** Written as a country writes its own: a leading nought, an area code in brackets, or North America's three groups. */
const NATIONAL = /(?<!\d)(?:\(\d{2,5}\)|0\d|\d{3}[.-]\d{3}[.-]\d{4}(?!\d))/u;
const DATE = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/gu;
/** Countries whose national phone numbers are recognised. */
const countriesOf = memoize(() =>
  LANGUAGES.flatMap(({ countries }) => countries.filter((code) => isSupportedCountry(code))),
);
const VERSION = /(?:version|patch|build|update|ver|v|firmware|driver)\s?[\d.]+/giu;
const KEY =
  /(?<![\p{L}\p{N}])(?:oauth:[a-z0-9]{16,}|sk[-_][\w-]{16,}|gh[pousr]_\w{16,}|akia[0-9a-z]{16}|aiza[\w-]{20,}|xox[abp]-[\w-]{10,}|eyj[\w-]{10,}\.[\w-]{10,}|live_\d{4,}_\w{10,}|[0-9a-f]{32,})/iu;
const SOCIAL_SECURITY = /(?<![\p{L}\p{N}.,:-])\d{3}-\d{2}-\d{4}(?![\p{N}-])/u;
const CPF = /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/u;
const COORDINATES = /(?<![\p{N}.-])-?\d{1,2}\.\d{4,}\s?°?\s?[ns]?,\s?-?\d{1,3}\.\d{4,}/iu;
/** A house's number and a street's name, as English and German write them. */
const STREET =
  /(?<![\p{L}\p{N}.,$#-])\d{1,5}[a-z]? (?:[nsew]\.? )?(?:\p{L}{2,15} ){1,3}(?:street(?! fighter| rac)|avenue|boulevard|blvd)(?!\p{L}| of )|\p{L}{3,20}(?:stra(?:ß|ss)e|gasse) \d{1,4}(?!\d)/iu;

const TESTS: Readonly<Record<PiiKind, (text: string) => boolean>> = {
  email: (text) => wordsOf(text).some((word) => word.includes("@") && validator.isEmail(word)),
  password: (text) => KEY.test(text),
  money: (text) =>
    (text.match(DIGIT_GROUPS) ?? []).some((found) =>
      validator.isCreditCard(found.replace(/[ -]/g, "")),
    ) ||
    (text.match(ACCOUNT) ?? []).some((found) =>
      validator.isIBAN(found.replaceAll(" ", "").toUpperCase()),
    ),
  id_number: (text) => SOCIAL_SECURITY.test(text) || CPF.test(text),
  phone: holdsPhone,
  address: (text) =>
    wordsOf(text.replace(VERSION, " ")).some((word) => /[.:]/.test(word) && validator.isIP(word)) ||
    COORDINATES.test(text) ||
    STREET.test(text),
};

/**
 * Finds the kind of private data in a text by its shape; null if there is none. It knows mail and IP addresses, keys,
 * cards (Luhn), bank accounts (ISO 13616), social security numbers, CPFs, phones, streets and coordinates. Scores,
 * seeds, dates and versions are none.
 */
export function findPii(text: string): PiiKind | null {
  return PII_KINDS.find((kind) => TESTS[kind](text)) ?? null;
}

function wordsOf(text: string): readonly string[] {
  return (text.match(WORDS) ?? []).map((word) => word.replace(EDGES, ""));
}

/** Returns true if a text holds a valid phone number: international, or national as one of our countries writes it. */
function holdsPhone(text: string): boolean {
  const undated = text.replace(DATE, " ");
  if (!PHONE_LIKE.test(undated)) return false;
  // Digits alone are a score or a seed, unless they begin as numbers of phones do.
  const written = undated.replace(PLAIN_NUMBER, " ");
  const isIn = (defaultCountry?: CountryCode): boolean =>
    findPhoneNumbersInText(written, defaultCountry).some(({ number }) => number.isValid());
  return isIn() || (NATIONAL.test(written) && countriesOf().some(isIn));
}
