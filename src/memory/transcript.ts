// Pure: values in, values out.

import { cleanLine, collapseRepeats } from "../language/clean.ts";
import { fold } from "../language/fold.ts";
import { selfStatementFinder } from "../language/self-telling.ts";
import { readContent } from "../language/stems.ts";
import { splitWords } from "../language/words.ts";
import {
  ANSWER_LINES_MAX,
  type EvidenceLine,
  findPastes,
  PASTED_MIN,
  provesNothing,
} from "./evidence.ts";
import { LABEL_IN_TEXT } from "./labels.ts";

/** A message of a window. */
export interface TranscriptLine extends EvidenceLine {
  readonly id: number;
  readonly isKnown: boolean;
  /** Answers another message. */
  readonly isReply: boolean;
}

/** A line as the model sees it. */
export interface ShownLine {
  readonly line: TranscriptLine;
  /** Links are one word, and repeats are counted. */
  readonly text: string;
  /** The number of writers of a paste; 1 for any other message. */
  readonly writers: number;
}

/** A longer message needs no question to be understood. */
const ANSWER_WORDS_MAX = 4;
/** A message with fewer different words needs a question to say something. */
const SAID_WORDS_MIN = 3;
/** A window with more messages shows a sample of its remarks. */
const LINES_SHOWN_MIN = 32;
/** The fewest remarks that a window shows. They show what chat was about. */
const REMARKS_MIN = 6;
/**
 * A remark that shares this many words with another viewer's may prove something about the channel.
 */
const SHARED_WORDS_MIN = 2;
/** A capital behind a small letter: channels name their emotes so, such as `catJAM`. */
const EMOTE_WORD = /\p{Ll}\p{Lu}/u;
/** Braille, blocks and lines, of which chat makes pictures. */
const DRAWING = /[\u2500-\u259f\u2800-\u28ff]+/gu;
const LINK = /\b(?:https?:\/\/|www\.)\S+/giu;
const QUESTION = /[?？؟]/u;
const QUESTION_END = /[?？؟]\s*$/u;

/**
 * Returns the messages of a window that may support a claim, in order. Drops viewers' role play, quotations, unanswered
 * questions, and one or two words that answer nothing. The streamer's messages stay. Shows pastes and repeats once. Above
 * 32 messages, it keeps a sample of the remarks, at least six. A remark is a viewer's statement about something else than
 * themselves; moderators' messages, answers, questions and pastes are none.
 */
export function selectLines(lines: readonly TranscriptLine[]): ShownLine[] {
  const isAboutWriter = selfStatementFinder(lines.map(({ text }) => text));
  const readable = listReadable(lines);
  const remarks = readable.filter(
    ({ line, writers, isAnswer }) =>
      writers === 1 &&
      !line.isStreamer &&
      !line.isModerator &&
      !isAnswer &&
      !QUESTION_END.test(line.text) &&
      !isAboutWriter(stripLabels(line.text)),
  );
  const kept = new Set(chooseRemarks(remarks, readable));
  return readable.filter((one) => kept.has(one) || !remarks.includes(one));
}

interface Readable extends ShownLine {
  /** It is short, and a reply or after a question. */
  readonly isAnswer: boolean;
}

/** Returns the messages that may support a claim. Of pastes and one viewer's repeats it returns the first. */
function listReadable(lines: readonly TranscriptLine[]): Readable[] {
  const pastes = findPastes(lines);
  const common = findCommonWords(lines);
  const seen = new Set<string>();
  return lines.flatMap((line, at) => {
    const words = listWords(line.text);
    const paste = pastes.get(at);
    const isPaste = paste !== undefined && words.length > 0;
    const key = paste ? `${paste.first}` : `${line.userId} ${words.join(" ")}`;
    const mayProve = line.isStreamer || isPaste || saysSomething(lines, at, words, common);
    if (!mayProve || seen.has(key)) return [];
    seen.add(key);
    const text = collapseRepeats(cleanLine(removeNoise(line.text)));
    const isShort = splitWords(stripLabels(line.text)).length <= ANSWER_WORDS_MAX;
    const isAnswer = isShort && (line.isReply || followsQuestion(lines, at));
    return [{ line, text, writers: paste?.writers ?? 1, isAnswer }];
  });
}

