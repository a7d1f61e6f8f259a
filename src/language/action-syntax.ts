// Pure: values in, values out.
import { cleanLine } from "./clean.ts";
import { fold } from "./fold.ts";

const OPENING = "[［﹇【〔〖〘〚⟦⟬⁅❲﹝︗︹︻⦋⦍⦏⦗⸢⸤⌈⌊「『｢﹁﹃⎡⎢⎣⟮";
const CLOSING = "]］﹈】〕〗〙〛⟧⟭⁆❳﹞︘︺︼⦌⦎⦐⦘⸣⸥⌉⌋」』｣﹂﹄⎤⎥⎦⟯";
const OPENS = new Set(OPENING);
const CLOSES = new Set(CLOSING);
const ANY_OPENING = new RegExp(`[${escapeClass(OPENING)}]`, "gu");
const ANY_CLOSING = new RegExp(`[${escapeClass(CLOSING)}]`, "gu");
const QUOTES = new Set('"“”„‟＂');
const WORD = /[\p{L}\p{N}]/u;
/** A space before these is removed. */
const CLOSES_UP = /[\s.,;:!?…)]/u;
/** The letters of `action`, each with its look-alikes. */
const HEAD = ["a4@", "c", "t7+", "i1!|l", "o0", "n"].map((forms) => new Set(forms));

const SPAN_CHARS_MAX = 1_200;
const ARGUMENT = / +([a-z_]{1,16})=(?:"((?:[^"\\[\]]|\\["\\])*)"|([^\s"“”'‘’=[\]\\]{1,200}))/g;
const ACTION = new RegExp(`^\\[action +([a-z_]{1,24})((?:${ARGUMENT.source})*) *\\]$`);

interface ExtractedActions {
  readonly text: string;
  readonly spans: readonly string[];
}

/** A span of an answer: a well-formed action, or a malformed one. */
export type ParsedAction =
  | { readonly kind: "action"; readonly name: string; readonly args: RawArgs }
  | { readonly kind: "malformed" };

/** Arguments as they were written, unescaped, by key. */
export type RawArgs = Readonly<Record<string, string>>;

interface Head {
  /** The first of the brackets before the word. */
  readonly start: number;
  /** The last of them: where the action itself would begin. */
  readonly open: number;
  readonly opens: number;
  readonly end: number;
}

/**
 * Returns a text without the spans that start like `[action NAME key=value]`, and these spans. It sees through any case,
 * look-alike brackets and letters, invisible or other filling between letters, and nested brackets. An unterminated
 * span reaches to the end. The caller decides whether a span is a valid action. Linear time.
 */
export function extractActions(text: string): ExtractedActions {
  const spans: string[] = [];
  let kept = "";
  let from = 0;
  for (let head = findActionHead(text, 0); head !== null; head = findActionHead(text, from)) {
    const end = findEnd(text, head.end);
    spans.push(text.slice(head.open, end));
    const before = text.slice(from, head.start);
    from = end;
    while (from - end < head.opens - 1 && CLOSES.has(text.charAt(from))) from += 1;
    const after = text.charAt(from);
    kept += CLOSES_UP.test(after) ? before.trimEnd() : before;
    kept += WORD.test(after) ? " " : "";
  }
  return spans.length === 0 ? { text, spans } : { text: kept + text.slice(from), spans };
}

/** Replaces every bracket and its look-alikes by parentheses, so that data in a prompt holds no action. */
export function defuse(text: string): string {
  return text.replace(ANY_OPENING, "(").replace(ANY_CLOSING, ")");
}

/**
 * Reads exactly `[action NAME key=value key="quoted \" value"]`; NAME and keys need not be known. Anything else is
 * malformed: another case or bracket, an invisible character, a bracket inside, a key twice, text around it, or more
 * than 1,200 characters. Linear time.
 */
export function parseAction(span: string): ParsedAction {
  // Nothing in it is invisible, but for emoji and joining scripts.
  const isClean =
    span.length <= SPAN_CHARS_MAX && cleanLine(span) === span.normalize("NFC").replace(/ +/g, " ");
  const [, name, written = ""] = (isClean ? ACTION.exec(span) : null) ?? [];
  const args = [...written.matchAll(ARGUMENT)].map(
    ([, key = "", quoted, bare = ""]) =>
      [key, quoted?.replace(/\\(["\\])/g, "$1") ?? bare] as const,
  );
  const isTwice = new Set(args.map(([key]) => key)).size < args.length;
  if (name === undefined || isTwice) return { kind: "malformed" };
  return { kind: "action", name, args: Object.fromEntries(args) };
}

/** Returns the head of the next `[action` from an offset on, also disguised; null if there is none. */
function findActionHead(text: string, from: number): Head | null {
  let at = findOpeningBracket(text, from);
  while (at < text.length) {
    const head = readHead(text, at);
    if (head.isAction) return head;
    at = findOpeningBracket(text, head.end);
  }
  return null;
}

/**
 * Reads on from an opening bracket, until the word `action` is complete (`isAction`) or can no longer follow. Each
 * character is read once.
 */
function readHead(text: string, start: number): Head & { readonly isAction: boolean } {
  let open = start;
  let opens = 0;
  let matched = 0;
  let at = start;
  while (at < text.length && matched >= 0 && matched < HEAD.length) {
    const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (OPENS.has(letter)) {
      open = at;
      opens += 1;
      matched = 0;
    } else {
      const folded = fold(letter, { lookAlikes: true });
      const isRepeat = HEAD[matched - 1]?.has(folded) === true;
      if (HEAD[matched]?.has(folded)) matched += 1;
      else if (CLOSES.has(letter) || (WORD.test(folded) && !isRepeat)) matched = -1;
    }
    at += letter.length;
  }
  return { start, open, opens, end: at, isAction: matched === HEAD.length };
}

/** Returns the index of the next opening bracket; the text's length if there is none. */
function findOpeningBracket(text: string, from: number): number {
  ANY_OPENING.lastIndex = from;
  return ANY_OPENING.exec(text)?.index ?? text.length;
}

/** Returns the end of an action: after the closing bracket outside quotes, else the end of the text. */
function findEnd(text: string, from: number): number {
  let depth = 1;
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === "\\") {
      at += 1;
    } else if (QUOTES.has(letter)) {
      isQuoted = !isQuoted;
    } else if (!isQuoted) {
      depth += Number(OPENS.has(letter)) - Number(CLOSES.has(letter));
    }
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function escapeClass(letters: string): string {
  return letters.replace(/[\]\\^[-]/g, "\\$&");
}
