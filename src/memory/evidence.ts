// Pure: values in, values out.
import { fold } from "../language/fold.ts";
import type { Language } from "../language/languages.ts";
import { languageFinder } from "../language/languages.ts";
import { hasNegator, listNegators, readTokensWithDenial } from "../language/negation.ts";
import { findPrivateMatter } from "../language/private-matters.ts";
import { isRolePlay } from "../language/self-telling.ts";
import {
  type ContentWord,
  createWordBag,
  findAbbreviated,
  isForm,
  isMisspelling,
  readContent,
  readNumeral,
  readWordLine,
  type WordBag,
  type WordLine,
} from "../language/stems.ts";
import { splitWords, type WordSpan } from "../language/words.ts";
import { LABEL_IN_TEXT } from "./labels.ts";

/** A message of a window, with labels for names. */
export interface EvidenceLine extends WrittenLine {
  /** The same for all accounts of a person. */
  readonly personId: string;
  readonly isStreamer: boolean;
  /** Moderators vouch for the channel as the streamer does. */
  readonly isModerator: boolean;
  /** A `/me`: role play proves nothing. */
  readonly isAction: boolean;
}

/** A message, and the account that wrote it. */
export interface WrittenLine {
  readonly userId: string;
  readonly text: string;
}

/** Why a claim is not believed, in the order of the checks. */
export type EvidenceRefusal =
  | "no_quote"
  | "number"
  | "borrowed"
  | "one_account"
  | "not_by_subject"
  | "negation";

