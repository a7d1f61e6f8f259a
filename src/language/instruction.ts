// Pure: values in, values out.
import { takeOutActions } from "./action-syntax.ts";
import { LANGUAGES, type Language } from "./languages.ts";
import { findHosts } from "./links.ts";
import { viewsOf } from "./look-alikes.ts";
import { PERSON } from "./people.ts";
import { languagesIn } from "./which-language.ts";
import { readWords, wordFinder } from "./word-spans.ts";

/**
 * How a sentence is more than a statement: it has several lines, links somewhere, carries action or command syntax,
 * looks like a part of a prompt, or tells a bot how to speak or act, or hands out a role or a power.
 */
export type InstructionKind = "lines" | "url" | "action" | "marker" | "order";

const BREAKS = /[\p{Cc}\u2028\u2029]/u;
const COMMAND = /^\W{0,3}[/!\\.]\p{L}/u;
/** What an action's arguments or a note's number look like without their brackets. */
const ARGUMENT =
  /(?<![\p{L}\p{N}])(?:action|fact|note|user|text|reason|seconds|title|choices|target)\s?=\s?\S|\[\s?id\s?[:#=]|(?<!\p{L})action\s?:\s?\p{L}/u;
const MARK =
  /~[0-9a-z]{8,}~|<\|?\/?\s?(?:system|user|assistant|think|im_|start|end|inst|s>|[a-z_]{2,20}\|?>)|\[\/?(?:inst|system|user|assistant|admin)\]|```|~~~|-{3,}|={3,}|#{2,}|_{4,}|\{|\}|<<|>>/u;
const SPEAKER =
  /^\W{0,4}(?:\[\d{1,4}\]\s?)?(?:system|user|assistant|developer|admin|bot|human|ai|model|somebody(?!:\p{Ll}{1,5}\s)|prompt|rules?|summary|notes?|memory|instructions?)\s?[:：]|^\W{0,3}#\s?\p{L}|^\s?\[\d{1,4}\]/u;
/** What is found is named by the code of its language. */
const ORDERS = wordFinder(
  Object.fromEntries(LANGUAGES.map(({ code, ordersToBot }) => [code, ordersToBot])),
);
/** Whom a sentence begins with: a person, as code puts them in front, or a name that is called. */
const LEADING_NAME = /^\s*(?:@?[\p{L}\p{N}_]{1,25}\s*[,:]\s*)/u;

/** Why a sentence must not stand in memory as a fact, or null: see `InstructionKind`. */
export function instructs(
  text: string,
  languagesOf: (text: string) => readonly Language[] = languagesIn([]),
): InstructionKind | null {
  if (BREAKS.test(text)) return "lines";
  if (findHosts(text).length > 0) return "url";
  const views = viewsOf(text);
  if (takeOutActions(text).spans.length > 0 || COMMAND.test(text) || ARGUMENT.test(views.latin)) {
    return "action";
  }
  if (MARK.test(views.native) || SPEAKER.test(views.latin)) return "marker";
  return ordersBot(text, languagesOf) ? "order" : null;
}

/**
 * Whether a sentence, with or without the name it begins with, tells a bot how to speak or act, or gives power. A phrase
 * of several words tells its own language, as two function words do; a single word counts in a line of its language.
 */
function ordersBot(text: string, languagesOf: (text: string) => readonly Language[]): boolean {
  const bare = text.replaceAll(PERSON, " ").trim();
  const found = [bare, bare.replace(LEADING_NAME, "")].flatMap((said) => ORDERS(readWords(said)));
  return (
    found.some(({ from, to }) => to > from) ||
    (found.length > 0 &&
      languagesOf(bare).some(({ code }) => found.some(({ name }) => name === code)))
  );
}
