const MARK = /[?？]/u;
const BEGINNING = /^(@\w+|[^\p{L}\p{N}@_])*(who|what|when|where|which|why|how)(?![\p{L}\p{N}'])/iu;

/** Whether a line asks something: by its mark, or by its first word, since many leave the mark out. */
export function isQuestion(text: string): boolean {
  return MARK.test(text) || BEGINNING.test(text);
}