interface Support {
  readonly kind: "supported";
  /** Places of the lines that prove it. */
  readonly lines: readonly number[];
  /** Places of other people's lines that lent it a word. */
  readonly borrowed: readonly number[];
  /** A check leaves a doubt: the claim waits in the shadow. */
  readonly isDoubtful: boolean;
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
/** Words that one other viewer may lend to a statement, and one viewer alone may have of a channel's. */
const BORROWED_MAX = 1;
/** A message with at most this many content words is an answer. */
const ANSWER_WORDS_MAX = 2;
const ADDED_WORDS_MIN = 2;
/** The verb is the first content word among the first two after the label: "P2 keeps", "P2 has started". */
const VERB_PLACES = 2;
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
/** A shorter earlier message makes no paste: it is an answer that many give, "from Germany". */
const EARLIER_WORDS_MIN = 4;
/** The most messages from a question to its answer. */
export const ANSWER_LINES_MAX = 4;
/** This language writes every noun with a capital. A capital means no name there. */
const NOUN_CAPITALS = "de";

const CLAUSE_END = /[.,;:!?…。、！？；，؟،؛।\n]+|\s[-–—]\s/gu;
const QUESTION = /[?？؟]/u;
/** A question without its mark, as chat types it: "@streamer when is the next stream". */
const QUESTION_WORD =
  /^(?:\P{L}|streamer |hey |so )*(?:when|what|where|which|who|whose|why|how|wann|was|wo|wer|wie|warum|welche[rs]?|cuando|que|donde|quien|como|cual|quand|quel(?:le)?|ou|qui|comment|pourquoi|quando|onde|quem|qual|dove|chi|quale|kiedy|gdzie|kto|jak|когда|что|где|кто|как)(?!\p{L})/u;
const LETTERS = /[\p{L}\p{N}]+/gu;
const NUMBER = /\p{N}+/gu;
/** The separator of thousands in "15,000". */
const THOUSANDS = /(?<=\d)[.,'\u202f](?=\d{3}(?!\d))/gu;
const KILO = /(?<![\p{L}\p{N}.,])(\d{1,4})k(?![\p{L}\p{N}])/gu;
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

/** The checks of claims against a window, prepared once. Design part 7, point 2. */
export class WindowEvidence {
  readonly #lines: readonly ReadLine[];
  /** The words of each person. */
  readonly #bags: ReadonlyMap<string, WordBag>;
  /** Returns the language of a text of this window, or null. */
  readonly languageOf: (text: string) => Language | null;

  /** `earlier`: messages before the window. */
  constructor(lines: readonly EvidenceLine[], earlier: readonly WrittenLine[] = []) {
    const languagesOf = languageFinder(lines.map(({ text }) => text));
    this.languageOf = (text) => languagesOf(text)[0] ?? null;
    const pastes = findPastes(lines, earlier);
    this.#lines = lines.map((line, at) => {
      const language = this.languageOf(line.text);
      const said = readWordLine(line.text, language);
      return {
        ...{ ...line, ...said, at, language, bag: createWordBag([said]) },
        proves: !provesNothing(line),
        isPasted: pastes.has(at),
      };
    });
    const people = new Set(this.#lines.map(({ personId }) => personId));
    const linesOf = (id: string) => this.#lines.filter(({ personId }) => personId === id);
    this.#bags = new Map([...people].map((id) => [id, createWordBag(linesOf(id))]));
  }

  /** Judges a viewer's claim about themselves, by their own messages that say its quotes. Leaves out pastes. */
  judgePerson(claim: WrittenClaim, userId: string): EvidenceVerdict {
    const quoted = this.#findQuoted(claim.quotes);
    const own = quoted.filter((line) => line.userId === userId && !line.isPasted);
    return this.#judge(claim, own, false);
  }

  /** Judges a claim about the channel, or a running joke, by all messages that say its quotes. Pastes count. */
  judgeChannel(claim: WrittenClaim): EvidenceVerdict {
    return this.#judge(claim, this.#findQuoted(claim.quotes), true);
  }

  /** Returns the stems of a statement's words that only this viewer used in this window. */
  findOwnWords(statement: string, userId: string): readonly string[] {
    const personId = this.#lines.find((line) => line.userId === userId)?.personId ?? "";
    return readContent(statement, this.languageOf(statement))
      .filter((word) => this.#isOnlyOf(personId, word))
      .map(({ stem }) => stem);
  }

  /** Returns the folded part of a viewer's first message that says a quote; null if none does. */
  findQuotedPart(quote: string, userId: string): SaidText | null {
    const line = this.#findQuoted([quote]).find((one) => one.userId === userId);
    if (line === undefined) return null;
    const found = alignWords(listWords(quote), line.words);
    const text = line.folded.slice(found[0]?.start, found.at(-1)?.end);
    return { text, language: line.language };
  }

  /**
   * Returns the messages that say one of the quotes, in order. Leaves out questions, role play, and messages that are
   * mostly quotations.
   */
  #findQuoted(quotes: readonly string[]): ReadLine[] {
    const wanted = quotes.map(listWords);
    return this.#lines.filter(
      (line) => line.proves && wanted.some((words) => isSaidIn(words, line)),
    );
  }

