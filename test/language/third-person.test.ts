import { expect, test } from "vitest";
import { toThirdPerson } from "../../src/language/third-person.ts";

test.each([
  ["I play the bass", "plays the bass"],
  ["that I'm from Lyon", "is from Lyon"],
  ["i don't like olives", "does not like olives"],
  ["I really love my old boat", "really loves their old boat"],
  ["I moved to Oslo with my cat", "moved to Oslo with their cat"],
  ["I study law", "studies law"],
  ["I have 2 dogs", "has 2 dogs"],
  ["my cat is Miso", "says their cat is Miso"],
  ["call me Sam", "wants to be called Sam"],
  ["collects stamps", "collects stamps"],
  ["is a nurse", "is a nurse"],
  ["also is a nurse", "also is a nurse"],
  ["thinks rain is fine", "thinks rain is fine"],
  ["Pickle is a tuxedo cat", "says: Pickle is a tuxedo cat"],
  ["the boat has a new mast", "says: the boat has a new mast"],
  ["Ich spiele Bass", "Ich spiele Bass"],
  ["私は寿司が好き", "私は寿司が好き"],
  ["mirrors break easily", "mirrors break easily"],
])("%s is told as: %s", (said, told) => {
  expect(toThirdPerson(said)).toBe(told);
});
