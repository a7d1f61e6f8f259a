// Pure: values in, values out.
/** What people write for a letter, as it looks. `1` and `|` look like two. */
const STAND_INS: ReadonlyMap<string, string> = new Map(
  ["0o", "3e", "€e", "4a", "@a", "5s", "$s", "7t", "+t", "8b", "9g", "!i"].map(
    ([sign = "", letter = ""]) => [sign, letter],
  ),
);
const MIXED = /[a-z0-9@$€!|+]{2,40}/g;
const LETTERS = /[a-z]/g;
const STAND_IN = /[0134578@$€!|+9]/;
const STAND_IN_ALL = /[0134578@$€!|+9]/g;
/** Fewer letters than this are a number with its unit, or the name of a thing: `4k`, `ps5`. */
const LETTERS_MIN = 2;
/** Marks inside a word, and letters that stand alone. */
const INNER_MARK = /(?<=[a-z0-9])[._*~^-](?=[a-z0-9])/g;
const LONE_LETTERS = /(?<![a-z0-9])[a-z0-9@$](?:[ ._*~-][a-z0-9@$]){2,20}(?![a-z0-9])/g;
const BETWEEN_LONE = /[ ._*~-]/g;
const QUOTES = /["“”«»„()[\]*_~`]/g;
const LONG_RUN = /([a-z])\1{2,40}/g;
const JOINTS = /[\s'-]+/g;

/**
 * The other ways in which an eye may read a text of the view `latin`: digits and signs for letters (`m0d`, `@dmin`),
 * marks inside and around a word (`m.o.d`, `"mod"`), letters apart (`m o d`), and letters drawn out (`moood`). Each is
 * as the view `spaced` is. None for a text that has nothing of the kind, at most four. Linear time.
 */
export function undisguised(latin: string): readonly string[] {
  const bare = latin.replace(INNER_MARK, "").replace(QUOTES, "");
  const runs = bare.replace(LONG_RUN, "$1");
  const readings = [
    plainLetters(runs, "i"),
    plainLetters(runs, "l"),
    plainLetters(joinLone(latin, false), "i"),
    plainLetters(joinLone(latin, true), "i"),
  ].map((reading) => reading.replace(JOINTS, " "));
  const known = latin.replace(JOINTS, " ");
  return [...new Set(readings)].filter((reading) => reading !== known);
}

/** `one` is what the digit 1 stands for. */
function plainLetters(text: string, one: "i" | "l"): string {
  return text.replace(MIXED, (word) => {
    const isDisguised = STAND_IN.test(word) && (word.match(LETTERS)?.length ?? 0) >= LETTERS_MIN;
    return isDisguised
      ? word.replace(STAND_IN_ALL, (sign) =>
          sign === "1" || sign === "|" ? one : (STAND_INS.get(sign) ?? sign),
        )
      : word;
  });
}

/** The first letter of such a run may be an article. */
function joinLone(text: string, isArticle: boolean): string {
  return text.replace(LONE_LETTERS, (run) => {
    const letters = run.replace(BETWEEN_LONE, "");
    return isArticle ? `${letters.slice(0, 1)} ${letters.slice(1)}` : letters;
  });
}
