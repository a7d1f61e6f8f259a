import fc from "fast-check";
import { isSupportedCountry } from "libphonenumber-js/min";
import { expect, test } from "vitest";
import { LANGUAGES, languageFinder } from "../../src/language/languages.ts";
import { findPii, findPrivateMatter } from "../../src/language/private-matters.ts";
import { INNOCENT_SENTENCES } from "./innocent-sentences.ts";
import { PRIVATE_SENTENCES } from "./private-sentences.ts";

/** The languages of a window in which people speak one. */
const spoken = (code: string) => languageFinder(INNOCENT_SENTENCES[code] ?? []);

test.each(Object.entries(PRIVATE_SENTENCES))(
  "%s: every private sentence is seen in its window, and alone where a word of it tells its language",
  (code, lines) => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => findPrivateMatter(line, spoken(code)) === null)).toEqual([]);
    const isTold = (line: string) => languageFinder([])(line).some((one) => one.code === code);
    expect(lines.filter(isTold).length).toBeGreaterThan(lines.length / 2);
    expect(lines.filter((line) => isTold(line) && findPrivateMatter(line) === null)).toEqual([]);
  },
);

test.each(Object.entries(INNOCENT_SENTENCES))(
  "%s: no innocent sentence is taken for a private one",
  (code, lines) => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => findPrivateMatter(line) !== null)).toEqual([]);
    expect(lines.filter((line) => findPrivateMatter(line, spoken(code)) !== null)).toEqual([]);
  },
);

test.each([
  ["en", "{u:1} is 14 years old", "{u:1}'s cat is 14 years old"],
  ["en", "{u:1} turned fifteen", "{u:1} has been playing chess for 14 years"],
  ["de", "{u:1} ist 15 Jahre alt", "{u:1} spielt seit 15 Jahren Schlagzeug"],
  ["es", "{u:1} tiene 13 años", "{u:1} tiene 13 años de experiencia programando"],
  ["pt", "{u:1} tem 14 anos", "{u:1} joga xadrez há 14 anos"],
  ["fr", "{u:1} a 15 ans", "{u:1} joue au tennis depuis 15 ans"],
  ["it", "{u:1} ha 14 anni", "{u:1} gioca a scacchi da 14 anni"],
  ["pl", "{u:1} ma 14 lat", "{u:1} gra od 14 lat w szachy"],
  ["tr", "{u:1} 14 yaşında", "{u:1} 14 yıldır satranç oynuyor"],
  ["ru", "{u:1} 14 лет", "{u:1} играет 14 лет в шахматы"],
  ["uk", "{u:1} має 14 років", "{u:1} грає 14 років у шахи"],
  ["ja", "{u:1} は14歳だ", "{u:1} はチェスを14年やっている"],
  ["ko", "{u:1} 는 14살이다", "{u:1} 는 체스를 14년째 둔다"],
  ["zh", "{u:1} 今年14岁", "{u:1} 下了14年国际象棋"],
  ["ar", "{u:1} عمره 14 سنة", "{u:1} يلعب الشطرنج منذ 14 سنة"],
  ["hi", "{u:1} 14 साल का है", "{u:1} 14 साल से शतरंज खेलता है"],
])("%s: somebody's age alone is private: %s", (code, age, innocent) => {
  expect(findPrivateMatter(age, spoken(code))).toBe("age");
  expect(findPrivateMatter(innocent, spoken(code))).toBeNull();
});

test("what a model tells in English of a window in another language is judged by both", () => {
  expect(findPrivateMatter("{u:1} is a pedo", spoken("pl"))).toBe("listed");
  expect(findPrivateMatter("{u:1} was in prison", spoken("ja"))).toBe("listed");
  expect(findPrivateMatter("{u:1} is gay", spoken("pl"))).toBe("listed");
  expect(findPrivateMatter("{u:1} jest gejem", spoken("pl"))).toBe("listed");
  expect(findPrivateMatter("{u:1} ma depresję", spoken("pl"))).toBe("listed");
});

