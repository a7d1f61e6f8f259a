import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawHouse } from "../bench/draw-house.ts";

test("the picture of the house shows the imports and the steps that the code has: `npm run docs:house` draws it anew", () => {
  expect(readFileSync("docs/house.svg", "utf8")).toBe(drawHouse());
});
