// Pure: values in, values out.
import type { Language } from "../language/languages.ts";
import { tokensWithDenial } from "../language/negation.ts";
import {
  type ContentWord,
  contentOf,
  isForm,
  isMended,
  type WordBag,
  wordBag,
} from "../language/vocabulary.ts";
import { languagesIn } from "../language/which-language.ts";
import { foldText, type WordSpan, wordSpans } from "../language/word-spans.ts";
import { LABEL_IN_TEXT } from "./labels.ts";

/** A line of a window, with labels for names. */
export interface EvidenceLine {
  readonly userId: string;
  /** One for all accounts of a person; the account's own unless told. */
  readonly personId?: string;
  readonly isStreamer: boolean;
  readonly text: string;
}

/** Why a claim is not believed, in the order in which it is asked. */
export type EvidenceRefusal =
  | "no_quote"
  | "one_speaker"
  | "not_by_subject"
  | "borrowed"
  | "one_account"
  | "negation";

export interface Support {
  readonly kind: "supported";
  /** Places of the lines that hold a quote. */
  readonly lines: readonly number[];
  /** Little of it is in the quoted lines: a second episode has to say it. */
  readonly isWeak: boolean;
  /** How many people said it. */
  readonly carriers: number;
}

type EvidenceVerdict = Support | { readonly kind: "refused"; readonly reason: EvidenceRefusal };

/** What is held against a window. */
export interface Claimed {
  readonly statement: string;
  readonly quotes: readonly string[];
}

/** How much of a quote's words have to stand in a line, in order. Design part 6, point 1. */
const QUOTE_SHARE_MIN = 0.75;
const QUOTE_WORDS_MIN = 3;
/** A model asked for twelve words; more than this was not copied from one line. */
const QUOTE_WORDS_MAX = 24;
/** Of a statement's words at least so much in the quoted lines, or it waits for a second episode. */
const QUOTED_SHARE_MIN = 1 / 3;
/** Words that one other account may lend to a statement; in answers a name counts once. */
const BORROWED_MAX = 1;
/** A line with no more words of its own answers somebody else's. */
const ANSWER_WORDS_MAX = 2;
/** Words of a channel's claim, names counted once, that one account alone may have said: two would be its own story. */
const ONE_ACCOUNT_MAX = 1;
const CLAUSE_END = /[.,;:!?…。、！？；，؟،؛।\n]+|\s[-–—]\s/gu;
const QUESTION = /[?？؟]/u;

export type WindowEvidence = ReturnType<typeof windowEvidence>;

/** What code asks of the lines of a window, prepared once. */
export function windowEvidence(lines: readonly EvidenceLine[]) {
  const languageOf = reader(lines.map(({ text }) => text));
  const read = lines.map((line) => readLine(line, languageOf(line.text)));
  const people = new Map<string, WordBag>();
  for (const personId of new Set(read.map((line) => line.personId))) {
    people.set(personId, wordBag(read.filter((line) => line.personId === personId)));
  }
  const personOf = (userId: string) => read.find((line) => line.userId === userId)?.personId;
  const others = (userId: string) => [...people].filter(([id]) => id !== personOf(userId));
  const ownOf = (userId: string) => people.get(personOf(userId) ?? "") ?? wordBag([]);
  return {
    /** A claim of somebody about themselves; `label` is what other lines call them. */
    ofPerson: ({ statement, quotes }: Claimed, userId: string, label: string): EvidenceVerdict => {
      const quoted = quotedLines(quotes, read).filter((n) => read[n]?.userId === userId);
      const [own, lenders] = [ownOf(userId), others(userId)];
      return judgePerson(statement, { quoted, read, own, others: lenders, label });
    },
    /** A claim about the channel, or a joke of it. */
    ofChannel: ({ statement, quotes }: Claimed, isBit: boolean): EvidenceVerdict =>
      judgeChannel(statement, { quoted: quotedLines(quotes, read), read, people, isBit }),
    /** Of a claim's words those by which a sentence would tell it: nobody else in the window used them. */
    tellingWords: (statement: string, userId: string): readonly string[] =>
      contentOf(statement, languageOf(statement))
        .filter((word) => ownOf(userId).holds(word))
        .filter((word) => others(userId).every(([, bag]) => !bag.holds(word)))
        .map(({ stem }) => stem),
  };
}

/**
 * The place of the first line in which a quote stands: at least three quarters of its words, in order; case, spaces and
 * punctuation aside, a letter's difference allowed from five letters on. Fewer than three words are a quote only of a
 * line that is hardly longer, and what somebody asks is not what they say. Null where no line has it.
 */
