// Pure: values in, values out.
import type { Sayings } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";
import { findQuote, supportedBy } from "../memory/evidence.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { Facts, QuoteRefusal } from "./action-policy.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { RawArgs } from "./grammar.ts";
import { wordForWord } from "./said-words.ts";

/** What the reply guard says of one text. */
export type GuardVerdict =
  | { readonly ok: true; readonly text: string; readonly removed: readonly string[] }
  | { readonly ok: false };

/** What is to be kept about somebody stands in their own words; a private matter they have to ask for by command. */
export function quoteRefusal(
  { fact = "", quote = "" }: RawArgs,
  words: readonly string[],
  others: readonly string[],
): QuoteRefusal | null {
  const at = findQuote(quote, words);
  if (at === null) return "no_quote";
  const said = { own: words, quoted: words[at] ?? "", others };
  if (supportedBy(fact, said) !== null) return "unsupported";
  return privateMatter(fact) === null ? null : "private";
}

/** Mends of the guard that show that the text was to be more than a text. */
const TELLTALE_MENDS = new Set(["action", "thought", "lead"]);

/**
 * The arguments as they may be said: free text as it stands in the requester's own `words` (null: it is theirs already),
 * and as the guard lets it pass.
 */
export function textsOf(
  name: ActionName,
  args: RawArgs,
  words: readonly string[] | null,
  voice: {
    readonly guard: (text: string) => GuardVerdict;
    readonly says: Sayings;
    readonly warnReason: string | null;
  },
): Facts["texts"] {
  const own = words === null ? args : inOwnWords(name, args, words, voice.says);
  if (own === null) return { kind: "refused", reason: "not_verbatim" };
  const passed: Record<string, string> = { ...own };
  for (const key of CATALOGUE[name].texts) {
    const written = own[key];
    if (written === undefined) continue;
    const guarded = written.split("|").map(voice.guard);
    if (!guarded.every(isClean)) return { kind: "refused", reason: "guard" };
    passed[key] = guarded.map(({ text }) => text).join("|");
  }
  const reason = voice.warnReason ?? voice.says.warnReason;
  return { kind: "passed", args: name === "warn" ? { reason, ...passed } : passed };
}

function isClean(verdict: GuardVerdict): verdict is Extract<GuardVerdict, { ok: true }> {
  return verdict.ok && !verdict.removed.some((mend) => TELLTALE_MENDS.has(mend));
}

/** Free text as the requester wrote it; a reason or a mark's text that is not theirs is left out. Null: refused. */
function inOwnWords(
  name: ActionName,
  args: RawArgs,
  words: readonly string[],
  { pollYes, pollNo }: Sayings,
): RawArgs | null {
  if (CATALOGUE[name].consent === "quote") return args;
  const texts = Object.entries(args).filter(([key]) => CATALOGUE[name].texts.includes(key));
  const said = texts.map(([key, written]) => {
    const isYesOrNo = key === "choices" && YES_OR_NO.test(written);
    return [key, allIn(written, words) ?? (isYesOrNo ? `${pollYes}|${pollNo}` : null)] as const;
  });
  const isLost = said.some(([key, text]) => text === null && !mayBeLeftOut(name, key));
  if (isLost) return null;
  const own = Object.entries({ ...args, ...Object.fromEntries(said) });
  return Object.fromEntries(own.flatMap(([key, text]) => (text === null ? [] : [[key, text]])));
}

function mayBeLeftOut(name: ActionName, key: string): boolean {
  return key === "reason" || name === "marker";
}

/** Each part of a text, word for word. */
function allIn(written: string, words: readonly string[]): string | null {
  const said = written.split("|").map((part) => wordForWord(part, words));
  return said.every((part) => part !== null) ? said.join("|") : null;
}

const YES_OR_NO = /^\s*yes\s*\|\s*no\s*$/iu;
