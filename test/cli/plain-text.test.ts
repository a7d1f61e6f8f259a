import { expect, test } from "vitest";
import { printable } from "../../src/cli/plain-text.ts";

test("what a terminal would obey is shown, and what never ends is cut", () => {
  expect(printable("a\u001b[31m\n\u009b2J\u202eb")).toBe("a\ufffd[31m\ufffd\ufffd2J\ufffdb");
  expect(printable("ガチャ 🎲 ñ")).toBe("ガチャ 🎲 ñ");
  expect(printable("b".repeat(5_000)).length).toBeLessThan(1_100);
});
