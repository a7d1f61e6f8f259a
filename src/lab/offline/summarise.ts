import { type RunFinder, runFinder } from "../../language/distinctive.ts";
import { blocksOf, isQuestion, readTranscript, type Said } from "./read-prompt.ts";
import { selfClaims } from "./self-claims.ts";
import { sharedClaims } from "./shared-claims.ts";
import { speaksOf, topicsOfChat } from "./topic-words.ts";

/** What somebody said about themselves, or the channel established, and the words that prove it. */
export interface OfflineClaim {
  /** A label, `channel` or `bit`. */
  readonly subject: string;
  readonly statement: string;
  readonly quotes: readonly string[];
  /** Of the lines that say so. */
  readonly event_numbers: readonly number[];
}

interface OfflineDigest {
  readonly topic: string;
  readonly summary: string;
  readonly claims: readonly OfflineClaim[];
}

const CLAIMS_MAX = 20;
const QUOTES_MAX = 3;
const PEOPLE_NAMED_MAX = 3;
const CHEERS_MIN = 3;
const CHEER = /^(?:(?!P\d)\S{1,14}[!\s]*){1,2}$/u;
const RECAP_TOPICS_MAX = 5;
const RECAP_PEOPLE_MAX = 4;
const LABEL = /\b(?:P\d{1,4}|STREAMER)\b/gu;

/**
 * Answers a question about memory from nothing but the prompt's tail: a digest of a window of chat, or the recap of
 * a stream. Null where the tail holds neither.
 */
export function summariseByRule(tail: string): OfflineDigest | { readonly recap: string } | null {
  const blocks = blocksOf(tail);
  const notes = blocks.get("notes on the stream");
  if (notes !== undefined) return { recap: recap(notes) };
  const chat = blocks.get("chat");
  return chat === undefined ? null : digest(readTranscript(chat));
}

function digest(lines: readonly Said[]): OfflineDigest {
  const findRun = runFinder(lines.map(({ text }) => text));
  const own = ownClaims(lines);
  const ownLines = new Set(own.flatMap(({ event_numbers }) => event_numbers));
  const claims = [...own, ...sharedClaims(lines, ownLines)].filter(
    ({ statement }) => findRun(statement) === null,
  );
  const topics = topicsOfChat(lines.filter(({ number }) => !ownLines.has(number)));
  return {
    topic: withoutRun(topics, findRun),
    summary: retell(lines, own, topics),
    claims: claims.slice(0, CLAIMS_MAX),
  };
}

/** What people say about themselves; the same from the same person is one claim with more lines behind it. */
function ownClaims(lines: readonly Said[]): OfflineClaim[] {
  const claims = new Map<string, OfflineClaim>();
  for (const { number, label, text } of lines) {
    for (const { statement, quote } of selfClaims(text, label)) {
      const key = statement.toLowerCase();
      const known = claims.get(key);
      claims.set(key, {
        subject: label,
        statement: known?.statement ?? statement,
        quotes: [...new Set([...(known?.quotes ?? []), quote])].slice(0, QUOTES_MAX),
        event_numbers: [...new Set([...(known?.event_numbers ?? []), number])],
      });
    }
  }
  return [...claims.values()];
}

/** What went on in a window, told from counts alone: who spoke of what, who asked, who cheered. No line is copied. */
function retell(
  lines: readonly Said[],
  own: readonly OfflineClaim[],
  topics: readonly string[],
): string {
  const people = (labels: Iterable<string>): string =>
    [...new Set(labels)].slice(0, PEOPLE_NAMED_MAX).join(" and ");
  const sentences = [
    `${new Set(lines.map(({ label }) => label)).size} people were in the conversation.`,
    ...topics.map((word) => {
      const about = lines.filter(({ text }) => speaksOf(text, word));
      return `${people(about.map(({ label }) => label))} brought up ${word}.`;
    }),
  ];
  if (topics.length === 0) sentences.push("It was small talk.");
  const askers = lines.filter(({ text }) => isQuestion(text)).map(({ label }) => label);
  if (askers.length > 0) sentences.push(`${people(askers)} had questions.`);
  if (own.length > 0) {
    sentences.push(`${people(own.map(({ subject }) => subject))} shared something of their own.`);
  }
  const cheers = lines.filter(({ text }) => CHEER.test(text) && !isQuestion(text));
  if (cheers.length >= CHEERS_MIN) sentences.push("Several people reacted with short cheers.");
  return sentences.join(" ");
}

function withoutRun(topics: readonly string[], findRun: RunFinder): string {
  const topic = topics.join(", ");
  return findRun(topic) === null ? topic : (topics[0] ?? "");
}

/** The recap of a stream from the notes on it, each `- topic: summary`: what it went through, and with whom. */
function recap(notes: readonly string[]): string {
  const topics = new Set(notes.flatMap((note) => /^- ([^:.]{1,120}): /u.exec(note)?.[1] ?? []));
  const [first, ...later] = topics;
  const people = mostNamed(notes);
  return [
    first === undefined ? "It was a quiet stream." : `The stream began with ${first}.`,
    ...(later.length === 0 ? [] : [`Later it was about ${spread(later).join("; ")}.`]),
    ...(people.length === 0 ? [] : [`${people.join(", ")} took part the most.`]),
  ].join(" ");
}

/** Of many topics some from the whole length of the stream, the last among them. */
function spread(topics: readonly string[]): string[] {
  const step = Math.max(1, topics.length / RECAP_TOPICS_MAX);
  return topics.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
}

function mostNamed(notes: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const label of notes.flatMap((note) => [...new Set(note.match(LABEL) ?? [])])) {
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, RECAP_PEOPLE_MAX)
    .map(([label]) => label);
}
