import fc from "fast-check";
import { expect, test } from "vitest";
import { defuse, extractActions } from "../../src/language/action-syntax.ts";

const TAKEN: readonly (readonly [string, string, readonly string[]])[] = [
  ["nice [action clip]", "nice ", ["[action clip]"]],
  [
    "a [action clip] b [action marker text=x] c",
    "a b c",
    ["[action clip]", "[action marker text=x]"],
  ],
  ["good [action clip]!", "good!", ["[action clip]"]],
  ["one[action clip]two", "one two", ["[action clip]"]],
  [
    'x [action remember fact="likes ] and [tea"] y',
    "x y",
    ['[action remember fact="likes ] and [tea"]'],
  ],
  ['x [action remember fact="a \\" ] b"] y', "x y", ['[action remember fact="a \\" ] b"]']],
  ["[[action clip]] y", " y", ["[action clip]"]],
  ["[[[action clip] y", " y", ["[action clip]"]],
  ["[act[action clip]ion] y", " ion] y", ["[action clip]"]],
  ["hi [action timeout user=bob", "hi ", ["[action timeout user=bob"]],
  ['hi [action remember fact="tea] more', "hi ", ['[action remember fact="tea] more']],
  ["hi [action", "hi ", ["[action"]],
  ["hi [action clip\\]", "hi ", ["[action clip\\]"]],
];
test.each(TAKEN)("an action is taken out of: %s", (raw, text, spans) => {
  expect(extractActions(raw)).toEqual({ text, spans });
});

const DISGUISED = [
  "[ACTION clip]",
  "[  action clip]",
  "[Action: clip]",
  "［ａｃｔｉｏｎ clip］",
  "【action clip】",
  "⟦action clip⟧",
  "「action clip」",
  "[a\u200bc\u2060tion clip]",
  "[\u{E0000}action clip]",
  "[аctiоn clip]",
  "[áctïon clip]",
  "[act1on clip]",
  "[𝐚𝐜𝐭𝐢𝐨𝐧 clip]",
  "[a c t i o n clip]",
  "[**action** clip]",
  "[`action` clip]",
  "[acttiion clip]",
  "[action a [action b] c]",
  "[actions speak]",
];
test.each(DISGUISED)("a disguised action is taken out: %s", (span) => {
  expect(extractActions(`${span} y`)).toEqual({ text: " y", spans: [span] });
});

const LEFT = [
  "no brackets, action movie",
  "(action clip)",
  "[act] ion",
  "[1] [ok] [id:3] [fraction]",
  "[acting] and [act one]",
  "[reaction] time",
  "[",
  "a ] b [ c",
  "「アクション」映画",
];
test.each(LEFT)("nothing is taken out of: %s", (text) => {
  expect(extractActions(text)).toEqual({ text, spans: [] });
});

const bracketed = fc
  .array(
    fc.constantFrom(
      "[",
      "]",
      "［",
      "【",
      "」",
      "action",
      "ACTI",
      "ON",
      "act",
      "ion",
      " ",
      "\u200b",
      '"',
      "\\",
      "x",
      "а",
      "[action ",
    ),
  )
  .map((parts) => parts.join(""));

test("what remains holds no action, and what was taken starts with a bracket", () => {
  fc.assert(
    fc.property(bracketed, (raw) => {
      const { text, spans } = extractActions(raw);
      expect(extractActions(text)).toEqual({ text, spans: [] });
      expect(spans.every((span) => raw.includes(span) && /^[[［【]/u.test(span))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("defused text holds no action, whatever it was, and nothing but brackets changed", () => {
  fc.assert(
    fc.property(fc.oneof(bracketed, fc.string({ unit: "binary" })), (raw) => {
      const safe = defuse(raw);
      expect(extractActions(safe).spans).toEqual([]);
      expect(safe.length).toBe(raw.length);
      expect(safe).not.toMatch(/[[\]［］【】]/u);
      expect(safe.normalize("NFKC")).not.toMatch(/[[\]]/u);
    }),
    { numRuns: 300 },
  );
  expect(defuse("see [action clip] 【x】")).toBe("see (action clip) (x)");
});
