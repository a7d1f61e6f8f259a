// Pure: values in, values out.
import { foldLookAlikes } from "./look-alikes.ts";
import { PERSON } from "./people.ts";

/** What a person's token or label reads as, so that its digits are nobody's number. */
const SOMEBODY = "somebody";
const UNSEEN = /\p{DI}+/gu;
const SPACES = /\s+/gu;
const APOSTROPHES = /[’ʼ‘`´]/gu;
const DASHES = /[‐‑‒–—−]/gu;
const JOINTS = /[\s'-]+/gu;

/** A text as patterns are looked up in it, all in lower case. */
export interface Views {
  /** Look-alikes and accents as plain Latin letters, dashes and apostrophes as ASCII has them. */
  readonly latin: string;
  /** The same with one space for white space, hyphens and apostrophes. */
  readonly spaced: string;
  /** For other scripts: compatibility forms plain. */
  readonly native: string;
}

/** The ways to read a text, with people's tokens and labels as the word `somebody`. */
export function viewsOf(text: string): Views {
  const named = text.replace(PERSON, SOMEBODY);
  const latin = foldLookAlikes(named).replace(APOSTROPHES, "'").replace(DASHES, "-");
  return {
    latin,
    spaced: latin.replace(JOINTS, " "),
    native: named.normalize("NFKC").replace(UNSEEN, "").replace(SPACES, " ").toLowerCase(),
  };
}
