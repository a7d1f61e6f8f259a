// Pure: values in, values out.
import { fold } from "../language/fold.ts";
import type { Language } from "../language/languages.ts";
import { readTokensWithDenial } from "../language/negation.ts";
import { findPrivateMatter } from "../language/private-matters.ts";
import {
  type ContentWord,
  createWordBag,
  isForm,
  isMisspelling,
  readContent,
  type WordBag,
} from "../language/vocabulary.ts";
import { languageFinder } from "../language/which-language.ts";
import { splitWords, type WordSpan } from "../language/words.ts";
import { LABEL_IN_TEXT } from "./labels.ts";

/** A message of a window, with labels for names. */
export interface EvidenceLine {
  readonly userId: string;
  /** The same for all accounts of a person. Default: the account. */
  readonly personId?: string;
  readonly isStreamer: boolean;
  /** Moderators vouch for the channel as the streamer does. */
  readonly isModerator?: boolean;
  /** Two known viewers make channel knowledge. Design part 7, point 3. */
  readonly isKnown?: boolean;
  /** A `/me`: role play proves nothing. */
  readonly isAction?: boolean;
  readonly text: string;
}

/** Why a claim is not believed, in the order in which it is asked. */
export type EvidenceRefusal =
  | "no_quote"
  | "number"
  | "borrowed"
  | "one_account"
  | "not_by_subject"
  | "negation";

/** Why a claim is in doubt: it waits in the shadow. */
type Doubt =
  | "borrowed_word"
  | "new_words"
  | "new_name"
  | "number"
  | "negation"
  | "little_quoted"
  | "irony";

export interface Support {
  readonly kind: "supported";
  /** Places of the lines that prove it. */
  readonly lines: readonly number[];
  /** Places of other people's lines that lent it a word. */
  readonly borrowed: readonly number[];
  readonly doubts: readonly Doubt[];
  /** The people whose lines prove it. */
  readonly carriers: readonly string[];
}

type EvidenceVerdict = Support | { readonly kind: "refused"; readonly reason: EvidenceRefusal };

/** A claim and its proof, as a model wrote them. */
export interface WrittenClaim {
  readonly statement: string;
  readonly quotes: readonly string[];
}

/** The share of a quote's words that a message needs, in order. Design part 7, point 2. */
const QUOTE_SHARE_MIN = 0.75;
const QUOTE_WORDS_MIN = 3;
/** A model asked for twelve words; more than this was not copied from one line. */
const QUOTE_WORDS_MAX = 24;
/** The lowest share of a statement's words in the quoted messages. */
const QUOTED_SHARE_MIN = 1 / 3;
/** Words that one other viewer may lend to a statement; a name counts once. */
const BORROWED_MAX = 1;
/** A message with at most this many content words is an answer. */
const ANSWER_WORDS_MAX = 2;
const NEW_WORDS_MIN = 2;
const NEW_SHARE_MIN = 0.5;
/** From this many shared words on, the opposite negation of all of them refutes a statement. */
const NEGATION_WORDS_MIN = 2;
/** Numbers up to this are often written as words. */
const SPELLED_MAX = 12;
/** A message that this many accounts wrote alike proves nothing about its writers. */
export const PASTED_MIN = 3;
const PASTED_WORDS_MIN = 6;
const PASTED_SHARE_MIN = 0.8;
/** The most messages from a question to its answer. */
const ANSWER_LINES_MAX = 4;
/** Languages that write every noun with a capital. A capital means no name there. */
const NOUN_CAPITALS: ReadonlySet<string> = new Set(["de"]);

const CLAUSE_END = /[.,;:!?…。、！？；，؟،؛।\n]+|\s[-–—]\s/gu;
const QUESTION = /[?？؟]/u;
/** A question without its mark, as chat types it: "@streamer when is the next stream". */
const QUESTION_WORD =
  /^(?:\P{L}|streamer |hey |so )*(?:when|what|where|which|who|whose|why|how|wann|was|wo|wer|wie|warum|welche[rs]?|cuando|que|donde|quien|como|cual|quand|quel(?:le)?|ou|qui|comment|pourquoi|quando|onde|quem|qual|dove|chi|quale|kiedy|gdzie|kto|jak|когда|что|где|кто|как)(?!\p{L})/u;
