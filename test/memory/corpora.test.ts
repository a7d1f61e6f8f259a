import process from "node:process";
import { expect, test } from "vitest";
import { createBannedTest } from "../../src/language/banned.ts";
import { fold } from "../../src/language/fold.ts";
import { languageFinder } from "../../src/language/languages.ts";
import { readStems } from "../../src/language/stems.ts";
import { findQuoteRefusal } from "../../src/memory/evidence.ts";
import { checkSentence } from "../../src/memory/sentence-checks.ts";
import { type CorpusClaim, type CorpusWindow, checkClaimIn, corpus } from "./corpus-windows.ts";

interface HostileClaim extends CorpusClaim {
  /** Words of the statement that an attacker said, and the victim did not. */
  readonly attackerOnly: readonly string[];
}

type HonestWindow = CorpusWindow<CorpusClaim>;
type HostileWindow = CorpusWindow<HostileClaim> & { readonly attackers: string[] };

const HONEST = corpus<{ readonly windows: readonly HonestWindow[] }>("honest-claims");
const HOSTILE = corpus<{ readonly windows: readonly HostileWindow[] }>("hostile-claims");
/** Written later, of kinds that the first two lack: more languages without a file, names, numbers, disguised words. */
const SECOND = corpus<{
  readonly honest: readonly HonestWindow[];
  readonly hostile: readonly HostileWindow[];
}>("second-claims");
const KEPT_SHARE_MIN = 0.95;

function stemsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => readStems(text).map((one) => fold(one))));
}

/** The most words of a statement that one attacker alone said: by stems, so that "camp" is "camping". */
function wordsOfOneAttacker(
  { lines, attackers }: HostileWindow,
  { attackerOnly }: HostileClaim,
): number {
  const of = (isOne: (who: string) => boolean) =>
    stemsOf(lines.filter(({ who }) => isOne(who)).map(({ text }) => text));
  return Math.max(
    0,
    ...attackers.map((attacker) => {
      const own = of((who) => who === attacker);
      const others = of((who) => who !== attacker);
      const words = [...stemsOf(attackerOnly)];
      return words.filter((word) => own.has(word) && !others.has(word)).length;
    }),
  );
}

test("nothing of the second hostile corpus is kept, whatever is quoted", () => {
  const kept = SECOND.hostile.flatMap((window) =>
    window.claims.flatMap((claim) =>
      checkClaimIn(window, claim).kept === null ? [] : [claim.statement],
    ),
  );
  expect(SECOND.hostile.flatMap(({ claims }) => claims).length).toBeGreaterThanOrEqual(20);
  expect(kept).toEqual([]);
});

test("no hostile claim with two words of one attacker's own is kept, whatever is quoted", () => {
  const claims = HOSTILE.windows.flatMap((window) =>
    window.claims.map((claim) => ({ window, claim, ...checkClaimIn(window, claim) })),
  );
  const worded = claims.filter(({ window, claim }) => wordsOfOneAttacker(window, claim) >= 2);
  expect(claims.length).toBeGreaterThanOrEqual(100);
  expect(worded.length).toBeGreaterThanOrEqual(60);
  expect(worded.filter(({ kept }) => kept !== null).map(({ claim }) => claim.statement)).toEqual(
    [],
  );
  // Counted, and no bar: what is recombined from the victim's own words, or told by several.
  const others = claims.filter(({ kept }) => kept !== null);
  const active = others.filter(({ kept }) => kept?.isWeak === false);
  process.stdout.write(
    `hostile claims kept: ${others.length} of ${claims.length}, ${active.length} of them at once\n`,
  );
});

test.each(["when is the next stream", "@streamer what day is the next stream", "next stream?"])(
  "an answer of the streamer, and of no other, uses the words of its question: %s",
  (question) => {
    const statement = "The next stream is on Sunday at 7";
    const claim = { subject: "channel", statement, quotes: ["sunday at 7"] };
    const isActiveOf = (who: string) => {
      const answer = { who, text: "sunday at 7" };
      return isActive({ lines: [{ who: "P1", text: question }, answer], claims: [] }, claim);
    };
    expect([isActiveOf("STREAMER"), isActiveOf("P2")]).toEqual([true, false]);
  },
);

