// Pure: values in, values out.

import type { EarlierLine, WaitingEvents, WindowEvent } from "../chat/event-reads-store.ts";
import type { StoredMoment } from "../chat/moment-store.ts";
import { createForbiddenTest } from "../language/banned.ts";
import { copyFinder } from "../language/distinctive.ts";
import { languageFinder } from "../language/languages.ts";
import { fillNames, holdsName } from "../language/people.ts";
import { createWordBag, readContent, readWordLine, type WordBag } from "../language/stems.ts";
import type { SummaryContext } from "./check-summary.ts";
import { Labels, type NamedPerson } from "./labels.ts";
import { takeOutDay } from "./relative-day.ts";
import { checkSentence } from "./sentence-checks.ts";
import { sampleEvenly, type TranscriptLine } from "./transcript.ts";

/** The fewest events of a window while chat continues. */
export const WINDOW_EVENTS_MIN = 25;
/** The most events in one transcript. */
const WINDOW_EVENTS_MAX = 100;
/** The most events in a window if memory is behind. The transcript shows an even sample. */
export const WINDOW_EVENTS_SAMPLED_MAX = 300;
/** The fewest events that close at the end of a stream or after a silence. */
export const REST_EVENTS_MIN = 8;
/** The fewest events of a conversation with the bot that closes early. */
export const DIRECT_EVENTS_MIN = 8;
/** A window in slow chat waits for this many events. The instructions cost as much as 30 messages. */
const SLOW_EVENTS_MIN = 60;
/** Chat is slow with fewer events than this in the last minute. */
export const SLOW_EVENTS_A_MINUTE = 30;
/** A window that is not full waits no longer. */
const PATIENCE_INTERVALS = 3;
const PATIENCE_MS_MAX = 10 * 60_000;
/** The silence that closes a window. */
export const SILENCE_MS = 30 * 60_000;
/** Memory is behind if an event has waited this long. */
const BEHIND_MS = 20 * 60_000;

/**
 * Returns how many waiting events the next window takes, oldest first; 0 for none yet. It needs 25, or 8 after the end
 * of a stream or a silence. While chat goes on, it waits for 60 (for 100 in fast chat), but at most three intervals or
 * ten minutes. It takes more than 100, up to 300, only if an event has waited for twenty minutes.
 */
export function sizeWindow(
  waiting: WaitingEvents,
  at: { nowMs: number; isOver: boolean; intervalMs: number },
): number {
  const isClosing = at.isOver || at.nowMs - waiting.newestAtMs >= SILENCE_MS;
  if (waiting.events < (isClosing ? REST_EVENTS_MIN : WINDOW_EVENTS_MIN)) return 0;
  const isSlow = waiting.lastMinute < SLOW_EVENTS_A_MINUTE;
  const wanted = isSlow ? SLOW_EVENTS_MIN : WINDOW_EVENTS_MAX;
  const patienceMs = Math.min(PATIENCE_INTERVALS * at.intervalMs, PATIENCE_MS_MAX);
  const mayWait = !isClosing && at.nowMs - waiting.oldestAtMs < patienceMs;
  if (mayWait && waiting.events < wanted) return 0;
  const isBehind = at.nowMs - waiting.oldestAtMs > BEHIND_MS;
  return Math.min(waiting.events, isBehind ? WINDOW_EVENTS_SAMPLED_MAX : WINDOW_EVENTS_MAX);
}

