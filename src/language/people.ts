// Pure: values in, values out.
import { createHmac } from "node:crypto";

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
export function findPeople(text: string): string[] {
  return [...new Set([...text.matchAll(PERSON_TOKEN)].map(([, userId]) => userId ?? ""))];
}

/**
 * Hashes that nobody can make or check without the key, which is not in the database. What must outlive a forget is
 * kept as one: it tells that it is the same person again, and not who.
 */
export interface KeyedHash {
  /** Of a user id. No user id looks like one. */
  person(userId: string): string;
  /** Of the normal form of a topic, for one person: two people's same topic has two hashes. */
  topic(userId: string, form: string): string;
}

const HASH_CHARS = 32;
const HASH_START = "h:";

/** Whether an id is such a hash: of somebody who was forgotten. */
export function isHash(id: string): boolean {
  return id.startsWith(HASH_START);
}

/** HMAC-SHA256, shortened to 128 bits. */
export function keyedHash(key: string): KeyedHash {
  const digestOf = (what: string): Buffer => createHmac("sha256", key).update(what).digest();
  const hashOf = (what: string): string =>
    `${HASH_START}${digestOf(what).toString("hex").slice(0, HASH_CHARS)}`;
  return {
    person: (userId) => hashOf(`person\n${userId}`),
    topic: (userId, form) => hashOf(`topic\n${userId}\n${form}`),
  };
}
