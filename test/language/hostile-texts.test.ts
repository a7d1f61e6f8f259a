import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { addressFinder } from "../../src/chat/addressed.ts";
import { readChatMessage, readDeletedMessage } from "../../src/chat/normalise.ts";
import { resolveTarget } from "../../src/chat/people.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { extractActions, parseAction } from "../../src/language/action-syntax.ts";
import { createBannedTest } from "../../src/language/banned.ts";
import {
  cleanLine,
  collapseRepeats,
  cutBrokenEnd,
  cutText,
  splitSentences,
  toPrintable,
} from "../../src/language/clean.ts";
import { copyFinder } from "../../src/language/distinctive.ts";
import { makeFence, quoteData } from "../../src/language/fence.ts";
import { fold, plainText } from "../../src/language/fold.ts";
import { findInstruction } from "../../src/language/instruction.ts";
import {
  findLanguage,
  findScript,
  LANGUAGES,
  type Language,
  languageFinder,
} from "../../src/language/languages.ts";
import { findHosts, spaceDots } from "../../src/language/links.ts";
import { hasNegator, readTokensWithDenial } from "../../src/language/negation.ts";
import { fillNames, findPeople, namesToRedact, removeTokens } from "../../src/language/people.ts";
import { findPii, findPrivateMatter } from "../../src/language/private-matters.ts";
import { createWordBag, readContent, readStems } from "../../src/language/stems.ts";
import { toThirdPerson } from "../../src/language/third-person.ts";
import { isCode, removeThoughts, stripMarkup } from "../../src/language/thoughts.ts";
import { clipToTokens, estimateTokens } from "../../src/language/tokens.ts";
import {
  findTopicForms,
  isAboutTopic,
  readFactForms,
  readTopicForms,
} from "../../src/language/topic.ts";
import { findVerbatim, hasQuestionMark, readWords, splitWords } from "../../src/language/words.ts";
import { Labels } from "../../src/memory/labels.ts";
import { obeyModerator, openViewerCommands } from "../../src/privacy/chat-commands.ts";
import { answerForgetRequest } from "../../src/privacy/plain-words.ts";
import { decideTrigger } from "../../src/reply/trigger.ts";
import type { WireMessage } from "../../src/twitch/wire.ts";
import { MOD, openRig, READER } from "../actions/rig.ts";
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
  ...["5m ", "1", "1.", "1-2 ", "٣", "+4 (", "12:30 ", "a@", "a.b.", "no not ", "gb82 ", "(555) "],
  ...["[action ", "[[(", "<think>", "</", '"', "\\", "{u:7}", "{u:", "@P3 ", "’s "],
  ...["a\u0301\u0302\u0327", "\u200d", "\u200d\u0301", "क्\u200d", "👩\u200d", "🏿"],
  ...[
    "mute bob 5m 5m ",
    "10m:",
    "@bob",
    "@",
    ": ",
    " | ",
    ".",
    "! ",
    "yes.",
    "漢字",
    "://",
    "( dot ",
  ],
  ...["*", "<|", "~a", "fact=", "a. "],
  ...["аbя漢か", "bob漢", "가나 ", "ไทย", "mein ", "forget all about me "],
];

const english = LANGUAGES.find(({ code }) => code === "en") as Language;
const isBanned = createBannedTest(["slur word", "b*d"]);
const redactors = namesToRedact([{ userId: "7", names: ["alice_7", "Bob漢", "love"] }]);
const run = copyFinder([
  "a distinctive message that somebody wrote about a green otter in the rain",
]);
const fence = makeFence("0123456789ab");
const bob = { userId: "1", login: "bob", displayName: "Bob漢", roles: null };
const bag = createWordBag([
  { folded: "bob", words: [], content: readContent("bob plays chess", english) },
]);
const state = {
  mode: "ambient",
  addressed: null,
  commandName: "!ask",
  lastExchange: { atMs: 0 },
  answerBefore: "it is done",
  othersLines: ["it is"],
  ownRecentLines: [],
  pace: "quiet",
  roll: 0,
  nowMs: 1,
  continuationMs: 60_000,
} as const;
const from = { isBotItself: false, isKnownBot: false, parent: "other" } as const;

const privacyParts = {
  ...{ db: openDatabase(":memory:"), now: () => 1, events: { flush: () => {} }, say: () => {} },
  channels: { twitchId: () => null },
  rights: {
    ...{ forget: () => null, optOut: () => null, optIn: () => null },
    attempt: <T>(work: () => T) => work(),
  },
  ...{ botNames: () => BOT_NAMES, isToBot: () => true, notesFor: () => [], replacedFor: () => 0 },
  ...{ requests: REQUESTS, isOptedOut: () => false, maySay: (text: string) => text },
  ...{ paceOf: () => "quiet", perMinute: () => 0 },
  live: {
    read: () => ({ paused: false, safeMode: false, readOnly: false }),
    set: () => true,
  },
};
/** Without the cooldown a viewer's next command is read too. */
let commandAtMs = 0;
const obeyViewer = openViewerCommands({ ...privacyParts, now: () => (commandAtMs += 60_000) });
const moderator = { broadcaster: false, moderator: true, vip: false, subscriber: false };
const asModerator = {
  person: { userId: "20", login: "moss", displayName: "Moss", roles: moderator },
};

