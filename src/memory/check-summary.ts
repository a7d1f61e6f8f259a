// Pure: values in, values out.

import { NOTE_SCOPES, type NoteScope } from "../catalogue/note-kinds.ts";
import type { StoredMoment } from "../chat/moment-store.ts";
import { cleanLine, splitSentences } from "../language/clean.ts";
import { fold } from "../language/fold.ts";
import { findPeople, makePersonToken } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import type { CheckedClaim, Summary } from "./episode-store.ts";
import { type EvidenceRefusal, WindowEvidence, type WrittenLine } from "./evidence.ts";
import { isDenied } from "./fact-key.ts";
import { LABEL_IN_TEXT, type Labels, STREAMER, THE_STREAMER } from "./labels.ts";
import { describeMoment } from "./recall/moments.ts";
import type { SentenceReason } from "./sentence-checks.ts";
import {
  CLAIMS_MAX,
  type How,
  SUMMARY_WORDS_MAX,
  TOPIC_WORDS_MAX,
  type WrittenSummary,
} from "./summary-prompt.ts";
import type { TranscriptLine } from "./transcript.ts";

/** Why a claim was dropped. */
type ClaimReason =
  | "unknown_subject"
  | "names_other"
  | "empty"
  | "transcript"
  | "duplicate"
  | "too_many"
  | "viewer_fact"
  | EvidenceRefusal
  | SentenceReason;

export type SummaryCheck =
  | {
      readonly kind: "good";
      readonly summary: Summary;
      /** Why claims and sentences were dropped: `claim.REASON` or `sentence.REASON`, one for each. */
      readonly dropped: readonly string[];
    }
  /** Its topic or summary repeats a distinctive run of a message: worth asking once more. */
  | { readonly kind: "transcript" }
  /** The model wrote nothing. */
  | { readonly kind: "empty" };

/** A window, with the checks for its summary. */
export interface SummaryContext {
  readonly labels: Labels;
  readonly lines: readonly TranscriptLine[];
  /** Messages before the window. A copy of them proves nothing. */
  readonly earlier: readonly WrittenLine[];
  /** Returns why a sentence may not become memory, or null if it may. */
  readonly check: (sentence: string, ofChannel?: boolean) => SentenceReason | null;
  /** True if a text repeats a distinctive run of a message of this window. */
  readonly repeats: (text: string) => boolean;
  /**
   * True if known viewers carry a sentence. Each of its words from chat is the streamer's, the
   * title's, or of two of them.
   */
  readonly isCarried: (sentence: string) => boolean;
  /** True if a text has a regular viewer's login as a bare word. */
  readonly mayName: (text: string) => boolean;
  /** Takes "tomorrow" and the like out of a statement. Returns the day that it means, or null. */
  readonly takeOutDay: (
    statement: string,
    ofChannel: boolean,
  ) => { statement: string; day: string | null };
  readonly moments: readonly StoredMoment[];
  /** True on the second try: what repeats is cut instead of asked for again. */
  readonly cut: boolean;
}

/** From this many of a viewer's own words in their claim on, a sentence repeats the claim. */
const OWN_WORDS_MIN = 2;
/** Scripts without spaces make few words of much text. */
const SUMMARY_CHARS_MAX = 900;
const TOPIC_CHARS_MAX = 80;
/** A model was asked for few claims and quotes. Beyond these numbers none is read. */
const CLAIMS_READ_MAX = 200;
const QUOTES_READ_MAX = 10;
const LABEL_WITH_S = /(?<![\p{L}\p{M}\p{N}_])(P\d{1,4})s(?![\p{L}\p{M}\p{N}_])/gu;

/**
 * Checks a model's summary against its window; blocks for up to 100 ms. Drops claims that the messages do not prove,
 * that copy a message, or that name another viewer than their subject. Returns `good` even if it drops all of it.
 */
export function checkSummary(answer: WrittenSummary, context: SummaryContext): SummaryCheck {
  const { labels, repeats } = context;
  const writtenTopic = separateLabels(answer.topic);
  const writtenSummary = separateLabels(answer.summary);
  const unread = answer.claims.slice(CLAIMS_READ_MAX);
  const read = answer.claims.slice(0, CLAIMS_READ_MAX).map((claim) => ({
    ...claim,
    statement: separateLabels(claim.statement),
    quotes: claim.quotes.slice(0, QUOTES_READ_MAX),
  }));
  if (read.length === 0 && writtenTopic.trim() === "" && writtenSummary.trim() === "") {
    return { kind: "empty" };
  }
  // A claim that copies is left out: a second question would cost more than it is worth.
  if (!context.cut && (repeats(writtenTopic) || repeats(writtenSummary))) {
    return { kind: "transcript" };
  }
  const evidence = new WindowEvidence(context.lines, context.earlier);
  const hasFact = createFactMatcher(read, labels, evidence);
  const checked = checkClaims(read, { ...context, evidence, hasFact });
  const check = (sentence: string) =>
    context.check(sentence) ?? (hasFact(sentence) ? "viewer_fact" : null);
  const sentences = keepSentences(writtenSummary, check, repeats);
  const isProven = (sentence: string) => context.isCarried(sentence) && !context.mayName(sentence);
  const proven = sentences.kept.filter(isProven);
  const waiting = sentences.kept.filter((sentence) => !isProven(sentence));
  const summary = joinSentences(proven, labels, repeats) || composeSummary(checked.claims, context);
  const said = isProven(writtenTopic) ? cutTopic(writtenTopic) : "";
  // The page shows both together, so together they must not repeat a message either.
  const isCopy = repeats(`${said}: ${proven.join(" ")}`);
  return {
    kind: "good",
    summary: {
      topic: check(said) === null && !isCopy ? labels.toTokens(said) : "",
      summary,
      unproven: joinSentences(waiting, labels, repeats),
      claims: checked.claims,
    },
    dropped: [
      ...[...checked.dropped, ...unread.map(() => "too_many")].map((reason) => `claim.${reason}`),
      ...sentences.dropped.map((reason) => `sentence.${reason}`),
    ],
  };
}

