// Pure: values in, values out.
import { tellsAge } from "./age.ts";
import { GAME_WORDS } from "./game-words.ts";
import { phrasePattern } from "./phrases.ts";
import { findPii, type PiiKind } from "./pii.ts";
import { ENGLISH, type WordedKind } from "./sensitive-words.ts";
import { LATIN } from "./sensitive-words-latin.ts";
import { NATIVE } from "./sensitive-words-native.ts";
import { type Views, viewsOf } from "./views.ts";

export type SensitiveKind = WordedKind | PiiKind;

const GAME = phrasePattern(GAME_WORDS, "latin");
const NEVER = /(?!)/u;
const CYRILLIC = /\p{sc=Cyrl}/u;
const JAPANESE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;

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
  latin: phrasePattern(`${ENGLISH[kind].sure}\n${LATIN[kind]}`, "latin"),
  likely: ENGLISH[kind].likely === "" ? NEVER : phrasePattern(ENGLISH[kind].likely, "latin"),
  russian: phrasePattern(NATIVE[kind].russian, "cyrillic"),
  japanese: phrasePattern(NATIVE[kind].japanese, "japanese"),
}));

/**
 * Which private matter a sentence tells about somebody, or null: by phrases in English, Spanish, Portuguese, German,
 * French, Russian and Japanese, and by the shape of numbers and addresses. Talk about games is none ("married the
 * blacksmith in Stardew", "lost 200 gold"); in doubt about real life it is one. Linear time.
 */
export function sensitive(text: string): SensitiveKind | null {
  const views = viewsOf(text);
  const patterns = patternsFor(views);
  const topic = TOPICS.find((one) => patterns.some(({ name, view }) => one[name].test(view)));
  return topic?.kind ?? findPii(views.latin) ?? (tellsAge(views.latin) ? "age" : null);
}

interface Use {
  readonly name: Exclude<keyof Topic, "kind">;
  readonly view: string;
}

/** Which patterns a text can match at all: only those of the scripts that it holds. */
function patternsFor({ spaced, native }: Views): readonly Use[] {
  const uses: readonly (Use & { readonly isUsed: boolean })[] = [
    { name: "latin", view: spaced, isUsed: true },
    { name: "likely", view: spaced, isUsed: !GAME.test(spaced) },
    { name: "russian", view: native, isUsed: CYRILLIC.test(native) },
    { name: "japanese", view: native, isUsed: JAPANESE.test(native) },
  ];
  return uses.filter(({ isUsed }) => isUsed);
}

function kindsOf(words: Readonly<Record<WordedKind, unknown>>): WordedKind[] {
  return Object.keys(words) as WordedKind[];
}
