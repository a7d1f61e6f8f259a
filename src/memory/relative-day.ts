// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import { formatLocalDay } from "../config/local-time.ts";
import { cleanLine } from "../language/clean.ts";
import dayPhrases from "../language/data/days.json" with { type: "json" };
import { splitEntries } from "../language/languages.ts";
import { splitWords } from "../language/words.ts";

const DAY_MS = 86_400_000;
const YESTERDAY_TO_TOMORROW = [-1, 0, 1];
/** Before "morgen" and "mañana" these words mean the morning. */
const MORNING = /(?<!\p{L})(?:am|cada|der|esta|guten|heute|jeden|las?|por)\s$/iu;
/** One word means both yesterday and tomorrow there. */
const AMBIGUOUS = "hi";

/** "On Friday nights" is no day. */
const HABIT = "(?! (?:mornings?|afternoons?|evenings?|nights?))";
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Hang}]/u;

/**
 * Returns the phrases of each language as patterns, with the days away; null if the day is unclear. The value `w` marks
 * weekdays, `?` another unclear time. `a/b c/d` is one of the first words and one of the second.
 */
const phrasesOf = memoize(
  () =>
    new Map(
      Object.entries(dayPhrases).map(([code, list]) => [
        code,
        splitEntries(list).map((entry) => {
          const [phrase = "", value = ""] = entry.split("=");
          const words = phrase.split(" ").map((word) => `(?:${word.replaceAll("/", "|")})`);
          const [start, end] = UNSPACED.test(phrase) ? ["", ""] : ["(?<!\\p{L})", "(?!\\p{L})"];
          const pattern = `${start}${words.join(" ")}${end}${value === "w" ? HABIT : ""}`;
          const away = /\d/.test(value) ? Number(value) : null;
          return { pattern: new RegExp(pattern, "iu"), away, isWeekday: value === "w" };
        }),
      ]),
    ),
);

/**
 * Takes "tomorrow", "tonight", "on Friday" or "next week" out of a statement in the language `code`, and returns its day
 * in local time. The day is null if it says none, or if the words do not show which: Friday may be the last one. The
 * weekday of a channel's fact stays: it is a schedule.
 */
export function takeOutDay(
  statement: string,
  code: string | undefined,
  atMs: number,
  ofChannel = false,
): { statement: string; day: string | null } {
  const unchanged = { statement, day: null };
  if (code === undefined || code === AMBIGUOUS) return unchanged;
  const phrases = phrasesOf().get(code) ?? [];
  const found = phrases.find(
    ({ pattern, isWeekday }) => pattern.test(statement) && !(isWeekday && ofChannel),
  );
  const dayOf = (away: number): string => formatLocalDay(atMs + away * DAY_MS);
  const cutTo = (rest: string): string => cleanLine(rest).replace(/ (?=[.,;!?]|$)/u, "");
  if (found !== undefined) {
    const { pattern, away } = found;
    const rest = cutTo(statement.replace(pattern, ""));
    return { statement: rest, day: away === null ? null : dayOf(away) };
  }
  const format = new Intl.RelativeTimeFormat(code, { numeric: "auto" });
  const days = new Map(
    YESTERDAY_TO_TOMORROW.map((away) => [format.format(away, "day").replace("’", "'"), away]),
  );
  for (const { word, start, end } of splitWords(statement)) {
    const away = days.get(word.replace("’", "'"));
    const before = statement.slice(0, start);
    if (away === undefined || MORNING.test(before)) continue;
    const after = statement.slice(end);
    return { statement: cutTo(before + after), day: dayOf(away) };
  }
  return unchanged;
}
