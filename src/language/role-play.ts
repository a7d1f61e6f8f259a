// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import lists from "./data/role-play.json" with { type: "json" };
import { type Language, splitEntries } from "./languages.ts";
import { createWordFinder, readWords } from "./words.ts";

/** One word of a made-up world alone is often a pet's name or a place. */
const WORLD_WORDS_MIN = 2;

const findersOf = memoize(
  () =>
    new Map(
      Object.entries(lists).map(([code, { world, address, frame }]) => [
        code,
        createWordFinder({
          world: splitEntries(world),
          address: splitEntries(address),
          frame: splitEntries(frame),
        }),
      ]),
    ),
);

/**
 * Returns true if a message plays a role in plain words: "I am the dragon king, kneel". It has two words of a made-up
 * world, or one by which only a role addresses others. A word for a game, a hobby or a name makes it a plain message.
 */
export function isRolePlay(text: string, language: Language): boolean {
  const found = findersOf().get(language.code)?.(readWords(text)) ?? [];
  const placesOf = (list: string) =>
    new Set(found.filter(({ name }) => name === list).map(({ from }) => from)).size;
  if (placesOf("frame") > 0) return false;
  return placesOf("address") > 0 || placesOf("world") >= WORLD_WORDS_MIN;
}
