// Pure: values in, values out.
import { createHmac } from "node:crypto";

const PERSON_TOKEN = /\{u:([\w-]{1,40})\}/g;
/** A viewer in a stored sentence (`{u:ID}`) or in a prompt (`P1`). */
export const PERSON = /\{u:[\w-]{1,40}\}|(?<![\p{L}\p{N}_])@?P\d{1,3}(?![\p{L}\p{N}_])/gu;

/** Returns the token for a viewer in stored text. A rename shows at once, and a forget is one replacement. */
export function makePersonToken(userId: string): string {
  return `{u:${userId}}`;
}

/** Replaces the tokens of a stored sentence by names. `getName` returns null for an unknown viewer. */
export function fillNames(text: string, nameOf: (userId: string) => string | null): string {
  return text.replaceAll(PERSON_TOKEN, (_, userId: string) => nameOf(userId) ?? "someone");
}

/** Returns the ids of the viewers in a stored sentence, each once. */
export function findPeople(text: string): string[] {
  return [...new Set([...text.matchAll(PERSON_TOKEN)].map(([, userId]) => userId ?? ""))];
}

/**
 * Hashes with a key that is not in the database. Data that outlives a forget is stored under them: they show that it is
 * the same viewer, not which one.
 */
export interface KeyedHash {
  /** Hashes a user id. No user id looks like a hash. */
  person(userId: string): string;
  /** Hashes a topic of one viewer. The same topic of another viewer has another hash. */
  topic(userId: string, form: string): string;
}

const HASH_CHARS = 32;
const HASH_START = "h:";

/** Returns true if an id is the hash of a forgotten viewer. */
export function isHash(id: string): boolean {
  return id.startsWith(HASH_START);
}

/** HMAC-SHA256, shortened to 128 bits. */
export function createKeyedHash(key: string): KeyedHash {
  const digestOf = (what: string): Buffer => createHmac("sha256", key).update(what).digest();
  const hashOf = (what: string): string =>
    `${HASH_START}${digestOf(what).toString("hex").slice(0, HASH_CHARS)}`;
  return {
    person: (userId) => hashOf(`person\n${userId}`),
    topic: (userId, form) => hashOf(`topic\n${userId}\n${form}`),
  };
}
