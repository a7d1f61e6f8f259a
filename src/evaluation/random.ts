// Pure: values in, values out.
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** Chance that repeats: the same seed and the same calls give the same values on every machine. */
export interface Random {
  /** Returns a whole number from `from` to `to`, both included. */
  int(from: number, to: number): number;
  /** Returns a function that deals the items in random order, each once, then all again; never the same twice running. */
  deck<T>(items: readonly T[]): () => T;
  /** Returns an independent source: drawing from it does not change what others draw. */
  fork(label: string): Random;
}

/** Opens a source of chance. Uses the Mersenne Twister: the first draws of neighbouring seeds differ. */
export function seedRandom(seed: number | string): Random {
  const source = mersenne(hashOf(String(seed)));
  const int = (from: number, to: number) => uniformInt(source, from, to);
  const shuffle = <T>(items: readonly T[]): T[] => {
    const left = [...items];
    return items.flatMap(() => left.splice(int(0, left.length - 1), 1));
  };
  const deck = <T>(items: readonly T[]): (() => T) => {
    let left: T[] = [];
    let last: T | undefined;
    return () => {
      if (left.length === 0) left = shuffle(items);
      if (left.length > 1 && left.at(-1) === last) left.reverse();
      last = left.pop();
      if (last === undefined) throw new RangeError("nothing to deal");
      return last;
    };
  };
  return { int, deck, fork: (label) => seedRandom(`${seed}/${label}`) };
}

/** FNV-1a over UTF-16 code units, 32 bits unsigned. Not for secrets. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
