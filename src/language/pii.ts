// Pure: values in, values out.
/** What its shape alone gives away, whatever is said around it. */
export type PiiKind = "money" | "address" | "phone" | "email" | "password" | "id_number";

/** Every repetition is bounded, so the time is linear. */
const EMAIL =
  /(?<![\w.+-])[\w.+-]{1,64}\s?(?:@|[([]\s?at\s?[)\]])\s?[\w-]{1,63}(?:\s?(?:\.|[([]\s?dot\s?[)\]])\s?[\w-]{2,63}){1,4}/u;
const NOT_IN_NUMBER = String.raw`(?<![\p{L}\p{N}.,:+\/$#-])`;
const NUMBER_ENDS = String.raw`(?![\p{L}\p{N}]|[.,:\/-]\d)`;
/** International, North American, national with a leading zero, Russian, Brazilian. */
const PHONE_SHAPES = [
  String.raw`(?:\+|00)[1-9]\d{0,2}[ .()-]{0,2}(?:\d[ .()-]{0,2}){6,11}\d`,
  String.raw`(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4}`,
  String.raw`\(?0\d{1,4}\)?[ \/-]\d{2,5}(?:[ -]?\d{2,5}){1,4}`,
  String.raw`0\d{9,10}`,
  String.raw`0\d(?:[ .-]\d\d){4}`,
  String.raw`8[ -]?\(?9\d{2}\)?[ -]?\d{3}[ -]?\d\d[ -]?\d\d`,
  String.raw`\(\d{2}\) ?9?\d{4}-?\d{4}`,
];
const PHONE = new RegExp(`${NOT_IN_NUMBER}(?:${PHONE_SHAPES.join("|")})${NUMBER_ENDS}`, "gu");
const PHONE_DIGITS_MIN = 8;
const DATE = /^\d{1,2}[ /-]\d{1,2}[ /-](?:19|20)\d\d$/u;
const PHONE_WORD =
  /(?:(?<!\p{L})(?:phone|cell|mobile|whatsapp|tel|(?:call|text|ring|reach) (?:me|him|her|them|somebody)|telefon\p{L}{0,6}|telephone|movil|celular|handy\p{L}{0,6}|portable|numero|rufnummer)(?!\p{L})|телефон|номер|звони|電話|携帯)/u;
const LONG_NUMBER = /(?<![\p{N}.,:])(?:\d[ .()-]{0,2}){6,13}\d(?![\p{N}]|[.,:]\d)/u;
const CARD =
  /(?<![\p{L}\p{N}.-])(?:[2-6]\d{12,18}|[2-6]\d{3}([ -])\d{4}\1\d{4}\1\d{1,7}|3\d{3}([ -])\d{6}\2\d{5})(?!\p{N})/gu;
const IBAN =
  /(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?(?![\p{L}\p{N}])/gu;
const OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const IPV4 = new RegExp(
  `(?<!(?:version|patch|build|update|ver|v|firmware|driver)\\s?)(?<![\\p{L}\\p{N}.])(?:${OCTET}\\.){3}${OCTET}(?![\\p{L}\\p{N}]|\\.\\d)`,
  "u",
);
const IPV6 =
  /(?<![\p{L}\p{N}:])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:){2,6}:(?:[0-9a-f]{1,4}:){0,4}[0-9a-f]{1,4})(?![\p{L}\p{N}:])/u;
const KEY =
  /(?<![\p{L}\p{N}])(?:oauth:[a-z0-9]{16,}|sk[-_][\w-]{16,}|gh[pousr]_\w{16,}|akia[0-9a-z]{16}|aiza[\w-]{20,}|xox[abp]-[\w-]{10,}|eyj[\w-]{10,}\.[\w-]{10,}|live_\d{4,}_\w{10,}|[0-9a-f]{32,})/u;
const LONG_TOKEN = /(?<![\w-])[\w-]{32,200}(?![\w-])/gu;
const SECRET_GIVEN =
  /(?<!\p{L})(?:pass(?:word|wort|code|phrase)?|pwd?|pin|contrasena|clave|senha|kennwort|mot de passe)\s?(?:[:=]|is "|ist ")\s?\S{4,}/u;
