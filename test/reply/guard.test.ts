import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractActions } from "../../src/language/action-syntax.ts";
import { prepareGuard, REPLY_CHARS_MAX } from "../../src/reply/guard.ts";
import { fastestMs, growth } from "../language/growth.ts";
import { MENDED, SAID } from "./harmless-answers.ts";
import { FENCE, guard, REFUSED, RULES } from "./hostile-answers.ts";
import { FINE_ANSWERS, MORE_FINE_ANSWERS, MORE_ODD_ANSWERS, ODD_ANSWERS } from "./odd-answers.ts";

const NOTHING_FORBIDDEN = {
  allowedHosts: [],
  bannedWords: [],
  secretTexts: [],
  voiceTexts: [],
  markers: [],
  ownNames: [],
};

test.each(SAID)("is sent as it is: %s", (text) => {
  expect(guard(text)).toEqual({ ok: true, text, removed: [], proposals: [] });
});

test.each(MENDED)("is mended: %s", (raw, text, removed) => {
  const guarded = guard(raw);
  expect(guarded).toMatchObject({ ok: true, text });
  expect(guarded.ok && [...guarded.removed].sort()).toEqual([...removed].sort());
});

describe.each(REFUSED)("refused as %s", (rule, raws) => {
  test.each(raws)("%s", (raw) => {
    expect(guard(raw)).toMatchObject({ ok: false, rule });
  });
});

test("the table of hostile answers is long enough to mean something", () => {
  const refused = REFUSED.reduce((sum, [, raws]) => sum + raws.length, 0);
  expect(refused + MENDED.length).toBeGreaterThan(180);
});

test("proposals are handed over as they were written, in order, also where nothing is sent", () => {
  const both = 'Ok [action clip] and [ACTION remember fact="tea ] time"]!';
  const proposals = ["[action clip]", '[ACTION remember fact="tea ] time"]'];
  expect(guard(both)).toMatchObject({ ok: true, text: "Ok and!", proposals });
  expect(guard("[action clip]")).toEqual({
    ok: false,
    rule: "empty",
    proposals: ["[action clip]"],
  });
  expect(guard("<think>[action clip]</think>Tea.")).toMatchObject({ ok: true, proposals: [] });
});

test("a long answer is cut at a sentence, else at a word, else at a whole character", () => {
  const numbers = Array.from({ length: 200 }, (_, n) => n + 100);
  const sentences = guard(numbers.map((n) => `This one is sentence ${n} of tea. `).join(""));
  expect(sentences.ok && sentences.text).toMatch(/^(?:This one is sentence \d+ of tea\. ?){13}$/);
  const words = guard(numbers.map((n) => `tea${n} `).join(""));
  expect(words.ok && words.text).toMatch(/^(?:tea\d+ ){63}tea\d+…$/);
  const emoji = guard(
    numbers.map((n) => `👨‍👩‍👧${["👍", "🎉", "🔥"][n % 3] ?? ""}${n % 7}`).join(""),
  );
  expect(emoji.ok && emoji.text).toMatch(/^(?:👨‍👩‍👧|[👍🎉🔥0-6])+…$/u);
  const wide = guard(numbers.map((n) => `お茶が${n}好きです。`).join(""));
  expect(wide.ok && wide.text.endsWith("。")).toBe(true);
  for (const guarded of [sentences, words, emoji, wide]) {
    expect(guarded).toMatchObject({ ok: true, removed: ["cut"] });
    expect(guarded.ok && guarded.text.length).toBeLessThanOrEqual(REPLY_CHARS_MAX);
    expect(guarded.ok && guarded.text.length).toBeGreaterThan(400);
  }
});

