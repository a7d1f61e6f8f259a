// Pure: values in, values out.
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** Chance that can be repeated: the same seed and the same calls give the same values on every machine. */
export interface Random {
  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number;
  /** One item; a RangeError for an empty list. */
  pick<T>(items: readonly T[]): T;
}

/**
 * Seeded chance. Mersenne Twister, because it mixes its seed: the first draws of neighbouring seeds differ.
 */
export function randomFrom(seed: number | string): Random {
  const source = mersenne(hashOf(String(seed)));
  const int = (from: number, to: number) => uniformInt(source, from, to);
  return {
    int,
    pick: (items) => {
      const item = items[int(0, Math.max(0, items.length - 1))];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
  };
}

/** FNV-1a over UTF-16 code units, 32 bits unsigned. Not for secrets. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

const ID_MIN = 100_000_000;
const ID_SPAN = 800_000_000;

/** An id as Twitch gives them to accounts and rooms, which follows from the name. */
export function idFor(name: string): string {
  return String(ID_MIN + (hashOf(name) % ID_SPAN));
}
