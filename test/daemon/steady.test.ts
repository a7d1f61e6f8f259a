import { expect, test } from "vitest";
import { detectChange } from "../../src/daemon/reload.ts";

function takenOf(looks: readonly string[]): string[] {
  const isDue = detectChange();
  return looks.filter((found) => isDue(found));
}

test("what two looks in a row find is taken, once", () => {
  expect(takenOf(["a", "a", "a", "a"])).toEqual(["a"]);
});

test("what an editor writes in between is not", () => {
  expect(takenOf(["a", "a", "", "b{", "b", "b", "b"])).toEqual(["a", "b"]);
});

test("what stood there before, and is back before it was seen twice, is nothing new", () => {
  expect(takenOf(["a", "a", "b", "a", "a"])).toEqual(["a"]);
});

test("what stood there before, and is back, is taken again", () => {
  expect(takenOf(["a", "a", "b", "b", "a", "a"])).toEqual(["a", "b", "a"]);
});
