import { isSupportedCountry } from "libphonenumber-js/min";
import { expect, test } from "vitest";
import { LANGUAGES } from "../../src/language/languages.ts";
import { findPii } from "../../src/language/private-matters.ts";

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
  ["call +44 20 7946 0958", "phone"],
  ["my number is (415) 555-2671", "phone"],
  ["ruf an: 030 901820", "phone"],
  ["mon tel 06 12 34 56 78", "phone"],
  ["ssn 078-05-1120", "id_number"],
  ["lives at 221 baker street", "address"],
  ["wohnt in der lindenstraße 12", "address"],
  ["server is 84.12.77.190", "address"],
  ["oauth:abcdefghijklmnop1234567890", "password"],
  ["52.520008, 13.404954", "address"],
])("%s gives %s away", (text, kind) => {
  expect(findPii(text)).toBe(kind);
});

test.each([
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
])("%s gives nothing away", (text) => {
  expect(findPii(text)).toBeNull();
});