export function findQuote(quote: string, lines: readonly string[]): number | null {
  const languageOf = reader(lines);
  const read = lines.map((text) =>
    readLine({ userId: "", isStreamer: false, text }, languageOf(text)),
  );
  return quotedLines([quote], read)[0] ?? null;
}

/**
 * Why a fact does not follow from what somebody said, or null: a word of it has to be theirs, others may have put no
 * more than one word into it, and what the quoted line denies it has to deny, too.
 */
export function supportedBy(
  fact: string,
  said: {
    readonly own: readonly string[];
    readonly quoted: string;
    readonly others: readonly string[];
  },
): EvidenceRefusal | null {
  const languageOf = reader([...said.own, ...said.others]);
  const line = (text: string) =>
    readLine({ userId: "", isStreamer: false, text }, languageOf(text));
  const own = [...said.own, said.quoted].map(line);
  const verdict = judgePerson(fact, {
    quoted: [own.length - 1],
    read: own,
    own: wordBag(own),
    others: [["others", wordBag(said.others.map(line))]],
    label: "",
  });
  return verdict.kind === "refused" ? verdict.reason : null;
}

/** The one language of a line, by which its words are stemmed and its negations read. */
function reader(window: readonly string[]): (text: string) => Language | null {
  const languagesOf = languagesIn(window);
  return (text) => languagesOf(text)[0] ?? null;
}

interface ReadLine extends EvidenceLine {
  readonly personId: string;
  readonly language: Language | null;
  readonly folded: string;
  readonly words: readonly WordSpan[];
  readonly content: readonly ContentWord[];
}

function readLine(line: EvidenceLine, language: Language | null): ReadLine {
  const folded = foldText(line.text);
  const content = contentOf(line.text, language);
  const { personId = line.userId } = line;
  return { ...line, personId, language, folded, words: wordSpans(folded), content };
}

/** Places of the lines that hold one of the quotes as something said, in order. */
function quotedLines(quotes: readonly string[], read: readonly ReadLine[]): number[] {
  const wanted = quotes.map((quote) => wordSpans(foldText(quote)).map(({ word }) => word));
  return read.flatMap((line, n) => (wanted.some((words) => isSaidIn(words, line)) ? [n] : []));
}

function isSaidIn(quote: readonly string[], line: ReadLine): boolean {
  if (quote.length === 0 || quote.length > QUOTE_WORDS_MAX) return false;
  const isWhole = quote.length >= QUOTE_WORDS_MIN || line.words.length < QUOTE_WORDS_MIN + 1;
  if (!isWhole) return false;
  const found = wordsInOrder(quote, line.words);
  return found.length / quote.length >= QUOTE_SHARE_MIN && !isAsked(found, line);
}

/** The longest run of a quote's words that stands in a line in order, gaps allowed. */
function wordsInOrder(quote: readonly string[], words: readonly WordSpan[]): WordSpan[] {
  let best: WordSpan[][] = Array.from({ length: words.length + 1 }, () => []);
  for (const wanted of quote) {
    const next: WordSpan[][] = [[]];
    for (const [at, span] of words.entries()) {
      const taken = wanted === span.word || isMended(wanted, span.word);
      const withIt = taken ? [...(best[at] ?? []), span] : [];
      const longer = (a: WordSpan[], b: WordSpan[]) => (a.length >= b.length ? a : b);
      next.push(longer(withIt, longer(best[at + 1] ?? [], next[at] ?? [])));
    }
    best = next;
  }
  return best.at(-1) ?? [];
}

/** Whether every clause that holds one of the words ends with a question mark. */
function isAsked(found: readonly WordSpan[], { folded }: ReadLine): boolean {
  if (!QUESTION.test(folded)) return false;
  const ends = [...folded.matchAll(CLAUSE_END)];
  return found.every(({ end }) => {
    const next = ends.find(({ index }) => index >= end);
    return next !== undefined && QUESTION.test(next[0]);
  });
}

interface PersonGrounds {
  readonly quoted: readonly number[];
  readonly read: readonly ReadLine[];
  readonly own: WordBag;
  readonly others: readonly (readonly [string, WordBag])[];
  readonly label: string;
}

