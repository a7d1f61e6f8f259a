import fc from "fast-check";
import { expect, test } from "vitest";
import { addressFinder } from "../../src/chat/addressed.ts";
import { decideTrigger, type TriggerLine, type TriggerState } from "../../src/reply/trigger.ts";
import { CONTINUATIONS } from "./continuations.ts";

const NOW_MS = 1_000_000;
const hear = addressFinder(["automark", "mark"]);

/** A line of a viewer in a quiet chat, and what surrounds it; the bot's names are heard in it. */
function decide(text: string, line: Partial<TriggerLine> = {}, state: Partial<TriggerState> = {}) {
  return decideTrigger(
    { text, isBotItself: false, isKnownBot: false, parent: null, ...line },
    {
      mode: "mentions",
      addressed: hear(text),
      commandName: "!ask",
      lastExchange: null,
      answerBefore: "it is done",
      othersLines: [],
      ownRecentLines: [],
      pace: "quiet",
      roll: 0,
      nowMs: NOW_MS,
      continuationMs: 45_000,
      ...state,
    },
  );
}

const ago = (seconds: number) => ({ atMs: NOW_MS - seconds * 1_000 });

test("a mention or the name is answered, without the address", () => {
  expect(decide("@automark how are you")).toEqual({ kind: "mention", question: "how are you" });
  expect(decide("mark, how are you")).toEqual({ kind: "mention", question: "how are you" });
  expect(decide("how remarkable")).toBeNull();
});

test("a reply to the bot's message is answered", () => {
  expect(decide("and you?", { parent: "bot" })).toEqual({ kind: "reply", question: "and you?" });
  expect(decide("@automark and you?", { parent: "bot" })).toEqual({
    kind: "reply",
    question: "and you?",
  });
});

test("a reply to somebody else is answered only when it speaks to the bot", () => {
  expect(
    decide("so true", { parent: "other" }, { mode: "ambient", lastExchange: ago(5) }),
  ).toBeNull();
  expect(decide("@wendy ask mark", { parent: "other" })?.kind).toBe("mention");
});

test("the command is answered, in any case, with what follows it", () => {
  expect(decide("!ask what is tea")).toEqual({ kind: "command", question: "what is tea" });
  expect(decide("!ASK what is tea")).toEqual({ kind: "command", question: "what is tea" });
  expect(decide("@wendy !ask who is right", { parent: "other" })).toEqual({
    kind: "command",
    question: "who is right",
  });
  expect(decide("!ask")).toEqual({ kind: "command", question: "" });
});

test("commands of other bots are not answered, whatever they mention", () => {
  const state = { mode: "ambient", lastExchange: ago(5) } as const;
  expect(decide("!asking", {}, state)).toBeNull();
  expect(decide("!so @automark", {}, state)).toBeNull();
  expect(decide("!discord", { parent: "bot" }, state)).toBeNull();
  expect(decide("!ask x", {}, { ...state, commandName: null })).toBeNull();
  expect(decide("!!! mark", {}, state)?.kind).toBe("mention");
});

test("the bot itself and known bots are never answered", () => {
  for (const line of [{ isBotItself: true }, { isKnownBot: true }]) {
    for (const text of ["@automark hi", "!ask hi", "hi"]) {
      expect(
        decide(text, { ...line, parent: "bot" }, { mode: "ambient", lastExchange: ago(1) }),
      ).toBeNull();
    }
  }
});

test("a bare mention asks what the viewer's own lines just before said", () => {
  const ownRecentLines = [
    { text: "long ago", ...ago(60) },
    { text: "!points", ...ago(18) },
    { text: "what should I", ...ago(12) },
    { text: "play next", ...ago(3) },
  ];
  const bare = { kind: "bare", question: "what should I play next" };
  for (const text of ["@automark", "@automark ?", "mark?", "mark!!"]) {
    expect(decide(text, {}, { ownRecentLines })).toEqual(bare);
  }
  expect(decide("@automark", { parent: "bot" }, { ownRecentLines })).toEqual(bare);
  expect(decide("@automark", {}, { ownRecentLines, lastExchange: ago(5) })).toEqual({
    kind: "bare",
    question: "play next",
  });
});

