// Pure: values in, values out.
import { createHmac } from "node:crypto";

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

/** HMAC-SHA256, shortened to 128 bits. */
export function keyedHash(key: string): KeyedHash {
  const digestOf = (what: string): Buffer => createHmac("sha256", key).update(what).digest();
  const hashOf = (what: string): string =>
    `h:${digestOf(what).toString("hex").slice(0, HASH_CHARS)}`;
  return {
    person: (userId) => hashOf(`person\n${userId}`),
    topic: (userId, form) => hashOf(`topic\n${userId}\n${form}`),
  };
}
