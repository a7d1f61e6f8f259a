// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";

/** What one span of a model's answer says, as far as it is written as an action is. */
export type Parsed =
  | { readonly kind: "action"; readonly name: string; readonly args: RawArgs }
  | { readonly kind: "malformed" };

/** Arguments as they were written, unescaped, by key. */
export type RawArgs = Readonly<Record<string, string>>;

const SPAN_CHARS_MAX = 1_200;
const ARGS_MAX = 6;
const HEAD = /^\[action +([a-z_]{1,24})/;
const ARGUMENT = / +([a-z_]{1,16})=(?:"((?:[^"\\[\]]|\\["\\])*)"|([^\s"“”'‘’=[\]\\]{1,200}))/y;
const TAIL = / *\]$/y;
const MALFORMED: Parsed = { kind: "malformed" };

/**
 * Reads `[action NAME key=value key="quoted \" value"]`, to the letter: another case or bracket, anything invisible,
 * a bracket inside, a key twice, or something left over is malformed. Linear time.
 */
export function parseAction(span: string): Parsed {
  const head = isPlain(span) ? HEAD.exec(span) : null;
  if (head === null) return MALFORMED;
  const args = new Map<string, string>();
  let at = head[0].length;
  for (
    let found = matchAt(ARGUMENT, span, at);
    found !== null;
    found = matchAt(ARGUMENT, span, at)
  ) {
    const [whole, key = "", quoted, bare = ""] = found;
    if (args.has(key) || args.size === ARGS_MAX) return MALFORMED;
    args.set(key, quoted?.replace(/\\(["\\])/g, "$1") ?? bare);
    at += whole.length;
  }
  if (matchAt(TAIL, span, at) === null) return MALFORMED;
  return { kind: "action", name: head[1] ?? "", args: Object.fromEntries(args) };
}

/** Nothing in it that cannot be seen, but what shapes an emoji or a joining script. */
function isPlain(span: string): boolean {
  return (
    span.length <= SPAN_CHARS_MAX && cleanLine(span) === span.normalize("NFC").replace(/ +/g, " ")
  );
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
