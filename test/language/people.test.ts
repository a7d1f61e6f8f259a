import fc from "fast-check";
import { expect, test } from "vitest";
import { fillNames, findPeople, makePersonToken } from "../../src/language/people.ts";

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
