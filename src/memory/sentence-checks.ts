// Pure: values in, values out.
import { cleanLine, sentencesOf } from "../language/clean.ts";
import { type InstructionKind, instructs } from "../language/instruction.ts";
import type { Language } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";

/** What a sentence is never longer than, in UTF-16 units; a fact's own limit is narrower. */
const SENTENCE_CHARS_MAX = 400;
/** What stands behind this is not looked at, and not kept: five times a summary of 120 words. */
const TEXT_CHARS_MAX = 4_000;
/** A summary settles in two. */
const ROUNDS_MAX = 5;

/** Why a sentence does not become memory, in the order in which it is asked. */
export type SentenceReason =
  | "not_one_line"
  | "too_long"
  | "url"
  | "action"
  | "marker"
  | "instruction"
  | "sensitive"
  | "banned";

export interface SentenceChecks {
  /** The finder of `bannedWords`. */
  readonly banned: (text: string) => string | null;
  /** In UTF-16 units; 400 unless told. */
  readonly charsMax?: number;
  /** Whose word lists judge it: `languagesIn` its window; the sentence's own unless told. */
  readonly languagesOf?: (text: string) => readonly Language[];
  /** The subject asked for it to be kept. */
  readonly allowSensitive?: boolean;
}

interface GoodSentences {
  readonly text: string;
  /** How many sentences were left out, by reason. */
  readonly dropped: Readonly<Partial<Record<SentenceReason, number>>>;
}

const REASONS: Readonly<Record<InstructionKind, SentenceReason>> = {
  lines: "not_one_line",
  url: "url",
  action: "action",
  marker: "marker",
  order: "instruction",
};

/**
 * Why a sentence must not become memory, or null: asked alike of the sentences of summaries and recaps, of claims and
 * of facts. Give it cleaned text, with people as tokens or labels.
 */
export function checkSentence(text: string, checks: SentenceChecks): SentenceReason | null {
  if (text.length > (checks.charsMax ?? SENTENCE_CHARS_MAX)) {
    return /[\n\r]/.test(text.trim()) ? "not_one_line" : "too_long";
  }
  const kind = instructs(text);
  if (kind !== null) {
    return REASONS[kind];
  }
  if (checks.allowSensitive !== true && privateMatter(text, checks.languagesOf) !== null) {
    return "sensitive";
  }
  return checks.banned(text) === null ? null : "banned";
}

/**
 * The sentences of a text that may become memory, in their order and on one line, and how many may not. What is left
 * passes when it is read again: lines that become one sentence side by side are checked as one.
 */
export function keepGoodSentences(text: string, checks: SentenceChecks): GoodSentences {
  const dropped: Partial<Record<SentenceReason, number>> = {};
  let kept = text.slice(0, TEXT_CHARS_MAX);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = keepOnce(kept, checks, dropped);
    if (next === kept) {
      return { text: kept, dropped };
    }
    kept = next;
  }
  return { text: "", dropped };
}

function keepOnce(
  text: string,
  checks: SentenceChecks,
  dropped: Partial<Record<SentenceReason, number>>,
): string {
  const kept: string[] = [];
  for (const { text: raw } of sentencesOf(text)) {
    const sentence = cleanLine(raw);
    const reason = sentence === "" ? null : checkSentence(sentence, checks);
    if (reason !== null) {
      dropped[reason] = (dropped[reason] ?? 0) + 1;
    } else if (sentence !== "") {
      kept.push(sentence);
    }
  }
  return kept.join(" ");
}
