import { expect, test } from "vitest";
import { LANGUAGES } from "../../src/language/languages.ts";
import type { Candidate } from "../../src/memory/check-sorted.ts";
import { isMadeOfSources } from "../../src/memory/check-sorted.ts";
import { isDifferent } from "../../src/memory/fact-key.ts";
import { corpus } from "./corpus-windows.ts";
import { judge, NOTE } from "./judge.ts";

interface Relations {
  readonly code: string;
  readonly fact: string;
  readonly repetition: string;
  readonly change: string;
  readonly addition: { readonly claim: string; readonly text: string };
  readonly opposite: string;
}

const ALL = corpus<{ readonly languages: readonly Relations[] }>("relations").languages;
const WITH_FILE = new Set(LANGUAGES.map(({ code }) => code));
const JUDGED = ALL.filter(({ code }) => WITH_FILE.has(code));

function verdict(known: string, said: string, candidate: Partial<Candidate> = {}) {
  return judge(
    { fact: `{u:1} ${said}`, noteId: NOTE.id, ...candidate },
    { known: [{ ...NOTE, fact: `{u:1} ${known}` }] },
  );
}

test("there are at least thirty languages, fifteen of them with a file", () => {
  expect(ALL.length).toBeGreaterThanOrEqual(30);
  expect(JUDGED.length).toBeGreaterThanOrEqual(15);
});

test.each(ALL)("$code: what the model says of a claim is done", (one) => {
  expect(verdict(one.fact, one.repetition, { relation: "same" })).toMatchObject({
    kind: "confirm",
    noteId: NOTE.id,
  });
  expect(verdict(one.fact, one.change, { relation: "replaces" })).toMatchObject({
    kind: "supersede",
    noteIds: [NOTE.id],
  });
  expect(verdict(one.fact, one.opposite, { relation: "replaces" })).toMatchObject({
    kind: "supersede",
    noteIds: [NOTE.id],
  });
  expect(verdict(one.fact, one.addition.text, { relation: "adds" })).toMatchObject({
    kind: "supersede",
    reason: "model_adds",
  });
  expect(verdict(one.fact, one.addition.claim, { relation: "new", noteId: null })).toMatchObject({
    kind: "write",
  });
});

test.each(ALL)("$code: an exact repetition confirms, whoever is asked", ({ fact }) => {
  expect(verdict(fact, fact, { relation: "new", noteId: null })).toMatchObject({
    kind: "confirm",
    reason: "equal_key",
  });
});

test.each(ALL)("$code: no opposite confirms while nothing is said of it", ({ fact, opposite }) => {
  expect(verdict(fact, opposite, { relation: "new", noteId: null }).kind).not.toBe("confirm");
  expect(verdict(opposite, fact, { relation: "new", noteId: null }).kind).not.toBe("confirm");
});

test.each(JUDGED)(
  "$code: an opposite that is called the same is a change",
  ({ fact, opposite }) => {
    expect(verdict(fact, opposite, { relation: "same" }).kind).toBe("supersede");
    expect(verdict(opposite, fact, { relation: "same" }).kind).toBe("supersede");
  },
);

/** Written later: short ones as people say them, polite and contracted forms, with and without a negator's usual place. */
const SECOND = corpus<{
  readonly languages: readonly {
    readonly code: string;
    readonly opposites: readonly (readonly [string, string])[];
    readonly repetitions: readonly (readonly [string, string])[];
  }[];
}>("second-opposites").languages;

test.each(SECOND)(
  "$code: of many short facts the opposite is none",
  ({ opposites, repetitions }) => {
    const kindOf = (known: string, said: string) => verdict(known, said, { relation: "same" }).kind;
    const bothWays = (pairs: readonly (readonly [string, string])[], kind: string) =>
      pairs.filter(([one, other]) => kindOf(one, other) !== kind || kindOf(other, one) !== kind);
    expect(opposites.length).toBeGreaterThanOrEqual(15);
    expect(bothWays(opposites, "supersede")).toEqual([]);
    expect(bothWays(repetitions, "confirm")).toEqual([]);
  },
);

test.each([
  ["turned on dark mode", "turned off dark mode"],
  ["moved to Porto", "moved from Porto"],
  ["macht abends das Licht an", "macht abends das Licht aus"],
  ["有两只猫", "有三只猫"],
  ["住了五年", "住了六年"],
])("one small word or numeral in the place of another is a change: %s", (one, other) => {
  expect(verdict(one, other, { relation: "same" }).kind).toBe("supersede");
  expect(verdict(other, one, { relation: "same" }).kind).toBe("supersede");
});