const hear = addressFinder(["automark", "mark"]);
const [name] = namesToRedact([{ userId: "7", names: ["alice_7"] }]);
const labels = new Labels([{ userId: "7", login: "bob", displayName: "Bob漢" }], [], ["mark"]);

const FUNCTIONS: readonly (readonly [string, (line: string) => unknown])[] = [
  [
    "reading a command",
    (line) => READER.readCommand({ text: `@automark mute ${line}`, repliesTo: null }, () => []),
  ],
  ["reading an answer", (line) => READER.readAnswer(line, true)],
  ["parsing an action", (line) => parseAction(`[action timeout user=${line}]`)],
  ["taking out actions", extractActions],
  ["cleaning", cleanLine],
  ["cutting", (line) => cutText(line, 450)],
  ["collapsing repeats", collapseRepeats],
  ["folding letters", fold],
  ["folding look-alikes", (line) => fold(line, { lookAlikes: true })],
  ["finding the bot's name", hear],
  ["taking out a name", (line) => name?.redact(line)],
  ["hiding names", (line) => labels.hide(line)],
  ["people: filling names", (line) => fillNames(line, () => "bob")],
  ["people: finding tokens", findPeople],
  ["banned words", isBanned],
  ["links: finding hosts", findHosts],
  ["links: spacing dots", (line) => spaceDots(line, () => false)],
  ["tokens: estimating", estimateTokens],
  ["tokens: clipping", (line) => clipToTokens(line, 300)],
  ["clean: sentences", splitSentences],
  ["clean: broken end", cutBrokenEnd],
  ["clean: for a terminal", toPrintable],
  ["which language", findLanguage],
  ["which language in a window", (line) => languageFinder([line])(line)],
  ["which script", findScript],
  ["negation: tokens", (line) => readTokensWithDenial(line, english)],
  ["negation: any", (line) => hasNegator(line, english)],
  ["third person", toThirdPerson],
  ["thoughts", removeThoughts],
  ["thoughts: prose", stripMarkup],
  ["thoughts: code", isCode],
  ["topic: of a topic", readTopicForms],
  ["topic: in a fact", findTopicForms],
  ["topic: of a fact", readFactForms],
  ["topic: fact about a line", (line) => isAboutTopic("bob plays chess", line)],
  ["topic: line about a topic", (line) => isAboutTopic(line, "chess club")],
  ["distinctive: a copy in a line", run],
  ["distinctive: of a line", (line) => copyFinder([line])],
  ["private matters", (line) => findPrivateMatter(line)],
  ["private matters: by shape", findPii],
  ["unname: tokens", (line) => removeTokens(line, ["7"])],
  ["unname: names", (line) => redactors.map(({ redact }) => redact(line))],
  ["word spans: splitting", (line) => splitWords(fold(line))],
  ["word spans: reading", readWords],
  ["word spans: verbatim in a line", (line) => findVerbatim("time out bob", [line])],
  ["word spans: a line verbatim", (line) => findVerbatim(line, [line])],
  ["words", readStems],
  ["words: plain", plainText],
  ["vocabulary", (line) => readContent(line, english).map(bag.holds)],
  ["instructions", findInstruction],
  ["asking", hasQuestionMark],
  ["fence", (line) => quoteData(line, fence)],
  ["a target's name", (line) => resolveTarget(line, [bob])],
  ["a request to be forgotten", (line) => answerForgetRequest(line)],
  ["viewers' commands", (line) => obeyViewer(say(line))],
  ["viewers' commands to the bot", (line) => obeyViewer(say(`@automark ${line}`))],
  ["viewers' commands: remember", (line) => obeyViewer(say(`!remember ${line}`))],
  ["viewers' commands: forget", (line) => obeyViewer(say(`!forget ${line}`))],
  ["viewers' commands: memory", (line) => obeyViewer(say(`!memory ${line}`))],
  ["moderators' commands", (line) => obeyModerator(privacyParts, say(`!bot ${line}`, asModerator))],
  [
    "moderators' commands: forget",
    (line) => obeyModerator(privacyParts, say(`!bot forget @${line}`, asModerator)),
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
  ["a deleted message", (text: string) => readDeletedMessage(wire(text)).text],
  ["an echo", (text: string) => readChatMessage(wire(text))?.text],
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

test("a hostile line with ten proposals silences the daemon for 100 ms at most", async () => {
  const rig = await openRig();
  const spans = Array.from({ length: 10 }, () => "[action timeout user=bob seconds=600]");
  await rig.ask(MOD, "warm up", spans);
  for (const unit of ["5m ", "[", "\u200d\u0301", "bob漢"]) {
    const line = unit.repeat(500).slice(0, 480);
    const silentMs: number[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      const silence = monitorEventLoopDelay({ resolution: 1 });
      silence.enable();
      await rig.ask(MOD, line, spans);
      await rig.line(MOD, `@automark mute ${line}`);
      silence.disable();
      silentMs.push(silence.max / 1_000_000);
    }
    expect([unit, Math.min(...silentMs) <= 100]).toEqual([unit, true]);
  }
});
