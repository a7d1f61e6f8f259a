import { expect, test } from "vitest";
import { LANGUAGES } from "../../src/language/languages.ts";
import type { Candidate } from "../../src/memory/check-sorted.ts";
import { isMadeOf } from "../../src/memory/check-sorted.ts";
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
    takesEvidence: true,
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
  expect(verdict(fact, opposite, { relation: "new", noteId: null }).kind).toBe("write");
  expect(verdict(opposite, fact, { relation: "new", noteId: null }).kind).toBe("write");
});

test.each(JUDGED)(
  "$code: an opposite that is called the same is a change",
  ({ fact, opposite }) => {
    expect(verdict(fact, opposite, { relation: "same" }).kind).toBe("supersede");
    expect(verdict(opposite, fact, { relation: "same" }).kind).toBe("supersede");
  },
);

test.each(ALL)("$code: an addition is in words of the two", ({ fact, addition }) => {
  expect(isMadeOf(addition.text, [fact, addition.claim])).toBe(true);
  expect(isMadeOf(`${addition.text} zzyzx`, [fact, addition.claim])).toBe(false);
});
