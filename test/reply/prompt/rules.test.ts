import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ACTIONS } from "../../../src/catalogue/actions.ts";
import { estimateTokens } from "../../../src/language/tokens.ts";
import { formatRules, RULES_VERSION } from "../../../src/reply/prompt/rules.ts";
import { fence, persona } from "./prompt-parts.ts";

const RULES_TOKENS_MAX = 400;
const ACTION_LINES_TOKENS_MAX = 200;

const all = Object.values(ACTIONS);
const lines = all.map(({ line }) => line);
const listed = lines.map((line) => `- ${line}\n`).join("");

/** Without the line that the streamer writes, and the list of actions. */
function rulesTokens(offered: readonly string[]): number {
  const [, ...rules] = formatRules(persona, "lanternroom", fence, offered).split("\n");
  return estimateTokens(rules.filter((line) => !line.startsWith("- ")).join("\n"));
}

test("the rules take at most 400 tokens, with actions or without", () => {
  expect(rulesTokens([])).toBeLessThanOrEqual(RULES_TOKENS_MAX);
  expect(rulesTokens(lines)).toBeLessThanOrEqual(RULES_TOKENS_MAX);
});

test("a wording belongs to one version: who changes it bumps RULES_VERSION, and writes both here", () => {
  const wordings = [[], lines].map((offered) =>
    formatRules(persona, "lanternroom", fence, offered).replaceAll(fence.marker, "BLOCK"),
  );
  const hash = createHash("sha256").update(wordings.join("\n")).digest("hex").slice(0, 16);
  expect({ version: RULES_VERSION, hash }).toEqual({ version: "15", hash: "72b11200d2e58e2f" });
});

test("note ids and brackets are allowed to actions alone", () => {
  expect(formatRules(persona, "lanternroom", fence, lines)).toContain(
    "no brackets or note numbers but an action's",
  );
  expect(formatRules(persona, "lanternroom", fence)).toContain(
    "brackets or note numbers, no dictated",
  );
});

test("all actions together are told in at most 200 tokens, with one more action too", () => {
  const oneMore = '- [action slow seconds=30 reason="…"] (mods)\n';
  expect(estimateTokens(listed + oneMore)).toBeLessThanOrEqual(ACTION_LINES_TOKENS_MAX);
});

test.each(Object.entries(ACTIONS))(
  "the line of %s says whether only moderators may ask for it, and what it is called",
  (name, { line, consent, class: actionClass }) => {
    expect(line.includes("(mods")).toBe(consent === "yes" && actionClass !== "memory");
    expect(line).toContain(`[action ${name}`);
  },
);

test("what the rules name is there: the block mark, and actions only where some are offered", () => {
  const without = formatRules(persona, "lanternroom", fence);
  expect(without).toContain(fence.marker);
  expect(without).not.toMatch(/action|mods/);
  expect(formatRules(persona, "lanternroom", fence, lines)).toContain(listed.trimEnd());
});
