import type { Said } from "./read-prompt.ts";
import { plainSentences } from "./self-claims.ts";
import type { OfflineClaim } from "./summarise.ts";
import { isThing, stemOf, tellingWords } from "./topic-words.ts";

const BIT_PEOPLE_MIN = 3;
const BIT_WORDS_MIN = 2;
const BIT_WORDS_MAX = 4;
/** A whole message of 25 characters is a distinctive run: a phrase stays below. */
const BIT_CHARS_MAX = 24;
const SHARED_WORDS_MIN = 2;
const SHARED_WORDS_MAX = 4;
const CLAIMS_MAX = 3;
const QUOTES_MAX = 3;
const QUOTE_WORDS_MAX = 12;
/** Of more people in one window some always say alike: a raid pastes, it does not agree. */
const AGREEING_PEOPLE_MAX = 30;
const WORD = /[\p{L}\p{M}\p{N}']+/gu;
const PERSON = /\bP\d{1,4}\b|\bSTREAMER\b|\bsomeone\b|\bthe bot\b/u;
/** What the streamer says of the stream itself: a plan, a rule, a result. */
const ANNOUNCES =
  /(?<![\p{L}])(?:we(?:'re|'ll| are| will| have| just)? (?:play|start|finish|beat|beaten|won|win|lost|continue|race|switch|do|going|playing|starting|doing)\w*|rule|no spoilers?|no backseat\w*|next stream|schedule|new emote)(?![\p{L}])/iu;

/**
 * What the channel established: things that two people or more, or the streamer, state in the same telling words, and
 * phrases that come back from three. `own` are the numbers of lines in which people speak of themselves.
 */
export function sharedClaims(lines: readonly Said[], own: ReadonlySet<number>): OfflineClaim[] {
  const open = lines.filter(({ number, text }) => !own.has(number) && !PERSON.test(text));
  const bits = comingBack(open, lines.length);
  const inBits = new Set(bits.flatMap(({ event_numbers }) => event_numbers));
  const stated = open
    .filter(({ number, text }) => !inBits.has(number) && plainSentences(text).length > 0)
    .map((line) => ({ ...line, words: oneOfEach(tellingWords(line.text)) }));
  const isCrowd = new Set(lines.map(({ label }) => label)).size > AGREEING_PEOPLE_MAX;
  return [...bits, ...announced(stated), ...(isCrowd ? [] : agreed(stated))];
}

/** A claim of several lines: one quote of each person, for who said it counts. */
function claimOf(
  subject: "channel" | "bit",
  statement: string,
  said: readonly Said[],
): OfflineClaim {
  const first = new Map<string, string>();
  for (const { label, text } of said) if (!first.has(label)) first.set(label, text);
  return {
    subject,
    statement,
    quotes: [...first.values()]
      .slice(0, QUOTES_MAX)
      .map((text) => text.split(/\s+/u).slice(0, QUOTE_WORDS_MAX).join(" ")),
    event_numbers: said.map(({ number }) => number),
  };
}

/** Of words in several forms the first. */
function oneOfEach(words: readonly string[]): string[] {
  const first = new Map<string, string>();
  for (const word of words) if (!first.has(stemOf(word))) first.set(stemOf(word), word);
  return [...first.values()];
}

interface Stated extends Said {
  readonly words: readonly string[];
}

function agreed(lines: readonly Stated[]): OfflineClaim[] {
  const claims: OfflineClaim[] = [];
  const taken = new Set<number>();
  for (const line of lines) {
    if (claims.length >= CLAIMS_MAX || taken.has(line.number)) continue;
    const same = lines.filter((other) => !taken.has(other.number) && saysTheSame(line, other));
    if (new Set(same.map(({ label }) => label)).size < 2) continue;
    const stems = same.map(({ words }) => new Set(words.map(stemOf)));
    const words = line.words.filter((word) => stems.every((set) => set.has(stemOf(word))));
    if (words.filter(isThing).length < SHARED_WORDS_MIN) continue;
    for (const { number } of same) taken.add(number);
    const shared = words.slice(0, SHARED_WORDS_MAX).join(", ");
    claims.push(claimOf("channel", `Several people agree on this: ${shared}`, same));
  }
  return claims;
}

/** Most of the telling words of the shorter one stand in the other. */
function saysTheSame(line: Stated, other: Stated): boolean {
  const theirs = new Set(other.words.map(stemOf));
  const shared = line.words.filter((word) => theirs.has(stemOf(word))).length;
  return (
    shared >= SHARED_WORDS_MIN && shared * 2 >= Math.min(line.words.length, other.words.length)
  );
}

function announced(lines: readonly Stated[]): OfflineClaim[] {
  return lines
    .filter(({ isStreamer, text, words }) => isStreamer && ANNOUNCES.test(text) && words.length > 0)
    .slice(0, CLAIMS_MAX)
    .map((line) => {
      const words = line.words.slice(0, SHARED_WORDS_MAX).join(", ");
      return claimOf("channel", `The streamer announced: ${words}`, [line]);
    });
}

interface Phrase {
  readonly text: string;
  readonly lines: Said[];
}

function comingBack(lines: readonly Said[], windowLines: number): OfflineClaim[] {
  const phrases = new Map<string, Phrase>();
  for (const line of lines) {
    for (const text of phrasesOf(line.text)) {
      const phrase = phrases.get(text) ?? { text, lines: [] };
      phrase.lines.push(line);
      phrases.set(text, phrase);
    }
  }
  const bits: Phrase[] = [];
  const byWeight = [...phrases.values()]
    .filter((phrase) => comesBack(phrase, windowLines))
    .sort((a, b) => b.lines.length - a.lines.length || b.text.length - a.text.length);
  for (const phrase of byWeight) {
    if (bits.length < CLAIMS_MAX && !bits.some((bit) => overlaps(bit, phrase))) bits.push(phrase);
  }
  return bits.map(({ text, lines: said }) => claimOf("bit", `The saying here is ${text}`, said));
}

/** From three people, and with other talk in between: what a raid pastes in one go does not come back. */
function comesBack({ lines }: Phrase, windowLines: number): boolean {
  const people = new Set(lines.map(({ label }) => label));
  const span = (lines.at(-1)?.number ?? 0) - (lines[0]?.number ?? 0) + 1;
  return (
    people.size >= BIT_PEOPLE_MIN && span >= lines.length * 2 && lines.length * 3 <= windowLines
  );
}

function overlaps(bit: Phrase, phrase: Phrase): boolean {
  const words = new Set(bit.text.split(" "));
  return phrase.text.split(" ").some((word) => words.has(word));
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
