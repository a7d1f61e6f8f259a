// Pure: values in, values out.
import { LANGUAGES } from "./languages.ts";
import { foldText } from "./word-spans.ts";

const LONG_FORMS = new Map<string, readonly string[]>();
for (const { abbreviations } of LANGUAGES) {
  for (const [short, long] of Object.entries(abbreviations)) {
    const key = foldText(short);
    LONG_FORMS.set(key, [...(LONG_FORMS.get(key) ?? []), foldText(long)]);
  }
}
const NONE: readonly string[] = [];

/** What a word in lower case may be short for, in any language: "il" for "illinois". Empty for most words. */
export function abbreviated(word: string): readonly string[] {
  return LONG_FORMS.get(word) ?? NONE;
}
