// Pure: values in, values out.
import { createHmac, hash } from "node:crypto";

/**
 * Hashes that nobody can make or check without the key, which is not in the database. What must outlive a forget is
 * kept as one: it tells that it is the same person again, and not who. So are words that an index holds.
 */
export interface KeyedHash {
  /** Of a user id. No user id looks like one. */
  person(userId: string): string;
  /** Of the normal form of a topic, for one person: two people's same topic has two hashes. */
  topic(userId: string, form: string): string;
  /** Of a word or of how one begins: short, since it only finds a word among some dozens of notes. */
  word(form: string): string;
  /** Tells what was made with this key, in this way, from what was made with another or otherwise: 0 to 2^31 - 1. */
  number(way: string): number;
}

const HASH_CHARS = 32;
/** Five characters of base64url: 30 bits. */
export const WORD_HASH_CHARS = 5;

/** HMAC-SHA256, shortened to 128 bits; of words SHA-256 behind the key, shortened to 30. */
export function keyedHash(key: string): KeyedHash {
  const digestOf = (what: string): Buffer => createHmac("sha256", key).update(what).digest();
  const hashOf = (what: string): string =>
    `h:${digestOf(what).toString("hex").slice(0, HASH_CHARS)}`;
  return {
    // Cut off, it cannot be lengthened, for which others need HMAC, and it takes a quarter of the time.
    word: (form) => hash("sha256", `${key}\nword\n${form}`, "base64url").slice(0, WORD_HASH_CHARS),
    number: (way) => digestOf(`number\n${way}`).readUInt32BE() >>> 1,
    person: (userId) => hashOf(`person\n${userId}`),
    topic: (userId, form) => hashOf(`topic\n${userId}\n${form}`),
  };
}