/** Writes "P2s" as "P2's", so that the label is seen as one. */
function separateLabels(text: string): string {
  return text.replaceAll(LABEL_WITH_S, "$1's");
}

/**
 * Composes a summary for an answer without a proven sentence. It has moments, and undoubted claims about the channel
 * that the streamer, a moderator or two known viewers carry. Returns "" if there are none.
 */
function composeSummary(
  claims: readonly CheckedClaim[],
  { lines, moments }: SummaryContext,
): string {
  const vouching = lines.filter(({ isStreamer, isModerator }) => isStreamer || isModerator);
  const vouchingIds = new Set(vouching.map(({ personId }) => personId));
  const knownIds = new Set(lines.flatMap(({ isKnown, personId }) => (isKnown ? [personId] : [])));
  const isVouched = ({ carriers }: CheckedClaim): boolean =>
    carriers.some((id) => vouchingIds.has(id)) ||
    carriers.filter((id) => knownIds.has(id)).length > 1;
  const proven = claims
    .filter((claim) => claim.scope !== "viewer" && claim.how === "plainly" && !claim.isWeak)
    .filter(isVouched)
    .map(({ statement }) => statement.replace(/\.?$/u, "."));
  const reported = moments.flatMap((moment) => {
    const phrase = describeMoment(moment);
    return phrase === null ? [] : [`${makePersonToken(moment.userId)} ${phrase}.`];
  });
  return [...proven, ...reported].join(" ");
}

type RawClaim = WrittenSummary["claims"][number];

interface ClaimContext extends SummaryContext {
  readonly evidence: WindowEvidence;
  /** True if a sentence repeats a viewer's fact about themselves. */
  readonly hasFact: (sentence: string) => boolean;
}

/** Returns the claims that pass, each statement once, at most `CLAIMS_MAX`, and why each other one was dropped. */
function checkClaims(read: readonly RawClaim[], context: ClaimContext) {
  const passed = new Map<string, CheckedClaim>();
  const dropped: ClaimReason[] = [];
  for (const raw of read) {
    const claim = checkClaim(raw, context);
    if (typeof claim === "string") dropped.push(claim);
    else if (passed.has(claim.statement)) dropped.push("duplicate");
    else passed.set(claim.statement, claim);
  }
  const claims = limitClaims([...passed.values()]);
  for (let n = claims.length; n < passed.size; n += 1) dropped.push("too_many");
  return { claims, dropped };
}

/**
 * Returns at most `CLAIMS_MAX` claims, in order. Takes each subject's first claim, then each one's second, and so on.
 */
function limitClaims(claims: readonly CheckedClaim[]): CheckedClaim[] {
  const turns = new Map<string, number>();
  const withTurn = claims.map((claim) => {
    const subject = claim.subjectId ?? claim.scope;
    const turn = (turns.get(subject) ?? 0) + 1;
    turns.set(subject, turn);
    return { claim, turn };
  });
  const first = withTurn.sort((one, other) => one.turn - other.turn).slice(0, CLAIMS_MAX);
  const taken = new Set(first.map(({ claim }) => claim));
  return claims.filter((claim) => taken.has(claim));
}

/**
 * Checks a claim. One about a viewer names only them, and their own words prove it. One about the channel names only
 * the streamer, and repeats no viewer's fact.
 */
