import fc from "fast-check";
import { expect, test } from "vitest";
import { addressFinder } from "../../src/chat/addressed.ts";

const hear = addressFinder([
  "automark",
  "mark",
  "Mark",
  "マーク",
  "마크",
  "Élan",
  "Марк",
  "小明",
  "มาร์ค",
  "c3.po",
]);

const MENTIONED: readonly (readonly [string, string])[] = [
  ["@automark hi", "hi"],
  ["@AutoMark hi", "hi"],
  ["@AUTOMARK", ""],
  ["@automark, what now?", "what now?"],
  ["@automark: what now?", "what now?"],
  ["  @automark   what now?", "what now?"],
  ["what now, @automark", "what now"],
  ["what now @automark?", "what now?"],
  ["@mark hi", "hi"],
  ["＠automark hi", "hi"],
  ["@automark @mark hi", "hi"],
  ["@wendy @automark hi", "@wendy hi"],
  ["@automark !!", ""],
  ["@automark ?", "?"],
  ["@automark 👋", "👋"],
  ["@automark谢谢", "谢谢"],
  ["@automark は元気?", "は元気?"],
  ["@마크야 안녕", "야 안녕"],
  ["I like @automark a lot", "I like @automark a lot"],
  ["@automark's cooking", "@automark's cooking"],
  ["mark is a name but @automark hears", "mark is a name but @automark hears"],
];
test.each(MENTIONED)("a mention is heard: %s", (text, rest) => {
  expect(hear(text)).toEqual({ by: "mention", rest });
});

const NAMED: readonly (readonly [string, string])[] = [
  ["mark", ""],
  ["MARK!!", ""],
  ["mark, how are you", "how are you"],
  ["mark: how are you", "how are you"],
  ["MARK!! help", "help"],
  ["mark how are you", "mark how are you"],
  ["how are you, mark?", "how are you?"],
  ["how are you mark?", "how are you mark?"],
  ["mark's joke was good", "mark's joke was good"],
  ["(mark) knows", "(mark) knows"],
  ["...mark", "..."],
  ["mark.what now", "mark.what now"],
  ["is it mark-made", "is it mark-made"],
  ["ok mark. bye", "ok mark. bye"],
  ["élan, hi", "hi"],
  ["ÉLAN?", "?"],
  ["марк, привет", "привет"],
  ["マークさん元気", "マークさん元気"],
  ["ねえマーク", "ねえマーク"],
  ["마크야 뭐해", "마크야 뭐해"],
  ["mark야 뭐해", "mark야 뭐해"],
  ["小明你好", "小明你好"],
  ["你好mark谢谢", "你好mark谢谢"],
  ["hey c3.po!", "hey c3.po!"],
];
test.each(NAMED)("the name is heard as a word: %s", (text, rest) => {
  expect(hear(text)).toEqual({ by: "name", rest });
});

const NOT_MEANT = [
  "",
  "remarkable",
  "marks",
  "marked",
  "supermark",
  "mark_x",
  "_mark",
  "mark2",
  "@markus",
  "@mark_fan hi",
  "@automark_",
  "mark\u0301",
  "mail x@mark.com",
  "mail mark@example.com",
  "mark.com",
  "twitch.tv/automark",
  "#mark",
  "Марка",
  "Élana",
  "マークアップ",
  "ブックマークした",
  "마크다운",
  "c3xpo",
];
test.each(NOT_MEANT)("nobody is spoken to: %s", (text) => {
  expect(hear(text)).toBeNull();
});

test("a bot without a name hears nothing", () => {
  expect(addressFinder([])("hi")).toBeNull();
  expect(addressFinder(["", " @ "])("hi @ all")).toBeNull();
});

test("the name between letters is never heard, and between spaces always", () => {
  const word = fc
    .stringMatching(/^[\p{L}]{1,6}$/u)
    .filter(
      (letters) =>
        !/mark|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/iu.test(
          letters,
        ),
    );
  fc.assert(
    fc.property(word, word, (left, right) => {
      const hears = addressFinder(["mark"]);
      expect(hears(`${left}mark${right}`)).toBeNull();
      expect(hears(`${left} mark ${right}`)?.by).toBe("name");
      expect(hears(`${left} @mark ${right}`)?.by).toBe("mention");
    }),
  );
});
