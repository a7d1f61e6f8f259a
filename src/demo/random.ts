// Pure: values in, values out.
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** Chance that can be repeated: the same seed and the same calls give the same values on every machine. */
export interface Random {
  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  /** One item; a RangeError for an empty list. */
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** Deals the items in random order, each once, then all of them again; never one item twice running. */
  deck<T>(items: readonly T[]): () => T;
  /** Chance of its own: what is drawn from it moves nothing that others draw. */
  fork(label: string): Random;
}

/**
 * Seeded chance. Mersenne Twister, because it mixes its seed: the first draws of neighbouring seeds differ.
 */
export function randomFrom(seed: number | string): Random {
  const source = mersenne(hashOf(String(seed)));
  const int = (from: number, to: number) => uniformInt(source, from, to);
  const pick = <T>(items: readonly T[]): T => {
    const item = items[int(0, Math.max(0, items.length - 1))];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  };
  const shuffled = <T>(items: readonly T[]): T[] => {
    const left = [...items];
    return items.flatMap(() => left.splice(int(0, left.length - 1), 1));
  };
  return {
    int,
    pick,
    shuffled,
    chance: (probability) => uniformFloat64(source) < probability,
    deck: (items) => dealer(items, shuffled),
    fork: (label) => randomFrom(`${seed}/${label}`),
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

function dealer<T>(items: readonly T[], shuffled: (items: readonly T[]) => T[]): () => T {
  let left: T[] = [];
  let last: T | undefined;
  return () => {
    if (left.length === 0) left = shuffled(items);
    if (left.length > 1 && left.at(-1) === last) left.reverse();
    last = left.pop();
    if (last === undefined) throw new RangeError("nothing to deal");
    return last;
  };
}
