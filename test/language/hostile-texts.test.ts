import { expect, test } from "vitest";
import { chatMessageOf, deletedMessageOf } from "../../src/chat/normalise.ts";
import { resolveTarget } from "../../src/chat/people.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { asksSomething } from "../../src/language/asking.ts";
import { bannedWords } from "../../src/language/banned.ts";
import { printable, sentencesOf, withoutBrokenEnd } from "../../src/language/clean.ts";
import { copiesRun } from "../../src/language/distinctive.ts";
import { makeFence, quoteData } from "../../src/language/fence.ts";
import { fold, plainText } from "../../src/language/fold.ts";
import { instructs } from "../../src/language/instruction.ts";
import { LANGUAGES, type Language } from "../../src/language/languages.ts";
import { findHosts, spaceDots } from "../../src/language/links.ts";
import { deniesAnything, tokensWithDenial } from "../../src/language/negation.ts";
import { fillNames, peopleIn } from "../../src/language/people.ts";
import { findPii, privateMatter } from "../../src/language/private-matters.ts";
import { readStems } from "../../src/language/stems.ts";
import { inThirdPerson } from "../../src/language/third-person.ts";
import { isCode, plainProse, removeThoughts } from "../../src/language/thoughts.ts";
import { clipToTokens, estimateTokens } from "../../src/language/tokens.ts";
import { formsIn, formsOfFact, isAboutTopic, topicForms } from "../../src/language/topic.ts";
import { namesToTakeOut, withoutTokens } from "../../src/language/unname.ts";
import { contentOf, wordBag } from "../../src/language/vocabulary.ts";
import { languageOf, languagesIn, scriptOf } from "../../src/language/which-language.ts";
import { readWords } from "../../src/language/word-lists.ts";
import { findVerbatim, splitWords } from "../../src/language/words.ts";
import { botCommands, viewerCommands } from "../../src/privacy/chat-commands.ts";
import { askedToForget } from "../../src/privacy/plain-words.ts";
import { decideTrigger } from "../../src/reply/trigger.ts";
import type { WireMessage } from "../../src/twitch/wire.ts";
import { say } from "../chat/say.ts";
import { line, read, spoken } from "../chat/wire-lines.ts";
import { growth } from "./growth.ts";

/** Repeated, they make lines that nested backtracking, or a search from each letter, takes squared time for. */
const BOT_NAMES = ["automark", "mark"];
const REQUESTS = {
  remember: () => ({ kind: "done", as: "kept" }) as const,
  forget: () => ({ kind: "done", as: "forgotten" }) as const,
};
const UNITS = [
  ...["5m ", "1", "1.", "1-2 ", "٣", "+4 (", "12:30 ", "a@", "a.b.", "no not "],
  ...["[action ", "[[(", "<think>", "</", '"', "\\", "{u:7}", "{u:", "@P3 ", "’s "],
  ...["a\u0301\u0302\u0327", "\u200d", "\u200d\u0301", "क्\u200d", "👩\u200d", "🏿"],
  ...["аbя漢か", "bob漢", "가나 ", "ไทย", "mein ", "forget all about me "],
];

const english = LANGUAGES.find(({ code }) => code === "en") as Language;
const isBanned = bannedWords(["slur word", "b*d"]);
const takeOuts = namesToTakeOut([{ userId: "7", names: ["alice_7", "Bob漢", "love"] }]);
const run = copiesRun([
  "a distinctive message that somebody wrote about a green otter in the rain",
]);
const fence = makeFence("0123456789ab");
const bob = { userId: "1", login: "bob", displayName: "Bob漢", roles: null };
const bag = wordBag([{ folded: "bob", words: [], content: contentOf("bob plays chess", english) }]);
const state = {
  mode: "ambient",
  addressed: null,
  commandName: "!ask",
  lastExchange: { atMs: 0 },
  isRightAfterAnswer: true,
  ownRecentLines: [],
  pace: "quiet",
  roll: 0,
  nowMs: 1,
  continuationMs: 60_000,
  ambientChance: 1,
} as const;
const from = { isBotItself: false, isKnownBot: false, parent: "other" } as const;

const privacyParts = {
  ...{ db: openDatabase(":memory:"), now: () => 1, flush: () => {}, say: () => {} },
  ...{ streamerId: () => null, forget: () => null, optOut: () => null, optIn: () => null },
  ...{ botNames: () => BOT_NAMES, isToBot: () => true, notesFor: () => [], replacedFor: () => 0 },
  ...{ requests: () => REQUESTS, isOptedOut: () => false, maySay: (text: string) => text },
  ...{ paceOf: () => "quiet", perMinute: () => 0, setSwitch: () => true },
  readSwitches: () => ({ paused: false, safeMode: false, readOnly: false }),
  grant: <T>(work: () => T) => work(),
};
/** Without the cooldown a viewer's next command is read too. */
let commandAtMs = 0;
const obeyViewer = viewerCommands({ ...privacyParts, now: () => (commandAtMs += 60_000) });
const obeyModerator = botCommands(privacyParts);
const moderator = { broadcaster: false, moderator: true, vip: false, subscriber: false };
const asModerator = {
  person: { userId: "20", login: "moss", displayName: "Moss", roles: moderator },
};

