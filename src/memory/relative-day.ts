// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import { formatLocalDay } from "../config/local-time.ts";
import { cleanLine } from "../language/clean.ts";
import dayPhrases from "../language/data/days.json" with { type: "json" };
import { splitEntries } from "../language/languages.ts";
import { splitWords } from "../language/words.ts";

const DAY_MS = 86_400_000;
/** The space or comma that a day leaves before a stop or the end. */
const LOOSE_END = /(?<![ ,])[ ,]+(?=[.;!?]|$)| (?=,)/u;
const YESTERDAY_TO_TOMORROW = [-1, 0, 1];
/** Before "morgen" and "mañana" these words mean the morning. */
const MORNING = /(?<!\p{L})(?:am|cada|der|esta|guten|heute|jeden|las?|por)\s$/iu;
/** One Hindi word means both yesterday and tomorrow: only the phrases of the list are days. */
const AMBIGUOUS = "hi";
const LETTER = "[\\p{L}\\p{M}]";
/** "On Friday nights" and "every Friday" are no day. */
const HABIT_BEHIND = "(?! (?:mornings?|afternoons?|evenings?|nights?)|都)";
const HABIT_BEFORE = "(?<!(?:毎週の?|每个?|매주 ?|كل |हर ))";
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Hang}]/u;
/** The word between two days: "today and tomorrow". */
const JOINING = /^\s*\S{1,4}\s*$/u;
/** A statement of more days is cut no further. */
const DAYS_MAX = 3;
/** A longer statement is refused as too long, with or without its days. */
const STATEMENT_CHARS_MAX = 500;

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
          const isUnspaced = UNSPACED.test(phrase);
          const words = phrase.split(" ").map((word) => `(?:${word.replaceAll("/", "|")})`);
          const body = words.join(isUnspaced ? " ?" : " ");
          const [start, end] = isUnspaced ? ["", ""] : [`(?<!${LETTER})`, `(?!${LETTER})`];
          const away = /\d/.test(value) ? Number(value) : null;
          const isWeekday = value === "w";
          const [before, behind] = isWeekday ? [HABIT_BEFORE, HABIT_BEHIND] : ["", ""];
          const pattern = new RegExp(`${before}${start}${body}${end}${behind}`, "iu");
          return { pattern, away, isWeekday };
        }),
      ]),
    ),
);

/**
 * Removes "tomorrow", "on Friday" or "next week" from a statement in the language `code`. Returns the first day that
 * they mean, local, as 2026-05-01; null if there is none, or if the words do not show which: Friday may be the last
 * one. Weekdays stay in a fact of the channel: they are a schedule. For an undefined `code`, nothing is removed.
 */
export function takeOutDay(
  statement: string,
  code: string | undefined,
  atMs: number,
  ofChannel = false,
): { statement: string; day: string | null } {
  if (code === undefined || statement.length > STATEMENT_CHARS_MAX) return { statement, day: null };
  let rest = statement;
  let day: string | null = null;
  let cutAt = -1;
  for (let days = 0; days < DAYS_MAX; days += 1) {
    const found = findPhrase(rest, code, ofChannel) ?? findDayName(rest, code);
    if (found === null) break;
    const { start, end, away } = found;
    const isJoined = cutAt >= 0 && cutAt < start && JOINING.test(rest.slice(cutAt, start));
    cutAt = isJoined ? cutAt : start;
    rest = rest.slice(0, cutAt) + rest.slice(end);
    day ??= away === null ? null : formatLocalDay(atMs + away * DAY_MS);
  }
  return { statement: cutAt < 0 ? statement : cleanLine(rest).replace(LOOSE_END, ""), day };
}

interface FoundDay {
  readonly start: number;
  readonly end: number;
  /** The days from today; null if the words do not show which day. */
  readonly away: number | null;
}

function findPhrase(statement: string, code: string, ofChannel: boolean): FoundDay | null {
  for (const { pattern, away, isWeekday } of phrasesOf().get(code) ?? []) {
    const found = isWeekday && ofChannel ? null : pattern.exec(statement);
    if (found !== null) return { start: found.index, end: found.index + found[0].length, away };
  }
  return null;
}

/** Finds "yesterday", "today" or "tomorrow", as the platform writes them. */
function findDayName(statement: string, code: string): FoundDay | null {
  if (code === AMBIGUOUS) return null;
  const format = new Intl.RelativeTimeFormat(code, { numeric: "auto" });
  const days = new Map(
    YESTERDAY_TO_TOMORROW.map((away) => [format.format(away, "day").replace("’", "'"), away]),
  );
  for (const { word, start, end } of splitWords(statement)) {
    const away = days.get(word.replace("’", "'").toLowerCase());
    if (away !== undefined && !MORNING.test(statement.slice(0, start))) return { start, end, away };
  }
  return null;
}
