import { type HashedTable, hashedTable, type WordHasher } from "./hashed-words.ts";
import type { Hit, Sought } from "./sought.ts";
import { type WordTable, wordTable } from "./word-table.ts";

/** Before words that were not hashed with the key: no hash begins like this. */
export const AS_WRITTEN = "=";
/** Between such words and the topics as they are written. */
export const TOPICS_NEXT = "\n";

/** Finds what is looked for in what notes say, hashed or as it is written. */
export interface NoteReader {
  /** Of the key with which a note's words have to be hashed; null where they must be read as they are written. */
  readonly keyNumber: number | null;
  /** Calls `hitWord` and `hitTopic` for the words of a note and of its topics. Whether it has topics. */
  scan(said: string, hitWord: Hit, hitTopic: Hit): boolean;
}

/** Each table is made for the first note that needs it. */
export function noteReader(sought: Sought, hasher: WordHasher | null): NoteReader {
  const hasParts = sought.inside.length + sought.endings.length > 0;
  let written: WordTable | null = null;
  let hashed: HashedTable | null = null;
  const scanWritten = (said: string, hitWord: Hit, hitTopic: Hit): boolean => {
    written ??= wordTable(sought);
    const topics = said.indexOf(TOPICS_NEXT);
    written.scan(said.slice(AS_WRITTEN.length, topics), hitWord);
    const hasTopics = topics + 1 < said.length;
    if (hasTopics) written.scan(said.slice(topics + 1).toLowerCase(), hitTopic);
    return hasTopics;
  };
  return {
    keyNumber: hasParts || hasher === null ? null : hasher.keyNumber,
    scan: (said, hitWord, hitTopic) => {
      if (hasher === null || said.startsWith(AS_WRITTEN))
        return scanWritten(said, hitWord, hitTopic);
      hashed ??= hashedTable(sought, hasher);
      return hashed.scan(said, hitWord, hitTopic);
    },
  };
}
