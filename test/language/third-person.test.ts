import { expect, test } from "vitest";
import { inThirdPerson } from "../../src/language/third-person.ts";

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
  ["Я играю на гитаре", "says: Я играю на гитаре"],
  ["Ich spiele Bass", "says: Ich spiele Bass"],
  ["dass ich Bass spiele", "says: ich Bass spiele"],
  ["J'adore le foot", "says: J'adore le foot"],
  ["У мене є кіт", "says: У мене є кіт"],
  ["私は寿司が好き", "says: 私は寿司が好き"],
  ["mirrors break easily", "mirrors break easily"],
])("%s is told as: %s", (said, told) => {
  expect(inThirdPerson(said)).toBe(told);
});
