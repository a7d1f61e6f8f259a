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

const words = z.array(z.string().min(1));

/** What can take the endings off words, by Snowball's names and two of our own. */
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

/** What code itself says in chat: how to be forgotten, questions before an action, and why one was not done. */
const sayings = z.strictObject({
  forgetMe: saying("{command}"),
  askTimeout: saying("{user}", "{seconds}"),
  askTimeoutReason: saying("{user}", "{seconds}", "{text}"),
  askWarn: saying("{user}", "{text}"),
  askDelete: saying("{user}"),
  askDeleteThis: saying("{user}"),
  askShoutout: saying("{user}"),
  askAnnounce: saying("{text}"),
  askPoll: saying("{seconds}", "{text}"),
  askForget: saying("{text}"),
  /** `{text}`: the topic, and behind it, where anything is known of it, what that is. */
  askForgetTopic: saying("{text}"),
  pollYes: saying(),
  pollNo: saying(),
  /** What a warning says whose reason nobody gave. */
  warnReason: saying(),
  notDone: saying("{why}"),
  whyProtected: saying("{user}"),
  whyNotAllowed: saying(),
  whyOff: saying(),
  whyTooSoon: saying(),
  whyLimit: saying(),
  whyNoMessage: saying("{user}"),
  whyUnknownUser: saying(),
  whyText: saying(),
  whyTwitch: saying(),
  whyUnknown: saying(),
});

export type Sayings = z.output<typeof sayings>;

/**
 * All word lists of one language, as `data/<code>.json` has them: words, not rules, so that somebody who speaks the
 * language can review a file in ten minutes. Every file has the same keys. Words are lower case, in NFC.
 */
export const languageSchema = z.strictObject({
  /** ISO 639-1. */
  code: z.string().length(2),
  /** In English. */
  name: z.string().min(1),
  /** Short forms of states, countries, games and trades, each with what it stands for. */
  abbreviations: z.record(z.string(), z.string()),
  /** Letters that of the languages with a file only this one has: they tell it as a function word does. */
  letters: z.string(),
  /** What tells nothing of what a sentence is about. In Latin letters they also tell which language a line is in. */
  stopWords: words,
  /** Words that deny what stands near them. */
  negators: words,
  /** Words that begin a clause of its own, so that a negator before them does not reach beyond: "and", "but". */
  conjunctions: words,
  /** Phrases with a negator that deny nothing: "can't wait", "not only". */
  deniesNothing: words,
  /** Small words that turn a meaning round, and so count when two facts are compared: on and off, with and without. */
  particles: words,
  /** Beginnings of words (a trailing `*`) or whole words and phrases of matters that are nobody's business. */
  privateMatters: z.strictObject({
    health: words,
    money: words,
    family: words,
    sexuality: words,
    politics: words,
    religion: words,
    crime: words,
  }),
  /** Words that with nothing but a number say how old somebody is: "14 years old". */
  ages: words,
  /** How a sentence begins, or what it holds, that tells a bot how to speak or act, or hands out a role or a power. */
  ordersToBot: words,
  /**
   * Words that insult people for what they are, in every form that people write; mere swearing is none. `always`: it means
   * nothing else in any language, so it counts in every line. `inThisLanguage`: it counts in a line of this language.
   * `harmless`: phrases and names that hold one and insult nobody.
   */
  slurs: z.strictObject({ always: words, inThisLanguage: words, harmless: words }),
  /** ISO 15924: what its lines are written in. */
  script: z.enum(["Latn", "Cyrl", "Jpan", "Hang", "Hani", "Arab", "Deva"]),
  /** What takes the endings off its words; null: they are compared as they are written. */
  stemmer: z.enum(STEMMERS).nullable(),
  /** Whether it writes compounds as one word, so that the end of a word may be what a question asks for. */
  compounds: z.boolean(),
  /** ISO 3166 codes of the countries whose way of writing phone numbers is looked for. */
  countries: z.array(z.string().length(2)),
  /** Words for oneself that begin a sentence: "I", "my". None in English, which is told in the third person. */
  firstPerson: words,
  /** What may stand before something that is to be remembered: "that". */
  that: words,
  /** What calls many people at once behind an @: the bot never says it. */
  everybody: words,
  yes: words,
  no: words,
  /** Words of politeness, and small words behind a name, that may stand around a command. */
  courtesy: words,
  /** Small words that a command may have before a name or a length, such as "for"; none that may stand for a person. */
  leading: words,
  /** They may stand around a yes or a no, not in a command: whoever thanks may do it for what was done before. */
  thanks: words,
  /** What points at the moment or the message: "that", "now". */
  pointing: words,
  /** Words for many people, or for what a channel has, that are also logins: "subs", "alerts". */
  crowds: words,
  /**
   * Phrases that name an action, by action. Whom it is done to may stand within one: "time out" is "time bob out", too. A
   * phrase that ends in `@` counts only where a name with an @ follows.
   */
  actions: z.strictObject({
    clip: words,
    marker: words,
    poll: words,
    announce: words,
    shoutout: words,
    warn: words,
    delete: words,
    timeout: words,
  }),
  units: z.strictObject({ second: words, minute: words, hour: words }),
  /** Words for the one who is spoken to. */
  you: words,
  /** At either end of a line these make a question of it, though nobody typed the mark, and never an exclamation: "why". */
  questionWords: words,
  /** Words for numbers, as lengths are said with them. */
  numbers: z.record(z.string().min(1), z.int().positive()),
  /** Lengths of time that no number and unit make up, in seconds: "half an hour". */
  lengths: z.record(z.string().min(1), z.int().positive()),
  /** Parts of a whole: beside a length that they are not read with they make it another, "two minutes and a half". */
  fractions: words,
  /**
   * How people ask, in one whole sentence, to have everything about them forgotten: `a/b` is one of these words, `(a)` may be
   * missing. `around`: what may stand before and after it.
   */
  forgetMe: z.strictObject({ asks: words, around: words }),
  /** `{…}` stands for what is filled in. */
  says: sayings,
});

export type Language = z.output<typeof languageSchema>;

/** As JSON is: only the schema knows that a string is one of a few. */
const FILES: readonly unknown[] = [en, de, es, pt, fr, it, pl, tr, ru, uk, ja, ko, zh, ar, hi];

/**
 * Every language that there is a file of. A language without one is not judged by another's. A test holds each to the
 * schema: to do so at each start would take a twentieth of it.
 */
export const LANGUAGES = FILES as readonly Language[];

/** Where spaces part no words, or a word takes its endings on: there a word is looked for anywhere in a line. */
export const WHOLE_LINE_SCRIPTS: ReadonlySet<Language["script"]> = new Set([
  "Jpan",
  "Hani",
  "Hang",
]);

/** What code says in chat, in a language by its code; English where there is no file of it. */
export function sayingsOf(code: string | null): Sayings {
  const [short] = (code ?? "en").toLowerCase().split("-");
  return (LANGUAGES.find((one) => one.code === short) ?? english()).says;
}

function english(): Language {
  const found = LANGUAGES.find(({ code }) => code === "en");
  if (found === undefined) throw new Error("no words of English");
  return found;
}

/** A text that holds all of these gaps. */
function saying(...gaps: readonly string[]) {
  return z
    .string()
    .min(1)
    .refine((text) => gaps.every((gap) => text.includes(gap)), `must hold ${gaps.join(", ")}`);
}