test("a viewer may go on after an exchange for a while", () => {
  const continuation = { kind: "continuation", question: "and then?" };
  expect(decide("and then?", {}, { lastExchange: ago(45) })).toEqual(continuation);
  expect(decide("and then?", {}, { lastExchange: ago(46) })).toBeNull();
  expect(decide("and then?", {}, { lastExchange: ago(-1) })).toBeNull();
  expect(decide("and then?", {}, { lastExchange: ago(0), continuationMs: 0 })).toBeNull();
});

test("a remark that does not speak back to the bot is no continuation", () => {
  const state = { lastExchange: ago(5) };
  for (const said of [
    "ouch",
    "that boss is unfair",
    "do you like soup",
    "gg",
    "музыка огонь",
    "すごい",
  ]) {
    expect(decide(said, {}, state)).toBeNull();
  }
  for (const said of ["do you like soup?", "а ты?", "y tú?", "あなたは？"]) {
    expect(decide(said, {}, state)?.kind).toBe("continuation");
  }
});

test.each(Object.entries(CONTINUATIONS))(
  "a line goes on with the answer by a question word or a word of the answer: %s",
  (_, { answer: answerBefore, on, off }) => {
    const kindOf = (text: string) =>
      decide(text, {}, { lastExchange: ago(4), answerBefore })?.kind ?? null;
    expect(on.filter((text) => kindOf(text) !== "continuation")).toEqual([]);
    expect(off.filter((text) => kindOf(text) !== null)).toEqual([]);
  },
);

test("a word of the answer that others write too is no sign of a continuation", () => {
  const { answer: answerBefore } = CONTINUATIONS.en;
  const state = { lastExchange: ago(4), answerBefore };
  const othersLines = ["my Baits are gone", "nice lake"];
  expect(decide("so both baits at once then", {}, state)?.kind).toBe("continuation");
  expect(decide("so both baits at once then", {}, { ...state, othersLines })).toBeNull();
});

test("a line to somebody else, a long one, or one that says nothing is no continuation", () => {
  const state = { lastExchange: ago(5) };
  expect(decide("@wendy and then?", {}, state)).toBeNull();
  expect(decide("and then?", { parent: "other" }, state)).toBeNull();
  expect(decide(`${"x".repeat(200)}?`, {}, state)).toBeNull();
  expect(decide("...", {}, state)).toBeNull();
  expect(decide("", {}, state)).toBeNull();
});

test("chance counts in mode ambient only, and less the faster the chat", () => {
  const ambient = { mode: "ambient", roll: 0.02 } as const;
  expect(decide("hi all", {}, ambient)).toEqual({ kind: "chance", question: "hi all" });
  expect(decide("hi all", {}, { ...ambient, roll: 0.03 })).toBeNull();
  expect(decide("hi all", {}, { ...ambient, pace: "normal" })).toBeNull();
  expect(decide("hi all", {}, { ...ambient, pace: "normal", roll: 0.01 })?.kind).toBe("chance");
  expect(decide("hi all", {}, { ...ambient, pace: "busy", roll: 0 })).toBeNull();
  expect(decide("hi all", {}, { ...ambient, pace: "raid", roll: 0 })).toBeNull();
  expect(decide("hi @wendy", {}, ambient)).toBeNull();
  expect(decide("hi all", {}, { roll: 0 })).toBeNull();
});

test("no line of the bot or of a bot is ever answered, and no question but a command's starts as one", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom("@automark ", "mark", "!ask", "!so ", "@wendy ", "hi ", "?", "👋"))
      .map((all) => all.join("")),
  );
  const parent = fc.constantFrom("bot", "other", null);
  fc.assert(
    fc.property(
      text,
      parent,
      fc.boolean(),
      fc.boolean(),
      (said, answers, isBotItself, isKnownBot) => {
        const found = decide(
          said,
          { parent: answers, isBotItself, isKnownBot },
          { mode: "ambient" },
        );
        expect(found !== null && (isBotItself || isKnownBot)).toBe(false);
        expect(found?.kind === "chance" && /^![\p{L}\p{N}_]/u.test(found.question)).toBe(false);
      },
    ),
  );
});