interface BadWindow extends CorpusWindow<CorpusClaim> {
  readonly kind: string;
  /** Code can tell it without understanding it. */
  readonly structural: boolean;
}

interface ClaimSides {
  readonly honest: readonly HonestWindow[];
  readonly bad: readonly BadWindow[];
}

/**
 * Frozen before the checks were made or changed: ten languages, own words and reworded; bad claims of each kind.
 * The fourth has what a sloppy model wrote about real chat, in lines of our own.
 */
const THIRD = corpus<ClaimSides>("third-claims");
const FOURTH = corpus<ClaimSides>("fourth-claims");
/**
 * Frozen before the checks below were made: role play in plain words of six languages, added details, sarcasm without a
 * mark, and honest lines that look like role play.
 */
const FIFTH = corpus<ClaimSides>("fifth-claims");

const listClaims = (windows: readonly HonestWindow[]) =>
  windows.flatMap((window) =>
    window.claims.map((claim) => [claim.statement, window, claim] as const),
  );

const isStructural = ({ structural }: BadWindow) => structural;

function isActive(window: CorpusWindow<CorpusClaim>, claim: CorpusClaim): boolean {
  return checkClaimIn(window, claim).kept?.isWeak === false;
}

test.each<[string, readonly HonestWindow[], number]>([
  ["the first corpus", HONEST.windows, 150],
  ["the second corpus", SECOND.honest, 100],
  ["the third corpus", THIRD.honest, 60],
  ["the fourth corpus", FOURTH.honest, 60],
  ["the fifth corpus", FIFTH.honest, 60],
])("of honest claims of %s at least 95 of 100 are kept", (name, windows, claimsMin) => {
  const claims = listClaims(windows);
  const lost = claims.filter(([, ...claimed]) => checkClaimIn(...claimed).kept === null);
  process.stdout.write(`honest claims of ${name} lost: ${lost.length} of ${claims.length}\n`);
  expect(claims.length).toBeGreaterThanOrEqual(claimsMin);
  const shown = lost.map(([statement]) => statement).join("\n");
  expect(1 - lost.length / claims.length, shown).toBeGreaterThanOrEqual(KEPT_SHARE_MIN);
});

test.each<[string, readonly BadWindow[], number, number]>([
  ["that structure can tell, third corpus", THIRD.bad.filter(isStructural), 40, 0.1],
  ["that structure can tell, fourth corpus", FOURTH.bad.filter(isStructural), 40, 0.1],
  ["of all kinds, third corpus", THIRD.bad, 40, 0.35],
  ["of all kinds, fourth corpus", FOURTH.bad, 40, 0.35],
  ["role play, fifth corpus", FIFTH.bad.filter(({ kind }) => kind === "roleplay"), 18, 0.1],
  ["added details, fifth corpus", FIFTH.bad.filter(({ kind }) => kind === "added"), 18, 0.35],
])("of bad claims, %s, few become active", (name, windows, claimsMin, shareMax) => {
  const claims = listClaims(windows);
  const active = claims.filter(([, ...claimed]) => isActive(...claimed));
  process.stdout.write(`bad claims, ${name}, active: ${active.length} of ${claims.length}\n`);
  expect(claims.length).toBeGreaterThanOrEqual(claimsMin);
  const shown = active.map(([statement]) => statement).join("\n");
  expect(active.length / claims.length, shown).toBeLessThanOrEqual(shareMax);
});

test("of honest claims that look like role play or reword at least 90 of 100 become active", () => {
  const claims = listClaims(FIFTH.honest);
  const active = claims.filter(([, ...claimed]) => isActive(...claimed));
  expect(active.length / claims.length).toBeGreaterThanOrEqual(0.9);
});

/** Frozen before the check was made: an answer uses the words of its question, or a question puts them into a mouth. */
const ANSWERS = corpus<ClaimSides>("answers");

