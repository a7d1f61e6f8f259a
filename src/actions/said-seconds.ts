import { NUMBER_WORDS } from "../text/stop-words.ts";

const UNITS: readonly (readonly [seconds: number, names: string])[] = [
  [1, "s|secs?|seconds?|sekunden?|segundos?|secondes?|секунд\\p{L}*|сек|秒|초"],
  [60, "m|mins?|minutes?|minuten?|minutos?|минут\\p{L}*|мин|分|分間|分钟|分鐘|분"],
  [3_600, "h|hrs?|hours?|stunden?|horas?|heures?|час\\p{L}*|時間|小时|小時|시간"],
];
const ONE = "a|an|one|ein|eine|einen|un|una|une|uno|um|uma|одну|один|一|한|일".split("|");
const NUMBERS = new Map<string, number>([
  ...ONE.map((word) => [word, 1] as const),
  ...Object.values(NUMBER_WORDS).flatMap((words) =>
    words.split(" ").map((word, at) => [word, at + 2] as const),
  ),
]);
const COUNT = `\\d{1,9}|${[...NUMBERS.keys()].toSorted((a, b) => b.length - a.length).join("|")}`;
const LENGTHS = UNITS.map(
  ([seconds, names]) =>
    [
      seconds,
      new RegExp(`(?<![a-zа-яäöüß\\d])(${COUNT})[\\s-]?(?:${names})(?![a-zа-я\\d])`, "giu"),
    ] as const,
);

/** The longest time that words speak of, in seconds; null where they speak of none that is counted. */
export function saidSeconds(words: readonly string[]): number | null {
  const text = words.join(" ").normalize("NFKC").toLowerCase();
  const all = LENGTHS.flatMap(([seconds, pattern]) =>
    [...text.matchAll(pattern)].map(
      ([, count = ""]) => seconds * (NUMBERS.get(count) ?? Number(count)),
    ),
  );
  // "A second" asks to wait.
  const lengths = all.filter((seconds) => seconds > 1);
  return lengths.length === 0 ? null : Math.max(...lengths);
}
