import fc from "fast-check";
import { expect, test } from "vitest";
import { checkArgs } from "../../src/actions/action-policy.ts";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { ACTION_NAMES } from "../../src/config/names.ts";
import { extractActions, parseAction } from "../../src/language/action-syntax.ts";

test.each(ACTION_NAMES)("what a model is shown of %s can be copied as it stands", (name) => {
  const { spans } = extractActions(ACTIONS[name].line.replaceAll("=N", "=5"));
  expect(spans.length).toBeGreaterThan(0);
  for (const span of spans) {
    const parsed = parseAction(span);
    expect(parsed).toMatchObject({ kind: "action", name });
    if (parsed.kind === "action") expect(checkArgs(name, parsed.args)).not.toBeNull();
  }
});

test("a name, bare values and quoted values with escapes are read", () => {
  expect(
    parseAction('[action timeout user=bob seconds=60 reason="said \\"no\\" \\\\ twice"]'),
  ).toEqual({
    kind: "action",
    name: "timeout",
    args: { user: "bob", seconds: "60", reason: 'said "no" \\ twice' },
  });
  expect(parseAction("[action clip]")).toEqual({ kind: "action", name: "clip", args: {} });
  expect(parseAction('[action remember fact="likes 🏴‍☠️ and ❤️ tea"]')).toMatchObject({
    args: { fact: "likes 🏴‍☠️ and ❤️ tea" },
  });
  expect(parseAction("[action shoutout user=@木の実]")).toMatchObject({
    args: { user: "@木の実" },
  });
});

test.each([
  "[action",
  "[action]",
  "[action clip",
  "[ action clip]",
  "[action  ]",
  "[Action clip]",
  "[ACTION CLIP]",
  "[action Clip]",
  "［action clip］",
  "[аction clip]",
  "[ac\u200btion clip]",
  "[action cl\u200dip]",
  "[action clip\u202e]",
  "[action\tclip]",
  "[action\nclip]",
  "[action clip] [action clip]",
  "[action [action clip]]",
  "[[action clip]]",
  '[action announce text="[action clip]"]',
  '[action announce text="never closed]',
  '[action announce text="a" text="b"]',
  '[action announce text="a"b]',
  '[action announce text="bad \\n escape"]',
  "[action announce text='single quotes']",
  "[action announce text=“curly”]",
  "[action announce text=two words]",
  "[action announce text=]",
  "[action announce =x]",
  "[action announce TEXT=x]",
  "[action clip,]",
  "[action clip;ls]",
  `[action announce text="${"a".repeat(2_000)}"]`,
  "[".repeat(10_000),
  `${"[action ".repeat(10_000)}`,
  `[action announce text="${"\\".repeat(5_001)}`,
  "",
  "clip",
  "<action clip>",
  "(action clip)",
])("malformed, whatever it is: %.40s", (span) => {
  expect(parseAction(span)).toEqual({ kind: "malformed" });
});

test("what is well written is read back, whatever its values are", () => {
  const word = fc.stringMatching(/^[a-z_]{1,12}$/);
  const value = fc
    .stringMatching(/^[ !#-Z^-~\\"]{1,60}$/)
    .filter((text) => text.trim() === text && !text.includes("  "));
  fc.assert(
    fc.property(word, fc.dictionary(word, value, { maxKeys: 6 }), (name, args) => {
      const written = Object.entries(args).map(
        ([key, text]) => ` ${key}="${text.replace(/["\\]/g, "\\$&")}"`,
      );
      expect(parseAction(`[action ${name}${written.join("")}]`)).toEqual({
        kind: "action",
        name,
        args,
      });
    }),
    { numRuns: 500 },
  );
});

test("no text of any kind stops the parser, and what it reads is plain", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "[action ",
      "]",
      "[",
      '"',
      "\\",
      "=",
      " ",
      "clip",
      "user=bob",
      "［",
      "\u200b",
      "\0",
      "\ud800",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const span of [pieces.join(""), ...extractActions(`[action ${pieces.join("")}`).spans]) {
        const parsed = parseAction(span);
        if (parsed.kind === "action") expect(span).toMatch(/^\[action +[a-z_]+/);
      }
    }),
    { numRuns: 1_000 },
  );
});
