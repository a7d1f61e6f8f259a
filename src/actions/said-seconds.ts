import { NUMBER_WORDS } from "../language/stop-words.ts";

const UNITS: readonly (readonly [seconds: number, names: string])[] = [
  [1, "s|secs?|seconds?|sekunden?|segundos?|secondes?|секунд\\p{L}*|сек|秒|초"],
  [60, "m|mins?|minutes?|minuten?|minutos?|минут\\p{L}*|мин|分|分間|分钟|分鐘|분"],
  [3_600, "h|hrs?|hours?|stunden?|horas?|heures?|час\\p{L}*|時間|小时|小時|시간"],
];
const ONE = "a|an|one|ein|eine|einen|un|una|une|uno|um|uma|одну|один|一|한|일".split("|");
/** From twenty on, in languages that write them as words of their own. */
const TENS = [
  "twenty|zwanzig|veinte|vinte|vingt|двадцать",
  "thirty|dreißig|treinta|trinta|trente|тридцать",
  "forty|vierzig|cuarenta|quarenta|quarante|сорок",
  "fifty|fünfzig|cincuenta|cinquenta|cinquante|пятьдесят",
  "sixty|sechzig|sesenta|sessenta|soixante|шестьдесят",
  "seventy|siebzig|setenta|семьдесят",
  "eighty|achtzig|ochenta|oitenta|восемьдесят",
  "ninety|neunzig|noventa|девяносто",
];
const TEN_WORDS = new Map<string, number>(
  TENS.flatMap((words, at) => words.split("|").map((word) => [word, (at + 2) * 10] as const)),
);
const FROM_TWO = Object.values(NUMBER_WORDS).flatMap((words) =>
  words.split(" ").map((word, at) => [word, at + 2] as const),
);
const SMALL = new Map<string, number>([...ONE.map((word) => [word, 1] as const), ...FROM_TWO]);
const TEN = [...TEN_WORDS.keys()].join("|");
const COUNT = `(?:(?<ten>${TEN})[\\s-](?:(?:y|e|et) )?)?(?<count>\\d{1,9}(?:[.,]\\d)?|${longestFirst([...SMALL.keys()])})?`;
const LENGTHS = UNITS.map(
  ([seconds, names]) =>
    [
      seconds,
      new RegExp(`(?<![a-zа-яäöüß\\d.,])${COUNT}[\\s-]?(?:${names})(?![a-zа-я\\d])`, "giu"),
    ] as const,
);

const SMALL_WORDS = longestFirst(FROM_TWO.map(([word]) => word));
/** A whole number, in digits or in words from two on, as a regular expression: `numberOf` takes its groups. */
export const NUMBER = `(?:(?<ten>${TEN})(?: (?:(?:y|e|et) )?(?=(?:${SMALL_WORDS}) ))?)?(?<count>\\d{1,7}|${SMALL_WORDS})?`;

/** The longest time that words speak of, in seconds; null where they speak of none that is counted. */
export function saidSeconds(words: readonly string[]): number | null {
  const text = words.join(" ").normalize("NFKC").toLowerCase();
  const lengths = LENGTHS.flatMap(([seconds, pattern]) =>
    [...text.matchAll(pattern)].flatMap(({ groups }) => {
      const { ten, count } = groups ?? {};
      if (ten === undefined && count === undefined) return [];
      const length = seconds * (numberOf(ten) + numberOf(count));
      // "A second" asks to wait.
      const isWait = length === 1 && count !== "1";
      return isWait ? [] : [Math.ceil(length)];
    }),
  );
  return lengths.length === 0 ? null : Math.max(...lengths);
}

/** What a group of `NUMBER` says; 0 for none. */
export function numberOf(written: string | undefined): number {
  if (written === undefined) return 0;
  return TEN_WORDS.get(written) ?? SMALL.get(written) ?? Number(written.replace(",", "."));
}

function longestFirst(words: readonly string[]): string {
  return words.toSorted((one, other) => other.length - one.length).join("|");
}
