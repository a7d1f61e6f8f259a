// Pure: values in, values out.
import { formatLocalDay } from "../config/local-time.ts";
import { cleanLine } from "../language/clean.ts";
import { splitWords } from "../language/words.ts";

const DAY_MS = 86_400_000;
const YESTERDAY_TO_TOMORROW = [-1, 0, 1];
/** Before "morgen" and "mañana" these words mean the morning. */
const MORNING = /(?<!\p{L})(?:am|cada|der|esta|guten|heute|jeden|las?|por)\s$/iu;
/** One word means both yesterday and tomorrow there. */
const AMBIGUOUS = "hi";

/**
 * Takes "tomorrow", "today" or "yesterday" out of a statement in the language `code`, and returns its day in local time.
 * The day is null if it says none. The words are those of the runtime's own language data.
 */
export function takeOutDay(
  statement: string,
  code: string | undefined,
  atMs: number,
): { statement: string; day: string | null } {
  const unchanged = { statement, day: null };
  if (code === undefined || code === AMBIGUOUS) return unchanged;
  const format = new Intl.RelativeTimeFormat(code, { numeric: "auto" });
  const days = new Map(
    YESTERDAY_TO_TOMORROW.map((away) => [format.format(away, "day").replace("’", "'"), away]),
  );
  for (const { word, start, end } of splitWords(statement)) {
    const away = days.get(word.replace("’", "'"));
    const before = statement.slice(0, start);
    if (away === undefined || MORNING.test(before)) continue;
    const after = statement.slice(end);
    const rest = cleanLine(before + after).replace(/ (?=[.,;!?]|$)/u, "");
    return { statement: rest, day: formatLocalDay(atMs + away * DAY_MS) };
  }
  return unchanged;
}