  /** True if this person used a word in this window, and nobody else did. */
  #isOnlyOf(personId: string, word: ContentWord): boolean {
    if (this.#bags.get(personId)?.holds(word) !== true) return false;
    return [...this.#bags].every(([id, bag]) => id === personId || !bag.holds(word));
  }

  /** Judges a claim by messages that say its quotes. Refuses it by the first failed check of `EvidenceRefusal`. */
  #judge(
    { statement, quotes }: WrittenClaim,
    proving: readonly ReadLine[],
    ofChannel: boolean,
  ): EvidenceVerdict {
    const language = proving[0]?.language ?? this.languageOf(statement);
    const content = readContent(statement, language);
    const lines = proving.filter((line) => !isOnlyQuotedIn(line, content));
    if (lines.length === 0) return refuse("no_quote");
    const asked = joinBags(this.#findQuestions(proving).map(({ bag }) => bag));
    const carrying = lines.filter((line) => !ofChannel || carries(line, content, asked));
    if (carrying.length === 0) return refuse("not_by_subject");
    const carriers = [...new Set(carrying.map(({ personId }) => personId))];
    const isByStreamer = carrying.some((line) => line.isStreamer || line.isModerator);

    const ownLines = this.#lines.filter(({ personId }) => carriers.includes(personId));
    const number = checkNumbers(statement, ownLines, lines);
    if (number === "refused") return refuse("number");

    const texts = lines.map(({ text }) => text);
    const shortened = findAbbreviated(statement, texts, language);
    const traced = this.#traceWords(content, { carriers, lines, asked, shortened });
    if (isBorrowed(traced, content, lines)) return refuse("borrowed");
    const isStory = carriers.some((id) => this.#isOwnStory(id, content));
    if (ofChannel && !isByStreamer && isStory) return refuse("one_account");

    const isUnsaid = (one: TracedWord) => !one.isOwn && !one.isStreamers && !one.isLent;
    const isForeign = traced.length > 0 && traced.every(({ isOwn }) => !isOwn);
    const isSaid = traced.some(isUnsaid) || lines.some((line) => line.content.length > 0);
    if (isForeign && isSaid) return refuse("not_by_subject");

    const negation = checkNegation(statement, lines);
    if (negation === "refused") return refuse("negation");

    const answered = joinBags(
      lines.flatMap((line) => this.#findAnswered(line, statement)).map(({ bag }) => bag),
    );
    // An answer may use its question's words; about the channel only the streamer's.
    const isFree = ({ word, isAsked }: TracedWord) =>
      ofChannel ? isByStreamer && isAsked : answered.holds(word);
    // "Don't" proves "not" and "never". Which words they deny is compared on its own.
    const denying = lines.find((line) => line.language && hasNegator(line.text, line.language));
    const negators = denying?.language ? listNegators(statement, denying.language) : new Set();
    const stated = traced.filter(({ word }) => !negators.has(word.word));
    const unsaid = stated.filter(isUnsaid);
    const held = stated.filter((one) => one.isQuoted || isFree(one));
    const isNew = unsaid.length >= NEW_WORDS_MIN && unsaid.length >= stated.length * NEW_SHARE_MIN;
    // A statement about the channel may begin with any capital.
    const start = fold(statement.trim());
    const isNewName = ({ word: { isName, word } }: TracedWord): boolean =>
      isName && !(ofChannel && start.startsWith(word));
    const doubts = [
      ...[number === "doubt", negation === "doubt", isNew],
      stated.some((one) => one.lenders.length === 1 && !isFree(one)),
      language?.code !== NOUN_CAPITALS && unsaid.some(isNewName),
      held.length < stated.length * QUOTED_SHARE_MIN,
      addsDetails({ statement, quotes }, { content, unsaid }, language),
      lines.every(mayBePlayed),
    ];
    const borrowed = this.#lines.filter(({ personId, bag }) =>
      traced.some(({ lenders, word }) => lenders.includes(personId) && bag.holds(word)),
    );
    return {
      ...{ kind: "supported", isDoubtful: doubts.includes(true), carriers },
      lines: proving.map(({ at }) => at),
      borrowed: borrowed.map(({ at }) => at),
    };
  }

  /** Finds who wrote each word of a statement in the window. `lines`: the quoted messages. */
  #traceWords(
    content: readonly ContentWord[],
    said: {
      readonly carriers: readonly string[];
      readonly lines: readonly ReadLine[];
      readonly asked: WordBag;
      /** Words of the statement that the lines abbreviate. */
      readonly shortened: ReadonlySet<string>;
    },
  ): TracedWord[] {
    const { carriers, lines, asked, shortened } = said;
    const streamer = joinBags(
      this.#lines.filter(({ isStreamer }) => isStreamer).map(({ bag }) => bag),
    );
    const own = joinBags(carriers.flatMap((id) => this.#bags.get(id) ?? []));
    const quoted = joinBags(lines.map(({ bag }) => bag));
    const others = [...this.#bags].filter(([id]) => !carriers.includes(id));
    return content.map((word) => {
      const isShortened = shortened.has(word.word);
      const isOwn = isShortened || own.holds(word);
      const isStreamers = streamer.holds(word);
      const lenders = others.flatMap(([id, bag]) =>
        !isOwn && !isStreamers && bag.holds(word) ? [id] : [],
      );
      return {
        ...{ word, isOwn, isStreamers, lenders, isLent: lenders.length > 0 },
        isQuoted: isShortened || quoted.holds(word),
        isAsked: asked.holds(word),
      };
    });
  }

  /** True if only this person used two or more words of a statement. A name of several words counts once. */
  #isOwnStory(personId: string, content: readonly ContentWord[]): boolean {
    const sole = content.filter((word) => this.#isOnlyOf(personId, word));
    return countUnits(sole, content) > BORROWED_MAX;
  }

  /**
   * Returns the questions that a message affirms, as its writer's first message since. A question that names viewers
   * names only those of the statement. After another one, no third viewer wrote before the answer, unless the streamer
   * answers. At least half of the words that the answer adds must be in the statement.
   */
  #findAnswered(answer: ReadLine, statement: string): ReadLine[] {
    const language = answer.language ?? this.languageOf(statement);
    const { text } = answer;
    if (language === null || hasNegator(text, language)) return [];
    if (listWords(text).some((word) => language.no.includes(word))) return [];
    const said = createWordBag([readWordLine(statement, language)]);
    const subjects: readonly string[] = statement.match(LABEL_IN_TEXT) ?? [];
    return this.#findQuestions([answer]).filter((question) => {
      const between = this.#lines.slice(question.at + 1, answer.at);
      const named: readonly string[] = question.text.match(LABEL_IN_TEXT) ?? [];
      const isFirst = between.every(({ personId }) => personId !== answer.personId);
      const isAsked =
        named.length > 0
          ? named.every((label) => subjects.includes(label))
          : answer.isStreamer || between.every(({ personId }) => personId === question.personId);
      const newWords = answer.content.filter((word) => !question.bag.holds(word));
      const shared = newWords.filter(said.holds);
      const isStated = shared.length > 0 && shared.length * 2 >= newWords.length;
      return isFirst && isAsked && isStated;
    });
  }

  /**
   * Returns others' messages with a question mark, among the four messages before each of `proving`. If the streamer
   * wrote the proving one, a question word at the start is enough.
   */
  #findQuestions(proving: readonly ReadLine[]): ReadLine[] {
    return proving.flatMap(({ at, personId, isStreamer }) =>
      this.#lines
        .slice(Math.max(0, at - ANSWER_LINES_MAX), at)
        .filter(
          (line) =>
            line.personId !== personId &&
            (QUESTION.test(line.folded) || (isStreamer && QUESTION_WORD.test(line.folded))),
        ),
    );
  }
}

