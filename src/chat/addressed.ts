// Pure: values in, values out.
import {
  findDictionaryEdges,
  isUnspaced,
  KOREAN_PARTICLES,
  makeLiteralPattern,
  UNSPACED,
} from "../language/words.ts";

/** The message addresses the bot, by an @ or its name as a word. `rest` is the message without the address. */
export interface BotAddress {
  readonly by: "mention" | "name";
  readonly rest: string;
}

const WORD = "[\\p{L}\\p{M}\\p{N}_]";
/** A character that continues a word; none of a script without spaces, where it may begin another word. */
const GOES_ON = `(?![${UNSPACED}])${WORD}`;
/** A katakana character. A word in katakana is the whole run of katakana: the dictionary does not count. */
const KANA = "[\\p{sc=Kana}\\u30fc]";
const STARTS = `(?:(?=${KANA})(?<!${KANA})|(?!${KANA})(?:(?!${GOES_ON})|(?<!${GOES_ON})(?<![@＠#$])(?<!${WORD}/)))`;
const DOMAIN = "(?:@[\\p{L}\\p{N}]|\\.(?:com|net|org|tv|gg|io|co|me|de)(?![\\p{L}\\p{N}]))";
const ENDS = `(?:(?<=${KANA})(?!${KANA})|(?<!${KANA})(?:(?<!${GOES_ON})|(?=(?:${KOREAN_PARTICLES})?(?!${GOES_ON}))(?!${DOMAIN})))`;

const ONLY_ADDRESSES = /^(?:[\s,:;.!…–—-]|[@＠][\p{L}\p{N}_]+)*$/u;
const NOTHING_SAID = /^[\s,:;.!?…–—-]*$/u;
const SET_OFF_AFTER = /^\s*[,:;!…–—-]/u;
const SET_OFF_BEFORE = /[,;–—-]\s*$/u;
const POSSESSIVE = /^['’]/u;
const ADDRESS_TAIL = /^[\s,:;.!…–—-]+/u;
const ADDRESS_LEAD = /[\s,:;–—-]+$/u;

/**
 * Returns a function that finds the address of the bot in a message; null if there is none. `names`: its login, aliases
 * and persona name. `@name` counts in any case, and so does the name as a separate word in any script: `mark's` and
 * `MARK!!`, but not `marks`, `mark_x` or `mark.com`. In scripts without spaces, the dictionary says where words begin
 * and end.
 */
export function addressFinder(names: readonly string[]): (text: string) => BotAddress | null {
  const known = [...new Set(names.map((name) => name.trim().replace(/^[@＠]+/u, "")))]
    .filter((name) => name !== "")
    .sort((one, other) => other.length - one.length);
  if (known.length === 0) return () => null;
  const any = known.map(makeLiteralPattern).join("|");
  const quick = new RegExp(any, "iu");
  // Where words begin and end is said once for all names: V8 takes milliseconds for each class of letters in a pattern.
  const mention = new RegExp(`(?<!${WORD})[@＠](?:${any})${ENDS}`, "giu");
  const word = new RegExp(`${STARTS}(?:${any})${ENDS}`, "giu");
  return (text) => {
    if (!quick.test(text)) return null;
    const mentions = [...text.matchAll(mention)];
    if (mentions.length > 0) {
      return { by: "mention", rest: removeAddresses(text, mentions, isMereMention) };
    }
    // Without spaces between words, a name is one where the dictionary sees it begin and end.
    const isEdge = findDictionaryEdges(text);
    const called = [...text.matchAll(word)].filter(
      ({ 0: name, index }) =>
        (!isUnspaced(name.slice(0, 1)) || isEdge(index)) &&
        (!isUnspaced(name.slice(-1)) || isEdge(index + name.length)),
    );
    return called.length === 0
      ? null
      : { by: "name", rest: removeAddresses(text, called, isMereName) };
  };
}

function removeAddresses(
  text: string,
  all: readonly RegExpExecArray[],
  isMere: (before: string, after: string) => boolean,
): string {
  let rest = text;
  for (const found of all.toReversed()) {
    const before = rest.slice(0, found.index);
    const after = rest.slice(found.index + found[0].length);
    if (isMere(before, after)) {
      rest = ONLY_ADDRESSES.test(before)
        ? before + after.replace(ADDRESS_TAIL, "")
        : before.replace(ADDRESS_LEAD, "") + after;
    }
  }
  return rest.trim();
}

/** Returns true if a mention only addresses the message: it is at either end, and no possessive. */
function isMereMention(before: string, after: string): boolean {
  return !POSSESSIVE.test(after) && (ONLY_ADDRESSES.test(before) || NOTHING_SAID.test(after));
}

/** Returns true if a name only addresses the message: it is alone, or punctuation sets it off at either end. */
function isMereName(before: string, after: string): boolean {
  return (
    (ONLY_ADDRESSES.test(before) && SET_OFF_AFTER.test(after)) ||
    (NOTHING_SAID.test(after) && (SET_OFF_BEFORE.test(before) || ONLY_ADDRESSES.test(before)))
  );
}
