// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import { splitSentences } from "../language/clean.ts";
import { fold } from "../language/fold.ts";
import { LANGUAGES, type Language } from "../language/languages.ts";

const TEXT_CHARS_MAX = 300;
const EDGES = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu;
const COMMAS = /\s*[,，、]\s*/gu;
const UNSPACED: ReadonlySet<string> = new Set(["Jpan", "Hani", "Hang"]);

/**
 * Returns each language's pattern of a request to be forgotten, with its answer. The patterns match whole sentences
 * only, so not "forget everything you know about my ex".
 */
const forgetRequests = memoize(() =>
  LANGUAGES.map((language) => ({
    asks: makeRequestPattern(language),
    answer: language.says.forgetMe,
  })),
);

/**
 * Returns how to be forgotten if a line asks for it in plain words; null for any other line. A line over 300
 * characters is none. Forgets nothing: `!forgetme` does that. `said`: the message without the bot's name.
 */
export function asksToForget(said: string): string | null {
  if (said.length > TEXT_CHARS_MAX) return null;
  const sentences = [...new Set([said, ...splitSentences(said)])].map(
    (one) => `${fold(one).replace(EDGES, "").replace(COMMAS, " ")} `,
  );
  const request = forgetRequests().find(({ asks }) => sentences.some((one) => asks.test(one)));
  return request === undefined ? null : request.answer.replace("{command}", "!forgetme");
}

/**
 * Makes the pattern of a language's requests. The last of `forgetMe` are words that may be before or after one. A space
 * follows each word; in scripts without spaces it may be missing.
 */
function makeRequestPattern({ forgetMe, script }: Language): RegExp {
  const space = UNSPACED.has(script) ? " ?" : " ";
  const asks = forgetMe.slice(0, -1).map((ask) =>
    ask
      .split(" ")
      .map((part) => makePartPattern(part, space))
      .join(""),
  );
  const edgeWords = makePartPattern(forgetMe.at(-1) ?? "", space).replace(/\?$/u, "*");
  return new RegExp(`^${edgeWords}(?:${asks.join("|")})${edgeWords}$`, "u");
}

/** Makes the pattern of one word of several, `a/b`; in parentheses, `(a/b)`, it may be missing. */
function makePartPattern(part: string, space: string): string {
  const isOptional = part.startsWith("(");
  const choices = part
    .replace(/^\(|\)$/g, "")
    .split("/")
    .map((word) => fold(word).replaceAll("_", " "))
    .map((words) => words.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"));
  return `(?:(?:${choices.join("|")})${space})${isOptional ? "?" : ""}`;
}
