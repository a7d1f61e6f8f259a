import { expect, test } from "vitest";
import { saidSeconds } from "../../src/actions/said-seconds.ts";

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
