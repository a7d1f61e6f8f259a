import { expect, test } from "vitest";
import { selfStatementFinder } from "../../src/language/self-telling.ts";
import { toThirdPerson } from "../../src/language/third-person.ts";

const ENGLISH = ["the boss is at the bridge again", "what was that", "this is the best part"];
const tells = selfStatementFinder(ENGLISH);

test.each([
  "I keep bees",
  "my sister lives in Oslo",
  "we have two parrots",
  "playing the harp since school",
  "from Wisconsin actually",
  "yeah, always wanted a lathe",
  "nurse here",
  "wife is German",
  "26 and still at school",
  "used to row when that river was clean",
  "nina plays the harp",
  "bridge, tower, been there, night nurse here so i know",
  "as a carpenter, that table hurts to see",
  "i think my brother has that one",
])("a line may tell of its writer: %s", (line) => {
  expect(tells(line)).toBe(true);
});

test.each([
  "vivo en Madrid con mi hermana",
  "ich wohne in der Stadt und das ist gut",
  "jestem z Krakowa",
  "犬を二匹飼っています",
  "у него есть собака",
])("a line in another language may, whatever it says: %s", (line) => {
  expect(tells(line)).toBe(true);
});

test.each([
  "he is so lucky",
  "that was close",
  "the boss should be dead by now",
  "you have to jump",
  "honestly they never learn",
  "i think bigger boats are the way out of this mess",
  "we should vote for the longer bridge",
  "better lamps for all the towns along this river",
])("a line about others does not: %s", (line) => {
  expect(tells(line)).toBe(false);
});

test("in a window of another language every line may", () => {
  const german = ["das ist der beste Teil", "ich mag die Musik hier", "was war das denn"];
  expect(selfStatementFinder(german)("der Boss ist schon wieder da")).toBe(true);
});

test.each([
  ["I play the bass", "plays the bass"],
  ["that I'm from Lyon", "is from Lyon"],
  ["i don't like olives", "does not like olives"],
  ["I really love my old boat", "really loves their old boat"],
  ["I moved to Oslo with my cat", "moved to Oslo with their cat"],
  ["I study law", "studies law"],
  ["I have 2 dogs", "has 2 dogs"],
  ["I haven't seen it", "has not seen it"],
  ["I didn't like it", "didn't like it"],
  ["i cant swim", "cant swim"],
  ["I want a boat", "wants a boat"],
  ["I need my glasses", "needs their glasses"],
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