const FUNCTIONS: readonly (readonly [string, (line: string) => unknown])[] = [
  ["people: filling names", (line) => fillNames(line, () => "bob")],
  ["people: finding tokens", peopleIn],
  ["banned words", isBanned],
  ["links: finding hosts", findHosts],
  ["links: spacing dots", (line) => spaceDots(line, () => false)],
  ["tokens: estimating", estimateTokens],
  ["tokens: clipping", (line) => clipToTokens(line, 300)],
  ["clean: sentences", sentencesOf],
  ["clean: broken end", withoutBrokenEnd],
  ["clean: for a terminal", printable],
  ["which language", languageOf],
  ["which language in a window", (line) => languagesIn([line])(line)],
  ["which script", scriptOf],
  ["negation: tokens", (line) => tokensWithDenial(line, english)],
  ["negation: any", (line) => deniesAnything(line, english)],
  ["third person", inThirdPerson],
  ["thoughts", removeThoughts],
  ["thoughts: prose", plainProse],
  ["thoughts: code", isCode],
  ["topic: of a topic", topicForms],
  ["topic: in a fact", formsIn],
  ["topic: of a fact", formsOfFact],
  ["topic: fact about a line", (line) => isAboutTopic("bob plays chess", line)],
  ["topic: line about a topic", (line) => isAboutTopic(line, "chess club")],
  ["distinctive: a copy in a line", run],
  ["distinctive: of a line", (line) => copiesRun([line])],
  ["private matters", (line) => privateMatter(line)],
  ["private matters: by shape", findPii],
  ["unname: tokens", (line) => withoutTokens(line, ["7"])],
  ["unname: names", (line) => takeOuts.map(({ takeOut }) => takeOut(line))],
  ["word spans: folding", fold],
  ["word spans: splitting", (line) => splitWords(fold(line))],
  ["word spans: reading", readWords],
  ["word spans: verbatim in a line", (line) => findVerbatim("time out bob", [line])],
  ["word spans: a line verbatim", (line) => findVerbatim(line, [line])],
  ["words", readStems],
  ["words: plain", plainText],
  ["vocabulary", (line) => contentOf(line, english).map(bag.holds)],
  ["instructions", instructs],
  ["asking", asksSomething],
  ["fence", (line) => quoteData(line, fence)],
  ["a target's name", (line) => resolveTarget(line, [bob])],
  ["a request to be forgotten", (line) => askedToForget(line, "!forgetme")],
  ["viewers' commands", (line) => obeyViewer(say(line))],
  ["viewers' commands to the bot", (line) => obeyViewer(say(`@automark ${line}`))],
  ["viewers' commands: remember", (line) => obeyViewer(say(`!remember ${line}`))],
  ["viewers' commands: forget", (line) => obeyViewer(say(`!forget ${line}`))],
  ["viewers' commands: memory", (line) => obeyViewer(say(`!memory ${line}`))],
  ["moderators' commands", (line) => obeyModerator(say(`!bot ${line}`, asModerator))],
  [
    "moderators' commands: forget",
    (line) => obeyModerator(say(`!bot forget @${line}`, asModerator)),
  ],
  ["reply trigger", (line) => decideTrigger({ ...from, text: line }, state)],
  ["reply trigger: command", (line) => decideTrigger({ ...from, text: `!ask ${line}` }, state)],
];

test.each(FUNCTIONS)("%s takes time in proportion to a hostile line", (_name, work) => {
  const wrong = UNITS.filter((unit) => growth(work, unit, 50) >= 40);
  expect(wrong).toEqual([]);
});

test.each([
  ["a message", (text: string) => spoken(text).text],
  ["a /me", (text: string) => spoken(`\u0001ACTION ${text}\u0001`).text],
  ["a cheer", (text: string) => spoken(text, { tags: { bits: "5" } }).text],
  ["a resub", (text: string) => spokenNotice(text)],
  ["the message replied to", (text: string) => parentText(text)],
  [
    "a display name",
    (text: string) => spoken("hm", { tags: { "display-name": tagValue(text) } }).person.displayName,
  ],
  ["a deleted message", (text: string) => deletedMessageOf(wire(text)).text],
  ["an echo", (text: string) => chatMessageOf(wire(text))?.text],
])("no text function sees more than 500 characters of %s", (_name, textOf) => {
  for (const unit of ["x", "word ", "5m ", "🏿", "a\u0301\u0302\u0327", "漢"]) {
    const seen = textOf(unit.repeat(3_000).trim()) ?? "";
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThanOrEqual(500);
  }
});

function wire(text: string): WireMessage {
  return { command: "PRIVMSG", prefix: "wren!wren@wren", params: ["#den", text], tags: {} };
}

function tagValue(text: string): string {
  return text.replaceAll(" ", "\\s");
}

function spokenNotice(text: string): string {
  const event = read(line(text, { command: "USERNOTICE", tags: { "msg-id": "resub" } }));
  return "text" in event ? event.text : "";
}

function parentText(text: string): string {
  const tags = {
    "reply-parent-msg-id": "m-0",
    "reply-parent-msg-body": tagValue(text),
  };
  return spoken("hm", { tags }).parent?.text ?? "";
}