const NUMBER = /\p{N}+/gu;
/** The separator of thousands in "15,000". */
const THOUSANDS = /(?<=\d)[.,'\u202f](?=\d{3}(?!\d))/gu;
const KILO = /(?<![\p{L}\p{N}.,])(\d{1,4})k(?![\p{L}\p{N}])/gu;
const LETTERS = /[\p{L}\p{N}]+/gu;
/** Emotes and marks by which chat says that it does not mean it. */
const IRONY_MARK =
  /(?<![\p{L}\p{N}_/])(?:Kappa|KappaHD|Keepo|Clueless|C(?:opium|OPIUM)|Copege|Pepega|KKonaW?|\/s)(?![\p{L}\p{N}_])|🙃|🤡/u;
/** Mocking case: "sUrE tHiNg". */
const MOCKING_CASE = /\p{Ll}\p{Lu}\p{Ll}\p{Lu}/u;
const SMALL_LETTER = /\p{Ll}/u;
const CAPITALS = /\p{Lu}/gu;
/** A message of fewer capitals is no shout. */
const SHOUTED_CAPITALS_MIN = 8;
const ROLE_PLAY = /^\s*(?:>|\*[^*]+\*\s*$|_[^_]+_\s*$)/u;
const QUOTED = /"[^"]+"|“[^”]+”|„[^“”"]+[“”"]|«[^»]+»|»[^«]+«|「[^」]+」|『[^』]+』/gu;

export type WindowEvidence = ReturnType<typeof readEvidence>;

/** The checks of claims against a window, prepared once. */
export function readEvidence(lines: readonly EvidenceLine[]) {
  const languageOf = readLanguages(lines.map(({ text }) => text));
  const pasted = findPastes(lines);
  const read = lines.map((line, n) => readLine(line, languageOf(line.text), pasted.has(n)));
  const people = collectBags(read);
  const personOf = (userId: string) => read.find((line) => line.userId === userId)?.personId ?? "";
  const others = (userId: string) => [...people].filter(([id]) => id !== personOf(userId));
  const ownOf = (userId: string) => people.get(personOf(userId)) ?? createWordBag([]);
  return {
    /** Judges a claim of a viewer about themselves. */
    ofPerson: ({ statement, quotes }: WrittenClaim, userId: string): EvidenceVerdict => {
      const proving = findQuotedLines(quotes, read).filter(
        (n) => read[n]?.userId === userId && !read[n].isPasted,
      );
      return judge(statement, { proving, read, people, ofChannel: false });
    },
    /** Judges a claim about the channel, or a running joke. */
    ofChannel: ({ statement, quotes }: WrittenClaim): EvidenceVerdict =>
      judge(statement, { proving: findQuotedLines(quotes, read), read, people, ofChannel: true }),
    /** Returns the stems of a claim that only this viewer used in this window. */
    tellingWords: (statement: string, userId: string): readonly string[] =>
      readContent(statement, languageOf(statement))
        .filter((word) => ownOf(userId).holds(word))
        .filter((word) => others(userId).every(([, bag]) => !bag.holds(word)))
        .map(({ stem }) => stem),
  };
}

/** Messages that at least three accounts wrote alike. */
export interface Paste {
  /** The place of the first one. */
  readonly first: number;
  readonly writers: number;
}

/**
 * Finds pastes by the place of each message: the same letters and digits, or from six different words on the same words
 * with at most a few more. Another word in the place of one is an answer of its own: "my main is Ana".
 */
export function findPastes(lines: readonly EvidenceLine[]): ReadonlyMap<number, Paste> {
  const read = lines.map(({ text }) => ({
    letters: readLetters(text),
    words: new Set(splitWords(fold(text)).map(({ word }) => word)),
  }));
  const pastes = new Map<number, Paste>();
  for (const [n, line] of read.entries()) {
    if (line.letters === "") continue;
    const alike = read.flatMap((other, at) =>
      other.letters === line.letters || isNearlyPasted(line.words, other.words) ? [at] : [],
    );
    const writers = new Set(alike.map((at) => lines[at]?.userId)).size;
    if (writers >= PASTED_MIN) pastes.set(n, { first: alike[0] ?? n, writers });
  }
  return pastes;
}

function isNearlyPasted(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [short, long] = one.size < other.size ? [one, other] : [other, one];
  if (short.size < PASTED_WORDS_MIN || short.size < long.size * PASTED_SHARE_MIN) return false;
  return [...short].every((word) => long.has(word));
}

/** Returns the letters and digits of a text, by which pastes are alike. */
export function readLetters(text: string): string {
  return (fold(text).match(LETTERS) ?? []).join("");
}

/**
 * Returns the place of the first message with a quote, or null. It has three quarters of the
 * quote's words in order. Case and punctuation do not count, and from five letters on one may
 * differ. Below three words the quote must be nearly the whole message. Questions prove nothing.
 */
function findQuote(quote: string, lines: readonly string[]): number | null {
  const languageOf = readLanguages(lines);
  const read = lines.map((text) =>
    readLine({ userId: "", isStreamer: false, text }, languageOf(text), false),
  );
  return findQuotedLines([quote], read)[0] ?? null;
}

/** Why a fact that a viewer asked to be remembered is refused. */
export type QuoteRefusal = "no_quote" | "unsupported" | "private";

/**
 * Checks a fact that a viewer asked to be remembered; null if it may be. The quote must be in their own messages, the
 * fact must follow from it, and a private matter needs a command.
 */
export function checkRequest(
  fact: string,
  quote: string,
  own: readonly string[],
  others: readonly string[],
): QuoteRefusal | null {
  const at = findQuote(quote, own);
  if (at === null) return "no_quote";
  const said = { own, quoted: own[at] ?? "", quote, others };
  if (checkSupport(fact, said) !== null) return "unsupported";
  return findPrivateMatter(fact, languageFinder([...own, ...others])) === null ? null : "private";
}

/**
 * Returns why a fact does not follow from a viewer's messages, or null. `quoted` is the message
 * with `quote`. No review follows, so a doubtful negation refuses it.
 */
function checkSupport(
  fact: string,
  said: {
    readonly own: readonly string[];
    readonly quoted: string;
    readonly quote: string;
    readonly others: readonly string[];
  },
): EvidenceRefusal | null {
  const languageOf = readLanguages([...said.own, ...said.others]);
  const line = (userId: string) => (text: string) =>
    readLine({ userId, isStreamer: false, text }, languageOf(text), false);
  const own = [...said.own, said.quoted].map(line("own"));
  const read = [...own, ...said.others.map(line("others"))];
  const proving = [own.length - 1];
  const verdict = judge(fact, { proving, read, people: collectBags(read), ofChannel: false });
  if (verdict.kind === "refused") return verdict.reason;
  // "Don't forget that I have two cats" negates something outside the quote.
  const isDenied = own.slice(-1).some((line) => {
    const words = splitWords(fold(said.quote)).map(({ word }) => word);
    const found = alignWords(words, line.words);
    const text = line.folded.slice(found[0]?.start ?? 0, found.at(-1)?.end);
    return checkNegation(fact, [{ ...line, text }]) !== null;
  });
  return isDenied ? "negation" : null;
}

/** Returns a function that finds the language of a message, for its stems and negations. */
function readLanguages(window: readonly string[]): (text: string) => Language | null {
  const languagesOf = languageFinder(window);
  return (text) => languagesOf(text)[0] ?? null;
}

interface ReadLine extends EvidenceLine {
  readonly personId: string;
  readonly language: Language | null;
  readonly folded: string;
  readonly words: readonly WordSpan[];
  readonly content: readonly ContentWord[];
  readonly bag: WordBag;
  readonly proves: boolean;
  /** Three accounts wrote it alike: it says nothing about any of them. */
  readonly isPasted: boolean;
}

function readLine(line: EvidenceLine, language: Language | null, isPasted: boolean): ReadLine {
  const folded = fold(line.text);
  const said = { folded, words: splitWords(folded), content: readContent(line.text, language) };
  const writer = { ...line, personId: line.personId ?? line.userId, language };
  return { ...writer, ...said, bag: createWordBag([said]), proves: !provesNothing(line), isPasted };
}

/** Joins several bags. */
function joinBags(bags: readonly WordBag[]): WordBag {
  return { holds: (word) => bags.some((bag) => bag.holds(word)) };
}

/** True if a message is role play or mostly a quotation: it says nothing about its writer. */
export function provesNothing({ text, isAction }: EvidenceLine): boolean {
  if (isAction === true || ROLE_PLAY.test(text)) return true;
  return countWords(text.match(QUOTED) ?? []) * 2 > countWords([text]);
}

function countWords(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + splitWords(fold(text)).length, 0);
}

