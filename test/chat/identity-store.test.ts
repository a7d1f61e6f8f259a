import fc from "fast-check";
import { expect, test } from "vitest";
import { IdentityStore } from "../../src/chat/viewer-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";

const opened = () => {
  const clock = { nowMs: 0 };
  const store = new IdentityStore(openDatabase(":memory:"), () => clock.nowMs++);
  return store;
};

test("the account named second leads, and of a chain the last", () => {
  const store = opened();
  expect(store.merge("2", "7")).toBe(true);
  expect(store.accountsOf("2")).toEqual(["7", "2"]);
  expect(store.merge("7", "5")).toBe(true);
  for (const one of ["2", "5", "7"]) expect(store.accountsOf(one)[0]).toBe("5");
});

test("a circle is refused, however long the way round, and what was said before is not said twice", () => {
  const store = opened();
  store.merge("a", "b");
  store.merge("b", "c");
  expect(store.merge("c", "a")).toBe(false);
  expect(store.merge("b", "a")).toBe(false);
  expect(store.merge("a", "a")).toBe(false);
  expect(store.merge("a", "b")).toBe(false);
  expect(store.merge("a", "c")).toBe(true);
  expect(store.list()).toHaveLength(3);
});

test("whatever is merged and taken apart, people are those whom the remaining merges link", () => {
  const account = fc.constantFrom("1", "2", "3", "4", "5");
  const step = fc.record({ isMerge: fc.boolean(), from: account, into: account });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = opened();
      for (const { isMerge, from, into } of steps) {
        if (isMerge) store.merge(from, into);
        else store.separate(from, into);
      }
      const links = store.list();
      for (const one of ["1", "2", "3", "4", "5"]) {
        expect([...store.accountsOf(one)].sort()).toEqual(linked(one, links));
        const [lead] = store.accountsOf(one);
        expect(links.some(({ userId }) => userId === lead)).toBe(false);
      }
    }),
    { numRuns: 40 },
  );
});

function linked(
  start: string,
  links: readonly { readonly userId: string; readonly sameAs: string }[],
): string[] {
  const found = new Set([start]);
  for (const one of found) {
    for (const { userId, sameAs } of links) {
      if (userId === one) found.add(sameAs);
      if (sameAs === one) found.add(userId);
    }
  }
  return [...found].sort();
}
