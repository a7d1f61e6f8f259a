import { UNSPACED } from "../language/edges.ts";
import { MARK } from "./mark-people.ts";
import { NUMBER, numberOf } from "./said-seconds.ts";
import type { Passage } from "./wish-clauses.ts";

/** What may follow a length, besides the end: courtesy, or why. "3 links" is no length. */
const END =
  "$|please|pls|plz|now|thanks|thx|ty|\\p{L}+ing|reason|for|because|cause|cuz|bc|since|bitte|jetzt|danke|wegen|weil|por|porfa|ahora|gracias|porque|agora|obrigado|obrigada|stp|svp|maintenant|merci|pour|parce que|пожалуйста|пж|плиз|сейчас|спасибо|за|потому";
const BEFORE = "for|of|für|von|auf|mit|por|de|durante|pour|pendant|на";
/** "timeout bob 30", as Twitch's own command takes it. */
const BEHIND = new RegExp(`^ (?<before>(?:${BEFORE}) )?${NUMBER}(?= (?:${END}))`, "u");
/** "bob für 30 muten": German puts what to do behind it. */
const WITHIN = new RegExp(
  `${MARK} (?:(?:bitte|kurz|jetzt) )*(?<before>(?:${BEFORE}) )?${NUMBER} (?:lang |bitte )*(?:stumm ?schalten|stumm|muten|timeouten)$`,
  "u",
);
const NATIVE_VERB =
  "タイムアウト|ミュート|黙らせ|타임아웃|뮤트|채금|禁言|封口|闭麦|静音|闭嘴|閉嘴|time ?out|mute";
const NATIVE_LETTER = new RegExp(`[${UNSPACED}\\p{sc=Hang}]`, "u");
const NATIVE = new RegExp(
  `(?:${MARK}(?!\\d)|${NATIVE_VERB})\\s*(?:さん|ちゃん|くん|君|氏|様|님|씨)?\\s*(?:して|해줘|해)?\\s*(?:を|に|は|을|를|은|는|한테|에게)?\\s*(?<count>\\d{1,7})\\s*(?:で\\s*)?(?=${NATIVE_VERB}|お願い|부탁|해|좀|$|[!！。.、，,])`,
  "u",
);
/** So short a time with a word like "for" is as likely minutes, and then the longer one holds. */
const MINUTES_MAX = 10;
const YEARS = { first: 1_900, last: 2_099 };

/**
 * The longest time that a bare number right at a wish for a time-out speaks of, in seconds; null where none is there, or
 * where it may as well be something else.
 */
export function bareSeconds(passages: readonly Passage[]): number | null {
  const lengths = passages.flatMap(({ named, rest }) => {
    const found = NATIVE_LETTER.test(named)
      ? NATIVE.exec(`${named}${rest}`.replace(/\s+/gu, " "))
      : (BEHIND.exec(rest) ?? WITHIN.exec(named));
    const length = lengthOf(found?.groups ?? {});
    return length === null ? [] : [length];
  });
  return lengths.length === 0 ? null : Math.max(...lengths);
}

function lengthOf({ before, ten, count }: Readonly<Record<string, string | undefined>>) {
  if (ten === undefined && count === undefined) return null;
  const value = numberOf(ten) + numberOf(count);
  const isYear = value >= YEARS.first && value <= YEARS.last;
  // "Mute bob 2" says "too".
  const isWord = before === undefined && count === "2";
  if (isYear || isWord || value < 1 || count?.startsWith("0") === true) return null;
  return before !== undefined && value <= MINUTES_MAX ? value * 60 : value;
}
