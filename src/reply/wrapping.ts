// Pure: values in, values out.
import { literalPattern } from "../language/literal.ts";

const OWN_LABELS = [
  "assistant",
  "bot",
  "ai",
  "chatbot",
  "reply",
  "answer",
  "response",
  "final answer",
  "message",
];
const QUOTE_PAIRS = ['""', "''", "“”", "„“", "„”", "«»", "»«", "‘’", "「」", "『』", "＂＂", "‹›"];
const BRACKETS = "[\\s*_\"'<>()\\[\\]]{0,4}";

/**
 * Takes off what a model wraps around what it says: a speaker's label of its own at the start (`Mark:`), and quotation
 * marks around the whole.
 */
export function unwrapper(ownNames: readonly string[]): (text: string) => string {
  const names = [...ownNames, ...OWN_LABELS]
    .map((name) => literalPattern(name.trim()))
    .filter((name) => name !== "");
  const label = new RegExp(
    `^${BRACKETS}@?(?:${names.join("|")})${BRACKETS}[:：](?!//)[\\s*_]*`,
    "iu",
  );
  return (text) => unquoted(text.replace(label, "").trim());
}

function unquoted(text: string): string {
  const pair = QUOTE_PAIRS.find(
    ([open = "", close = ""]) => text.length > 1 && text.startsWith(open) && text.endsWith(close),
  );
  const inner = text.slice(1, -1);
  return pair !== undefined && ![...pair].some((quote) => inner.includes(quote))
    ? inner.trim()
    : text;
}