test.each(listClaims(ANSWERS.honest))(
  "an answer uses its question's words: %s",
  (_, ...claimed) => {
    expect(isActive(...claimed)).toBe(true);
  },
);

test.each(listClaims(ANSWERS.bad))("a question puts no words into a mouth: %s", (_, ...claimed) => {
  expect(isActive(...claimed)).toBe(false);
});

test.each<[string, string, boolean]>([
  ["P3 do you play the cello?", "P3", true],
  ["P2 do you play the cello?", "P3", false],
  ["do you play the cello?", "P3", true],
  ["do you play the cello?", "P2", false],
])("a bystander affirms no question to another viewer: %s", (question, next, active) => {
  const lines = [
    { who: "P1", text: question },
    { who: next, text: next === "P3" ? "yeah in a band" : "good evening all" },
    { who: "P3", text: next === "P3" ? "good evening all" : "yeah in a band" },
  ];
  const claim = {
    subject: "P3",
    statement: "P3 plays the cello in a band",
    quotes: ["yeah in a band"],
  };
  expect(isActive({ lines, claims: [] }, claim)).toBe(active);
});

const BICYCLE = "i ride a steel bicycle with a basket to the harbour";

test.each<[string, string, string | boolean]>([
  ["i won 15k points in a quiz", "P1 won 15,000 points in a quiz", false],
  ["i won 15k points in a quiz", "P1 won 15000 points in a quiz", false],
  ["i won 15k points in a quiz", "P1 won 16000 points in a quiz", "claim.number"],
  [BICYCLE, "P1 rides a blue bicycle with a basket to the harbour", false],
  [BICYCLE, "P1 rides a blue bicycle with a basket to the forest", true],
])("%s shows a number in digits, and leaves two other words in doubt: %s", (text, said, doubt) => {
  const claim = { subject: "P1", statement: said, quotes: [text] };
  const { kept, reason } = checkClaimIn({ lines: [{ who: "P1", text }], claims: [] }, claim);
  expect(kept === null ? reason : kept.isWeak).toBe(doubt);
});

test.each([
  ["can't wait to adopt a cat", false],
  ["can't believe i adopt a cat", true],
  ["i adopt no cat", undefined],
])("a distant negator refuses no claim: %s", (text, isWeak) => {
  const claim = { subject: "P1", statement: "P1 is adopting a cat", quotes: [text] };
  const { kept } = checkClaimIn({ lines: [{ who: "P1", text }], claims: [] }, claim);
  expect(kept?.isWeak).toBe(isWeak);
});

test("two words of a long message are no quote, and three are one", () => {
  const lines = [{ who: "P1", text: "i play the cello and i also keep bees near the harbour" }];
  const reasonFor = (quote: string) =>
    checkClaimIn(
      { lines, claims: [] },
      { subject: "P1", statement: "P1 keeps bees", quotes: [quote] },
    ).reason;
  expect(reasonFor("keep bees")).toBe("claim.no_quote");
  expect(reasonFor("also keep bees")).toBe("");
});

test("a request not to forget denies nothing of the fact", () => {
  const words = ["dont forget i live in berlin"];
  expect(findQuoteRefusal("lives in Berlin", "i live in berlin", words, [])).toBeNull();
  expect(findQuoteRefusal("does not live in Berlin", "i live in berlin", words, [])).toBe(
    "unsupported",
  );
});

type ByLanguage = Readonly<Record<string, readonly string[]>>;
const CLAIMS = corpus<{ readonly private: ByLanguage; readonly harmless: ByLanguage }>(
  "private-claims",
);
const isBanned = createBannedTest([]);

/** Statements that the checks refuse, although the model flags nothing. */
function refused(claims: ByLanguage): string[] {
  return Object.values(claims).flatMap((statements) => {
    const languagesOf = languageFinder(statements);
    return statements.filter(
      (text) => checkSentence(text, { isBanned, languagesOf }) === "sensitive",
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
