// Pure: values in, values out.
import { LANGUAGES, type Language } from "./languages.ts";
import { PERSON } from "./people.ts";
import { findPii, type PiiKind } from "./pii.ts";
import { viewsOf } from "./views.ts";
import { scriptOf } from "./which-language.ts";
import { readText, type WordFinder, wordFinder } from "./word-lists.ts";

export type PrivateMatter = keyof Language["privateMatters"] | PiiKind;

type Topic = keyof Language["privateMatters"];

/** Japanese is written in Chinese characters, too. */
const ALSO: Partial<Record<Language["script"], Language["script"]>> = {
  Hani: "Jpan",
  Jpan: "Hani",
};
const FINDERS = new Map<Language["script"], WordFinder>(
  [...new Set(LANGUAGES.map(({ script }) => script))].map((script) => [script, finderOf(script)]),
);

/**
 * Which private matter a sentence touches, or null: by the word lists of every language in its script, and by the shape
 * of cards, accounts, phones, mail and addresses. A second net behind the model's own flag.
 */
export function privateMatter(text: string): PrivateMatter | null {
  const bare = text.replaceAll(PERSON, " ");
  const read = readText(bare);
  const scripts = new Set<Language["script"]>([scriptOf(bare) ?? "Latn", "Latn"]);
  const [found] = [...scripts].flatMap((script) => FINDERS.get(script)?.(read) ?? []);
  if (found !== undefined) return found.name as Topic;
  return findPii(viewsOf(text).latin);
}

function finderOf(script: Language["script"]): WordFinder {
  const able = LANGUAGES.filter((one) => one.script === script || one.script === ALSO[script]);
  const lists: Record<string, string[]> = {};
  for (const { privateMatters } of able) {
    for (const [topic, words] of Object.entries(privateMatters)) {
      lists[topic] = [...(lists[topic] ?? []), ...words];
    }
  }
  return wordFinder(lists);
}
