// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";
import { peopleIn, personToken } from "../language/people.ts";
import { sentencesOf } from "../language/sentences.ts";
import type { CheckedClaim, Summary } from "./episode-store.ts";
import { isHearsay } from "./hearsay.ts";
import type { Labels } from "./labels.ts";
import type { SentenceReason } from "./sentence-checks.ts";
import {
  CLAIMS_MAX,
  type Digest,
  SUMMARY_WORDS_MAX,
  TOPIC_WORDS_MAX,
  type TranscriptLine,
} from "./summary-prompt.ts";

/** Why a claim was not kept. */
type ClaimReason =
  | "unknown_subject"
  | "no_event"
  | "not_by_subject"
  | "one_speaker"
  | "names_other"
  | "empty"
  | "transcript"
  | "duplicate"
  | "too_many"
  | SentenceReason;

export type DigestCheck =
  | {
      readonly kind: "good";
      readonly summary: Summary;
      readonly dropped: ReadonlyMap<string, number>;
    }
  /** It repeats a distinctive run of a message: worth asking once more. */
  | { readonly kind: "transcript" }
  /** Nothing is left that says anything. */
  | { readonly kind: "empty" };

export interface DigestContext {
  readonly lines: readonly TranscriptLine[];
  readonly labels: Labels;
  /** Why a sentence may not become memory; null where it may. */
  readonly check: (sentence: string) => SentenceReason | null;
  /** Whether a text repeats a distinctive run of a message of this window. */
  readonly repeats: (text: string) => boolean;
  /** True on the second try: what repeats is cut instead of asked for again. */
  readonly cut: boolean;
}

const LABEL = /\bP\d{1,4}\b/;
const LABELS = /\bP\d{1,4}\b/g;
const WORDS = new Intl.Segmenter("und", { granularity: "word" });
/** A word of an alphabet tells something from so many letters on; one of an unspaced script from two. */
const TELLING_WORD = /^(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{2,}|[\p{L}\p{N}]{4,}|\p{N}+)$/u;
/** A sentence that shares so many telling words with a claim about somebody it names tells that claim. */
const SHARED_WORDS_MIN = 2;
/** Scripts without spaces make few words of much text. */
const SUMMARY_CHARS_MAX = 900;
const TOPIC_CHARS_MAX = 80;
/** More than this many claims are not even looked at. */
const CLAIMS_READ_MAX = 200;

/**
 * Holds what a model wrote about a window against the window itself. Code decides what is kept: who may be the
 * subject of a claim, which lines support it, and that no line of chat comes back as memory.
 */
export function checkDigest(digest: Digest, context: DigestContext): DigestCheck {
  const dropped = new Map<string, number>();
  const count = (reason: string, by = 1): void => {
    if (by > 0) dropped.set(reason, (dropped.get(reason) ?? 0) + by);
  };
  const read = digest.claims.slice(0, CLAIMS_READ_MAX);
  const written = [digest.topic, digest.summary, ...read.map(({ statement }) => statement)];
  if (!context.cut && written.some(context.repeats)) return { kind: "transcript" };
  const claims: CheckedClaim[] = [];
  const seen = new Set<string>();
  for (const raw of read) {
    const claim = checkClaim(raw, context);
    if (typeof claim === "string") count(`claim.${claim}`);
    else if (seen.has(claim.statement)) count("claim.duplicate");
    else if (claims.length >= CLAIMS_MAX) count("claim.too_many");
    else {
      seen.add(claim.statement);
      claims.push(claim);
    }
  }
  count("claim.too_many", Math.max(0, digest.claims.length - CLAIMS_READ_MAX));
  const check = (sentence: string) =>
    context.check(sentence) ??
    (tellsFact(context.labels.toTokens(sentence), claims) ? "viewer_fact" : null);
  const summary = goodSentences(digest.summary, { ...context, check }, (reason) =>
    count(`sentence.${reason}`),
  );
  if (summary === "" && claims.length === 0) return { kind: "empty" };
  // The two stand side by side wherever they are shown: together they must not repeat a line either.
  const repeats = (text: string) =>
    context.repeats(text) || context.repeats(`${text}: ${digest.summary}`);
  const topic = goodTopic(digest.topic, { ...context, check, repeats });
  return { kind: "good", summary: { topic, summary, claims }, dropped };
}

interface SentenceContext extends Pick<DigestContext, "labels" | "repeats"> {
  readonly check: (sentence: string) => SentenceReason | "viewer_fact" | null;
}