function collectBags(read: readonly ReadLine[]): ReadonlyMap<string, WordBag> {
  const people = new Set(read.map(({ personId }) => personId));
  return new Map(
    [...people].map((id) => [id, createWordBag(read.filter(({ personId }) => personId === id))]),
  );
}

/** Returns the places of messages that say one of the quotes, in order. */
function findQuotedLines(quotes: readonly string[], read: readonly ReadLine[]): number[] {
  const wanted = quotes.map((quote) => splitWords(fold(quote)).map(({ word }) => word));
  return read.flatMap((line, n) =>
    line.proves && wanted.some((words) => isSaidIn(words, line)) ? [n] : [],
  );
}

function isSaidIn(quote: readonly string[], line: ReadLine): boolean {
  if (quote.length === 0 || quote.length > QUOTE_WORDS_MAX) return false;
  const isWhole = quote.length >= QUOTE_WORDS_MIN || line.words.length < QUOTE_WORDS_MIN + 1;
  if (!isWhole) return false;
  const found = alignWords(quote, line.words);
  return found.length / quote.length >= QUOTE_SHARE_MIN && !isAsked(found, line);
}

/** Returns the longest run of a quote's words that a message has in order, with gaps. */
function alignWords(quote: readonly string[], words: readonly WordSpan[]): WordSpan[] {
  let best: WordSpan[][] = Array.from({ length: words.length + 1 }, () => []);
  for (const wanted of quote) {
    const next: WordSpan[][] = [[]];
    for (const [at, span] of words.entries()) {
      const taken = wanted === span.word || isMisspelling(wanted, span.word);
      const withIt = taken ? [...(best[at] ?? []), span] : [];
      const longer = (a: WordSpan[], b: WordSpan[]) => (a.length >= b.length ? a : b);
      next.push(longer(withIt, longer(best[at + 1] ?? [], next[at] ?? [])));
    }
    best = next;
  }
  return best.at(-1) ?? [];
}

