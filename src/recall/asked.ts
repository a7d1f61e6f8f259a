import { SYNONYMS } from "../memory/comparison-words.ts";
import { type Language, languageOf, plainText, stemOf, wordsIn } from "../text/words.ts";
import { type WordTable, wordTable } from "./word-table.ts";

/** What a speaker talks about, as lore is held against it. */
export interface Asked {
  /** How much a term counts among the words of a note, and among its topics: 0 to 1. */
  readonly terms: readonly AskedTerm[];
  readonly table: WordTable;
}

interface AskedTerm {
  readonly lexical: number;
  readonly topic: number;
  /** Whether it was said, by anybody: the stream's category alone is no conversation. */
  readonly isSaid: boolean;
}

export interface SpokenText {
  /** Of the event, so that its words are read once; null where nothing may be remembered about it. */
  readonly id: number | null;
  readonly text: string;
}

export interface Conversation {
  readonly message: SpokenText;
  /** The speaker's own last messages, oldest first. */
  readonly recent: readonly SpokenText[];
  readonly category: string;
  /** What others said, where it counts whether a topic is talked of at all. */
  readonly others: readonly SpokenText[];
}

/** The message says what is asked for; what was said before it, what it may refer to. */
const MESSAGE: AskedTerm = { lexical: 1, topic: 1, isSaid: true };
const RECENT: AskedTerm = { lexical: 0.3, topic: 0.5, isSaid: true };
const CATEGORY: AskedTerm = { lexical: 0, topic: 0.5, isSaid: false };
const OTHERS: AskedTerm = { lexical: 0, topic: 0, isSaid: true };
/** How well a word that says about the same answers to one that is asked for. */
const SYNONYM_STRENGTH = 0.8;
/** What somebody said longer ago is seldom what they mean now. */
const RECENT_LINES_MAX = 3;
const REMEMBERED_MAX = 500;

/** A word that somebody said: its stem, and as it was written, in lower case: so topics stand in a note. */
interface ReadWord {
  readonly stem: string;
  readonly written: string;
  /** Stems of words that say about the same. */
  readonly synonyms: readonly string[];
}

/**
 * Reads what is talked about. The words of a line that has an id are kept, the line is not: most of what a reply looks
 * at was looked at by the one before.
 */
export function conversationReader(): (said: Conversation) => Asked {
  const remembered = new Map<number, readonly ReadWord[]>();
  const readCategory = categoryReader();
  const read = ({ id, text }: SpokenText): readonly ReadWord[] => {
    const known = id === null ? undefined : remembered.get(id);
    if (known !== undefined) return known;
    const words = readWords(text);
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    if (id !== null) remembered.set(id, words);
    return words;
  };
  return ({ message, recent, category, others }) => {
    const asking = collector();
    const addAll = (words: readonly ReadWord[], weight: AskedTerm): void => {
      for (const word of words) asking.add(word, weight);
    };
    addAll(read(message), MESSAGE);
    for (const line of recent.slice(-RECENT_LINES_MAX)) addAll(read(line), RECENT);
    addAll(readCategory(category), CATEGORY);
    for (const line of others) addAll(read(line), OTHERS);
    return asking.asked();
  };
}

/** One category at a time is streamed, and asked about with every message. */
function categoryReader(): (category: string) => readonly ReadWord[] {
  let last = { category: "", words: readWords("") };
  return (category) => {
    if (category !== last.category) last = { category, words: readWords(category) };
    return last.words;
  };
}

interface Collector {
  add(word: ReadWord, weight: AskedTerm): void;
  asked(): Asked;
}

function collector(): Collector {
  const terms: AskedTerm[] = [];
  const numbers = new Map<string, number>();
  const table = wordTable();
  return {
    add: ({ stem, written, synonyms }, weight) => {
      const known = numbers.get(stem);
      if (known !== undefined) {
        terms[known] = stronger(terms[known] ?? weight, weight);
        return;
      }
      const term = terms.push(weight) - 1;
      numbers.set(stem, term);
      // Only what the message itself says is worth a loose fit.
      const isLoose = weight === MESSAGE;
      table.seek(stem, { term, strength: 1, isLoose });
      if (!isLoose && weight !== CATEGORY) return;
      if (written !== stem) table.seek(written, { term, strength: 1, isLoose });
      for (const same of synonyms) {
        table.seek(same, { term, strength: SYNONYM_STRENGTH, isLoose: false });
      }
    },
    asked: () => ({ terms, table }),
  };
}

function stronger(one: AskedTerm, other: AskedTerm): AskedTerm {
  if (one === other) return one;
  return {
    lexical: Math.max(one.lexical, other.lexical),
    topic: Math.max(one.topic, other.topic),
    isSaid: one.isSaid || other.isSaid,
  };
}

function readWords(text: string): readonly ReadWord[] {
  const plain = plainText(text);
  const language = languageOf(plain);
  return wordsIn(plain, language).map(({ surface, stem }) => ({
    stem,
    written: surface.toLowerCase(),
    synonyms: synonymsOf(stem, language),
  }));
}

const NO_SYNONYMS: readonly string[] = [];
const synonyms = new Map<Language, ReadonlyMap<string, readonly string[]>>();

function synonymsOf(stem: string, language: Language): readonly string[] {
  const known = synonyms.get(language) ?? readSynonyms(language);
  synonyms.set(language, known);
  return known.get(stem) ?? NO_SYNONYMS;
}

function readSynonyms(language: Language): ReadonlyMap<string, readonly string[]> {
  const groups = SYNONYMS[language] ?? [];
  return new Map(
    groups.flatMap((group) => {
      const stems = [...new Set(group.split(" ").map((word) => stemOf(word, language)))];
      return stems.map((stem) => [stem, stems.filter((other) => other !== stem)] as const);
    }),
  );
}
