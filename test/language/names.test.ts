import { expect, test } from "vitest";
import { namesToRedact, removeTokens } from "../../src/language/names.ts";
import { EVERYDAY_NAMES } from "./everyday-names.ts";

function unnamed(text: string, ...names: string[]): string {
  return namesToRedact([{ userId: "7", names }]).reduce((left, name) => name.takeOut(left), text);
}

test.each([
  ["alice_7 and @ALICE_7 and Alice_7's boat", "someone and someone and someone's boat"],
  ["alice_77 and malice_7 and alice and @alice_", "alice_77 and malice_7 and alice and @alice_"],
  ["Alice_7さんは強い", "someoneさんは強い"],
])("%s becomes %s", (text, left) => {
  expect(unnamed(text, "alice_7", "Alice_7")).toBe(left);
});

test("a display name with a capital inside goes if it is written exactly so", () => {
  expect(unnamed("TeaTime, teatime, @teatime", "teatime", "TeaTime")).toBe(
    "someone, teatime, someone",
  );
});

test.each(EVERYDAY_NAMES)("%s stays a word, and goes with an @", (name) => {
  expect(unnamed(`the ${name} of @${name}`, name, name)).toBe(`the ${name} of someone`);
});

test("only the tokens of the people meant go", () => {
  expect(removeTokens("{u:7} and {u:77} met {u:8}", ["7", "8"])).toBe(
    "someone and {u:77} met someone",
  );
});
