import process from "node:process";
import { expect, test } from "vitest";
import { bannedWordFinder } from "../../src/language/banned.ts";
import { languageFinder } from "../../src/language/languages.ts";
import { checkSentence } from "../../src/memory/sentence-checks.ts";
import { corpus } from "./corpus-windows.ts";

type ByLanguage = Readonly<Record<string, readonly string[]>>;
const CLAIMS = corpus<{ readonly private: ByLanguage; readonly harmless: ByLanguage }>(
  "private-claims",
);
const banned = bannedWordFinder([]);

/** Statements that the checks refuse, although the model flags nothing. */
function refused(claims: ByLanguage): string[] {
  return Object.values(claims).flatMap((statements) => {
    const languagesOf = languageFinder(statements);
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

const MORE: ByLanguage = {
  de: [
    "P1 hat Krebs",
    "P1 ist schwul",
    "P1 war bei einer Therapeutin",
    "P1 verdient 2900 Euro im Monat",
    "P1 hat die Grünen gewählt",
    "P1 geht sonntags in die Kirche",
    "P1s Wohnung steht leer",
    "P1 spritzt Insulin",
  ],
  es: [
    "P1 tiene cáncer",
    "P1 va a misa los domingos",
    "P1 votó a la derecha",
    "P1 es atea",
    "P1 fue al psicólogo",
    "P1 toma pastillas para dormir",
    "P1 es alcohólico",
    "La casa de P1 está vacía y su casa está sola",
  ],
};
const HARMLESS: ByLanguage = {
  de: ["P1 spielt einen Heiler", "P1 baut eine Kirche", "P1 mag die grünen Lampen"],
  es: ["P1 construyó una iglesia", "P1 vota siempre por el puente", "P1 rompió su teclado"],
};

test("German and Spanish words of health, faith, politics and absence are private", () => {
  expect(refused(MORE)).toEqual(Object.values(MORE).flat());
  expect(refused(HARMLESS)).toEqual([]);
});
