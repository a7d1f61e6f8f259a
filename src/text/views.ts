import { foldLookAlikes } from "./look-alikes.ts";
import { PERSON } from "./people.ts";

/** What a person's token or label reads as, so that its digits are nobody's number. */
const SOMEBODY = "somebody";
const UNSEEN = /\p{DI}+/gu;
const APOSTROPHES = /[’ʼ‘`´]/gu;
const DASHES = /[‐‑‒–—−]/gu;

/** A text as lists of phrases are looked up in it. */
export interface Views {
  /** For Latin phrases, which are then written without accents: lower case, look-alikes as Latin letters. */
  readonly latin: string;
  /** For every other script: lower case, compatibility forms plain. */
  readonly native: string;
}

/** Both ways to read a text, with people's tokens and labels as the word `somebody`. */
export function viewsOf(text: string): Views {
  const named = text.replace(PERSON, SOMEBODY);
  return {
    latin: foldLookAlikes(named).replace(APOSTROPHES, "'").replace(DASHES, "-"),
    native: named.normalize("NFKC").replace(UNSEEN, "").toLowerCase(),
  };
}
