import { expect, test } from "vitest";
import { saidSeconds } from "../../src/actions/said-seconds.ts";
import { wishedSeconds } from "../../src/actions/wish.ts";

test.each([
  ["time out bob for a minute", 60],
  ["give bob 90secs off", 90],
  ["mute bob for 1 second", 1],
  ["bobを1秒タイムアウトして", 1],
  ["bob 1.5 minutes", 90],
  ["bob 1,5 minuten", 90],
  ["thirty seconds for bob", 30],
  ["forty-five seconds off for bob", 45],
  ["twenty five minutes for bob", 1_500],
  ["treinta y cinco segundos para bob", 35],
  ["quarenta segundos", 40],
  ["vingt secondes pour bob", 20],
  ["bob zwanzig sekunden", 20],
  ["сорок пять секунд", 45],
  ["ten seconds, no, two minutes", 120],
  ["half an hour for bob", 3_600],
])("%s: %d s", (words, seconds) => {
  expect(saidSeconds([words])).toBe(seconds);
});

test.each(["one second, mark", "wait a sec", "time bob out", "bob's 5 lamps", "thirty of them"])(
  "%s speaks of no time",
  (words) => {
    expect(saidSeconds([words])).toBeNull();
  },
);

const person = (userId: string, login: string) => ({
  userId,
  login,
  displayName: login,
  roles: null,
});
const BOB = person("1", "bob");

function secondsFor(words: string, target = BOB): number | null {
  const ownNames = ["automark", "Mark"];
  const people = [BOB, person("2", "carl"), person("3", "bob30")];
  return wishedSeconds("timeout", { words: [words], repliesToId: null, ownNames, target, people });
}

test.each([
  ["timeout bob 30", 30],
  ["timeout @bob 60 please", 60],
  ["time bob out 45", 45],
  ["time bob out for 90", 90],
  ["timeout bob 30, he posted 3 links", 30],
  ["timeout bob 30 for 3 links", 30],
  ["timeout bob 30 spamming", 30],
  ["bob is spamming. time him out 30", 30],
  ["mute bob 30 @automark", 30],
  ["put bob in timeout 30", 30],
  ["give bob a timeout of 20", 20],
  ["timeout bob thirty", 30],
  ["timeout bob thirty five", 35],
  ["ＴＩＭＥＯＵＴ bob ３０", 30],
  ["mute bob 30 bitte", 30],
  ["kannst du bob bitte für 30 muten", 30],
  ["gib bob einen timeout von 30", 30],
  ["silencia a bob 30 por favor", 30],
  ["silencia o bob por 30", 30],
  ["mets un timeout à bob de 30", 30],
  ["замуть bob 30", 30],
  ["замуть bob на 30", 30],
  ["bobを30タイムアウトして", 30],
  ["bobさんを30でミュートして", 30],
  ["bob 30 타임아웃 해줘", 30],
  ["禁言bob 30", 30],
  ["把bob禁言30", 30],
  ["timeout bob 30, no, 2 minutes", 120],
  ["timeout carl 600, timeout bob 30", 30],
  // As likely minutes: the longer one holds.
  ["mute bob for 5", 300],
])("a bare number at a wish is a length: %s, %d s", (words, seconds) => {
  expect(secondsFor(words)).toBe(seconds);
});

test.each([
  "timeout bob, he posted 3 links",
  "timeout bob for 3 links",
  "timeout bob 3 times",
  "timeout bob 5x",
  "bob said it 5 times, timeout bob",
  "it is 30 degrees, timeout bob",
  "timeout bob 2",
  "timeout bob 2023",
  "timeout bob, since 2023 he spams",
  "timeout bob 007",
  "timeout bob 0",
  "timeout bob 1,000",
  "timeout bob 1.000",
  "timeout bob 10:00",
  "timeout bob30",
  "timeout bob 30 and carl 60",
  "who gave bob a timeout 30?",
  "kannst du bob 3 mal muten",
  "замуть bob за 3 ссылки",
  "bobを3回タイムアウトして",
  "bob 5번 타임아웃 해줘",
  "禁言bob 3次",
])("%s has no bare length", (words) => {
  expect(secondsFor(words)).toBeNull();
});

test("a number that is part of a name is no length, and one behind it is", () => {
  const bob30 = person("3", "bob30");
  expect(secondsFor("timeout bob30", bob30)).toBeNull();
  expect(secondsFor("timeout bob30 40", bob30)).toBe(40);
});

test("a bare number says nothing of how long a poll lasts", () => {
  const context = { words: ["poll 30"], repliesToId: null, ownNames: [], target: null, people: [] };
  expect(wishedSeconds("poll", context)).toBeNull();
  expect(wishedSeconds("poll", { ...context, words: ["poll 30 seconds"] })).toBe(30);
});