function judgePerson(statement: string, grounds: PersonGrounds): EvidenceVerdict {
  const { quoted, read, own, others, label } = grounds;
  const lines = quoted.flatMap((n) => read[n] ?? []);
  const [first] = lines;
  if (first === undefined) return refused("no_quote");
  const content = contentOf(statement, first.language);
  const foreign = content.filter((word) => !own.holds(word));
  const lent = others.map(([personId, bag]) => ({
    personId,
    words: foreign.filter((word) => bag.holds(word)),
  }));
  const tells = ({ text, content: said }: ReadLine, words: readonly ContentWord[]): boolean =>
    label !== "" &&
    text.match(LABEL_IN_TEXT)?.includes(label) === true &&
    said.some(({ stem }) => words.some((word) => word.stem === stem));
  // Who answers "me too" means the whole name; who is told about has every word of it put into their mouth.
  const isAnswer = lines.every((line) => line.content.length <= ANSWER_WORDS_MAX);
  const loanOf = ({ personId, words }: (typeof lent)[number]): number => {
    const isTold = read.some(
      (line) => line.personId === personId && !QUESTION.test(line.folded) && tells(line, words),
    );
    return isAnswer && !isTold
      ? countUnits(words, content)
      : new Set(words.map(({ stem }) => stem)).size;
  };
  if (lent.some((loan) => loanOf(loan) > BORROWED_MAX)) return refused("borrowed");
  const agrees = lines.every((line) => line.content.length === 0);
  if (!agrees && foreign.length === content.length) return refused("not_by_subject");
  if (denies(statement, lines)) return refused("negation");
  const borrowed = lent.flatMap(({ words }) => words);
  return {
    kind: "supported",
    lines: quoted,
    isWeak:
      quotedShare(content, lines) < QUOTED_SHARE_MIN || read.some((line) => tells(line, borrowed)),
    carriers: 1,
  };
}

interface ChannelGrounds {
  readonly quoted: readonly number[];
  readonly read: readonly ReadLine[];
  readonly people: ReadonlyMap<string, WordBag>;
  readonly isBit: boolean;
}

function judgeChannel(statement: string, grounds: ChannelGrounds): EvidenceVerdict {
  const { quoted, read, people, isBit } = grounds;
  const lines = quoted.flatMap((n) => read[n] ?? []);
  const [first] = lines;
  if (first === undefined) return refused("no_quote");
  const speakers = new Set(lines.map(({ personId }) => personId));
  const isTold = !isBit && lines.some(({ isStreamer }) => isStreamer);
  if (speakers.size < 2 && !isTold) return refused("one_speaker");
  const content = contentOf(statement, first.language);
  const share = quotedShare(content, lines);
  if (share === 0) return refused("not_by_subject");
  const streamers = new Set(
    read.filter(({ isStreamer }) => isStreamer).map(({ personId }) => personId),
  );
  const soleWords = (personId: string, bag: WordBag) =>
    content.filter(
      (word) =>
        bag.holds(word) &&
        [...people].every(([other, held]) => other === personId || !held.holds(word)),
    );
  for (const [personId, bag] of people) {
    const isAlone = countUnits(soleWords(personId, bag), content) > ONE_ACCOUNT_MAX;
    if (isAlone && !streamers.has(personId)) return refused("one_account");
  }
  if (denies(statement, lines)) return refused("negation");
  return {
    kind: "supported",
    lines: quoted,
    isWeak: share < QUOTED_SHARE_MIN,
    carriers: speakers.size,
  };
}

function refused(reason: EvidenceRefusal): EvidenceVerdict {
  return { kind: "refused", reason };
}

/** How much of a statement's words the quoted lines hold. */
function quotedShare(content: readonly ContentWord[], lines: readonly ReadLine[]): number {
  if (content.length === 0) return 0;
  const bag = wordBag(lines);
  return content.filter((word) => bag.holds(word)).length / content.length;
}

/** How many of the words there are, a name of several words counted once. */
function countUnits(words: readonly ContentWord[], content: readonly ContentWord[]): number {
  return words.filter((word) => {
    const before = content[content.indexOf(word) - 1];
    const goesOn = word.isName && before?.isName === true && words.includes(before);
    return !goesOn;
  }).length;
}

/** Whether more than half of the words that a statement shares with the quoted lines are denied in it alone, or in them alone. */
function denies(statement: string, lines: readonly ReadLine[]): boolean {
  const language = lines.find((line) => line.language !== null)?.language ?? null;
  if (language === null) return false;
  // What nothing takes the endings off is known by how it begins.
  const isSame = (one: string, other: string): boolean =>
    one === other || (language.stemmer === null && isForm(one, other));
  const said = lines.flatMap(({ text }) => tokensWithDenial(text, language));
  const shared = tokensWithDenial(statement, language)
    .map((word) => ({ word, same: said.filter(({ stem }) => isSame(stem, word.stem)) }))
    .filter(({ same }) => same.length > 0);
  const opposed = shared.filter(({ word, same }) =>
    same.every(({ denied }) => denied !== word.denied),
  );
  return opposed.length * 2 > shared.length;
}
