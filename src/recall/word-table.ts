import { ALIKE, type Hit, type Meant, type Sought, type SoughtWord } from "./sought.ts";
import { alikeChars, endOfWord, isBetween, unmarked, wordsOf } from "./word-forms.ts";
import { wordParts } from "./word-parts.ts";

/** Words that are looked for in many short texts, each as it is written. */
export interface WordTable {
  scan(text: string, hit: Hit): void;
}

interface Entry extends Meant {
  readonly word: string;
}

/**
 * Recall runs this over each of a viewer's notes with every reply: it goes over the characters once and makes no
 * strings, which is several times faster than splitting.
 */
export function wordTable(sought: Sought): WordTable {
  const whole = new Map<number, Entry>();
  const beginnings = new Map<number, Entry>();
  const starts = startMarks();
  const read: ReadWord = { end: 0, hash: 0, hashBeforeLast: 0, beginning: 0 };
  const keep = (word: string, { term, strength, isLoose }: SoughtWord): void => {
    readWord(word, 0, read);
    keepStronger(whole, read.hash, { word, term, strength });
    starts.mark(word);
    if (!isLoose || read.beginning === 0) return;
    const beginning = word.slice(0, alikeChars(word.charCodeAt(0)));
    keepStronger(beginnings, read.beginning, { word: beginning, term, strength: strength * ALIKE });
  };
  // What a note has as several words is looked for as several.
  for (const one of sought.words) for (const word of wordsOf(one.word)) keep(word, one);
  const hasParts = sought.inside.length + sought.endings.length > 0;
  const scanParts = hasParts ? wordParts(sought) : null;
  const lookUpAt = (text: string, start: number): Entry | undefined => {
    readWord(text, start, read);
    return (
      lookUp(whole, read.hash, text, start) ??
      lookUpSingular(whole, read, text, start) ??
      lookUp(beginnings, read.beginning, text, start)
    );
  };
  return {
    scan: (text, hit) => {
      let end = 0;
      for (let start = 0; start < text.length; start = end + 1) {
        if (starts.has(text, start)) {
          const found = lookUpAt(text, start);
          end = read.end;
          if (found !== undefined) hit(found.term, found.strength);
        } else {
          end = endOfWord(text, start);
        }
      }
      scanParts?.(wordsOf(text), hit);
    },
  };
}

/** Nearly every word of a note is none that is looked for: its first two characters tell so. */
const MARKS = 2_048;
/** Above the number of letters, so that two pairs of them seldom fall together. */
const PAIR_STEP = 37;

interface StartMarks {
  mark(word: string): void;
  /** False where nothing that is looked for begins like the word here. */
  has(text: string, start: number): boolean;
}

function startMarks(): StartMarks {
  const pairs = new Uint8Array(MARKS);
  // A word of one character answers to its plural too.
  const singles = new Set<number>();
  return {
    mark: (word) => {
      if (word.length === 1) singles.add(word.charCodeAt(0));
      else pairs[pairAt(word, 0)] = 1;
    },
    has: (text, start) =>
      pairs[pairAt(text, start)] === 1 || (singles.size > 0 && singles.has(text.charCodeAt(start))),
  };
}

function pairAt(text: string, start: number): number {
  // Beyond the end there is no number, and numbers that may be none are slow.
  const second = start + 1 < text.length ? unmarked(text.charCodeAt(start + 1)) : 0;
  return (unmarked(text.charCodeAt(start)) * PAIR_STEP + second) & (MARKS - 1);
}

function lookUp(
  known: ReadonlyMap<number, Entry>,
  hash: number,
  text: string,
  start: number,
): Entry | undefined {
  const found = known.get(hash);
  if (found === undefined) return undefined;
  return text.startsWith(found.word, start) || isAlike(text, start, found.word) ? found : undefined;
}

/** Whether the word stands there but for marks on its letters. */
function isAlike(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    if (unmarked(text.charCodeAt(start + at)) !== unmarked(word.charCodeAt(at))) return false;
  }
  return true;
}

/** Topics are not stemmed: `cats` is one for who asks about a cat. */
function lookUpSingular(
  known: ReadonlyMap<number, Entry>,
  { end, hashBeforeLast }: ReadWord,
  text: string,
  start: number,
): Entry | undefined {
  if (text.charCodeAt(end - 1) !== LETTER_S) return undefined;
  return lookUp(known, hashBeforeLast, text, start);
}

/** One object for all words: none is made while a reply waits. */
interface ReadWord {
  end: number;
  hash: number;
  hashBeforeLast: number;
  /** The hash of as much as has to be alike; 0 for a shorter word. */
  beginning: number;
}

function readWord(text: string, start: number, into: ReadWord): void {
  const alikeEnd = start + alikeChars(text.charCodeAt(start));
  let hash = SEED;
  let hashBeforeLast = SEED;
  let beginning = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isBetween(code)) break;
    hashBeforeLast = hash;
    hash = mix(hash, unmarked(code));
    at += 1;
    if (at === alikeEnd) beginning = hash;
  }
  into.end = at;
  into.hash = hash;
  into.hashBeforeLast = hashBeforeLast;
  into.beginning = beginning;
}

function keepStronger(known: Map<number, Entry>, hash: number, entry: Entry): void {
  const before = known.get(hash);
  if (before === undefined || before.strength < entry.strength) known.set(hash, entry);
}

const LETTER_S = 0x73;
/** FNV-1a, a character at a time. */
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, PRIME);
}