test.each([
  ["turned on dark mode", "switched on dark mode"],
  ["有两只猫", "有两只狗"],
  ["works in a bakery", "works in a small bakery"],
])("another word in the place of one is what the model calls it: %s", (one, other) => {
  expect(verdict(one, other, { relation: "same" }).kind).toBe("confirm");
});

test.each(ALL)("$code: an addition is in words of the two", ({ fact, addition }) => {
  expect(isMadeOfSources(addition.text, [fact, addition.claim])).toBe(true);
  expect(isMadeOfSources(`${addition.text} zzyzx`, [fact, addition.claim])).toBe(false);
});

test.each([
  ["en", "has two cats at home", "has 2 cats at home", "has three cats at home"],
  [
    "de",
    "hat zwei Katzen und einen Hund",
    "hat 2 Katzen und einen Hund",
    "hat drei Katzen und einen Hund",
  ],
  ["es", "tiene dos gatos en casa", "tiene 2 gatos en casa", "tiene tres gatos en casa"],
  ["pt", "tem dois gatos em casa", "tem 2 gatos em casa", "tem quatro gatos em casa"],
  [
    "fr",
    "elle a deux chats dans la maison",
    "elle a 2 chats dans la maison",
    "elle a trois chats dans la maison",
  ],
  [
    "it",
    "ha due gatti in casa con lui",
    "ha 2 gatti in casa con lui",
    "ha tre gatti in casa con lui",
  ],
  [
    "pl",
    "ma w domu dwóch psów i się cieszy",
    "ma w domu 2 psów i się cieszy",
    "ma w domu trzech psów i się cieszy",
  ],
  ["tr", "evde iki kedisi var", "evde 2 kedisi var", "evde üç kedisi var"],
  ["ru", "у него дома две кошки", "у него дома 2 кошки", "у него дома три кошки"],
  ["uk", "має вдома дві кішки", "має вдома 2 кішки", "має вдома три кішки"],
  ["ja", "猫を二匹飼っている", "猫を2匹飼っている", "猫を三匹飼っている"],
  ["ko", "고양이 두 마리를 키운다", "고양이 2 마리를 키운다", "고양이 세 마리를 키운다"],
  ["zh", "他养了两只猫", "他养了2只猫", "他养了三只猫"],
  ["ar", "لديه ثلاث قطط في البيت", "لديه 3 قطط في البيت", "لديه خمس قطط في البيت"],
  ["hi", "उसके पास दो बिल्लियाँ हैं", "उसके पास 2 बिल्लियाँ हैं", "उसके पास तीन बिल्लियाँ हैं"],
])("%s: a number in words is the one in digits, and no other", (_, words, digits, other) => {
  const as = { relation: "same" } as const;
  expect(verdict(words, digits, as)).toMatchObject({ kind: "confirm", reason: "equal_key" });
  expect(verdict(words, other, as)).toMatchObject({ kind: "supersede" });
  expect(verdict(digits, other, as)).toMatchObject({ kind: "supersede" });
  expect(verdict(words, other, { relation: "new", noteId: null })).toMatchObject({ kind: "write" });
});

test("a number that is left out is no other number, and one that is new is news", () => {
  expect(isDifferent("has two cats at home", "has cats at home")).toBe(false);
  expect(isDifferent("has cats at home", "has two cats at home")).toBe(true);
});

/** Some go on behind the denied words, some are about another thing. */
const THIRD =
  corpus<Readonly<Record<"opposites" | "others", readonly (readonly [string, string])[]>>>(
    "third-opposites",
  );
const isReplacedBy = (known: string, said: string) =>
  verdict(known, said, { relation: "new", noteId: null }).kind === "supersede";

test.each(THIRD.opposites)("%s and %s replace each other, whatever the model says", (...pair) => {
  expect([isReplacedBy(...pair), isReplacedBy(pair[1], pair[0])]).toEqual([true, true]);
});

test.each(THIRD.others)("%s and %s are both true", (...pair) => {
  expect([isReplacedBy(...pair), isReplacedBy(pair[1], pair[0])]).toEqual([false, false]);
});
