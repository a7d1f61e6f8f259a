// Pure: values in, values out.

/** Question marks of any script, an opening one included; Greek writes it as a semicolon. */
const QUESTION_MARK = /[?？¿؟՞፧⸮‽⁇⁈⁉]|\p{sc=Greek};/u;

/** True if a line holds a question mark. */
export function asksSomething(text: string): boolean {
  return QUESTION_MARK.test(text);
}
