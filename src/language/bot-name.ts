// Pure: values in, values out.
import { UNSPACED } from "./edges.ts";
import { literalPattern } from "./literal.ts";
import { type Language, languageOf } from "./words.ts";

/** What a bot is called in a sentence of a language; where it is not here, as in English. */
const THE_BOT: Readonly<Partial<Record<Language, string>>> = {
  es: "el bot",
  pt: "o bot",
  de: "der Bot",
  fr: "le bot",
  ru: "бот",
  ja: "ボット",
  zh: "机器人",
  ko: "봇",
};
/** A letter that goes on with a word; Korean writes particles onto a name. */
const GOES_ON = `(?![${UNSPACED}\\p{sc=Hang}])[\\p{L}\\p{M}\\p{N}_]`;

/**
 * A sentence in which the bot is called "the bot" wherever one of its names stands as a word, in any case; null where
 * none does. For reading what a sentence says: a name may be somebody else's too.
 */
export function withBotUnnamed(text: string, botNames: readonly string[]): string | null {
  const names = botNames.map((name) => name.trim()).filter((name) => name !== "");
  const lower = text.toLowerCase();
  if (!names.some((name) => lower.includes(name.toLowerCase()))) return null;
  const either = names.map(literalPattern).join("|");
  const named = new RegExp(`(?<!${GOES_ON})@?(?:${either})(?!${GOES_ON})`, "giu");
  const unnamed = text.replace(named, THE_BOT[languageOf(text)] ?? "the bot");
  return unnamed === text ? null : unnamed;
}