function checkClaim(written: RawClaim, context: ClaimContext): CheckedClaim | ClaimReason {
  const { labels, evidence, lines } = context;
  const subject = written.subject.trim();
  const scope = NOTE_SCOPES.find((one) => one === subject.toLowerCase()) ?? "viewer";
  const ofChannel = scope !== "viewer";
  const read = context.takeOutDay(cleanLine(written.statement), ofChannel);
  if (read.statement === "") return "empty";
  const reason = context.check(read.statement, ofChannel);
  if (reason !== null) return reason;
  if (context.repeats(read.statement)) return "transcript";
  const subjectId = labels.findUserId(subject);
  if (!ofChannel && !lines.some(({ userId }) => userId === subjectId)) return "unknown_subject";
  const named = nameSubject(read.statement, subject, labels);
  if (named === null) return "names_other";
  const { statement, stored } = named;
  const claim = { statement, quotes: written.quotes };
  const verdict =
    subjectId === null ? evidence.judgeChannel(claim) : evidence.judgePerson(claim, subjectId);
  if (verdict.kind === "refused") return verdict.reason;
  if (ofChannel && context.hasFact(statement)) return "viewer_fact";
  const idsOf = (places: readonly number[]) => places.flatMap((place) => lines[place]?.id ?? []);
  const isDenial = isDenied(statement, evidence.languageOf(statement));
  return {
    ...{ scope, subjectId, statement: stored, carriers: verdict.carriers },
    eventIds: idsOf(verdict.lines),
    borrowedIds: idsOf(verdict.borrowed),
    isWeak: verdict.isDoubtful || (ofChannel && context.mayName(statement)),
    how: correctHow(written.how, scope, isDenial),
    happensOn: written.on ?? read.day,
  };
}

/** Returns `plainly` for a `joking` claim about a running joke, and for a `past` denial ("no longer plays bass"). */
function correctHow(how: How, scope: NoteScope, isDenial: boolean): How {
  if (scope === "bit") return how === "joking" ? "plainly" : how;
  return how === "past" && isDenial ? "plainly" : how;
}

/**
 * Returns a statement with labels, and as it is stored, with tokens. Puts the viewer in front of the stored one if it
 * names nobody. Null if it names another viewer than its subject.
 */
function nameSubject(
  said: string,
  subject: string,
  labels: Labels,
): { readonly statement: string; readonly stored: string } | null {
  const subjectId = labels.findUserId(subject);
  const statement =
    subjectId === null
      ? said.replaceAll(LABEL_IN_TEXT, (one) => (one === STREAMER ? THE_STREAMER : one))
      : said;
  const labelled: readonly string[] = statement.match(LABEL_IN_TEXT) ?? [];
  if (labelled.some((label) => label !== subject)) return null;
  const tokens = labels.toTokens(statement);
  const named = findPeople(tokens);
  if (named.some((id) => id !== subjectId)) return null;
  const isNamed = subjectId === null || named.length > 0;
  return { statement, stored: isNamed ? tokens : `${makePersonToken(subjectId)} ${tokens}` };
}

/**
 * Returns a function that is true if a sentence repeats a viewer's claim. Two words that only they used in this window
 * are enough, or one with their label. Dropped claims count, too. Claims about the streamer do not.
 */
function createFactMatcher(
  claims: readonly RawClaim[],
  labels: Labels,
  evidence: WindowEvidence,
): (sentence: string) => boolean {
  const facts = claims.flatMap(({ subject, statement }) => {
    const label = subject.trim();
    // The streamer's statements about themselves are channel knowledge.
    if (label === STREAMER) return [];
    const userId = labels.findUserId(label);
    return userId === null ? [] : [{ label, words: evidence.findOwnWords(statement, userId) }];
  });
  return (sentence) => {
    const said = new Set(readStems(sentence).map((one) => fold(one)));
    const named = new Set<string>(sentence.match(LABEL_IN_TEXT) ?? []);
    return facts.some(({ label, words }) => {
      const shared = new Set(words.filter((word) => said.has(word))).size;
      return shared >= (named.has(label) ? 1 : OWN_WORDS_MIN);
    });
  };
}

/**
 * Returns the sentences of a summary or recap that may be stored, with labels, and why others were dropped. Sentences
 * beyond 120 words or 900 characters are in neither list. `check` returns the reason to drop a sentence, or null.
 * `repeats`: true if a text copies a message.
 */
export function keepSentences<Reason extends string>(
  text: string,
  check: (sentence: string) => Reason | null,
  repeats: (text: string) => boolean,
): { kept: string[]; dropped: (Reason | "transcript")[] } {
  const kept: string[] = [];
  const dropped: (Reason | "transcript")[] = [];
  for (const piece of splitSentences(cleanLine(text))) {
    const sentence = piece.trim();
    const next = [...kept, sentence].join(" ");
    if (next.split(" ").length > SUMMARY_WORDS_MAX || next.length > SUMMARY_CHARS_MAX) continue;
    const reason = check(sentence) ?? (repeats(next) ? "transcript" : null);
    if (reason === null) kept.push(sentence);
    else dropped.push(reason);
  }
  return { kept, dropped };
}

/** Joins sentences into the text to store, with tokens for labels. Returns "" if the joined text repeats a message. */
function joinSentences(
  sentences: readonly string[],
  labels: Labels,
  repeats: (text: string) => boolean,
): string {
  const text = sentences.join(" ");
  return repeats(text) ? "" : labels.toTokens(text);
}

/** Cuts a topic to 8 words and 80 characters, by whole words: half a label is another viewer's label. */
function cutTopic(topic: string): string {
  const words = cleanLine(topic).split(" ").slice(0, TOPIC_WORDS_MAX);
  while (words.join(" ").length > TOPIC_CHARS_MAX) words.pop();
  return words.join(" ");
}
