// Pure: values in, values out.

/** Words between "I" and its verb. */
const ADVERBS =
  "really|also|always|usually|often|still|never|just|mostly|mainly|only|sometimes|currently|now|once|absolutely|honestly";
/** Verbs that stay, also before "n't": "ca" of "can't". */
const SAME_FORM = new Set(
  "ai ca wo can cannot could will would shall should must may might used was had did went got came saw made bought began became won lost took ate found grew built wrote met gave left quit".split(
    " ",
  ),
);
const OWN_FORM = new Map([
  ["am", "is"],
  ["have", "has"],
  ["do", "does"],
  ["go", "goes"],
]);
const LONG_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\bi'?m\b/giu, "i am"],
  [/\bi'?ve\b/giu, "i have"],
  [/\bi'll\b/giu, "i will"],
  [/\bi'd\b/giu, "i would"],
  [/\b(do|have)n'?t\b/giu, "$1 not"],
];
const INNER: readonly (readonly [RegExp, string])[] = [
  [/\bmyself\b/giu, "themselves"],
  [/\bmy\b/giu, "their"],
  [/\bmine\b/giu, "theirs"],
  [/\bme\b/giu, "them"],
  [/\bi am\b/giu, "they are"],
  [/\bi was\b/giu, "they were"],
  [/\bi\b/gu, "they"],
  [/\bI\b/gu, "they"],
];
const ABOUT_ME = new RegExp(`^i\\s+((?:(?:${ADVERBS})\\s+)*)(\\p{L}+(?:'t)?)(.*)$`, "iu");
const CALL_ME = /^(?:please )?call me (.+)$/iu;
const MINE = /^my\s+\S/iu;
/** A statement about a thing of theirs: "Pickle is a tuxedo cat". */
const OF_SOMETHING = new RegExp(
  `^(?:(?:the|a|an|our|this|that)\\s+)?(?!(?:${ADVERBS}|is|are|was|has|had|who|can|will)\\s)[\\p{L}\\p{N}]+\\s+(?:is|are|was|were|has|will|can)\\s`,
  "iu",
);
const THAT = /^that\s+/iu;

/**
 * Turns a viewer's English statement about themselves into the third person: "I play the bass" becomes "plays the
 * bass". "My cat is" becomes "says their cat is", "call me X" "wants to be called X". A statement about a thing gets
 * "says:" in front. Other text, also of another language, only loses a leading
 * "that".
 */
export function toThirdPerson(said: string): string {
  const text = said
    .replace(THAT, "")
    .replace(/[’ʼ‘`´]/gu, "'")
    .trim();
  const long = LONG_FORMS.reduce((left, [short, full]) => left.replace(short, full), text);
  const found = ABOUT_ME.exec(long);
  if (found !== null) {
    const [, adverbs = "", verb = "", rest = ""] = found;
    return `${adverbs}${conjugate(verb)}${replacePronouns(rest)}`.trim();
  }
  const name = CALL_ME.exec(long)?.[1];
  if (name !== undefined) return `wants to be called ${name}`;
  if (MINE.test(long)) return `says ${replacePronouns(long)}`;
  return OF_SOMETHING.test(text) ? `says: ${text}` : text;
}

function conjugate(verb: string): string {
  const lower = verb.toLowerCase();
  if (SAME_FORM.has(lower.replace(/n'?t$/u, "")) || SAME_FORM.has(lower)) return lower;
  // The past, but not "need".
  if (/(?:[^e]|re)ed$/u.test(lower)) return lower;
  const own = OWN_FORM.get(lower);
  if (own !== undefined) return own;
  if (/[^aeiou]y$/u.test(lower)) return `${lower.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/u.test(lower) ? `${lower}es` : `${lower}s`;
}

function replacePronouns(text: string): string {
  return INNER.reduce((left, [mine, theirs]) => left.replace(mine, theirs), text);
}
