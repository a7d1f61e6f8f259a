import { tellsAge } from "./age.ts";
import { phrasePattern } from "./phrases.ts";
import { findPii, type PiiKind } from "./pii.ts";
import { ENGLISH, GAME_WORDS, type WordedKind } from "./sensitive-words.ts";
import { LATIN } from "./sensitive-words-latin.ts";
import { NATIVE } from "./sensitive-words-native.ts";
import { viewsOf, type Views } from "./views.ts";

export type SensitiveKind = WordedKind | PiiKind;

const GAME = phrasePattern(GAME_WORDS, "words");
const NEVER = /(?!)/u;

interface Topic {
  readonly kind: WordedKind;
  readonly latin: RegExp;
  /** Counts only where no word of a game stands beside it. */
  readonly likely: RegExp;
  readonly russian: RegExp;
  readonly japanese: RegExp;
}

const TOPICS: readonly Topic[] = kindsOf(ENGLISH).map((kind) => ({
  kind,
  latin: phrasePattern(`${ENGLISH[kind].sure}\n${LATIN[kind]}`, "words"),
  likely: ENGLISH[kind].likely === "" ? NEVER : phrasePattern(ENGLISH[kind].likely, "words"),
  russian: phrasePattern(NATIVE[kind].russian, "words"),
  japanese: phrasePattern(NATIVE[kind].japanese, "anywhere"),
}));

/**
 * Which private matter a sentence tells about somebody, or null: by phrases in English, Spanish, Portuguese, German,
 * French, Russian and Japanese, and by the shape of numbers and addresses. Talk about games is none ("married the
 * blacksmith in Stardew", "lost 200 gold"); in doubt about real life it is one. Linear time.
 */
export function sensitive(text: string): SensitiveKind | null {
  const views = viewsOf(text);
  const isGame = GAME.test(views.latin);
  const topic = TOPICS.find((one) => speaksOf(one, views, isGame));
  return topic?.kind ?? findPii(views.latin) ?? (tellsAge(views.latin) ? "age" : null);
}

function speaksOf(topic: Topic, views: Views, isGame: boolean): boolean {
  return (
    topic.latin.test(views.latin) ||
    (!isGame && topic.likely.test(views.latin)) ||
    topic.russian.test(views.native) ||
    topic.japanese.test(views.native)
  );
}

function kindsOf(words: Readonly<Record<WordedKind, unknown>>): WordedKind[] {
  return Object.keys(words) as WordedKind[];
}