const SOCIAL_SECURITY = /(?<![\p{L}\p{N}.,:-])\d{3}-\d{2}-\d{4}(?![\p{N}-])/u;
const CPF = /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/u;
/** Number first. What is also a word of games counts only behind `at` and the like. */
const STREET =
  /(?<![\p{L}\p{N}.,$#-])\d{1,5}[a-z]? (?:[nsew]\.? )?(?:[a-z]{2,15} ){1,3}(?:street(?! fighter| rac)|avenue|ave|boulevard|blvd|parkway|st(?=\W*$|,))(?!\p{L})|(?:at|address:?|(?:lives|resides) on) \d{1,5} (?:[a-z]{2,15} ){1,2}(?:road|court|way|place|square|lane|drive|close|terrace|crescent|rd)(?!\p{L})/u;
const POSTCODE = /(?<![\p{L}\p{N}])(?:d-\d{5} [a-z]{3,}|[a-z]{2} \d{5}-\d{4})(?!\p{N})/u;
const COORDINATES = /(?<![\p{N}.-])-?\d{1,2}\.\d{4,}\s?°?\s?[ns]?,\s?-?\d{1,3}\.\d{4,}/u;
const CURRENCY =
  "dollars?|bucks|euros?|pounds|usd|eur|gbp|quid|rubles|rubel|yen|reais|pesos|francs";
const AMOUNT = `(?:[$€£¥₽]\\s?\\d|\\d[\\d.,]{0,12}\\s?(?:k|m|thousand|million|grand)?\\s?(?:[$€£¥₽]|(?:${CURRENCY})(?!\\p{L}| of)))`;
const EARNS = new RegExp(
  `(?<!\\p{L})(?:earn(?:s|ed|ing)?|mak(?:es?|ing)|(?:gets?|is|was|got|are) paid|salary|ow(?:es?|ed|ing)|sav(?:ed|es|ings)|lost|borrow(?:s|ed)|lent|inherited|rent|debts?|loan)\\W{1,3}(?:\\p{L}{1,15}\\W{1,3}){0,4}${AMOUNT}`,
  "u",
);
const YEARLY =
  /(?<![\p{L}\p{N}])\d[\d.,]{0,8}\s?(?:k|grand|thousand)\s(?:a|per|in)\s(?:year|month|salary|debt|savings|loans?)|(?:earn(?:s|ed|ing)?|mak(?:es?|ing)|paid) \d[\d.,]{0,9}k? (?:a|an|per) (?:year|month|week|hour)|(?:\d|[一二三四五六七八九十百千])[\d,]{0,8}万円/u;

type Test = (text: string) => boolean;

const TESTS: readonly (readonly [PiiKind, Test])[] = [
  ["email", (text) => EMAIL.test(text)],
  ["password", (text) => KEY.test(text) || SECRET_GIVEN.test(text) || holdsToken(text)],
  ["money", (text) => holdsCard(text) || holdsIban(text)],
  ["id_number", (text) => SOCIAL_SECURITY.test(text) || CPF.test(text)],
  ["phone", (text) => holdsPhone(text) || (PHONE_WORD.test(text) && LONG_NUMBER.test(text))],
  ["address", (text) => [IPV4, IPV6, STREET, POSTCODE, COORDINATES].some((one) => one.test(text))],
  ["money", (text) => EARNS.test(text) || YEARLY.test(text)],
];

/**
 * What private thing a text holds by its shape: e-mail and IP addresses, keys, card numbers (Luhn), IBANs (mod 97),
 * social security numbers, phone numbers, postal addresses, coordinates, sums of money earned or owed. Takes text in
 * lower case and compatibility forms (`viewsOf`). Numbers as games have them are none: scores, seeds, versions, times.
 */
export function findPii(text: string): PiiKind | null {
  return TESTS.find(([, holds]) => holds(text))?.[0] ?? null;
}

function holdsPhone(text: string): boolean {
  return [...text.matchAll(PHONE)].some(
    ([found]) => found.replace(/\D/gu, "").length >= PHONE_DIGITS_MIN && !DATE.test(found),
  );
}

function holdsCard(text: string): boolean {
  return [...text.matchAll(CARD)].some(([found]) => {
    const digits = found.replace(/\D/gu, "");
    return digits.length <= 19 && luhnSum(digits) % 10 === 0;
  });
}

function luhnSum(digits: string): number {
  return [...digits].reverse().reduce((sum, digit, n) => {
    const value = Number(digit) * (n % 2 === 0 ? 1 : 2);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}

/** ISO 13616: the first four characters go last, letters count from 10, and the whole is 1 modulo 97. */
function holdsIban(text: string): boolean {
  return [...text.matchAll(IBAN)].some(([found]) => {
    const plain = found.replace(/ /gu, "");
    const moved = plain.slice(4) + plain.slice(0, 4);
    const isLong = plain.length >= 15 && plain.length <= 34;
    return isLong && [...moved].reduce(remainder, 0) === 1;
  });
}

function remainder(sofar: number, letter: string): number {
  const value = Number.parseInt(letter, 36);
  return (sofar * (value > 9 ? 100 : 10) + value) % 97;
}

/** A long run of letters and digits mixed is a key; one of letters or digits alone is a word or a number. */
function holdsToken(text: string): boolean {
  return [...text.matchAll(LONG_TOKEN)].some(
    ([found]) =>
      (found.match(/\d/gu)?.length ?? 0) >= 4 && (found.match(/[a-z]/gu)?.length ?? 0) >= 8,
  );
}