/** Returns the words that three or more viewers wrote. They answer no question. */
function findCommonWords(lines: readonly TranscriptLine[]): ReadonlySet<string> {
  const writersOf = new Map<string, Set<string>>();
  for (const { text, userId } of lines) {
    for (const word of listWords(text)) {
      writersOf.set(word, (writersOf.get(word) ?? new Set()).add(userId));
    }
  }
  const common = [...writersOf].filter(([, { size }]) => size >= PASTED_MIN);
  return new Set(common.map(([word]) => word));
}

/** True if a message is an answered question, has three different words, or is an answer with an uncommon word. */
function saysSomething(
  lines: readonly TranscriptLine[],
  at: number,
  words: readonly string[],
  common: ReadonlySet<string>,
): boolean {
  const line = lines[at];
  if (line === undefined || provesNothing(line)) return false;
  if (QUESTION_END.test(line.text)) return isAnswered(lines, at);
  if (words.length >= SAID_WORDS_MIN) return true;
  const isNew = words.some((word) => !common.has(word));
  return isNew && (line.isReply || followsQuestion(lines, at));
}

/** True if one of the next messages of others is a reply, is the streamer's, or is short. */
function isAnswered(lines: readonly TranscriptLine[], at: number): boolean {
  return lines
    .slice(at + 1, at + 1 + ANSWER_LINES_MAX)
    .some(
      ({ userId, isReply, isStreamer, text }) =>
        userId !== lines[at]?.userId &&
        (isReply || isStreamer || splitWords(text).length <= ANSWER_WORDS_MAX),
    );
}

/** Returns the different words of a message, without emotes, links, drawings and labels. */
function listWords(text: string): string[] {
  const words = splitWords(stripLabels(text)).map(({ word }) => word);
  return [...new Set(words.filter((word) => !EMOTE_WORD.test(word)).map((one) => fold(one)))];
}

function stripLabels(text: string): string {
  return removeNoise(text).replaceAll("(link)", " ").replaceAll(LABEL_IN_TEXT, " ").trim();
}

function removeNoise(text: string): string {
  return text.replaceAll(LINK, "(link)").replaceAll(DRAWING, " ");
}

/** True if another viewer asks something in the messages before. */
function followsQuestion(lines: readonly TranscriptLine[], at: number): boolean {
  return lines
    .slice(Math.max(0, at - ANSWER_LINES_MAX), at)
    .some(({ text, userId }) => userId !== lines[at]?.userId && QUESTION.test(text));
}

/**
 * Returns the remarks to show, spread evenly, so that the window shows 32 messages, but at least six remarks. Remarks
 * that share two words with another viewer's message are preferred.
 */
function chooseRemarks(remarks: readonly Readable[], all: readonly Readable[]): Readable[] {
  const max = Math.max(REMARKS_MIN, LINES_SHOWN_MIN - (all.length - remarks.length));
  if (remarks.length <= max) return [...remarks];
  const words = new Map(
    all.map((one) => [one, new Set(readContent(one.text, null).map(({ stem }) => stem))]),
  );
  const isShared = (remark: Readable): boolean =>
    all.some((other) => {
      const theirs = words.get(other);
      if (theirs === undefined || other.line.userId === remark.line.userId) return false;
      const shared = [...(words.get(remark) ?? [])].filter((stem) => theirs.has(stem));
      return shared.length >= SHARED_WORDS_MIN;
    });
  const shared = remarks.filter(isShared);
  const lone = remarks.filter((remark) => !shared.includes(remark));
  const best = sampleEvenly(shared, max);
  return [...best, ...sampleEvenly(lone, max - best.length)];
}

/** Returns at most `max` of the items, spread evenly, in order. The first is one, and if `max` > 1 also the last. */
export function sampleEvenly<T>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  const step = (items.length - 1) / Math.max(1, max - 1);
  return Array.from({ length: max }, (_, index) => items[Math.round(index * step)]).filter(
    (item) => item !== undefined,
  );
}