function refuse(reason: EvidenceRefusal): EvidenceVerdict {
  return { kind: "refused", reason };
}

/** Why a fact that a viewer asked to be remembered is refused. */
export type QuoteRefusal = "no_quote" | "unsupported" | "private";

/**
 * Returns why a fact that a viewer asked to be remembered is refused; null if it may be stored. The quote must be in
 * one of their `own` messages, and prove the fact. A private matter is refused, too. So is a doubtful negation, since
 * no review follows.
 */
export function findQuoteRefusal(
  fact: string,
  quote: string,
  own: readonly string[],
  others: readonly string[],
): QuoteRefusal | null {
  const linesOf = (userId: string, texts: readonly string[]) =>
    texts.map((text) => ({
      ...{ userId, personId: userId, text },
      ...{ isStreamer: false, isModerator: false, isAction: false },
    }));
  const evidence = new WindowEvidence([...linesOf("own", own), ...linesOf("others", others)]);
  const part = evidence.findQuotedPart(quote, "own");
  if (part === null) return "no_quote";
  // "Don't forget that I have two cats" negates something outside the quote.
  const isDenied = checkNegation(fact, [part]) !== null;
  const verdict = evidence.judgePerson({ statement: fact, quotes: [quote] }, "own");
  if (verdict.kind === "refused" || isDenied) return "unsupported";
  const isPrivate = findPrivateMatter(fact, languageFinder([...own, ...others])) !== null;
  return isPrivate ? "private" : null;
}

/** A text of chat, and its language if known: for its negations. */
interface SaidText {
  readonly text: string;
  readonly language: Language | null;
}

