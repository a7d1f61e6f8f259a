import { expect, test } from "vitest";
import type { Person } from "../../src/actions/resolve.ts";
import { wishOf } from "../../src/actions/wish.ts";

const person = (userId: string, login: string): Person => ({
  userId,
  login,
  displayName: login,
  roles: null,
});
const [BOB, CARL] = [person("1", "bob"), person("2", "carl")];

/** Whom these words want timed out. */
function silenced(words: string, repliesToId: string | null = null): string[] {
  const people = [BOB, CARL, person("3", "dora")];
  const context = { words: [words], repliesToId, ownNames: ["automark", "Mark"], people };
  return people
    .filter((target) => wishOf("timeout", {}, { ...context, target }) === "said")
    .map(({ login }) => login);
}

test.each([
  "bob needs ten minutes",
  "mark, bob needs ten minutes please",
  "@automark bob gets 5 minutes",
  "bob 10 minutes",
  "give bob 10 minutes",
  "bob said a slur, give him ten minutes",
  "bob said a slur. give him ten minutes, thanks mark",
  "give bob a minute off",
  "hold on, give bob a minute off",
  "bob needs ten minutes off, he is spamming",
  "ok enough, bob gets a 5 minute timeout",
])("a length for bob is a time-out: %s", (words) => {
  expect(silenced(words)).toEqual(["bob"]);
});

test.each([
  "bob needs 5 minutes, he is in the shower",
  "bob needs 5 minutes. he is in the shower",
  "hold on, bob needs 5 minutes",
  "wait, bob needs 5 minutes",
  "sorry mark, bob needs ten minutes",
  "where is bob? bob needs ten minutes",
  "maybe bob needs ten minutes",
  "bob needs a 5 minute break, hang on",
  "bob 5 minutes, then we start",
  "give bob 5 minutes, he is typing",
  "give bob 5 minutes. he has to eat",
  "bob gets 5 minutes with the controller",
])("a length that may be a break is none: %s", (words) => {
  expect(silenced(words)).toEqual([]);
});

test.each([
  ["bob, mute carl", []],
  ["hey bob, mute carl", []],
  ["@bob can you mute carl", []],
  ["bob mute carl", []],
  ["bob put carl in timeout", []],
  ["bob shut carl up", []],
  ["bob and dora put carl in timeout", []],
  ["somebody put carl in timeout", []],
  ["can somebody put carl in timeout", ["carl"]],
  ["put carl in timeout", ["carl"]],
  ["@bob @automark mute carl", ["carl"]],
  ["bob, 10 minutes off", ["bob"]],
  ["bob insulted dora, mute bob", ["bob"]],
] as const)("what is said to somebody else, or told of them, is no wish: %s", (words, expected) => {
  expect(silenced(words)).toEqual(expected);
});

test("a reply that begins with whom it answers is said to the bot", () => {
  expect(silenced("@bob mute him", BOB.userId)).toEqual(["bob"]);
});

test.each([
  "should bob swear again, mute him",
  "mute bob should he swear again",
  "provided bob keeps going, mute him",
  "assuming bob spams, mute him",
  "as long as bob spams, mute him",
  "the moment bob spams, mute him",
  "any time bob spams, mute him",
  "every time bob spams, mute him",
  "once bob is done, mute him",
  "suppose bob spams, mute him",
  "mute bob after the raid",
  "mute bob later",
  "time bob out tomorrow",
  "mute bob in discord",
  "mute bob on your end",
  "mute bob vs mute carl",
  "put bob in the corner of the screen",
])("what is not to be done now, or not here, is not wished for: %s", (words) => {
  expect(silenced(words)).toEqual([]);
});

test.each([
  "mute bob, no, don't",
  "mute bob, wait no",
  "mute bob. actually no",
  "mute bob... or not",
  "mute bob, scratch that",
])("what is taken back is not wished for: %s", (words) => {
  expect(silenced(words)).toEqual([]);
});

test("who changes their mind is obeyed in the end", () => {
  expect(silenced("mute bob, no wait, mute carl")).toEqual(["carl"]);
});

test.each([
  ["time out bob...", ["bob"]],
  ["hey... ok!! bob needs ten minutes?! ...", []],
  ["hey... ok!! bob needs ten minutes!! ...", ["bob"]],
  ["... bob needs ten minutes. he has to eat...", []],
  ["time out bob!?", ["bob"]],
  ["time out bob?!", []],
  ["time out bob. ok. never. mind. thanks", []],
  ["just kidding. lol. time out bob...", ["bob"]],
  ["thanks, jk, time out bob", ["bob"]],
  ["if he spams, ok, time out bob", []],
])("end marks in a row end one sentence, and what is around it counts: %s", (words, expected) => {
  expect(silenced(words)).toEqual(expected);
});