/** A window as the model sees it, with the checks of the answer. */
export interface Window extends Omit<SummaryContext, "cut"> {
  readonly lines: readonly TranscriptLine[];
  readonly shownIds: readonly number[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** The context of a window: names, earlier messages, title and moments. */
export interface WindowContext {
  /** Viewers whose names become tokens. */
  readonly people: readonly NamedPerson[];
  readonly earlier: readonly EarlierLine[];
  /** Title and category. */
  readonly title: string;
  readonly regularLogins: readonly string[];
  readonly moments: readonly StoredMoment[];
}

interface WindowParts {
  readonly botNames: () => readonly string[];
  readonly bannedWords: () => readonly string[];
  /** All accounts of a person, the leading one first. */
  readonly accountsOf: (userId: string) => readonly string[];
}

/** Prepares a window: an even sample of 100 events, labels for names, and the checks of the answer. */
export function readWindow(
  parts: WindowParts,
  events: readonly WindowEvent[],
  { people: others, earlier: before, title, regularLogins, moments }: WindowContext,
): Window {
  const shown = sampleEvenly(events, WINDOW_EVENTS_MAX);
  const labels = new Labels(shown, others, parts.botNames());
  const people = new Map([...others, ...shown].map((person) => [person.userId, person]));
  const toLine = <T extends { readonly userId: string; readonly text: string }>(line: T) => ({
    ...line,
    personId: parts.accountsOf(line.userId)[0] ?? line.userId,
    text: labels.hide(line.text),
  });
  const lines = shown.map(toLine);
  const earlier = before.map(toLine);
  const [fromMs, toMs] = [events[0]?.atMs ?? 0, events.at(-1)?.atMs ?? 0];
  const isCopied = copyFinder([...lines, ...events].map(({ text }) => text));
  const isBanned = createForbiddenTest(parts.bannedWords());
  const languagesOf = languageFinder(lines.map(({ text }) => text));
  const logins = new Set(regularLogins);
  return {
    lines,
    earlier,
    labels,
    shownIds: shown.map(({ id }) => id),
    fromMs,
    toMs,
    moments: moments.filter(({ userId }) => !isBanned(people.get(userId)?.displayName ?? "")),
    isCarried: matchCarriers(lines, earlier, title),
    mayName: (text) => holdsName(text, logins),
    takeOutDay: (statement, ofChannel) =>
      takeOutDay(statement, languagesOf(statement)[0]?.code, toMs, ofChannel),
    // As it would be stored: what looks like a token of ours, and is none, shows there.
    check: (sentence, ofChannel = false) =>
      checkSentence(labels.toTokens(sentence), { isBanned, languagesOf, ofChannel }),
    repeats: (text) => {
      const tokens = labels.toTokens(text);
      const withNames = fillNames(tokens, (userId) => people.get(userId)?.displayName ?? null);
      const withLogins = fillNames(tokens, (userId) => people.get(userId)?.login ?? null);
      // A copied message that had a name is whole again with the name.
      return [...new Set([text, withNames, withLogins])].some(isCopied);
    },
  };
}

/** The most words of a sentence that only one known viewer wrote. */
const SINGLE_WORDS_MAX = 1;
const KNOWN_CARRIERS_MIN = 2;

interface CarrierLine {
  readonly personId: string;
  readonly isStreamer: boolean;
  readonly isKnown?: boolean;
  readonly text: string;
}

/**
 * Returns a function that is true for a sentence if known people wrote each word that it shares with the window. A word
 * must be in the title, or the streamer or two known viewers wrote it, in the window or earlier. One word of the
 * sentence may have a single known writer. Design part 7, point 3.
 */
function matchCarriers(
  window: readonly CarrierLine[],
  earlier: readonly CarrierLine[],
  title: string,
): (sentence: string) => boolean {
  const languagesOf = languageFinder(window.map(({ text }) => text));
  const readWords = (texts: readonly string[]): WordBag =>
    createWordBag(texts.map((text) => readWordLine(text, languagesOf(text)[0] ?? null)));
  const textsOf = (lines: readonly CarrierLine[]) => lines.map(({ text }) => text);
  const all = readWords(textsOf(window));
  const known = [
    ...window.filter(({ isKnown, isStreamer }) => isKnown === true || isStreamer),
    ...earlier.filter(({ isKnown }) => isKnown),
  ];
  const free = readWords([...textsOf(known.filter(({ isStreamer }) => isStreamer)), title]);
  const carriers = [...new Set(known.map(({ personId }) => personId))].map((id) =>
    readWords(textsOf(known.filter(({ personId }) => personId === id))),
  );
  return (sentence) => {
    const words = readContent(sentence, languagesOf(sentence)[0] ?? null);
    const counts = words
      .filter((word) => all.holds(word) && !free.holds(word))
      .map((word) => carriers.filter((bag) => bag.holds(word)).length);
    const few = counts.filter((count) => count < KNOWN_CARRIERS_MIN);
    return few.length <= SINGLE_WORDS_MAX && !few.includes(0);
  };
}
