// Pure: values in, values out.
const PERSON_TOKEN = /\{u:([\w-]{1,40})\}/g;
/** A person in a stored sentence (`{u:ID}`) or in what a model was shown (`P1`). */
export const PERSON = /\{u:[\w-]{1,40}\}|(?<![\p{L}\p{N}_])@?P\d{1,3}(?![\p{L}\p{N}_])/gu;

/** The token that stands for a person in everything stored: a rename shows at once, a forget is one replacement. */
export function personToken(userId: string): string {
  return `{u:${userId}}`;
}

/** Puts names in for the tokens of a stored sentence. `nameOf` gives null for a person who is not known (any more). */
export function fillNames(text: string, nameOf: (userId: string) => string | null): string {
  return text.replaceAll(PERSON_TOKEN, (_, userId: string) => nameOf(userId) ?? "someone");
}

/** The ids of the people that a stored sentence names, each once. */
export function peopleIn(text: string): string[] {
  return [...new Set([...text.matchAll(PERSON_TOKEN)].map(([, userId]) => userId ?? ""))];
}