test("where the model ran into its limit, the broken last sentence goes; with a lone one nothing is left to say", () => {
  const cutOff = (raw: string) => prepareGuard(NOTHING_FORBIDDEN)(raw, { isCutOff: true });
  expect(cutOff("Lamps are nice. I once had one that")).toMatchObject({
    text: "Lamps are nice.",
    removed: ["cut"],
  });
  expect(cutOff("ランプが好き。昔は一つ")).toMatchObject({ text: "ランプが好き。" });
  expect(cutOff("میں ٹھیک ہوں۔ آپ کیسے")).toMatchObject({ text: "میں ٹھیک ہوں۔" });
  expect(cutOff("Ես լամպ ունեմ։ Դու")).toMatchObject({ text: "Ես լամպ ունեմ։" });
  expect(cutOff("ฉันชอบโคมไฟสีน้ำเงิน คุณอยากได้")).toMatchObject({ text: "ฉันชอบโคมไฟสีน้ำเงิน" });
  expect(cutOff("ฉันชอบโคมไฟสี")).toMatchObject({ ok: false, rule: "empty" });
  expect(cutOff("I once had a lamp that")).toMatchObject({ ok: false, rule: "empty" });
  expect(cutOff("ich hatte mal eine Lampe mit [action clip]")).toEqual({
    ok: false,
    rule: "empty",
    proposals: ["[action clip]"],
  });
  const lamps = Array.from({ length: 120 }, (_, n) => `lamp${n}`).join(" ");
  expect(cutOff(lamps)).toMatchObject({
    ok: true,
    text: expect.stringMatching(/^(?:lamp\d+ )+lamp\d+…$/u),
  });
  expect(cutOff("Both. (Really.)")).toMatchObject({ text: "Both. (Really.)", removed: [] });
  expect(prepareGuard(NOTHING_FORBIDDEN)("Nice one! gg")).toMatchObject({
    text: "Nice one! gg",
  });
});

test("a note's number is refused where it is told as one, and no number of the prompt makes a song a note", () => {
  const guarded = prepareGuard(NOTHING_FORBIDDEN);
  const noteIds = new Set([5]);
  for (const said of ["note #5 says tea", "note no. 5 says tea", "id:5 says tea", "(id 5 says tea"])
    expect(guarded(said, { noteIds })).toMatchObject({ ok: false, rule: "note_id" });
  for (const said of ["note #55 says tea", "Note 5 was the worst song", "the #5 on the list"])
    expect(guarded(said, { noteIds })).toMatchObject({ ok: true, text: said });
});

const PIECES = [
  "/",
  ".",
  "\\",
  "!",
  "⁄",
  "／",
  "…",
  ",",
  " ",
  "\n",
  "\r\n",
  "\u2028",
  "\0",
  "\u200b",
  "\u{E0000}",
  "\u202e",
  "\ud83d",
  "[action clip]",
  "[action ",
  "[act",
  "ion]",
  "［",
  "]",
  '"',
  "'",
  "“",
  "”",
  "*",
  "**",
  "_",
  "`",
  "```",
  "~~",
  "#",
  "> ",
  "- ",
  "<think>",
  "</think>",
  "Thought: ",
  "Answer: ",
  "Mark: ",
  "automark:",
  "@wendy ",
  "@",
  "everyone",
  "ban bob",
  "/me ",
  "[id:1]",
  "(id:1",
  "id:",
  "1",
  "note ",
  FENCE,
  "k3j9",
  "x0q2vv",
  "current message",
  ":",
  "evil",
  "com",
  "www",
  "https://",
  "twitch.tv",
  "[x](",
  ")",
  "<b>",
  "</b>",
  "<!--",
  "-->",
  "<|im_end|>",
  "{",
  "}",
  '{"',
  "flumox",
  "flu",
  "mox",
  "дурында",
  "Tea is good. ",
  "word ",
  "é",
  "e\u0301",
  "お茶",
  "。",
  "👨‍👩‍👧",
  "می\u200cدانم",
  "¯\\_(ツ)_/¯",
  "a".repeat(200),
  RULES.slice(0, 60),
];
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join("")),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 80 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 600 }),
);

test("whatever the model says, what is sent is one harmless line", () => {
  let sent = 0;
  fc.assert(
    fc.property(hostile, (raw) => {
      const guarded = guard(raw);
      if (!guarded.ok) return;
      sent += 1;
      const { text } = guarded;
      expect(text).not.toMatch(/^(?:\s*@\w+[,:]?\s)*\s*[/.\\!⁄／]/u);
      expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e\u{E0000}]/u);
      expect(extractActions(text).spans).toEqual([]);
      expect(text.toLowerCase()).not.toMatch(
        /k3j9x0q2vv|current message:|<think>|(?<=^|\s)flumox(?=\s|$)|@everyone(?![\p{L}\p{N}_])|evil\.com/u,
      );
      expect(text.trim()).toBe(text);
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThanOrEqual(REPLY_CHARS_MAX);
    }),
    { numRuns: 3_000 },
  );
  expect(sent).toBeGreaterThan(500);
});

