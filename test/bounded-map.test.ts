import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedMap } from "../src/bounded-map.ts";

test("holds what was set last, up to its size, whatever was set before", () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 6 }), (set, sizeMax) => {
      const map = new BoundedMap<number, string>(sizeMax);
      for (const key of set) map.set(key, `of ${key}`);
      const last = [...new Set(set.toReversed())].slice(0, sizeMax).toReversed();
      expect(map.keys()).toEqual(last);
      for (let key = 0; key < 10; key += 1) {
        expect(map.get(key)).toBe(last.includes(key) ? `of ${key}` : undefined);
      }
    }),
  );
});

test("drops what is too old, also by a clock that was set back", () => {
  const map = new BoundedMap<string, number>(10, 1_000);
  map.set("one", 1, 5_000);
  expect(map.get("one", 5_999)).toBe(1);
  expect([map.get("one", 6_000), map.get("one", 4_000)]).toEqual([undefined, undefined]);
  map.set("two", 2, 5_500);
  expect([map.keys(5_999), map.keys(6_000)]).toEqual([["one", "two"], ["two"]]);
  map.set("three", 3, 6_200);
  expect(map.get("one")).toBeUndefined();
  map.clear();
  expect(map.keys(6_200)).toEqual([]);
});
