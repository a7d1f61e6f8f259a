import { copiesRun } from "../../language/distinctive.ts";
import english from "./data/english.json" with { type: "json" };
import { blocksOf, isQuestion, readTranscript, type Said } from "./read-prompt.ts";
import { plainSentences, selfClaims } from "./self-claims.ts";
import { isThing, rootOf, speaksOf, tellingWords, topicsOfChat } from "./topic-words.ts";

/** What somebody said about themselves, or the channel established, and the words that prove it. */
interface OfflineClaim {
  /** A label, `channel` or `bit`. */
  readonly subject: string;
  readonly statement: string;
  readonly quotes: readonly string[];
  /** Numbers of the lines that say so. */
  readonly lines: readonly number[];
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
export function summariseByRule(tail: string): object | null {
  const blocks = blocksOf(tail);
  const notes = blocks.get("notes on the stream");
  if (notes !== undefined) return { recap: recap(notes) };
  const chat = blocks.get("chat");
  return chat === undefined ? null : digest(readTranscript(chat));
}

function digest(lines: readonly Said[]) {
  const copies = copiesRun(lines.map(({ text }) => text));
  const own = ownClaims(lines);
  const ownLines = new Set(own.flatMap((claim) => claim.lines));
  const claims = [...own, ...sharedClaims(lines, ownLines)].filter(
    ({ statement }) => !copies(statement),
  );
  const topics = topicsOfChat(lines.filter(({ number }) => !ownLines.has(number)));
  return {
    topic: copies(topics.join(", ")) ? (topics[0] ?? "") : topics.join(", "),
    summary: retell(lines, own, topics),
    claims: claims.slice(0, CLAIMS_MAX).map(({ subject, statement, quotes }) => ({
      subject,
      statement,
      how: "plainly",
      on: null,
      quotes,
    })),
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
        lines: [...new Set([...(known?.lines ?? []), number])],
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

const BIT_PEOPLE_MIN = 3;
const BIT_WORDS_MIN = 2;
const BIT_WORDS_MAX = 4;
/** A whole message of 25 characters is a distinctive run: a phrase stays below. */
const BIT_CHARS_MAX = 24;
const SHARED_WORDS_MIN = 2;
const SHARED_WORDS_MAX = 4;
const SHARED_CLAIMS_MAX = 3;
const QUOTE_WORDS_MAX = 12;
/** Of more people in one window some always say alike: a raid pastes, it does not agree. */
const AGREEING_PEOPLE_MAX = 30;
const WORD = /[\p{L}\p{M}\p{N}']+/gu;
const PERSON = /\bP\d{1,4}\b|\bSTREAMER\b|\bsomeone\b|\bthe bot\b/u;
/** What the streamer says of the stream itself: a plan, a rule, a result. */
const ANNOUNCES = new RegExp(
  `(?<![\\p{L}])(?:we(?:'re|'ll| are| will| have| just)? (?:${anyOf("ofUs")})\\w*|${anyOf("ofTheStream")})(?![\\p{L}])`,
  "iu",
);

function anyOf(list: keyof typeof english.announcements): string {
  return english.announcements[list].replaceAll(", ", "|");
}

/**
 * What the channel established: things that two people or more, or the streamer, state in the same telling words, and
 * phrases that come back from three. `own` are the numbers of lines in which people speak of themselves.
 */
function sharedClaims(lines: readonly Said[], own: ReadonlySet<number>): OfflineClaim[] {
  const open = lines.filter(({ number, text }) => !own.has(number) && !PERSON.test(text));
  const bits = comingBack(open, lines.length);
  const inBits = new Set(bits.flatMap((bit) => bit.lines));
  const stated = open
    .filter(({ number, text }) => !inBits.has(number) && plainSentences(text).length > 0)
    .map((line) => ({ ...line, words: firstOfEach(tellingWords(line.text), rootOf) }));
  const isCrowd = new Set(lines.map(({ label }) => label)).size > AGREEING_PEOPLE_MAX;
  return [...bits, ...announced(stated), ...(isCrowd ? [] : agreed(stated))];
}

/** A claim of several lines: one quote of each person, for who said it counts. */
function claimOf(
  subject: "channel" | "bit",
  statement: string,
  said: readonly Said[],
): OfflineClaim {
  const quotes = firstOfEach(said, ({ label }) => label)
    .slice(0, QUOTES_MAX)
    .map(({ text }) => text.split(/\s+/u).slice(0, QUOTE_WORDS_MAX).join(" "));
  return { subject, statement, quotes, lines: said.map(({ number }) => number) };
}

/** Of items with one key the first. */
function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.filter((item, at) => {
    const key = keyOf(item);
    return items.findIndex((other) => keyOf(other) === key) === at;
  });
}

interface Stated extends Said {
  readonly words: readonly string[];
}

function agreed(lines: readonly Stated[]): OfflineClaim[] {
  const claims: OfflineClaim[] = [];
  const taken = new Set<number>();
  for (const line of lines) {
    if (claims.length >= SHARED_CLAIMS_MAX || taken.has(line.number)) continue;
    const same = lines.filter((other) => !taken.has(other.number) && saysTheSame(line, other));
    if (new Set(same.map(({ label }) => label)).size < 2) continue;
    const stems = same.map(({ words }) => new Set(words.map(rootOf)));
    const words = line.words.filter((word) => stems.every((set) => set.has(rootOf(word))));
    if (words.filter(isThing).length < SHARED_WORDS_MIN) continue;
    for (const { number } of same) taken.add(number);
    const shared = words.slice(0, SHARED_WORDS_MAX).join(", ");
    claims.push(claimOf("channel", `Several people agree on this: ${shared}`, same));
  }
  return claims;
}

/** Most of the telling words of the shorter one stand in the other. */
function saysTheSame(line: Stated, other: Stated): boolean {
  const theirs = new Set(other.words.map(rootOf));
  const shared = line.words.filter((word) => theirs.has(rootOf(word))).length;
  return (
    shared >= SHARED_WORDS_MIN && shared * 2 >= Math.min(line.words.length, other.words.length)
  );
}

function announced(lines: readonly Stated[]): OfflineClaim[] {
  return lines
    .filter(({ isStreamer, text, words }) => isStreamer && ANNOUNCES.test(text) && words.length > 0)
    .slice(0, SHARED_CLAIMS_MAX)
    .map((line) => {
      const words = line.words.slice(0, SHARED_WORDS_MAX).join(", ");
      return claimOf("channel", `The streamer announced: ${words}`, [line]);
    });
}

/** A phrase, and the lines that hold it. */
type Phrase = readonly [text: string, lines: Said[]];

function comingBack(lines: readonly Said[], windowLines: number): OfflineClaim[] {
  const phrases = new Map<string, Said[]>();
  for (const line of lines)
    for (const text of phrasesOf(line.text))
      phrases.set(text, [...(phrases.get(text) ?? []), line]);
  const bits: Phrase[] = [];
  const byWeight = [...phrases]
    .filter(([, said]) => comesBack(said, windowLines))
    .sort(([a, inA], [b, inB]) => inB.length - inA.length || b.length - a.length);
  for (const phrase of byWeight) {
    if (bits.length < SHARED_CLAIMS_MAX && !bits.some((bit) => overlaps(bit, phrase)))
      bits.push(phrase);
  }
  return bits.map(([text, said]) => claimOf("bit", `The saying here is ${text}`, said));
}

/** From three people, and with other talk in between: what a raid pastes in one go does not come back. */
function comesBack(lines: readonly Said[], windowLines: number): boolean {
  const people = new Set(lines.map(({ label }) => label));
  const span = (lines.at(-1)?.number ?? 0) - (lines[0]?.number ?? 0) + 1;
  return (
    people.size >= BIT_PEOPLE_MIN && span >= lines.length * 2 && lines.length * 3 <= windowLines
  );
}

function overlaps([bit]: Phrase, [phrase]: Phrase): boolean {
  const words = new Set(bit.split(" "));
  return phrase.split(" ").some((word) => words.has(word));
}

function phrasesOf(text: string): Set<string> {
  const words = text.toLowerCase().match(WORD) ?? [];
  const found = new Set<string>();
  for (let at = 0; at < words.length; at += 1) {
    for (let size = BIT_WORDS_MIN; size <= BIT_WORDS_MAX; size += 1) {
      const phrase = words.slice(at, at + size);
      const joined = phrase.join(" ");
      const isTelling = [phrase[0], phrase.at(-1)].every(
        (word) => tellingWords(word ?? "").length > 0,
      );
      const isOfWords = new Set(phrase).size === size;
      if (isOfWords && joined.length <= BIT_CHARS_MAX && isTelling) found.add(joined);
    }
  }
  return found;
}
