import fc from "fast-check";
import { expect, test } from "vitest";
import { FACT_PAIRS } from "../../src/lab/evaluation/fact-pairs.ts";
import { compareFacts, mayBeSame } from "../../src/memory/similarity.ts";

const KINDS = ["same", "conflict", "distinct"] as const;

test("of the pairs at most two in a hundred conflicts are merged, and most duplicates are found", () => {
  const counts = (is: string) =>
    KINDS.map(
      (kind) =>
        FACT_PAIRS.filter(
          (pair) => pair.is === is && compareFacts(pair.known, pair.fact).kind === kind,
        ).length,
    );
  const matrix = Object.fromEntries(
    KINDS.map((is) => [is, Object.fromEntries(counts(is).map((n, at) => [KINDS[at], n]))]),
  );
  process.stdout.write(`${FACT_PAIRS.length} pairs: ${JSON.stringify(matrix)}\n`);
  const [same = [], conflict = [], distinct = []] = KINDS.map(counts);
  const share = (row: readonly number[], at: number) =>
    (row[at] ?? 0) / row.reduce((sum, n) => sum + n, 0);
  expect(FACT_PAIRS.length).toBeGreaterThanOrEqual(150);
  expect(share(conflict, 0)).toBeLessThanOrEqual(0.02);
  expect(share(same, 0)).toBeGreaterThanOrEqual(0.6);
  expect(share(conflict, 1)).toBeGreaterThanOrEqual(0.7);
  expect(share(distinct, 0)).toBeLessThanOrEqual(0.02);
  expect(share(distinct, 2)).toBeGreaterThanOrEqual(0.9);
});

test.each([
  ["{u:1} plays Valorant", "{u:1} no longer plays Valorant", "negation"],
  ["{u:1} is rank 400", "{u:1} reached rank 500", "rank"],
  ["{u:1} is from Canada", "{u:1} moved to Japan", "home"],
  ["{u:1} играет в Valorant", "{u:1} больше не играет в Valorant", "negation"],
  ["{u:1}: ранг 400", "{u:1}: ранг 500", "rank"],
  ["{u:1} из Канады", "{u:1} переехала в Японию", "home"],
  ["{u:1}はヴァロラントをプレイしている", "{u:1}はもうヴァロラントをプレイしていない", "negation"],
  ["{u:1}のランクは400", "{u:1}のランクは500", "rank"],
  ["{u:1}はカナダ出身", "{u:1}は日本に引っ越した", "home"],
])("%s, then %s, is a conflict", (known, fact, predicate) => {
  expect(compareFacts(known, fact)).toEqual({ kind: "conflict", predicate });
});

test("a detail that only one of two facts has keeps them two where it is much, a name or a number", () => {
  expect(compareFacts("{u:1} likes coffee", "{u:1} likes coffee ice cream").kind).toBe("distinct");
  expect(
    compareFacts("{u:1} collects old arcade machines", "{u:1} collects 9 old arcade machines").kind,
  ).toBe("distinct");
  expect(
    compareFacts("{u:1} collects old arcade machines", "{u:1} collects old Sega arcade machines")
      .kind,
  ).toBe("distinct");
  expect(
    compareFacts("{u:1} collects old arcade machines", "{u:1} collects old wooden arcade machines")
      .kind,
  ).toBe("same");
});

test("coffee and tea stay two", () => {
  expect(compareFacts("{u:1} drinks coffee", "{u:1} drinks tea").kind).toBe("distinct");
});

test("who was said to have moved may still be from somewhere", () => {
  expect(compareFacts("{u:1} moved to Japan", "{u:1} is from Canada").kind).toBe("distinct");
});

test("a number, a negation or a plan forbids what a model takes for the same", () => {
  expect(mayBeSame("{u:1} runs 5 km a day", "{u:1} runs 8 km a day")).toBe(false);
  expect(mayBeSame("{u:1} eats meat", "{u:1} never eats meat")).toBe(false);
  expect(mayBeSame("{u:1} visits Peru", "{u:1} wants to visit Peru")).toBe(false);
  expect(mayBeSame("{u:1} is preparing for a race", "{u:1} trains for a race")).toBe(true);
});

test("any fact is the same as itself, whatever it is", () => {
  const fact = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(...FACT_PAIRS.map(({ fact: one }) => one)),
  );
  fc.assert(
    fc.property(fact, (one) => {
      expect(compareFacts(one, one)).toEqual({ kind: "same" });
    }),
  );
});

test("a fact of any length is compared in bounded time", () => {
  const long = `{u:1} lives in ${"no longer not any ".repeat(20_000)}`;
  expect(compareFacts(long, `${long}!`).kind).toBeDefined();
});