/** Chat in languages that there is no file of. */
const NO_FILE = [
  [
    "Swedish",
    "{u:1} har en depression",
    "jag spelar det här varje kväll|har du sett den nya banan|det var roligt att se på|vi ses imorgon då",
  ],
  [
    "Finnish",
    "{u:1} on homo",
    "mä pelaan tätä joka ilta|ootko nähnyt uuden kentän|se oli hauska katsoa|nähdään sitten huomenna",
  ],
  [
    "Dutch",
    "{u:1} is homo",
    "ik speel dit elke avond|heb je de nieuwe map gezien|het was leuk om naar te kijken|dan zien we elkaar morgen weer",
  ],
] as const;
test.each(NO_FILE)("%s has no file and is judged by none: %s", (_, text, window) => {
  expect(findPrivateMatter(text, languageFinder(window.split("|")))).toBeNull();
});

test("what tells no language, alone or by its window, is judged by its shape alone", () => {
  expect(findPrivateMatter("{u:1} votes Labour")).toBeNull();
  expect(findPrivateMatter("{u:1} votes Labour", spoken("en"))).toBe("listed");
  expect(findPrivateMatter("{u:1}: a.b@example.com")).toBe("email");
});

test.each([
  ["{u:1} was diagnosed with asthma", "listed"],
  ["{u:1} is $9,000 in debt", "listed"],
  ["{u:1} paid with 4111-1111-1111-1111", "money"],
  ["{u:1} is gay", "listed"],
  ["{u:1} votes Labour", "listed"],
  ["{u:1} is Catholic", "listed"],
])("%s: %s", (text, kind) => {
  expect(findPrivateMatter(text, spoken("en"))).toBe(kind);
});

test.each([
  "the seed is 4111111111111112",
  "GB82 WEST 1234 5698 7654 33",
  "patch 1.2.3.4 is out",
  "the score went 100 200 300 4000",
  "it took 12:34:56 to finish",
  "the event was on 05-10-2024",
  "the run of 0/12/5 hurt",
  "256.300.1.1 is no address",
  "{u:491512345678} likes tea",
  "{u:27} is P19",
  "we won 1500-1200",
  "rank 4500, peaked at 4720",
  "born 12/10/2025 in minecraft days",
  "seed 8675309123456",
  "patch 10.0.19045.1",
  "1234567890 points",
  "see you at 20:30 or 21:15",
  "took 3 hours 25 minutes and 1024 deaths",
  "plays street fighter 6",
  "5 million boulevard of broken dreams plays",
  "version 1.21.4 of the game",
])("a number that is nobody's: %s", (text) => {
  expect(findPrivateMatter(text)).toBeNull();
});

test("case, accents, wide letters and invisible characters hide nothing", () => {
  for (const text of ["{u:1} IS GAY", "{u:1} is gáy", "{u:1} is ｇａｙ", "{u:1} is ga\u200by"]) {
    expect(findPrivateMatter(text), text).toBe("listed");
  }
});

test("any text is answered", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      (text) => void findPrivateMatter(text),
    ),
    { numRuns: 30 },
  );
});

test("every country of a language's file is one whose phone numbers are known", () => {
  const unknown = LANGUAGES.flatMap(({ countries }) =>
    countries.filter((code) => !isSupportedCountry(code)),
  );
  expect(unknown).toEqual([]);
});

test.each([
  ["write to mossy.lamp@example.com", "email"],
  ["card 4111 1111 1111 1111 exp 12/27", "money"],
  ["meine iban de89 3704 0044 0532 0130 00", "money"],
  ["{u:1} posted GB82 WEST 1234 5698 7654 32", "money"],
  ["call +44 20 7946 0958", "phone"],
  ["my number is (415) 555-2671", "phone"],
  ["ruf an: 030 901820", "phone"],
  ["mon tel 06 12 34 56 78", "phone"],
  ["ssn 078-05-1120", "id_number"],
  ["lives at 221 baker street", "address"],
  ["wohnt in der lindenstraße 12", "address"],
  ["server is 84.12.77.190", "address"],
  ["oauth:abcdefghijklmnop1234567890", "password"],
  ["key ghp_0123456789abcdefghijABCDEFGHIJ012345", "password"],
  ["52.520008, 13.404954", "address"],
])("%s gives %s away", (text, kind) => {
  expect(findPii(text)).toBe(kind);
});
