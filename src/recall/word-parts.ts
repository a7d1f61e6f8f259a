/** What a word, or a part of one, that is looked for stands for. */
export interface WordPart {
  /** What is asked for: several words may stand for one term. */
  readonly term: number;
  /** How well a note that has it answers, 0 to 1. */
  readonly strength: number;
}

interface Ending extends WordPart {
  readonly ending: string;
}

/** Parts of words that are looked for in longer words. */
export interface WordParts {
  /** A character, wherever it stands. */
  seekInside(character: string, sought: WordPart): void;
  /** What stands at the end of a longer word. */
  seekEnding(ending: string, sought: WordPart): void;
  /** Whether there is anything to look for: few questions do, and no other one pays for it. */
  areSought(): boolean;
  /** Calls `hit` for each part that the words have. */
  scan(words: readonly string[], hit: (term: number, strength: number) => void): void;
}

export function wordParts(): WordParts {
  const inside = new Map<string, WordPart>();
  const endings: Ending[] = [];
  return {
    seekInside: (character, sought) => void inside.set(character, sought),
    seekEnding: (ending, sought) => void endings.push({ ...sought, ending: withoutMarks(ending) }),
    areSought: () => inside.size > 0 || endings.length > 0,
    scan: (words, hit) => {
      const found = words.flatMap((word) => [
        ...charactersIn(word, inside),
        ...endingsOf(word, endings),
      ]);
      for (const { term, strength } of found) hit(term, strength);
    },
  };
}

function charactersIn(word: string, inside: ReadonlyMap<string, WordPart>): WordPart[] {
  if (inside.size === 0) return [];
  return Array.from(word).flatMap((one) => inside.get(one) ?? []);
}

function endingsOf(word: string, endings: readonly Ending[]): readonly Ending[] {
  if (endings.length === 0) return endings;
  const plain = withoutMarks(word);
  return endings.filter(({ ending }) => plain.length > ending.length && plain.endsWith(ending));
}

/** The Latin letters with marks, each as the letter without, by code. */
const MARKED = { from: 0xc0, to: 0x17f };
const UNMARKED = Uint16Array.from({ length: MARKED.to - MARKED.from + 1 }, (_, n) =>
  String.fromCharCode(MARKED.from + n)
    .normalize("NFD")
    .charCodeAt(0),
);

/** A UTF-16 unit, or the letter alone where it is a Latin one with a mark. */
export function unmarked(code: number): number {
  if (code < MARKED.from || code > MARKED.to) return code;
  return UNMARKED[code - MARKED.from] ?? code;
}

function withoutMarks(word: string): string {
  return word.replace(/[\u00c0-\u017f]/g, (one) =>
    String.fromCharCode(unmarked(one.charCodeAt(0))),
  );
}
