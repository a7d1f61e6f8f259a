// Pure: values in, values out.
import type { Language } from "../language/words.ts";
import { CONTRASTS } from "./comparison-words.ts";

/** What a sentence says is so, and what it says is not, or no longer, so: each as a sentence of its own. */
export interface Contrast {
  readonly asserted: string;
  /** Several where it can be read in several ways. */
  readonly denied: readonly string[];
}

/** A noun and what goes on behind it: `紅茶` and `が好き`. */
const BEHIND_NOUN: Readonly<Partial<Record<Language, RegExp>>> = {
  ja: /^(?<noun>[^、。]{1,20}?)(?<end>(?:の方|のほう)?(?:が|を|に|で(?!す)|へ|と|は|派|です|だ|である|$).*)$/u,
  ko: /^(?<noun>\S{1,12}?)(?<end>(?:에서|으로|을|를|이|가|은|는|에|로|와|과|이다|입니다|$)(?:$| .*))$/u,
};
/** "was" of a copula reads as "is". */
const WAS: Readonly<Partial<Record<Language, RegExp>>> = {
  ja: /(?:だった|でした)$/u,
  ko: /(?:이었다|였다|이었)$/u,
};

/**
 * Reads "not X but Y", "X before, Y now" and "Y, not X" as far as the tables have them. `text` is without the
 * person it is about. Null for every other sentence, "not only X but Y" among them. Linear time for a text of
 * bounded length.
 */
export function contrastIn(text: string, language: Language): Contrast | null {
  for (const pattern of CONTRASTS[language] ?? []) {
    const { head = "", old, young } = pattern.exec(text)?.groups ?? {};
    if (old === undefined || young === undefined) continue;
    const asserted = `${head}${young}`.trim();
    const denied = deniedSides(old.trim(), young.trim(), language).map((side) => `${head}${side}`);
    if (denied.length > 0 && asserted !== "") return { asserted, denied };
  }
  return null;
}

/** The old side as a sentence: by itself where it is one, else with what is said of the new one. */
function deniedSides(old: string, young: string, language: Language): readonly string[] {
  if (language === "zh") return [old];
  const parts = BEHIND_NOUN[language];
  if (parts === undefined) return withLastWords(young, old);
  const { noun = old, end = "" } = parts.exec(old)?.groups ?? {};
  const told = `${noun}${parts.exec(young)?.groups?.["end"] ?? ""}`;
  if (end === "") return [told];
  const alone = old.replace(WAS[language] ?? /$/u, "");
  // Korean verbs are not brought to one form: the new side's is the one that is compared.
  return language === "ko" ? [alone, told] : [alone];
}

/** "likes tea" with "coffee" is "likes coffee". */
function withLastWords(sentence: string, words: string): readonly string[] {
  const kept = sentence.split(" ").slice(0, -words.split(" ").length);
  return kept.length === 0 ? [] : [[...kept, words].join(" ")];
}
