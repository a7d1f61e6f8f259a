// Pure: values in, values out.
import { fold } from "./fold.ts";
import { isUnspaced, splitWords, type WordSpan } from "./words.ts";

/** An entry of a list in a text: the places of its first and last word. */
export interface FoundEntry {
  readonly from: number;
  readonly to: number;
  /** The name of its list. */
  readonly name: string;
}

/** A text, folded, and its words. */
export interface ReadText {
  readonly folded: string;
  readonly words: readonly WordSpan[];
}

/** Looks the entries of word lists up in a text. */
export type WordFinder = (text: ReadText) => readonly FoundEntry[];

/** Folds a text and cuts it into words, for finders. */
export function readWords(text: string): ReadText {
  const folded = fold(text);
  return { folded, words: splitWords(folded) };
}

/**
 * Makes a finder for named word lists of `data/*.json`: `word`, `a phrase of words`, `begins*`, `*ends`, `*holds*`. In
 * scripts without spaces it finds an entry anywhere. It builds its index with the first text.
 */
export function createWordFinder(lists: Readonly<Record<string, readonly string[]>>): WordFinder {
  let ready: ReturnType<typeof indexLists> | null = null;
  return (text) => {
    ready ??= indexLists(lists);
    const { index, runs } = ready;
    const { folded, words } = text;
    const found = words.flatMap(({ word }, at) => {
      return index
        .mayStartWith(word)
        .flatMap(({ parts, name }) =>
          matchesEntry(parts, words, at) ? [{ from: at, to: at + parts.length - 1, name }] : [],
        );
    });
    if (!isUnspaced(folded)) return found;
    return [...found, ...runs.flatMap(({ text: run, name }) => findRuns(text, run, name))];
  };
}

function indexLists(lists: Readonly<Record<string, readonly string[]>>) {
  const index = createEntryIndex();
  const runs: { readonly text: string; readonly name: string }[] = [];
  for (const [name, entries] of Object.entries(lists)) {
    for (const written of entries) {
      const entry = fold(written);
      if (isRun(entry)) runs.push({ text: entry.replaceAll("*", ""), name });
      else index.add({ parts: parseEntry(entry), name });
    }
  }
  return { index, runs };
}

/** True if an entry is found inside words, too. A single character must be marked as open. */
function isRun(entry: string): boolean {
  return isUnspaced(entry) && (entry.length > 1 || entry.includes("*"));
}

interface Entry {
  readonly parts: readonly Part[];
  readonly name: string;
}

interface Part {
  readonly letters: string;
  readonly isOpenBefore: boolean;
  readonly isOpenAfter: boolean;
}

function parseEntry(entry: string): readonly Part[] {
  return entry.split(" ").flatMap((written) => {
    const before = written.startsWith("*");
    const after = written.endsWith("*");
    const spans = splitWords(written);
    // In "n'*" the apostrophe belongs to the beginning.
    const last = written.endsWith("'*") ? "'" : "";
    return spans.map(({ word }, at) => ({
      letters: at === spans.length - 1 ? `${word}${last}` : word,
      isOpenBefore: before && at === 0,
      isOpenAfter: after && at === spans.length - 1,
    }));
  });
}

const KEY_LETTERS = 3;

/** Indexes entries by their first word, so that most words of a text need no check. */
function createEntryIndex() {
  const byWord = new Map<string, Entry[]>();
  const byStart = new Map<string, Entry[]>();
  const byEnd = new Map<string, Entry[]>();
  const others: Entry[] = [];
  const put = (map: Map<string, Entry[]>, key: string, entry: Entry): void => {
    map.set(key, [...(map.get(key) ?? []), entry]);
  };
  return {
    add: (entry: Entry): void => {
      const [first] = entry.parts;
      if (first === undefined) return;
      const { letters, isOpenBefore, isOpenAfter } = first;
      if (!isOpenBefore && !isOpenAfter) put(byWord, letters, entry);
      else if (letters.length < KEY_LETTERS || (isOpenBefore && isOpenAfter)) others.push(entry);
      else if (isOpenAfter) put(byStart, letters.slice(0, KEY_LETTERS), entry);
      else put(byEnd, letters.slice(-KEY_LETTERS), entry);
    },
    mayStartWith: (word: string): readonly Entry[] => [
      ...(byWord.get(word) ?? []),
      ...(byStart.get(word.slice(0, KEY_LETTERS)) ?? []),
      ...(byEnd.get(word.slice(-KEY_LETTERS)) ?? []),
      ...others,
    ],
  };
}

function matchesEntry(parts: readonly Part[], words: readonly WordSpan[], at: number): boolean {
  return parts.every(({ letters, isOpenBefore, isOpenAfter }, n) => {
    const word = words[at + n]?.word ?? "";
    if (isOpenBefore && isOpenAfter) return word.includes(letters);
    if (isOpenBefore) return word.endsWith(letters);
    return isOpenAfter ? word.startsWith(letters) : word === letters;
  });
}

function findRuns({ folded, words }: ReadText, run: string, name: string): FoundEntry[] {
  const found: FoundEntry[] = [];
  for (let at = folded.indexOf(run); at >= 0; at = folded.indexOf(run, at + run.length)) {
    const from = words.findIndex(({ end }) => end > at);
    const to = words.findLastIndex(({ start }) => start < at + run.length);
    if (from >= 0 && to >= from) found.push({ from, to, name });
  }
  return found;
}
