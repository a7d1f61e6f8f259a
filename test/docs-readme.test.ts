import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const readme = readFileSync("README.md", "utf8").replaceAll("\r\n", "\n");

test("README.md opens with what the bot does and a picture of it, and has the two commands", () => {
  const opening = readme.split("\n## ")[0] ?? "";
  expect(opening).toMatch(/^# ForgetMeNot\n\nA Twitch chat bot/);
  expect(readme).toContain("npm ci && npm start");
  expect(readme).toContain("npm ci && npm test");
  expect(opening).toContain("(docs/rehearsal.svg)");
});

test.each([
  [
    "Windows",
    "powershell",
    /\b(?:sudo|apt|brew|export|chmod|source|sh)\b|&&|\|\||\.\/|~\/|\/dev\/|\bnpm(?!\.cmd)/,
  ],
  ["macOS", "sh", /\bapt\b|winget|\.cmd|\$env:/],
  ["Linux", "sh", /\bbrew\b|winget|\.cmd|\$env:/],
])(
  "README.md has %s installed in three lines: Node, the code, the bot",
  (system, shell, foreign) => {
    const [, part = ""] = readme.split(`**${system}**`);
    const [, kind, block = ""] = /```(\w*)\n([\s\S]*?)```/.exec(part) ?? [];
    const [node, code, bot, ...more] = block.trim().split("\n");
    expect(kind).toBe(shell);
    expect(node).toMatch(/install .*node/i);
    expect(node).toMatch(/\bgit\b/i);
    expect(code).toMatch(/^git clone ADDRESS forgetmenot(?: &&|;) cd forgetmenot$/);
    expect(bot).toMatch(/^npm(?:\.cmd)? ci(?: &&|;) npm(?:\.cmd)? start$/);
    expect(more).toEqual([]);
    expect(block).not.toMatch(foreign);
  },
);

test.each([
  "local-first",
  "daemon",
  "events",
  "episode",
  "semantic notes",
  "compaction",
  "prompt assembler",
  "prefix and tail",
  "drop ladder",
  "policy engine",
  "token usage",
])("README.md introduces the term %s", (term) => {
  expect(readme).toMatch(new RegExp(`\\*\\*[^*]*${term}\\*\\*`));
});

test("README.md names the oldest Node that will do, as package.json does", () => {
  const engines = /"node": ">=([\d.]+)"/.exec(readFileSync("package.json", "utf8"))?.[1];
  expect(engines).toBeDefined();
  expect(readme).toContain(`${engines} or newer`);
});
