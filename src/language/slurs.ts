// Pure: values in, values out.
import {
  DataSet,
  englishDataset,
  englishRecommendedTransformers,
  type MatchPayload,
  RegExpMatcher,
} from "obscenity";
import { bannedWords } from "./banned.ts";
import { LANGUAGES } from "./languages.ts";
import { languageOf } from "./which-language.ts";

/** The words that may not be said, stored or repeated: the streamer's own list, and slurs unless they are switched off. */
export interface ForbiddenWords {
  readonly bannedWords: readonly string[];
  readonly slurs: boolean;
}

/**
 * A finder of words that may not be said, stored or repeated: it answers with what a text holds, or null. Slurs are words
 * against groups of people, in any disguise (digits for letters, repeats, look-alikes): those of the `obscenity` package,
 * whose list is of English and whose mere swearing is left out, and those of `data/*.json`. No package has a list of
 * slurs alone in other languages: theirs hold swearing too, and nobody looks after most of them.
 */
export function forbiddenWords({
  bannedWords: own,
  slurs,
}: ForbiddenWords): (text: string) => string | null {
  const findOwn = bannedWords(own);
  return (text) => findOwn(text) ?? (slurs ? (findEnglish(text) ?? findListed(text)) : null);
}

/** Entries of the package, by their names there, that insult people for what they are. */
const AGAINST_PEOPLE = new Set([
  "abeed",
  "africoon",
  "arabush",
  "boonga",
  "chingchong",
  "chink",
  "dyke",
  "fag",
  "kike",
  "nigger",
  "retard",
  "spastic",
  "tranny",
]);
/** Those that are harmless words of other languages: they count in a line that may be English. */
const HARMLESS_ELSEWHERE = new Set(["chink", "dyke", "fag", "kike", "retard"]);
/** Harmless words and phrases that hold one of them. */
const HARMLESS = [
  "chink in",
  "chinks in",
  "fag end",
  "fagioli",
  "fagott",
  "fire retard",
  "niggard",
  "flame retard",
  "retardant",
  "retardation of",
  "dykeland",
];

function buildMatcher() {
  const slurs = new DataSet<{ originalWord: string }>()
    .addAll(englishDataset)
    .removePhrasesIf(({ metadata }) => !AGAINST_PEOPLE.has(metadata?.originalWord ?? ""));
  const built = slurs.build();
  const matcher = new RegExpMatcher({
    ...englishRecommendedTransformers,
    ...built,
    whitelistedTerms: [...(built.whitelistedTerms ?? []), ...HARMLESS],
  });
  const nameOf = (match: MatchPayload): string =>
    slurs.getPayloadWithPhraseMetadata(match).phraseMetadata?.originalWord ?? "";
  return { matcher, nameOf };
}

const SLURS = buildMatcher();

/** Letters that stand alone, with spaces or marks between them: a word in disguise. */
const BETWEEN_LETTERS =
  /(?<=(?<![\p{L}\p{N}])[\p{L}\p{N}])[\s._*-]{1,3}(?=[\p{L}\p{N}](?![\p{L}\p{N}]))/gu;

function findEnglish(text: string): string | null {
  const { matcher, nameOf } = SLURS;
  const joined = text.replace(BETWEEN_LETTERS, "");
  const seen = joined === text ? [text] : [text, joined];
  if (!seen.some((one) => matcher.hasMatch(one))) return null;
  const names = seen.flatMap((one) => matcher.getAllMatches(one)).map(nameOf);
  const language = languageOf(text);
  const mayBeEnglish = language === null || language.code === "en";
  return names.find((name) => mayBeEnglish || !HARMLESS_ELSEWHERE.has(name)) ?? null;
}

/** One pass over a text for all of them: the language of a line is asked for only where it holds one. */
const ANY = bannedWords(
  LANGUAGES.flatMap(({ slurs }) => [...slurs.always, ...slurs.inThisLanguage]),
);
const ALWAYS = bannedWords(LANGUAGES.flatMap(({ slurs }) => slurs.always));
const IN_LANGUAGE = new Map(
  LANGUAGES.map(({ code, slurs }) => [code, bannedWords(slurs.inThisLanguage)] as const),
);

/** Slurs of `data/*.json`: those that mean nothing else, and those of the language that the line is in. */
function findListed(text: string): string | null {
  if (ANY(text) === null) return null;
  const inLanguage = IN_LANGUAGE.get(languageOf(text)?.code ?? "");
  return ALWAYS(text) ?? inLanguage?.(text) ?? null;
}