/** The same checks for a text that has no claims: a recap. "" where nothing of it may be kept. */
export function goodSentences(
  text: string,
  { labels, check, repeats }: SentenceContext,
  onDrop: (reason: string) => void,
): string {
  let kept = "";
  for (const { text: piece } of sentencesOf(cleanLine(text))) {
    const sentence = piece.trim();
    const next = kept === "" ? sentence : `${kept} ${sentence}`;
    if (wordCount(next) > SUMMARY_WORDS_MAX || next.length > SUMMARY_CHARS_MAX) continue;
    const reason = check(sentence) ?? (repeats(next) ? "transcript" : null);
    if (reason === null) kept = next;
    else onDrop(reason);
  }
  return labels.toTokens(kept);
}

function goodTopic(topic: string, { labels, check, repeats }: SentenceContext): string {
  let short = "";
  for (const word of cleanLine(topic).split(" ").slice(0, TOPIC_WORDS_MAX)) {
    // Whole words only: half a label is the label of somebody else.
    const next = short === "" ? word : `${short} ${word}`;
    if (next.length > TOPIC_CHARS_MAX) break;
    short = next;
  }
  return check(short) !== null || repeats(short) ? "" : labels.toTokens(short);
}

function checkClaim(
  claim: Digest["claims"][number],
  context: DigestContext,
): CheckedClaim | ClaimReason {
  const statement = cleanLine(claim.statement);
  if (statement === "") return "empty";
  const reason = context.check(statement);
  if (reason !== null) return reason;
  if (context.repeats(statement)) return "transcript";
  const support = [...new Set(claim.event_numbers)]
    .map((number) => context.lines[number - 1])
    .filter((line) => line !== undefined);
  if (support.length === 0) return "no_event";
  const subject = claim.subject.trim();
  if (/^(channel|bit)$/i.test(subject)) {
    return channelClaim(subject.toLowerCase() === "bit" ? "bit" : "channel", statement, {
      support,
      context,
    });
  }
  return viewerClaim(subject, statement, { support, context });
}

interface Supported {
  readonly support: readonly TranscriptLine[];
  readonly context: DigestContext;
}

/** About the channel: at least two people said so, or the streamer did, and nobody is named in it. */
function channelClaim(
  scope: "channel" | "bit",
  statement: string,
  { support, context }: Supported,
): CheckedClaim | ClaimReason {
  const speakers = new Set(support.map(({ userId }) => userId));
  if (speakers.size < 2 && !support.some(({ isStreamer }) => isStreamer)) return "one_speaker";
  const tokens = context.labels.toTokens(statement);
  // A fact about a person must not reach others by way of the channel.
  if (LABEL.test(statement) || peopleIn(tokens).length > 0) return "names_other";
  return { scope, subjectId: null, statement: tokens, eventIds: support.map(({ id }) => id) };
}

/** About a person: only their own lines support it, and nobody else is named in it. */
function viewerClaim(
  subject: string,
  statement: string,
  { support, context }: Supported,
): CheckedClaim | ClaimReason {
  const { labels, lines } = context;
  const subjectId = labels.userId(subject);
  if (subjectId === null || !lines.some(({ userId }) => userId === subjectId))
    return "unknown_subject";
  const own = support.filter(({ userId }) => userId === subjectId);
  const grounds = { userId: subjectId, own, lines };
  if (own.length === 0 || isHearsay(statement, grounds)) return "not_by_subject";
  const tokens = labels.toTokens(statement);
  const isOther = (name: string) => name !== subject;
  const namesOther =
    (statement.match(LABELS) ?? []).some(isOther) ||
    peopleIn(tokens).some((id) => id !== subjectId);
  if (namesOther) return "names_other";
  const named = peopleIn(tokens).length > 0 ? tokens : `${personToken(subjectId)} ${tokens}`;
  return { scope: "viewer", subjectId, statement: named, eventIds: own.map(({ id }) => id) };
}

function wordCount(text: string): number {
  return text.split(" ").length;
}

/** What somebody told about themselves is theirs: a summary, which everybody's prompt shows, does not repeat it. */
function tellsFact(sentence: string, claims: readonly CheckedClaim[]): boolean {
  const said = tellingWords(sentence);
  return claims.some(({ subjectId, statement }) => {
    if (subjectId === null || !sentence.includes(personToken(subjectId))) return false;
    const shared = [...tellingWords(statement)].filter((word) => said.has(word));
    return shared.length >= SHARED_WORDS_MIN;
  });
}

function tellingWords(text: string): Set<string> {
  const words = Array.from(WORDS.segment(text.replaceAll(/\{u:[^}]*\}/g, " ")), ({ segment }) =>
    segment.toLowerCase(),
  );
  return new Set(words.filter((word) => TELLING_WORD.test(word)));
}
