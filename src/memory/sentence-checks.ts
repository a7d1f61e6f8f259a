export type SentenceReason = "sensitive" | "banned" | "instruction" | "not_one_line" | "url" | "too_long";

/** Thin beginning: the builder of the text checks replaces this file. */
export function checkSentence(
  text: string,
  { banned }: { readonly banned: (text: string) => string | null },
): SentenceReason | null {
  return banned(text) === null ? null : "banned";
}
