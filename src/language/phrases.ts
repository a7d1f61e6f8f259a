// Pure: values in, values out.
/** The letters of a folded view: a class of all Unicode would make the patterns a hundred times as large. */
const LETTER = "[a-zßа-яё]";
const WORD = "[0-9_a-zßа-яё]";
/** Up to three words that do not matter. */
const GAP = `(?:,? ${WORD}{1,20}){0,3},? `;

/**
 * A pattern that finds any phrase of a list: one to a line or parted by `;`, each a regular expression, which goes on
 * in a line that begins with `|`. `~` stands for any ending of a word, ` .. ` for up to three words. Latin and
 * Cyrillic phrases are found between word edges only, Latin ones (without accents) in the view `spaced`, where a space
 * stands for hyphens and apostrophes too; Japanese ones anywhere.
 */
export function phrasePattern(list: string, script: "latin" | "cyrillic" | "japanese"): RegExp {
  const phrases = list
    .split(/;|\n(?!\s*\|)/)
    .map((phrase) => phrase.replace(/\n\s*/g, "").trim())
    .filter((phrase) => phrase !== "")
    .map((phrase) => (script === "latin" ? phrase.replace(/['-]/g, " ") : phrase))
    .map((phrase) =>
      phrase
        .replaceAll(" .. ", GAP)
        .replaceAll("~", `${LETTER}{0,14}`)
        .replaceAll("\\p{L}", LETTER),
    );
  const any = `(?:${phrases.join("|")})`;
  return new RegExp(script === "japanese" ? any : `(?<!${WORD})${any}(?!${WORD})`, "u");
}