test("guarding what was guarded changes nothing", () => {
  fc.assert(
    fc.property(hostile, (raw) => {
      const guarded = guard(raw);
      if (guarded.ok) {
        expect(guard(guarded.text)).toEqual({
          ok: true,
          text: guarded.text,
          removed: [],
          proposals: [],
        });
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  "[",
  "[action ",
  "[act",
  "<think>",
  "Thought:\n\n",
  "*a",
  "_a ",
  "a.",
  "[a](",
  "<a ",
  "`",
  "\n",
  "!",
  "@a ",
  "> ",
  "\u200d",
  "「",
  "- ",
  "e\u0301",
  "Mark: ",
  "(id:1",
  '"',
  "a",
  "a\n",
  "<!--",
  "{",
  "é.",
])("time grows with the answer, and ends at its limit: %s", (unit) => {
  expect(growth(guard, unit, 100)).toBeLessThan(60);
  expect(fastestMs(guard, unit.repeat(100_000 / unit.length))).toBeLessThan(50);
});

test("what stands behind forty thousand characters is not looked at", () => {
  const thought = (chars: number) => `<think>${"x".repeat(chars)}</think>Tea.`;
  expect(guard(thought(39_000))).toMatchObject({ ok: true, text: "Tea." });
  expect(guard(thought(41_000))).toMatchObject({ ok: false, rule: "empty" });
});

test("rules that forbid nothing let prose through", () => {
  const lenient = prepareGuard({
    ...NOTHING_FORBIDDEN,
    secretTexts: [""],
    voiceTexts: [""],
    markers: ["", "~"],
  });
  expect(lenient("Tea, then ~ cake")).toMatchObject({ ok: true, text: "Tea, then ~ cake" });
});

test("an action without the word that makes it one is neither said nor proposed", () => {
  const guarded = guard("There you go, plim. [timeout user=plim seconds=300] Be kind [Clip]");
  expect(guarded).toEqual({
    ok: true,
    text: "There you go, plim. Be kind",
    removed: ["action"],
    proposals: [],
  });
  expect(guard("I like [delete] keys")).toMatchObject({ text: "I like keys" });
});

const prepared = prepareGuard({ ...NOTHING_FORBIDDEN, ownNames: ["automark", "Mark"] });
/** Wendy asked; the others wrote before. */
const TAIL =
  "~f~ chat\nOlaf: hi\npim_99: hello\nMark (you) to Wendy: hi\n~f~ now\nWendy, to you: tips?\n";
const guardAnswer = (raw: string) => prepared(raw, { tail: TAIL });

test("there are sixty odd answers and thirty fine ones", () => {
  expect([ODD_ANSWERS.length, FINE_ANSWERS.length]).toEqual([60, 30]);
});

test.each([...ODD_ANSWERS, ...MORE_ODD_ANSWERS])("is clean or silent: %j", (raw, sent) => {
  const guarded = guardAnswer(raw);
  expect(guarded.ok ? guarded.text : null).toBe(sent);
  if (guarded.ok) expect(guarded.removed).not.toEqual([]);
});

test.each([...FINE_ANSWERS, ...MORE_FINE_ANSWERS])("is sent word for word: %j", (text) => {
  expect(guardAnswer(text)).toEqual({ ok: true, text, removed: [], proposals: [] });
});

test("an answer of 100 kB that repeats ends with a whole sentence", () => {
  const sentences = Array.from({ length: 7 }, (_, n) => `The crab of tower ${n} owns a lantern.`);
  const round = `${sentences.join(" ")} `;
  const guarded = guardAnswer(round.repeat(100_000 / round.length));
  expect(guarded.ok ? guarded.text : "").toMatch(/owns a lantern\.$/);
  const short = guardAnswer("Crabs walk sideways all night. ".repeat(4_000));
  expect(short.ok ? short.text : "").toBe("Crabs walk sideways all night.");
});
