import process from "node:process";
import { expect, test } from "vitest";
import { bannedWords } from "../../src/language/banned.ts";
import { languagesIn } from "../../src/language/which-language.ts";
import { checkSentence } from "../../src/memory/sentence-checks.ts";
import { corpus } from "./corpus-windows.ts";

type ByLanguage = Readonly<Record<string, readonly string[]>>;
const CLAIMS = corpus<{ readonly private: ByLanguage; readonly harmless: ByLanguage }>(
  "private-claims",
);
const banned = bannedWords([]);

/** Statements that the checks refuse, although the model flags nothing. */
function refused(claims: ByLanguage): string[] {
  return Object.values(claims).flatMap((statements) => {
    const languagesOf = languagesIn(statements);
    return statements.filter(
      (text) => checkSentence(text, { banned, languagesOf }) === "sensitive",
    );
  });
}

test("of 40 private statements in eight languages 38 are refused, unflagged", () => {
  const { length } = refused(CLAIMS.private);
  process.stdout.write(`unflagged private statements refused: ${length} of 40\n`);
  expect(length).toBeGreaterThanOrEqual(38);
});

test("of 40 harmless statements at most two are refused", () => {
  expect(refused(CLAIMS.harmless).length).toBeLessThanOrEqual(2);
});
