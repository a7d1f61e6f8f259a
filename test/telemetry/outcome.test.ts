import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type HeardLine,
  heardOutcomes,
  OUTCOME_WINDOW_MS,
  reactionOf,
  sanctionOutcomes,
} from "../../src/telemetry/outcome.ts";
import type { WatchedReply } from "../../src/telemetry/replies-store.ts";

const SENT_MS = 1_000_000;

describe("what a line means for the bot's replies", () => {
  test("a reply to the bot's message is an answer, by the viewer or by somebody else", () => {
    const thread = { parent: { messageId: "m1", isBots: true }, text: "which one of them" };
    expect(kinds([reply()], line(thread))).toEqual(["viewer_answered"]);
    expect(kinds([reply()], line({ ...thread, userId: "8" }))).toEqual(["others_answered"]);
  });

  test("a thread under a reply counts for that reply, not for the newest", () => {
    const replies = [reply(), reply({ replyId: 2, messageId: "m2", userId: "8" })];
    const found = heardOutcomes(replies, line({ parent: { messageId: "m1", isBots: true } }));
    expect(found.map(({ replyId }) => replyId)).toEqual([1]);
  });

  test("naming the bot is an answer to the speaker's own reply first, else to the newest", () => {
    const replies = [reply(), reply({ replyId: 2, messageId: "m2", userId: "8" })];
    const ids = (userId: string) =>
      heardOutcomes(replies, line({ userId, toBot: true, text: "haha" })).map(
        ({ replyId }) => replyId,
      );
    expect(ids("7")).toEqual([1, 1]);
    expect(ids("9")).toEqual([2, 2]);
  });

  test("somebody else who names the bot without a reaction asks something of their own", () => {
    expect(kinds([reply()], line({ userId: "8", toBot: true }))).toEqual([]);
    expect(kinds([reply()], line({ toBot: true }))).toEqual(["viewer_answered"]);
  });

  test("the viewer's next line is an answer for half a minute, unless it is for somebody else", () => {
    expect(kinds([reply()], line({ atMs: SENT_MS + 30_000 }))).toEqual(["viewer_answered"]);
    expect(kinds([reply()], line({ atMs: SENT_MS + 30_001 }))).toEqual([]);
    expect(kinds([reply()], line({ text: "@otto look at that" }))).toEqual([]);
    expect(kinds([reply()], line({ text: "!deaths" }))).toEqual([]);
    expect(kinds([reply()], line({ parent: { messageId: "x", isBots: false } }))).toEqual([]);
  });

  test("what others say without a word to the bot is no answer", () => {
    expect(kinds([reply()], line({ userId: "8", text: "KEKW" }))).toEqual([]);
  });

  test("after two minutes nothing comes of it any more", () => {
    const said = { toBot: true, atMs: SENT_MS + OUTCOME_WINDOW_MS };
    expect(kinds([reply()], line(said))).toEqual(["viewer_answered"]);
    expect(kinds([reply()], line({ ...said, atMs: said.atMs + 1 }))).toEqual([]);
  });

  test("an answer that likes or dislikes it says so too", () => {
    expect(kinds([reply()], line({ text: "LUL" }))).toEqual(["viewer_answered", "positive"]);
    expect(kinds([reply()], line({ text: "that was boring" }))).toEqual([
      "viewer_answered",
      "negative",
    ]);
  });

  test("a time-out of the answered viewer counts, one of somebody else does not, one of the bot takes its words", () => {
    const replies = [reply(), reply({ replyId: 2, userId: "8" })];
    const at = { atMs: SENT_MS + 5_000 };
    expect(sanctionOutcomes(replies, { ...at, userId: "8", isBots: false })).toEqual([
      { replyId: 2, kind: "timed_out" },
    ]);
    expect(sanctionOutcomes(replies, { ...at, userId: "9", isBots: false })).toEqual([]);
    expect(
      sanctionOutcomes(replies, { ...at, userId: "1", isBots: true }).map(({ kind }) => kind),
    ).toEqual(["deleted", "deleted"]);
  });

  test("no line makes it throw, and at most two things come of one", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.boolean(),
        fc.boolean(),
        (text, toBot, asks) => {
          expect(heardOutcomes([reply()], line({ text, toBot, asks })).length).toBeLessThanOrEqual(
            2,
          );
        },
      ),
    );
  });
});

describe("who goes on without a welcome", () => {
  test.each([
    ["a denial", "that is not what I asked"],
    ["a denial in German", "das war nicht meine Frage"],
    ["a second question", "and which door is it then?"],
    ["a question with a word of praise in it", "was that meant to be funny?"],
    ["a question with a complaint in it", "is the boss boring?"],
    ["a denial that laughs", "that is not what I asked lol"],
    ["a denial that laughs in Turkish", "ben onu sormadım ki, değil mi hahaha"],
    ["a denial that laughs in Russian", "я не об этом ахахах"],
    ["a denial within a word", "bunu sormadım"],
    ["a denial in a script without spaces", "我问的不是这个"],
    ["a denial in an ending", "それは聞いてないよ"],
    ["a denial in Korean", "그게 아니라"],
    ["a second question in Arabic", "ومن يفتح الباب؟"],
    ["a second question in Spanish that only begins as one", "¿y es divertido el jefe"],
    ["a second question in Armenian", "իսկ դուռը որտեղ է՞"],
    ["a second question in Greek", "και τι λέει αυτός;"],
    ["a question without its mark", "why is that boring"],
    ["one in German", "was ist daran lustig"],
    ["one in Turkish, by its particle", "bu komik mi"],
    ["one in Polish", "czy to ma być śmieszne"],
    ["one in Chinese", "这好笑吗"],
    ["one in Japanese", "それは面白いですか"],
    ["one in English without its mark", "did I get that wrong"],
    ["praise beside a complaint", "great, useless again"],
    ["praise in jest", "thanks Kappa"],
    ["the same question again", "tell me where the second door is"],
    ["the same question in fewer words", "the second door I said, tell"],
  ])("%s is no welcome and no verdict", (_, text) => {
    const question = "where is the second door, tell me";
    expect(kinds([reply({ question })], line({ text }))).toEqual(["went_on"]);
    const byOther = { userId: "8", parent: { messageId: "m1", isBots: true }, text };
    expect(kinds([reply()], line(byOther))).toEqual(["others_answered"]);
  });
});

