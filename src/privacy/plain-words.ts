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
 * Returns the answer to a message that asks, in plain words, to be forgotten: it tells the viewer to type `!forgetme`.
 * One sentence that asks is enough. Returns null for other messages and over 300 characters. Forgets nothing. `said`:
 * the message without the bot's name.
 */
export function answerForgetRequest(said: string): string | null {
  if (said.length > TEXT_CHARS_MAX) return null;
  const sentences = [...new Set([said, ...splitSentences(said)])].map(
    (one) => `${fold(one).replace(EDGES, "").replace(COMMAS, " ")} `,
  );
  const request = forgetRequests().find(({ asks }) => sentences.some((one) => asks.test(one)));
  return request === undefined ? null : request.answer.replace("{command}", "!forgetme");
}

/**
 * Makes a pattern that matches a whole sentence if it is a request of `forgetMe`. The last item of `forgetMe` is none:
 * it lists words that may come before or after a request. In the sentence a space must follow each word, also the last;
 * in scripts without spaces it may be missing.
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

/** Makes the pattern of a word with alternatives, `a/b`, and a space. In parentheses, `(a/b)`, it may be missing. */
function makePartPattern(part: string, space: string): string {
  const isOptional = part.startsWith("(");
  const choices = part
    .replace(/^\(|\)$/g, "")
    .split("/")
    .map((word) => fold(word).replaceAll("_", " "))
    .map((words) => words.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"));
  return `(?:(?:${choices.join("|")})${space})${isOptional ? "?" : ""}`;
}
