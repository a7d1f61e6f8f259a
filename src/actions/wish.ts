import { takeOutActions } from "../language/action-syntax.ts";
import { sensitive } from "../language/sensitive.ts";
import { STOP_WORDS } from "../language/stop-words.ts";
import { normalWords } from "../language/words.ts";
import type { ActionName } from "../platform/config/names.ts";
import { bareSeconds } from "./bare-seconds.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { RawArgs } from "./grammar.ts";
import { markedIn, markPeople } from "./mark-people.ts";
import { nameOf, type Person } from "./resolve.ts";
import { saidSeconds } from "./said-seconds.ts";
import { asksFor, type Passage } from "./wish-clauses.ts";
import { NATIVE_VOCABULARY, VOCABULARY } from "./wish-vocabulary.ts";

/** `said`: the requester's own words ask for it. `not_named`: they do, but for nobody, or for somebody else. */
export type Wish = "said" | "not_said" | "not_named";

export interface WishContext {
  /** The requester's own words in this turn. */
  readonly words: readonly string[];
  /** Who wrote the message that theirs replies to. */
  readonly repliesToId: string | null;
  /** What the bot is called. */
  readonly ownNames: readonly string[];
  /** Whom code found the proposal to mean, and everybody whom words may name; null and none where it means nobody. */
  readonly target: Person | null;
  readonly people: readonly Person[];
}

/** So much of a fact has to stand in the words of whom it is about. */
const FACT_SHARE_MIN = 0.5;
/** What a fact about a name is put in, whatever words it was said with. */
const FRAME: ReadonlySet<string> = new Set(normalWords("wants to be called, goes by the name of"));
const COMMON_WORDS: ReadonlySet<string> = new Set(
  Object.values(STOP_WORDS).flatMap((words) => words.split(" ")),
);

/**
 * Whether the requester wishes for an action in words of their own. What others wrote, and what a model makes of a mere
 * mention, does nothing: the wish itself has to stand there, not quoted, not denied, and with its target.
 */
export function wishOf(name: ActionName, args: RawArgs, context: WishContext): Wish {
  if (name === "remember" || name === "correct") return factWish(args, context.words);
  const passages = passagesFor(name, context);
  if (passages.length === 0) return "not_said";
  if (CATALOGUE[name].target === "none") return "said";
  return passages.some((passage) => meansTarget(passage, context)) ? "said" : "not_named";
}

/**
 * The longest time that the requester's words speak of, in seconds; null where they speak of none. Where they ask for a
 * time-out of the target, a bare number at that is one too, as in Twitch's own command.
 */
export function wishedSeconds(name: ActionName, context: WishContext): number | null {
  const { words, ownNames } = context;
  const counted = saidSeconds(words);
  if (name !== "timeout" || PARTED.test(words.join(" ").normalize("NFKC"))) return counted;
  const passages = passagesFor(name, context).filter((passage) => meansTarget(passage, context));
  const bare = bareSeconds(
    passages.map((passage) => ({
      ...passage,
      rest: ownNames.reduce((rest, own) => rest.replace(` ${nameOf(own)} `, " "), passage.rest),
    })),
  );
  return bare === null ? counted : Math.max(bare, counted ?? 0);
}

/** "1,000" and "10:00": what a bare number is cut out of. */
const PARTED = /\d[.,:/]\d/u;

function passagesFor(name: ActionName, context: WishContext): Passage[] {
  const { target, people } = context;
  const all =
    target === null ? people : [target, ...people.filter(({ userId }) => userId !== target.userId)];
  const isWord = (word: string) =>
    VOCABULARY.has(word) ||
    COMMON_WORDS.has(word) ||
    NATIVE_VOCABULARY.includes(word) ||
    context.ownNames.some((own) => nameOf(own) === word);
  const text = markPeople(foldedWords(context), all, isWord);
  return asksFor(name, text, context.ownNames.map(nameOf));
}

/** The requester's words without whatever in them is written like an action, in brackets of any kind. */
export function ownWords(words: readonly string[]): string {
  return words
    .map((text) => takeOutActions(text.replace(/[({<]/g, "[").replace(/[)}>]/g, "]")).text)
    .join("\n");
}

/** Somebody named with the wish, or else the one person who was named before it or whose message it answers. */
function meansTarget({ named, before }: Passage, { target, repliesToId }: WishContext): boolean {
  if (target === null) return false;
  const own = markedIn(named);
  if (own.length > 0) return own.includes(0);
  const earlier = new Set(markedIn(before));
  if (earlier.size === 0) return repliesToId === target.userId;
  return earlier.size === 1 && earlier.has(0);
}

/** Quoted words are somebody else's; what is said in a word for a command of other bots is said. */
function foldedWords({ words, ownNames }: WishContext): string {
  const own = ownNames.map(nameOf);
  return ownWords(words)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’ʼ‘`´](?=\p{L})/gu, "'")
    .replace(QUOTED, " quoted ")
    .replace(/@([\p{L}\p{M}\p{N}_]+)/gu, (whole, name: string) =>
      own.includes(name) ? name : whole,
    )
    .replace(SHOUT, (whole, called: string | undefined) =>
      called === undefined || own.includes(called) ? "shoutout " : whole,
    )
    .replace(/(?<![\p{L}\p{N}])!(?=\p{L})/gu, " ")
    .replace(/-/g, " ");
}

/** The usual command for it, or the bare word and a name, and nothing else but whom it is said to. */
const SHOUT = /(?<!\S)!so |^\s*(?:([\p{L}\p{M}\p{N}_]+)[\s,:]+)?so (?=\S+[\s!.]*$)/gu;
const QUOTED =
  /"[^"]*(?:"|$)|“[^”]*(?:”|$)|„[^“”]*(?:[“”]|$)|«[^»]*(?:»|$)|「[^」]*」|『[^』]*』|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;

/**
 * What is to be kept about somebody stands in their own words. A private matter that they only told is not kept: they have
 * to ask for it.
 */
function factWish(args: RawArgs, words: readonly string[]): Wish {
  const said = args["fact"] ?? "";
  if (sensitive(said) !== null && !KEEP.test(ownWords(words).normalize("NFKC"))) return "not_said";
  const fact = normalWords(said).filter((word) => !FRAME.has(word));
  const own = new Set(normalWords(words.join(" ")));
  const shared = fact.filter((word) => own.has(word)).length;
  return shared > 0 && shared >= fact.length * FACT_SHARE_MIN ? "said" : "not_said";
}

/** Words for keeping something in mind, in the languages that wishes are understood in. */
const KEEP =
  /(?<!\p{L})(?:remember|memori[sz]e|note (?:that|down)|make a note|take note|keep in mind|don'?t forget|correct|merk|notier|vergiss nicht|recuerd|apunta|anota|no olvides|lembra|lembre|guarda|souviens|retiens|rappelle|n'oublie pas|запомни|запиши|помни|не забудь|update)|覚え|記憶して|メモ|기억해|메모해|记住|記住|记下|別忘|别忘/iu;