/** True if a mark of irony, capitals alone or mocking case show that a message may not be meant. */
function soundsIronic(text: string): boolean {
  const bare = text.replaceAll(LABEL_IN_TEXT, " ");
  const isShouted =
    !SMALL_LETTER.test(bare) && (bare.match(CAPITALS)?.length ?? 0) >= SHOUTED_CAPITALS_MIN;
  return isShouted || IRONY_MARK.test(bare) || MOCKING_CASE.test(bare);
}

/** True if every clause with one of the words ends with a question mark. */
function isAsked(found: readonly WordSpan[], { folded }: ReadLine): boolean {
  if (!QUESTION.test(folded)) return false;
  const ends = [...folded.matchAll(CLAUSE_END)];
  return found.every(({ end }) => {
    const next = ends.find(({ index }) => index >= end);
    return next !== undefined && QUESTION.test(next[0]);
  });
}

interface Grounds {
  /** Places of the quoted lines. */
  readonly proving: readonly number[];
  readonly read: readonly ReadLine[];
  readonly people: ReadonlyMap<string, WordBag>;
  readonly ofChannel: boolean;
}

/** Design part 7, point 2, in its order. */
function judge(statement: string, grounds: Grounds): EvidenceVerdict {
  const { proving, read, people, ofChannel } = grounds;
  const language = proving.map((n) => read[n]?.language).find((one) => one !== undefined) ?? null;
  const content = readContent(statement, language);
  const lines = proving.flatMap((n) => {
    const line = read[n];
    return line === undefined || isOnlyQuotedIn(line, content) ? [] : [line];
  });
  if (lines.length === 0) return refuse("no_quote");
  const asked = joinBags(findQuestions(proving, read).map(({ bag }) => bag));
  const carrying = ofChannel ? lines.filter((line) => carries(line, content, asked)) : lines;
  if (carrying.length === 0) return refuse("not_by_subject");
  const carriers = [...new Set(carrying.map(({ personId }) => personId))];
  const isByStreamer = carrying.some((line) => line.isStreamer || line.isModerator === true);

  const ownLines = read.filter(({ personId }) => carriers.includes(personId));
  const number = checkNumbers(statement, ownLines, lines);
  if (number === "refused") return refuse("number");

  const traced = traceWords(content, { carriers, lines, asked }, grounds);
  if (isBorrowed(traced, content, lines)) return refuse("borrowed");
  const isStory = carriers.some((id) => isOwnStory(id, content, people));
  if (ofChannel && !isByStreamer && isStory) return refuse("one_account");

  const unsaid = traced.filter((one) => !one.isOwn && !one.isStreamers && one.lenders.length === 0);
  const isForeign = traced.length > 0 && traced.every(({ isOwn }) => !isOwn);
  const isSaid = unsaid.length > 0 || lines.some((line) => line.content.length > 0);
  if (isForeign && isSaid) return refuse("not_by_subject");

  const negation = checkNegation(statement, lines);
  if (negation === "refused") return refuse("negation");

  // An answer of the streamer may use its question's words.
  const isFree = ({ isAsked }: TracedWord) => ofChannel && isByStreamer && isAsked;
  const sole = traced.filter((one) => one.lenders.length === 1 && !isFree(one));
  const held = traced.filter((one) => one.isQuoted || isFree(one));
  const isNew = unsaid.length >= NEW_WORDS_MIN && unsaid.length >= content.length * NEW_SHARE_MIN;
  const newWords = unsaid.map(({ word }) => word);
  const found: readonly (readonly [Doubt, boolean])[] = [
    ["number", number === "doubt"],
    ["borrowed_word", sole.length > 0],
    ["new_words", isNew],
    ["new_name", hasNewName(newWords, statement, grounds, language)],
    ["negation", negation === "doubt"],
    ["irony", lines.every(({ text }) => soundsIronic(text))],
    ["little_quoted", held.length < content.length * QUOTED_SHARE_MIN],
  ];
  const doubts = found.flatMap(([doubt, isThere]) => (isThere ? [doubt] : []));
  const borrowed = findLenders(traced, read);
  return { kind: "supported", lines: proving, borrowed, doubts, carriers };
}

