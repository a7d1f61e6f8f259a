// Pure: values in, values out.
import { takeOutActions } from "./action-syntax.ts";
import { IMPERATIVE, MARKERS, ROLE, SECOND_PERSON } from "./instruction-words.ts";
import { findHosts } from "./links.ts";
import { phrasePattern } from "./phrases.ts";
import { undisguised } from "./undisguised.ts";
import { type Views, viewsOf } from "./views.ts";
import { WELCOME, WISH } from "./wish-words.ts";

/**
 * How a sentence is more than a statement: it has several lines, links somewhere, carries action or command syntax,
 * looks like a part of a prompt, claims a role or power, speaks to somebody, or gives an order, be it as a wish.
 */
export type InstructionKind =
  | "lines"
  | "url"
  | "action"
  | "marker"
  | "role"
  | "second_person"
  | "imperative";

const BREAKS = /[\p{Cc}\u2028\u2029]/u;
const COMMAND = /^\W{0,3}[/!\\.]\p{L}/u;
/** What an action's arguments or a note's number look like without their brackets. */
const ARGUMENT =
  /(?<![\p{L}\p{N}])(?:action|fact|note|user|text|reason|seconds|title|choices|target)\s?=\s?\S|\[\s?id\s?[:#=]|(?<!\p{L})action\s?:\s?\p{L}/u;
const MARK =
  /~[0-9a-z]{8,}~|<\|?\/?\s?(?:system|user|assistant|think|im_|start|end|inst|s>|[a-z_]{2,20}\|?>)|\[\/?(?:inst|system|user|assistant|admin)\]|```|~~~|-{3,}|={3,}|#{2,}|_{4,}|\{|\}|<<|>>/u;
const SPEAKER =
  /^\W{0,4}(?:\[\d{1,4}\]\s?)?(?:system|user|assistant|developer|admin|bot|human|ai|model|somebody|prompt|rules?|summary|notes?|memory|instructions?)\s?[:：]|^\W{0,3}#\s?\p{L}|^\s?\[\d{1,4}\]/u;
/** A rule for the bot's own answers, worded as if it were a fact of the channel. */
const HOW_IT_ANSWERS =
  /(?<!\p{L})(?:(?:the|this|our) (?:chat ?)?bot (?:only |always |never |now )?(?:answers|replies|responds|speaks|says|greets|calls|ends|begins|starts|rhymes)|(?:every|all|each|any|its|the bot'?s?) (?:\p{L}+ )?(?:answers?|repl(?:y|ies)|responses?) (?:has|have|is|are|must|should|shall|will|ends?|begins?|starts?|includes?|contains?)|(?:answers?|repl(?:y|ies)|responses?) (?:(?:has|have|is|are) to|must|should|shall|always|only|never|ends?|begins?|starts?))(?!\p{L})/iu;
const MARKER_WORDS = phrasePattern(MARKERS, "latin");

const WORDED = {
  role: patternsOf(ROLE),
  second_person: patternsOf(SECOND_PERSON),
  imperative: patternsOf(IMPERATIVE),
};
const WISHED = patternsOf(WISH);
const WELCOMED = new RegExp(phrasePattern(WELCOME, "latin").source, "gu");

interface Patterns {
  readonly latin: RegExp;
  readonly russian: RegExp;
  readonly japanese: RegExp;
}

/**
 * Why a sentence must not stand in memory as a fact, or null: see `InstructionKind`. English, Spanish, Portuguese,
 * German, French, Russian and Japanese; some of Chinese and Korean. A wish about oneself in the third person ("wants
 * to be called Sam", "wants answers in Spanish") is a statement, and so is a token for a person (`{u:ID}`); a wish that
 * tells the bot what to say or do is an order. Roles and orders are read in leet and spaced letters too. Linear time.
 */
export function instructs(text: string): InstructionKind | null {
  if (BREAKS.test(text)) {
    return "lines";
  }
  if (findHosts(text).length > 0) {
    return "url";
  }
  const views = viewsOf(text);
  if (takeOutActions(text).spans.length > 0 || COMMAND.test(text) || ARGUMENT.test(views.latin)) {
    return "action";
  }
  if (MARK.test(views.native) || SPEAKER.test(views.latin) || MARKER_WORDS.test(views.spaced)) {
    return "marker";
  }
  if (HOW_IT_ANSWERS.test(views.spaced)) {
    return "imperative";
  }
  return worded(views) ?? inDisguise(views);
}

function worded(views: Views): InstructionKind | null {
  const kind = (["role", "second_person", "imperative"] as const).find((one) =>
    says(WORDED[one], views),
  );
  return (
    kind ?? (says(WISHED, { ...views, spaced: withoutWelcome(views.spaced) }) ? "imperative" : null)
  );
}

/** What only shows once letters that stand for others are read as those. */
function inDisguise({ latin }: Views): InstructionKind | null {
  for (const spaced of undisguised(latin)) {
    if (WORDED.role.latin.test(spaced)) return "role";
    if (WORDED.imperative.latin.test(spaced)) return "imperative";
    if (WISHED.latin.test(withoutWelcome(spaced))) return "imperative";
  }
  return null;
}

/** What may be wished for is taken out, so that the rest tells whether more is. */
function withoutWelcome(spaced: string): string {
  return spaced
    .replace(WELCOMED, "")
    .replace(/ {2,}/gu, " ")
    .replace(/ (?=[.,!?])/gu, "");
}

function says({ latin, russian, japanese }: Patterns, views: Views): boolean {
  return latin.test(views.spaced) || russian.test(views.native) || japanese.test(views.native);
}

function patternsOf(lists: Readonly<Record<keyof Patterns, string>>): Patterns {
  return {
    latin: phrasePattern(lists.latin, "latin"),
    russian: phrasePattern(lists.russian, "cyrillic"),
    japanese: phrasePattern(lists.japanese, "japanese"),
  };
}
