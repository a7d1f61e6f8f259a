// Pure: values in, values out.
import { LANGUAGES, WHOLE_LINE_SCRIPTS } from "./languages.ts";
import { languagesIn } from "./which-language.ts";
import { readWords, wordFinder } from "./word-spans.ts";

/** What makes a question of a line in any script: its mark, an opening one; Greek writes it as a semicolon. */
const QUESTION_MARK = /[?？¿؟՞፧⸮‽⁇⁈⁉]|\p{sc=Greek};/u;
const ASKING = new Map(
  LANGUAGES.map(({ code, questionWords }) => [code, wordFinder({ questionWords })]),
);

/** Whether a line asks something: by its mark or, where nobody typed one, by the words that begin or end it. */
export function asksSomething(text: string): boolean {
  if (QUESTION_MARK.test(text)) return true;
  const read = readWords(text);
  return languagesIn([])(text).some(({ code, script }) =>
    ASKING.get(code)?.(read).some(
      ({ from, to }) =>
        from === 0 || to === read.words.length - 1 || WHOLE_LINE_SCRIPTS.has(script),
    ),
  );
}
