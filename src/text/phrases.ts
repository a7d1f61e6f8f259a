/** Up to three words that do not matter. */
const GAP = "(?:[\\s,'-]{1,3}[\\p{L}\\p{N}]{1,20}){0,3}[\\s,'-]{1,3}";
const EDGES = { before: "(?<![\\p{L}\\p{N}])", after: "(?![\\p{L}\\p{N}])" };

/**
 * A pattern that finds any phrase of a list: one to a line or parted by `;`, each a regular expression in which a
 * space also stands for a hyphen or apostrophe, `~` for any ending of a word, and ` .. ` for up to three words.
 * `words` are found between word edges only; in scripts without spaces phrases stand `anywhere`.
 */
export function phrasePattern(list: string, where: "words" | "anywhere"): RegExp {
  const phrases = list
    .split(/[;\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")
    .map((phrase) =>
      phrase
        .replaceAll(" .. ", GAP)
        .replaceAll(" ?", "[\\s'-]{0,3}")
        .replaceAll(" ", "[\\s'-]{1,3}")
        .replaceAll("~", "\\p{L}{0,14}"),
    );
  const any = `(?:${phrases.join("|")})`;
  return new RegExp(where === "words" ? EDGES.before + any + EDGES.after : any, "u");
}