/**
 * True if a message has the words of a statement only between quotation marks, so that another
 * person said them.
 */
function isOnlyQuotedIn({ text, language, bag }: ReadLine, content: readonly ContentWord[]) {
  const rest = text.replaceAll(QUOTED, " ");
  if (rest === text) return false;
  const held = content.filter((word) => bag.holds(word));
  const outside = readLine({ userId: "", isStreamer: false, text: rest }, language, false).bag;
  return held.length > 0 && held.every((word) => !outside.holds(word));
}

/**
 * True if a message carries a statement: it has a third of its words. An unrelated quote does not.
 */
function carries({ bag }: ReadLine, content: readonly ContentWord[], asked: WordBag): boolean {
  const held = content.filter((word) => bag.holds(word) || asked.holds(word));
  return held.length >= content.length * QUOTED_SHARE_MIN;
}

/** A word of a statement, and who wrote it in the window. */
interface TracedWord {
  readonly word: ContentWord;
  /** A carrier wrote it. */
  readonly isOwn: boolean;
  /** It is in a quoted line. */
  readonly isQuoted: boolean;
  readonly isStreamers: boolean;
  /** It is in a question right before a quoted line. */
  readonly isAsked: boolean;
  /** The other people who wrote it; none if a carrier or the streamer did. */
  readonly lenders: readonly string[];
}

function traceWords(
  content: readonly ContentWord[],
  by: { carriers: readonly string[]; lines: readonly ReadLine[]; asked: WordBag },
  { read, people }: Grounds,
): TracedWord[] {
  const streamer = joinBags(read.filter(({ isStreamer }) => isStreamer).map(({ bag }) => bag));
  const own = joinBags(by.carriers.flatMap((id) => people.get(id) ?? []));
  const quoted = joinBags(by.lines.map(({ bag }) => bag));
  const others = [...people].filter(([id]) => !by.carriers.includes(id));
  return content.map((word) => {
    const [isOwn, isStreamers] = [own.holds(word), streamer.holds(word)];
    const lenders = others.flatMap(([id, bag]) =>
      !isOwn && !isStreamers && bag.holds(word) ? [id] : [],
    );
    return {
      ...{ word, isOwn, isStreamers, lenders },
      isQuoted: quoted.holds(word),
      isAsked: by.asked.holds(word),
    };
  });
}

/** True if one other viewer lends more than a word. The answer "me too" borrows a whole name. */
function isBorrowed(
  traced: readonly TracedWord[],
  content: readonly ContentWord[],
  lines: readonly ReadLine[],
): boolean {
  const isShort = lines.every((line) => line.content.length <= ANSWER_WORDS_MAX);
  const lenders = new Set(traced.flatMap((one) => one.lenders));
  return [...lenders].some((id) => {
    const lent = traced.filter((one) => one.lenders.includes(id) && !one.isAsked);
    const words = lent.map(({ word }) => word);
    return (isShort ? countUnits(words, content) : words.length) > BORROWED_MAX;
  });
}

function refuse(reason: EvidenceRefusal): EvidenceVerdict {
  return { kind: "refused", reason };
}

/**
 * True if a new word is a proper name: it has a capital inside a sentence, in a language where that
 * means a name.
 */
