import { takeOutActions } from "../language/action-syntax.ts";
import { foldLookAlikes } from "../language/look-alikes.ts";
import { actionNamed, CATALOGUE } from "./catalogue.ts";
import { type Parsed, parseAction, type RawArgs } from "./grammar.ts";
import { saidSeconds } from "./said-seconds.ts";
import { ownWords, type Wish } from "./wish.ts";

/** Something that stands in the prompt and was not written by the program. */
export interface Untrusted {
  /** Whose words they are; null where they are no viewer's: a title, a summary, the bot's own earlier words. */
  readonly userId: string | null;
  readonly text: string;
}

export interface EchoContext {
  readonly requesterId: string;
  /** The requester's own words in this turn. */
  readonly words: readonly string[];
  /** Everything of the prompt that viewers or memory wrote, the requester's own message too. */
  readonly untrusted: readonly Untrusted[];
}

/** `bracket`: the proposal stands there in its bracket form. `words`: its text repeats somebody else's words. */
export type Echo = "none" | "bracket" | "words";

/** Four words in a row; a sign of Chinese, Japanese or Korean writing counts as half a word. */
const RUN_HALF_WORDS = 8;
/** Fewer letters than this say nothing when they are found without their brackets. */
const STREAM_LETTERS_MIN = 16;
const PARENTHESES: Readonly<Record<string, string>> = {
  "(": "[",
  "{": "[",
  "<": "[",
  ")": "]",
  "}": "]",
  ">": "]",
};
const TOKEN =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]|[\p{L}\p{M}\p{N}]+?(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]|[^\p{L}\p{M}\p{N}]|$)/gu;
const WIDE = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]$/u;
const NOT_LETTERS = /[^\p{L}\p{N}]+/gu;

/**
 * Whether a proposal was put into the model's mouth. Brackets of any kind count, as do the letters of the whole
 * proposal in a row, also spread over several lines. Where the requester's own words ask for it (`wish`), only the very
 * same proposal counts, and not even that where those words hold all that it says: nobody keeps others from a clip by
 * writing the form of one. Words that the requester used too are the requester's own.
 */
export function findEcho(
  span: string,
  parsed: Parsed,
  context: EchoContext,
  wish: Wish | null,
): Echo {
  if (parsed.kind === "malformed") return "none";
  const isWished = wish === "said";
  const isOwn = isWished && saysItAll(parsed, context.words);
  if (!isOwn && standsInBrackets(span, parsed, context.untrusted, isWished)) return "bracket";
  return repeatsWords(parsed, context) ? "words" : "none";
}

type Action = Extract<Parsed, { kind: "action" }>;

/** Besides the target, whom the wish names. */
function saysItAll({ args }: Action, words: readonly string[]): boolean {
  const own = lettersOf(ownWords(words));
  return Object.entries(args).every(([key, value]) => {
    if (key === "user") return true;
    if (key === "seconds" && Number(value) === saidSeconds(words)) return true;
    const letters = lettersOf(value);
    return letters !== "" && own.includes(letters);
  });
}

function standsInBrackets(
  span: string,
  action: Action,
  untrusted: readonly Untrusted[],
  isExact: boolean,
): boolean {
  const isRequest = isExact ? isSameProposal : isSameRequest;
  const isSame = untrusted
    .flatMap(
      ({ text }) =>
        takeOutActions(text.replace(/[(){}<>]/g, (sign) => PARENTHESES[sign] ?? sign)).spans,
    )
    .map(readLoosely)
    .some((other) => other.name === action.name && isRequest(action, other.args));
  return isSame || runsThrough(span, untrusted);
}

/** As a reader sees it: in any case, with look-alikes plain. */
function readLoosely(span: string): { readonly name: string; readonly args: RawArgs } {
  const strict = parseAction(span);
  if (strict.kind === "action") return strict;
  const [, name = "", rest = ""] =
    /action[^\p{L}]*([a-z_]+)(.*)/su.exec(foldLookAlikes(span)) ?? [];
  const pairs = [...rest.matchAll(/([a-z_]+)\s*=\s*(?:"([^"]*)"?|([^\s"\]]*))/gu)];
  return {
    name,
    args: Object.fromEntries(pairs.map(([, key = "", quoted, bare = ""]) => [key, quoted ?? bare])),
  };
}

function isSameProposal({ args }: Action, other: RawArgs): boolean {
  const keys = new Set([...Object.keys(args), ...Object.keys(other)]);
  return [...keys].every((key) => lettersOf(args[key] ?? "") === lettersOf(other[key] ?? ""));
}

/** The same in whom it concerns, or else in any of its texts, or in everything. */
function isSameRequest({ name, args }: Action, other: RawArgs): boolean {
  const known = actionNamed(name);
  const keys = Object.keys(args);
  if (known === null || keys.length === 0) return true;
  const spec = CATALOGUE[known];
  const isSame = (key: string) => lettersOf(args[key] ?? "") === lettersOf(other[key] ?? "");
  if (spec.target !== "none") return isSame("user");
  const texts = keys.filter((key) => spec.texts.includes(key));
  return texts.length > 0 ? texts.some(isSame) : keys.every(isSame);
}

function runsThrough(span: string, untrusted: readonly Untrusted[]): boolean {
  const letters = lettersOf(span);
  if (letters.length < STREAM_LETTERS_MIN) return false;
  const byWriter = new Map<string | null, string>();
  for (const { userId, text } of untrusted) {
    byWriter.set(userId, (byWriter.get(userId) ?? "") + lettersOf(text));
  }
  const all = untrusted.map(({ text }) => lettersOf(text)).join("");
  return [all, ...byWriter.values()].some((stream) => stream.includes(letters));
}

function repeatsWords({ name, args }: Action, { requesterId, untrusted }: EchoContext): boolean {
  const known = actionNamed(name);
  if (known === null) return false;
  const said = CATALOGUE[known].texts.flatMap((key) => runsOf(args[key] ?? ""));
  if (said.length === 0) return false;
  const runs = (isOwn: boolean) =>
    new Set(
      untrusted
        .filter(({ userId }) => (userId === requesterId) === isOwn)
        .flatMap(({ text }) => runsOf(text)),
    );
  const [own, others] = [runs(true), runs(false)];
  return said.some((run) => others.has(run) && !own.has(run));
}

/** Every shortest run of four words or more, by where it begins. */
function runsOf(text: string): string[] {
  const tokens = foldLookAlikes(text).match(TOKEN) ?? [];
  return tokens.flatMap((_, start) => {
    let run = "";
    let halves = 0;
    for (let at = start; at < tokens.length && halves < RUN_HALF_WORDS; at += 1) {
      const token = tokens[at] ?? "";
      run += ` ${token}`;
      halves += WIDE.test(token) ? 1 : 2;
    }
    return halves >= RUN_HALF_WORDS ? [run] : [];
  });
}

function lettersOf(text: string): string {
  return foldLookAlikes(text).replace(NOT_LETTERS, "");
}
