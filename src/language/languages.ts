// Pure: values in, values out.
import { z } from "zod";
import ar from "./data/ar.json" with { type: "json" };
import de from "./data/de.json" with { type: "json" };
import en from "./data/en.json" with { type: "json" };
import es from "./data/es.json" with { type: "json" };
import fr from "./data/fr.json" with { type: "json" };
import hi from "./data/hi.json" with { type: "json" };
import it from "./data/it.json" with { type: "json" };
import ja from "./data/ja.json" with { type: "json" };
import ko from "./data/ko.json" with { type: "json" };
import pl from "./data/pl.json" with { type: "json" };
import pt from "./data/pt.json" with { type: "json" };
import ru from "./data/ru.json" with { type: "json" };
import tr from "./data/tr.json" with { type: "json" };
import uk from "./data/uk.json" with { type: "json" };
import zh from "./data/zh.json" with { type: "json" };

/** Stemmers, by Snowball's names and two of our own. */
const STEMMERS = [
  "arabic",
  "english",
  "french",
  "german",
  "italian",
  "japanese",
  "korean",
  "portuguese",
  "russian",
  "spanish",
  "turkish",
] as const;

export type StemmerName = (typeof STEMMERS)[number];

/** The sentences of code in chat: how to be forgotten, questions before an action, and why one was not done. */
const sayings = z.strictObject({
  forgetMe: requireGaps("{command}"),
  /** Questions before an action, translated from the catalogue's English, by the action's name and form: `delete reply`. */
  asks: z.record(z.string(), requireGaps("{yes}")),
  /** `{yes}` in a question. */
  howToAgree: requireGaps("!yes"),
  /** Said if a length was shortened. */
  longest: requireGaps("{seconds}"),
  /** `{line}`: a command. */
  typeThis: requireGaps("{line}"),
  pollYes: requireGaps(),
  pollNo: requireGaps(),
  /** The text of a warning without a reason. */
  warnReason: requireGaps(),
  notDone: requireGaps("{why}"),
  whyProtected: requireGaps("{user}"),
  whyNotAllowed: requireGaps(),
  whyOff: requireGaps(),
  whyTooSoon: requireGaps(),
  whyLimit: requireGaps(),
  whyNoMessage: requireGaps("{user}"),
  whyUnknownUser: requireGaps(),
  whyText: requireGaps(),
  whyTwitch: requireGaps(),
  whyUnknown: requireGaps(),
});

export type Sayings = z.output<typeof sayings>;

/** One list as a file has it: entries separated by spaces, or by ` | ` if one of them is a phrase. */
const list = z.string();

/**
 * Schema of `data/<code>.json`: words, not rules, so that a speaker reviews a file in ten minutes. Words are lower
 * case, in NFC. `word*`, `*word` and `*word*` match words that begin with, end with or contain it.
 */
export const languageFileSchema = z.strictObject({
  /** ISO 639-1. */
  code: z.string().length(2),
  /** The language's English name. */
  name: z.string().min(1),
  /** ISO 15924. */
  script: z.enum(["Latn", "Cyrl", "Jpan", "Hang", "Hani", "Arab", "Deva"]),
  /** Takes the endings off its words; null if words are compared as they are written. */
  stemmer: z.enum(STEMMERS).nullable(),
  /** True if compounds are one word, so that a question may ask for the end of a word. */
  compounds: z.boolean(),
  /** ISO 3166 codes of the countries whose phone numbers are recognised. */
  countries: list,
  /** Letters that no other language with a file has: they identify it as a function word does. */
  letters: z.string(),
  /** Words that do not say what a sentence is about. In Latin letters they also identify the language. */
  stopWords: list,
  /** Words that deny the words near them. */
  negators: list,
  yes: list,
  no: list,
  /**
   * Whole sentences that ask to be forgotten: `a/b` is one of these words, `(a)` is optional. The last entry lists
   * words allowed before and after; `_` is a space in it.
   */
  forgetMe: list,
  /** The bot's own sentences; `{…}` is filled in. */
  says: sayings,
});

type LanguageFile = z.output<typeof languageFileSchema>;

/** A language with its lists split. */
export type Language = ReturnType<typeof readFile>;

/** Splits one list of a file: at ` | ` if it has one, else at spaces. */
export function splitEntries(text: string): readonly string[] {
  return text === "" ? [] : text.split(text.includes(" | ") ? " | " : " ");
}

function readFile(file: LanguageFile) {
  return {
    ...file,
    countries: splitEntries(file.countries),
    stopWords: splitEntries(file.stopWords),
    negators: splitEntries(file.negators),
    yes: splitEntries(file.yes),
    no: splitEntries(file.no),
    forgetMe: splitEntries(file.forgetMe),
  };
}

/** JSON types do not know that a string is one of a few. */
const FILES: readonly unknown[] = [en, de, es, pt, fr, it, pl, tr, ru, uk, ja, ko, zh, ar, hi];

/**
 * Every language that has a file. A language without one is not judged by another's words. A test checks each file
 * against the schema; checking at each start would take a twentieth of it.
 */
export const LANGUAGES = (FILES as readonly LanguageFile[]).map(readFile);

/** Returns what code says in chat in a language; English if it has no file. */
export function findSayings(code: string | null): Sayings {
  const [short] = (code ?? "en").toLowerCase().split("-");
  return (LANGUAGES.find((one) => one.code === short) ?? getEnglish()).says;
}

function getEnglish(): Language {
  const found = LANGUAGES.find(({ code }) => code === "en");
  if (found === undefined) throw new Error("no words of English");
  return found;
}

/** A sentence that holds all of these gaps. */
function requireGaps(...gaps: readonly string[]) {
  return z
    .string()
    .min(1)
    .refine((text) => gaps.every((gap) => text.includes(gap)), `must hold ${gaps.join(", ")}`);
}