describe("what is said behind an answer", () => {
  test.each([
    ["a request", "tell me another one"],
    ["a request with a word of praise in it", "now tell me a great joke"],
    ["a request in German", "erzähl mir noch einen"],
    ["a request behind a laugh", "haha and now one about the lighthouse"],
    ["no word that says anything", "and you"],
  ])("%s that the bot is to answer is no welcome and no verdict", (_, text) => {
    expect(kinds([reply()], line({ text, asks: true }))).toEqual(["went_on"]);
    expect(kinds([reply()], line({ text, asks: true, toBot: true }))).toEqual(["went_on"]);
  });

  test.each([
    "haha",
    "thank you!",
    "lol that was so funny",
    "good bot",
    "😂",
    "danke",
    "guter Bot",
    "sağ ol",
    "ありがとう",
    "つまらない",
    "c'est faux",
    "sbagliato",
    "неправильно",
    "yanlış",
    "你错了",
  ])("%s is a verdict although the bot is to answer it", (text) => {
    const [taken, verdict] = kinds([reply()], line({ text, asks: true, toBot: true }));
    expect(taken).toBe("viewer_answered");
    expect(verdict).toBe(reactionOf(text));
  });

  test.each(["no worries thanks", "kein Problem danke", "not bad", "没问题", "no"])(
    "%s neither asks nor denies anything",
    (text) => {
      expect(kinds([reply()], line({ text }))[0]).toBe("viewer_answered");
    },
  );

  test.each([
    ["дверь второго этажа где", "где дверь второго этажа"],
    ["明日の天気を教えて", "天気を教えて、明日の"],
    ["第二扇门在哪里", "第二扇门在哪里啊"],
    ["what is the record", "so what's the record"],
  ])("asking again is seen in any script: %s", (question, text) => {
    expect(kinds([reply({ question })], line({ text }))).toEqual(["went_on"]);
  });

  // A laugh beside a denial may be at the answer's cost: it says nothing for it. A complaint beside one still does.
  test("a laugh that denies nothing of a sentence is one, and so is a complaint beside a denial; other words than those asked are an answer", () => {
    const question = "where is the second door, tell me";
    expect(kinds([reply()], line({ text: "haha no way" }))).toEqual([
      "viewer_answered",
      "positive",
    ]);
    expect(kinds([reply()], line({ text: "no, that is boring" }))).toEqual([
      "viewer_answered",
      "negative",
    ]);
    expect(kinds([reply({ question })], line({ text: "the second floor then" }))).toEqual([
      "viewer_answered",
    ]);
  });
});

describe("a reaction", () => {
  test.each([
    "KEKW",
    "lol thank you",
    "hahaha",
    "jajajaja",
    "kkkkk",
    "ахахах",
    "спасибо!",
    "草",
    "www",
    "ありがとう",
    "ㅋㅋㅋ",
    "완전 귀여워요",
    "谢谢",
    "شكرا",
    "merci !",
    "danke dir",
    "good bot",
    "<3",
    "❤️",
    "😂😂",
  ])("%s is a positive one", (text) => {
    expect(reactionOf(text)).toBe("positive");
  });

  test.each([
    "bad bot",
    "ResidentSleeper",
    "shut up",
    "cringe",
    "не смешно",
    "заткнись",
    "つまらない",
    "닥쳐",
    "闭嘴",
    "halt die klappe",
    "cállate",
    "👎",
  ])("%s is a negative one", (text) => {
    expect(reactionOf(text)).toBe("negative");
  });

  test.each([
    "",
    "what did you mean by the second door",
    "www.example.org is the page",
    "not great",
    "that is not a good bot",
    "안 좋아요",
    "Kappa",
    "I told my sister that the great bridge is closed until the summer",
    "hah",
    "ok",
  ])("%j says nothing either way", (text) => {
    expect(reactionOf(text)).toBeNull();
  });
});

test("what a line likes and dislikes at once, or likes in jest, is told apart from what says nothing", () => {
  expect(reactionOf("great but so boring")).toBe("both");
  expect(reactionOf("so good, thanks 🙃")).toBe("both");
  expect(reactionOf("thanks KappaPride")).toBe("positive");
});

function reply(over: Partial<WatchedReply> = {}): WatchedReply {
  return { replyId: 1, channel: "here", userId: "7", messageId: "m1", sentAtMs: SENT_MS, ...over };
}

function line(over: Partial<HeardLine> = {}): HeardLine {
  return {
    userId: "7",
    parent: null,
    toBot: false,
    asks: false,
    text: "and then",
    atMs: SENT_MS + 9_000,
    ...over,
  };
}

function kinds(replies: readonly WatchedReply[], heard: HeardLine): string[] {
  return heardOutcomes(replies, heard).map(({ kind }) => kind);
}