interface ReadLine extends EvidenceLine, WordLine, SaidText {
  /** The place in the window. */
  readonly at: number;
  readonly bag: WordBag;
  readonly proves: boolean;
  /** Three accounts wrote it alike: it says nothing about any of them. */
  readonly isPasted: boolean;
}

function joinBags(bags: readonly WordBag[]): WordBag {
  return { holds: (word) => bags.some((bag) => bag.holds(word)) };
}

/** True if a message is role play or mostly a quotation: it says nothing about its writer. */
export function provesNothing({ text, isAction }: EvidenceLine): boolean {
  if (isAction || ROLE_PLAY.test(text)) return true;
  const quoted = (text.match(QUOTED) ?? []).flatMap(listWords);
  return quoted.length * 2 > listWords(text).length;
}

function listWords(text: string): string[] {
  return splitWords(fold(text)).map(({ word }) => word);
}

/**
 * True if a message says three quarters of a quote's words in order, and not as a question. A quote of one or two words
 * must be nearly the whole message. One of more than 24 words is never said.
 */
function isSaidIn(quote: readonly string[], line: ReadLine): boolean {
  if (quote.length === 0 || quote.length > QUOTE_WORDS_MAX) return false;
  // Below three words a quote must be nearly the whole message.
  if (quote.length < QUOTE_WORDS_MIN && line.words.length > QUOTE_WORDS_MIN) return false;
  const found = alignWords(quote, line.words);
  return found.length / quote.length >= QUOTE_SHARE_MIN && !isAsked(found, line);
}

/** Returns the most words of a quote that a message has in the same order. Gaps and misspellings are allowed. */
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

/** True if each clause of a message that has one of the `found` words ends with a question mark. */
function isAsked(found: readonly WordSpan[], { folded }: ReadLine): boolean {
  if (!QUESTION.test(folded)) return false;
  const ends = [...folded.matchAll(CLAUSE_END)];
  return found.every(({ end }) => {
    const next = ends.find(({ index }) => index >= end);
    return next !== undefined && QUESTION.test(next[0]);
  });
}

/** True if a message may not be meant: it is role play, in capitals alone or mocking case, or has an ironic emote. */
function mayBePlayed({ text, language }: ReadLine): boolean {
  const bare = text.replaceAll(LABEL_IN_TEXT, " ");
  const isShouted =
    !SMALL_LETTER.test(bare) && (bare.match(CAPITALS)?.length ?? 0) >= SHOUTED_CAPITALS_MIN;
  if (isShouted || IRONY_MARK.test(bare) || MOCKING_CASE.test(bare)) return true;
  return language !== null && isRolePlay(bare, language);
}

/** True if a message has words of a statement, but only between quotation marks: another person said them. */
function isOnlyQuotedIn({ text, language, bag }: ReadLine, content: readonly ContentWord[]) {
  const rest = text.replaceAll(QUOTED, " ");
  if (rest === text) return false;
  const held = content.filter((word) => bag.holds(word));
  const outside = createWordBag([readWordLine(rest, language)]);
  return held.length > 0 && held.every((word) => !outside.holds(word));
}

/** True if a message, with the questions before it (`asked`), has at least a third of a statement's words. */
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
  readonly isLent: boolean;
}

/**
 * True if one other viewer lends two or more words. Words of a question before a quoted message do not count. After a
 * short answer such as "me too", a name of several words counts once.
 */
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

/**
 * True if a statement adds two words that nobody wrote, or more than it leaves out of its quotes. "A new mountain bike"
 * adds to the quote "got a new bike". Its verb does not count: "P2 keeps bees" for the quote "I have bees".
 */
function addsDetails(
  { statement, quotes }: WrittenClaim,
  { content, unsaid }: { content: readonly ContentWord[]; unsaid: readonly TracedWord[] },
  language: Language | null,
): boolean {
  const start = listWords(statement.replaceAll(LABEL_IN_TEXT, " ")).slice(0, VERB_PLACES);
  const verb = start.find((one) => content.some(({ word }) => word === one));
  const added = unsaid.filter(({ word }) => word.word !== verb);
  const said = createWordBag([readWordLine(statement, language)]);
  const left = quotes.flatMap((quote) => readContent(quote, language));
  const replaced = left.filter((word) => !said.holds(word)).length;
  return added.length >= ADDED_WORDS_MIN || added.length > replaced;
}

