// Pure: values in, values out.

import { NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import type { StoredMoment } from "../chat/moment-store.ts";
import { cleanLine, splitSentences } from "../language/clean.ts";
import { fold } from "../language/fold.ts";
import { findPeople, makePersonToken } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import type { CheckedClaim, Summary } from "./episode-store.ts";
import { type EvidenceRefusal, WindowEvidence, type WrittenLine } from "./evidence.ts";
import { isDenied } from "./fact-key.ts";
import { LABEL_IN_TEXT, type Labels, STREAMER } from "./labels.ts";
import { describeMoment } from "./recall/moments.ts";
import type { SentenceReason } from "./sentence-checks.ts";
import {
  CLAIMS_MAX,
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
      /** Dropped claims and sentences, by reason. */
      readonly dropped: ReadonlyMap<string, number>;
    }
  /** Its topic or summary repeats a distinctive run of a message: worth asking once more. */
  | { readonly kind: "transcript" }
  /** The model wrote nothing. */
  | { readonly kind: "empty" };

/** The checks of a sentence of a window. */
interface SentenceContext {
  readonly labels: Labels;
  /** Returns why a sentence may not become memory, or null if it may. */
  readonly check: (sentence: string) => SentenceReason | "viewer_fact" | null;
  /** True if a text repeats a distinctive run of a message of this window. */
  readonly repeats: (text: string) => boolean;
}

export interface SummaryContext extends SentenceContext {
  readonly lines: readonly TranscriptLine[];
  /** Messages before the window. A copy of them proves nothing. */
  readonly earlier: readonly WrittenLine[];
  readonly check: (sentence: string, ofChannel?: boolean) => SentenceReason | null;
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

/** From this many distinctive words of a viewer's claim on, a sentence repeats the claim. */
const TELLING_WORDS_MIN = 2;
/** Scripts without spaces make few words of much text. */
const SUMMARY_CHARS_MAX = 900;
const TOPIC_CHARS_MAX = 80;
/** More than this many claims are not even looked at. */
const CLAIMS_READ_MAX = 200;
const QUOTES_READ_MAX = 10;
const LABEL_WITH_S = /(?<![\p{L}\p{M}\p{N}_])(P\d{1,4})s(?![\p{L}\p{M}\p{N}_])/gu;
/** Facts about the channel call the streamer this, not by a label. */
const THE_STREAMER = "the streamer";

/**
 * Checks a model's summary of a window against the window. Takes up to 100 ms. A claim needs proof in its subject's
 * words, names no other viewer, and copies no message. A summary is good even if all of it is dropped: it was paid for
 * once.
 */
export function checkSummary(answer: WrittenSummary, context: SummaryContext): SummaryCheck {
  const written = { ...answer, summary: separateLabels(answer.summary) };
  const read = answer.claims
    .slice(0, CLAIMS_READ_MAX)
    .map((claim) => ({ ...claim, statement: separateLabels(claim.statement) }));
  if (read.length === 0 && written.topic.trim() === "" && written.summary.trim() === "") {
    return { kind: "empty" };
  }
  // A claim that copies is left out: a second question would cost more than it is worth.
  if (!context.cut && [written.topic, written.summary].some(context.repeats)) {
    return { kind: "transcript" };
  }
  const dropped = new Map<string, number>();
  const count = (reason: string, by = 1): void => {
    if (by > 0) dropped.set(reason, (dropped.get(reason) ?? 0) + by);
  };
  count("claim.too_many", written.claims.length - read.length);
  const evidence = new WindowEvidence(context.lines, context.earlier);
  const hasFact = matchFacts(read, context.labels, evidence);
  const claims = checkClaims(read, { ...context, evidence, hasFact }, count);
  const check = (sentence: string) =>
    context.check(sentence) ?? (hasFact(sentence) ? "viewer_fact" : null);
  const sentences = keepSentences(written.summary, { ...context, check }, (reason) =>
    count(`sentence.${reason}`),
  );
  const isProven = (sentence: string) => context.isCarried(sentence) && !context.mayName(sentence);
  const proven = sentences.filter(isProven);
  const waiting = sentences.filter((sentence) => !proven.includes(sentence));
  const summary = joinSentences(proven, context) || composeSummary(claims, context);
  const unproven = joinSentences(waiting, context);
  const said = isProven(written.topic) ? cutTopic(written.topic) : "";
  // The page shows both together, so together they must not repeat a message either.
  const isCopy = [said, `${said}: ${written.summary}`].some(context.repeats);
  const topic = check(said) === null && !isCopy ? context.labels.toTokens(said) : "";
  return { kind: "good", summary: { topic, summary, unproven, claims }, dropped };
}

/** Writes "P2s" as "P2's", so that the label is seen as one. */
function separateLabels(text: string): string {
  return text.replaceAll(LABEL_WITH_S, "$1's");
}

/**
 * Composes a summary of proven claims about the channel and of moments. It replaces one that known
 * people do not carry.
 */
function composeSummary(
  claims: readonly CheckedClaim[],
  { lines, moments }: SummaryContext,
): string {
  const personIdsOf = (isOne: (line: TranscriptLine) => boolean) =>
    new Set(lines.filter(isOne).map(({ personId, userId }) => personId ?? userId));
  const vouching = personIdsOf(({ isStreamer, isModerator }) => isStreamer || isModerator === true);
  const known = personIdsOf(({ isKnown }) => isKnown === true);
  const isVouched = ({ carriers }: CheckedClaim): boolean =>
    carriers.some((id) => vouching.has(id)) || carriers.filter((id) => known.has(id)).length > 1;
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

/**
 * Returns the claims that pass, each statement once, at most `CLAIMS_MAX`, in their order. If more pass, subjects share the
 * places in turn. Counts the others by reason.
 */
function checkClaims(
  read: readonly RawClaim[],
  context: ClaimContext,
  count: (reason: string, by?: number) => void,
): CheckedClaim[] {
  const claims = new Map<string, { claim: CheckedClaim; turn: number }>();
  const turns = new Map<string, number>();
  for (const raw of read) {
    const claim = checkClaim(raw, context);
    if (typeof claim === "string") count(`claim.${claim}`);
    else if (claims.has(claim.statement)) count("claim.duplicate");
    else {
      const subject = claim.subjectId ?? claim.scope;
      const turn = (turns.get(subject) ?? 0) + 1;
      turns.set(subject, turn);
      claims.set(claim.statement, { claim, turn });
    }
  }
  const inTurn = [...claims.values()].sort((one, other) => one.turn - other.turn);
  const kept = new Set(inTurn.slice(0, CLAIMS_MAX));
  count("claim.too_many", claims.size - kept.size);
  return [...claims.values()].filter((one) => kept.has(one)).map(({ claim }) => claim);
}

/**
 * Checks a claim. One about a viewer names only them, and their own words prove it. One about the channel names only
 * the streamer, and repeats no viewer's fact.
 */
function checkClaim(written: RawClaim, context: ClaimContext): CheckedClaim | ClaimReason {
  const { labels, evidence, lines, hasFact, mayName } = context;
  const subject = written.subject.trim();
  const scope = NOTE_SCOPES.find((one) => one === subject.toLowerCase()) ?? "viewer";
  const ofChannel = scope !== "viewer";
  const read = context.takeOutDay(cleanLine(written.statement), ofChannel);
  const reason = checkStatement(read.statement, ofChannel, context);
  if (reason !== null) return reason;
  const subjectId = labels.userId(subject);
  if (!ofChannel && !lines.some(({ userId }) => userId === subjectId)) return "unknown_subject";
  const said = nameSubject(read.statement, subject, labels);
  if (said === null) return "names_other";
  const { statement, stored } = said;
  const claim = { statement, quotes: written.quotes.slice(0, QUOTES_READ_MAX) };
  const verdict =
    subjectId === null ? evidence.ofChannel(claim) : evidence.ofPerson(claim, subjectId);
  if (verdict.kind === "refused") return verdict.reason;
  if (ofChannel && hasFact(statement)) return "viewer_fact";
  const idsOf = (places: readonly number[]) => places.flatMap((place) => lines[place]?.id ?? []);
  // A bit is a joke already, and "no longer plays bass" is true now: the model means both plainly.
  const isPlain =
    scope === "bit"
      ? written.how === "joking"
      : written.how === "past" && isDenied(statement, evidence.languageOf(statement));
  return {
    ...{ scope, subjectId, statement: stored, carriers: verdict.carriers },
    eventIds: idsOf(verdict.lines),
    borrowedIds: idsOf(verdict.borrowed),
    isWeak: verdict.isDoubtful || (ofChannel && mayName(statement)),
    how: isPlain ? "plainly" : written.how,
    happensOn: written.on ?? read.day,
  };
}

/** Returns a statement, also with tokens as it is stored; null if it names another viewer than its subject. */
function nameSubject(
  said: string,
  subject: string,
  labels: Labels,
): { readonly statement: string; readonly stored: string } | null {
  const subjectId = labels.userId(subject);
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

function checkStatement(
  statement: string,
  ofChannel: boolean,
  { check, repeats }: SummaryContext,
): ClaimReason | null {
  if (statement === "") return "empty";
  return check(statement, ofChannel) ?? (repeats(statement) ? "transcript" : null);
}

/**
 * Returns a test of whether a sentence repeats a viewer's fact. It does with two words of their
 * claim that only they used in this window, or with one and their label. Dropped claims count, too.
 */
function matchFacts(
  claims: readonly RawClaim[],
  labels: Labels,
  evidence: WindowEvidence,
): (sentence: string) => boolean {
  const facts = claims.flatMap(({ subject, statement }) => {
    const label = subject.trim();
    // The streamer's statements about themselves are channel knowledge.
    if (label === STREAMER) return [];
    const userId = labels.userId(label);
    return userId === null ? [] : [{ label, words: evidence.findOwnWords(statement, userId) }];
  });
  return (sentence) => {
    const said = new Set(readStems(sentence).map((one) => fold(one)));
    const named = new Set<string>(sentence.match(LABEL_IN_TEXT) ?? []);
    return facts.some(({ label, words }) => {
      const shared = new Set(words.filter((word) => said.has(word))).size;
      return shared >= (named.has(label) ? 1 : TELLING_WORDS_MIN);
    });
  };
}

/**
 * Returns the sentences of a summary or recap that may be stored, with labels. Skips those beyond 120 words or 900
 * characters. Calls `onDrop` with the reason for each other one.
 */
export function keepSentences(
  text: string,
  { check, repeats }: SentenceContext,
  onDrop: (reason: string) => void,
): string[] {
  const kept: string[] = [];
  for (const piece of splitSentences(cleanLine(text))) {
    const sentence = piece.trim();
    const next = [...kept, sentence].join(" ");
    if (next.split(" ").length > SUMMARY_WORDS_MAX || next.length > SUMMARY_CHARS_MAX) continue;
    const reason = check(sentence) ?? (repeats(next) ? "transcript" : null);
    if (reason === null) kept.push(sentence);
    else onDrop(reason);
  }
  return kept;
}

/**
 * Joins sentences into the text to store, with tokens for labels. Returns "" if the joined text repeats a message,
 * even if no single sentence does.
 */
export function joinSentences(
  sentences: readonly string[],
  { labels, repeats }: SentenceContext,
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
