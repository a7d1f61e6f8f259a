// Pure: values in, values out.
/** What a word, or a part of one, that is looked for stands for. */
export interface Meant {
  /** What is asked for: several words may stand for one term. */
  readonly term: number;
  /** How well a note that has it answers, 0 to 1. */
  readonly strength: number;
}

export interface SoughtWord extends Meant {
  readonly word: string;
  /** Whether a word that begins alike answers too, half as well. */
  readonly isLoose: boolean;
}

export interface SoughtPart extends Meant {
  readonly part: string;
}

/** All that is looked for in the words of notes. Letters with a mark count as those without. */
export interface Sought {
  readonly words: readonly SoughtWord[];
  /** Characters that answer wherever they stand in a word of East Asia. */
  readonly inside: readonly SoughtPart[];
  /** What answers where a longer word ends like it. */
  readonly endings: readonly SoughtPart[];
}

/** Called for what is looked for and is there: with its term, and how well it fits. */
export type Hit = (term: number, strength: number) => void;

/** What is found among a note's words, and among its topics. */
export interface Hits {
  readonly word: Hit;
  readonly topic: Hit;
}
