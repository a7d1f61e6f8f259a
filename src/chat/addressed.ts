// Pure: values in, values out.
import {
  createDictionaryEdgeTest,
  isUnspaced,
  KOREAN_PARTICLES,
  makeLiteralPattern,
  UNSPACED,
} from "../language/words.ts";

/** The bot's address in a message: an @ with a name, or a name as a word. */
export interface BotAddress {
  readonly by: "mention" | "name";
  /** The message without the names that only call the bot. A name that is part of a sentence stays. */
  readonly rest: string;
}

const WORD = "[\\p{L}\\p{M}\\p{N}_]";
/** A character that continues a word. In a script without spaces any character may begin another word. */
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
 * Returns a function that finds one of `names` in a message; null if there is none. `@name` wins over the name as a
 * separate word: `mark's` and `MARK!!`, but not `marks`, `mark_x` or `mark.com`. Case does not count. In scripts
 * without spaces, the dictionary says where words begin and end.
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
    const isEdge = createDictionaryEdgeTest(text);
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

/** Removes those `addresses` for which `isMere` is true, with the punctuation that sets them off. */
function removeAddresses(
  text: string,
  addresses: readonly RegExpExecArray[],
  isMere: (before: string, after: string) => boolean,
): string {
  let rest = text;
  for (const found of addresses.toReversed()) {
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

/**
 * True if a mention only calls: only punctuation is after it, or only that and other mentions before it. A possessive,
 * such as `@mark's`, is no call.
 */
function isMereMention(before: string, after: string): boolean {
  return !POSSESSIVE.test(after) && (ONLY_ADDRESSES.test(before) || NOTHING_SAID.test(after));
}

/**
 * True if a name only calls: it is alone, or a comma or the like sets it off at either end. `before` and `after`: the
 * message around it.
 */
function isMereName(before: string, after: string): boolean {
  return (
    (ONLY_ADDRESSES.test(before) && SET_OFF_AFTER.test(after)) ||
    (NOTHING_SAID.test(after) && (SET_OFF_BEFORE.test(before) || ONLY_ADDRESSES.test(before)))
  );
}