/** Messages that at least three accounts wrote alike. */
export interface Paste {
  /** The place of the first one. */
  readonly first: number;
  readonly writers: number;
}

/**
 * Returns the pastes in `lines`, by the place of each pasted message. Copies have the same letters and digits, or the
 * same six or more words and a few others. A message with one word replaced is no copy: "my main is Ana". Copies of
 * four or more words in `earlier` count, too.
 */
export function findPastes(
  lines: readonly WrittenLine[],
  earlier: readonly WrittenLine[] = [],
): ReadonlyMap<number, Paste> {
  const readLine = ({ userId, text }: WrittenLine) => ({
    ...{ userId, letters: readLetters(text) },
    words: new Set(listWords(text)),
  });
  const here = lines.map(readLine);
  const before = earlier.map(readLine).filter(({ words }) => words.size >= EARLIER_WORDS_MIN);
  const read = [...here, ...before];
  const pastes = new Map<number, Paste>();
  for (const [n, line] of here.entries()) {
    if (line.letters === "") continue;
    const alike = read.flatMap((other, at) =>
      other.letters === line.letters || isNearlyPasted(line.words, other.words) ? [at] : [],
    );
    const writers = new Set(alike.map((at) => read[at]?.userId)).size;
    if (writers >= PASTED_MIN) pastes.set(n, { first: alike[0] ?? n, writers });
  }
  return pastes;
}

/** True if the shorter message has six or more words, all in the longer one, and at least 80 % of its words. */
function isNearlyPasted(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [short, long] = one.size < other.size ? [one, other] : [other, one];
  if (short.size < PASTED_WORDS_MIN || short.size < long.size * PASTED_SHARE_MIN) return false;
  return [...short].every((word) => long.has(word));
}

/** Returns the folded letters and digits of a text. Messages with the same ones are copies. */
function readLetters(text: string): string {
  return (fold(text).match(LETTERS) ?? []).join("");
}

/**
 * Returns null if each number of a statement is in `own`, the carriers' messages. `doubt`: the missing ones are at most
 * 12, and no quoted message has digits, so they may be spelled out.
 */
function checkNumbers(
  statement: string,
  own: readonly ReadLine[],
  quoted: readonly ReadLine[],
): "refused" | "doubt" | null {
  const bare = fold(statement.replaceAll(LABEL_IN_TEXT, " "));
  const said = new Set(
    own.flatMap(({ folded, words, language }) => [
      ...findNumbers(folded),
      ...words.flatMap(({ word }) => readNumeral(word, language) ?? []),
    ]),
  );
  const missing = findNumbers(bare).filter((number) => !said.has(number));
  if (missing.length === 0) return null;
  const mayBeSpelled =
    missing.every((number) => Number(number) <= SPELLED_MAX) &&
    quoted.every(({ folded }) => !/\p{N}/u.test(folded));
  return mayBeSpelled ? "doubt" : "refused";
}

/** Returns the numbers of a text as digits: "15000" for "15k" and "15,000". */
function findNumbers(text: string): string[] {
  const whole = text.replaceAll(THOUSANDS, "").replaceAll(KILO, "$1000");
  return whole.match(NUMBER) ?? [];
}

/** Counts `words`, a part of `content`. A name of several words counts once. */
function countUnits(words: readonly ContentWord[], content: readonly ContentWord[]): number {
  return words.filter((word) => {
    const before = content[content.indexOf(word) - 1];
    const continuesName = word.isName && before?.isName === true && words.includes(before);
    return !continuesName;
  }).length;
}

/**
 * Compares a statement with messages: which of the words that both have does each deny? Null if at most half differ, or
 * for an unknown language. `refused` if there are two or more, all differ, and a negator is near one. Else `doubt`.
 */
function checkNegation(statement: string, lines: readonly SaidText[]): "refused" | "doubt" | null {
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