function hasNewName(
  unsaid: readonly ContentWord[],
  statement: string,
  { ofChannel }: Grounds,
  language: Language | null,
): boolean {
  if (NOUN_CAPITALS.has(language?.code ?? "")) return false;
  const start = fold(statement.trim());
  return unsaid.some(({ isName, word }) => isName && !(ofChannel && start.startsWith(word)));
}

/** Returns the places of messages whose writers lent a word in them. */
function findLenders(traced: readonly TracedWord[], read: readonly ReadLine[]): number[] {
  return read.flatMap((line, n) => {
    const lent = traced.filter(({ lenders }) => lenders.includes(line.personId));
    return lent.some(({ word }) => line.bag.holds(word)) ? [n] : [];
  });
}

/** True if two or more words of a claim are this viewer's alone: others may not have meant it. */
function isOwnStory(
  personId: string,
  content: readonly ContentWord[],
  people: ReadonlyMap<string, WordBag>,
): boolean {
  const own = content.filter((word) => people.get(personId)?.holds(word));
  const sole = own.filter((word) =>
    [...people].every(([id, bag]) => id === personId || !bag.holds(word)),
  );
  return countUnits(sole, content) > BORROWED_MAX;
}

/** Returns questions of others right before the proving messages. */
function findQuestions(proving: readonly number[], read: readonly ReadLine[]): ReadLine[] {
  return proving.flatMap((n) =>
    read
      .slice(Math.max(0, n - ANSWER_LINES_MAX), n)
      .filter((line) => line.personId !== read[n]?.personId && asks(line, read[n])),
  );
}

/** True for a question mark. Before the streamer's answer a question word at the start is enough. */
function asks({ folded }: ReadLine, answer: ReadLine | undefined): boolean {
  return QUESTION.test(folded) || (answer?.isStreamer === true && QUESTION_WORD.test(folded));
}

/**
 * Checks that every number of a statement is in the carriers' messages. A small one may be spelled
 * out there.
 */
function checkNumbers(
  statement: string,
  own: readonly ReadLine[],
  quoted: readonly ReadLine[],
): "refused" | "doubt" | null {
  const bare = fold(statement.replaceAll(LABEL_IN_TEXT, " "));
  const said = new Set(own.flatMap(({ folded }) => findNumbers(folded)));
  const missing = findNumbers(bare).filter((number) => !said.has(number));
  if (missing.length === 0) return null;
  const mayBeSpelled =
    missing.every((number) => Number(number) <= SPELLED_MAX) &&
    quoted.every(({ folded }) => !/\p{N}/u.test(folded));
  return mayBeSpelled ? "doubt" : "refused";
}

/** Returns the numbers of a text: "15k" and "15,000" are one. */
function findNumbers(text: string): string[] {
  const whole = text.replaceAll(THOUSANDS, "").replaceAll(KILO, "$1000");
  return whole.match(NUMBER) ?? [];
}

/** Counts the words. A name of several words counts once. */
function countUnits(words: readonly ContentWord[], content: readonly ContentWord[]): number {
  return words.filter((word) => {
    const before = content[content.indexOf(word) - 1];
    const continuesName = word.isName && before?.isName === true && words.includes(before);
    return !continuesName;
  }).length;
}

/**
 * Compares negations. A statement is doubtful if more than half of the shared words differ, and
 * refused if all do.
 */
function checkNegation(statement: string, lines: readonly ReadLine[]): "refused" | "doubt" | null {
  const language = lines.find((line) => line.language !== null)?.language ?? null;
  if (language === null) return null;
  // Without a stemmer, forms of a word are known by how they begin.
  const isSame = (one: string, other: string): boolean =>
    one === other || (language.stemmer === null && isForm(one, other));
  const said = lines.flatMap(({ text }) => readTokensWithDenial(text, language));
  const shared = readTokensWithDenial(statement, language)
    .map((word) => ({ word, same: said.filter(({ stem }) => isSame(stem, word.stem)) }))
    .filter(({ same }) => same.length > 0);
  const opposed = shared.filter(({ word, same }) =>
    same.every(({ denied }) => denied !== word.denied),
  );
  if (opposed.length * 2 <= shared.length) return null;
  // "Can't wait to move" negates no move: a distant negator is only a doubt.
  const isDirect = opposed.some(
    ({ word, same }) => word.denied || same.some((one) => one.isDirect),
  );
  const isOpposite = opposed.length === shared.length && shared.length >= NEGATION_WORDS_MIN;
  return isDirect && isOpposite ? "refused" : "doubt";
}
