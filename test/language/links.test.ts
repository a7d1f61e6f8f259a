import fc from "fast-check";
import { expect, test } from "vitest";
import { createHostTest, findHosts, spaceDots } from "../../src/language/links.ts";

const TO_EXAMPLE = [
  "go to example.com now",
  "https://example.com/path?x=1",
  "http://example.com:8080",
  "EXAMPLE.COM",
  "hxxps://example.com",
  "example.com.",
  "(example.com)",
  "see example.com, ok?",
  "exam\u200bple.c\u2060om",
  "example\u00ad.com",
  "ｅｘａｍｐｌｅ．ｃｏｍ",
  "example。com",
  "example｡com",
  "example․com",
  "example[.]com",
  "example (dot) com",
  "example[dot]com",
  "example.com💩",
];
test.each(TO_EXAMPLE)("a link to example.com is seen in: %s", (text) => {
  expect(findHosts(text)).toContain("example.com");
});

const LINKED: readonly (readonly [string, string])[] = [
  ["ftp://files.example.net", "files.example.net"],
  ["www.example", "www.example"],
  ["a.b.example.co.uk", "a.b.example.co.uk"],
  ["https://allowed.example@evil.com/", "evil.com"],
  ["https://evil.com\\@allowed.example", "evil.com"],
  ["https:\\\\evil.com", "evil.com"],
  ["http://127.0.0.1/x", "127.0.0.1"],
  ["10.0.0.1:80", "10.0.0.1"],
  ["http://2130706433", "2130706433"],
  ["http://name:word@2130706433:80/x", "2130706433"],
  ["пример.рф", "пример.рф"],
  ["例子.中国", "例子.中国"],
  ["xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai"],
  ["münchen.de", "münchen.de"],
  ["💩.la", "💩.la"],
  ["discord.gg/abc", "discord.gg"],
  ["bit.ly/3x", "bit.ly"],
  ["youtu.be/abc", "youtu.be"],
  ["t.me/x", "t.me"],
  ["me@mail.example.org", "mail.example.org"],
  ["something.unheardof/path", "something.unheardof"],
  ["看看example.com谢谢", "看看example.com"],
  ["steam://connect/x", "connect"],
];
test.each(LINKED)("a link is seen in: %s", (text, host) => {
  expect(findHosts(text)).toContain(host);
});

const UNLINKED = [
  "",
  "no dots here",
  "3.5 out of 5, v1.2.3, 10.30",
  "e.g. this, i.e. that, at 5 p.m.",
  "wait...what",
  "wait...com on",
  "use node.js or save.txt",
  "ok. sure. fine.",
  "U.S.A.",
  "です。はい。",
  "a ratio of 1:2 / 3",
  "hm :/ ok",
  "(dot)",
];
test.each(UNLINKED)("no link is seen in: %s", (text) => {
  expect(findHosts(text)).toEqual([]);
});

test("an allowed host covers its subdomains, and nothing that only looks like it", () => {
  const isAllowed = createHostTest(["Example.com", "*.other.org", ""]);
  expect(
    ["example.com", "www.example.com", "a.b.example.com", "x.other.org"].every(isAllowed),
  ).toBe(true);
  expect(["notexample.com", "example.com.evil.io", "exаmple.com", "com", ""].some(isAllowed)).toBe(
    false,
  );
});

const SPACED: readonly (readonly [string, string])[] = [
  ["great.That works", "great. That works"],
  ["one.two.three", "one. two. three"],
  ["Mr.Smith", "Mr. Smith"],
  ["node.js and v1.2 stay", "node.js and v1.2 stay"],
  ["wait...what", "wait...what"],
  ["my.intranet stays", "my.intranet stays"],
  ["привет.как дела", "привет. как дела"],
];
test.each(SPACED)("a forgotten space is put in: %s", (text, spaced) => {
  expect(spaceDots(text, createHostTest(["my.intranet"]))).toBe(spaced);
});

test("a host with a known top-level domain is found in any sentence and case", () => {
  const label = fc.stringMatching(/^[a-z0-9]{2,12}$/);
  const word = fc.stringMatching(/^[a-zéß,!?]{0,10}$/);
  fc.assert(
    fc.property(
      word,
      label,
      fc.constantFrom("com", "ru", "gg", "shop", "xyz"),
      word,
      (left, name, top, right) => {
        expect(findHosts(`${left} ${name}.${top} ${right}`)).toEqual([`${name}.${top}`]);
        expect(findHosts(`${left} ${name}.${top} ${right}`.toUpperCase())).toEqual([
          `${name}.${top}`,
        ]);
      },
    ),
  );
});

test("what spaceDots leaves has no domain but known and allowed ones, and stays as it is", () => {
  const piece = fc.constantFrom("a", "foo", ".", "..", "com", " ", "é", "1", "_", "😀", "bar");
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join("")),
      (text) => {
        const spaced = spaceDots(text, () => false);
        expect(spaceDots(spaced, () => false)).toBe(spaced);
        expect(spaced.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      },
    ),
  );
});
