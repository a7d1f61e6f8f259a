import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fillNames,
  findPeople,
  makePersonToken,
  namesToRedact,
  removeTokens,
} from "../../src/language/people.ts";

const userId = fc.stringMatching(/^[\w-]{1,40}$/);

test("a person's token becomes the name they have now, and someone's where nobody is known", () => {
  const names = new Map([["7", "Ann"]]);
  const nameOf = (id: string) => names.get(id) ?? null;
  expect(fillNames(`${makePersonToken("7")} owes ${makePersonToken("8")} a tea`, nameOf)).toBe(
    "Ann owes someone a tea",
  );
});

test("every id that chat can have is found again in its token", () => {
  fc.assert(
    fc.property(fc.array(userId), (ids) => {
      const text = ids.map((id) => `and ${makePersonToken(id)}`).join(" ");
      expect(findPeople(text)).toEqual([...new Set(ids)]);
      expect(fillNames(text, (id) => `<${id}>`)).toBe(ids.map((id) => `and <${id}>`).join(" "));
    }),
  );
});

test("a name is put in as it is, whatever signs it has", () => {
  expect(fillNames("{u:7}!", () => "$& $1 {u:8}")).toBe("$& $1 {u:8}!");
});

test.each(["{u:}", "{u:a b}", "{U:7}", "{u:7", "u:7"])("%j is no token", (text) => {
  expect(findPeople(text)).toEqual([]);
  expect(fillNames(text, () => "X")).toBe(text);
});

import { EVERYDAY_NAMES } from "./everyday-names.ts";

function unnamed(text: string, ...names: string[]): string {
  return namesToRedact([{ userId: "7", names }]).reduce((left, name) => name.redact(left), text);
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
