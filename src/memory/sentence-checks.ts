// Pure: values in, values out.
import { findInstruction, type InstructionKind } from "../language/instruction.ts";
import type { Language } from "../language/languages.ts";
import { findPrivateMatter } from "../language/private-matters.ts";

/** The most UTF-16 units of a sentence. A fact has a lower limit. */
const SENTENCE_CHARS_MAX = 400;

/** Why a sentence does not become memory, in the order of the checks. */
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
  /** In UTF-16 units; default: 400. */
  readonly charsMax?: number;
  /** Finds the languages whose word lists apply. Default: those of the sentence. */
  readonly languagesOf?: (text: string) => readonly Language[];
  /** The subject asked for it to be kept. */
  readonly allowSensitive?: boolean;
}

const REASONS: Readonly<Record<InstructionKind, SentenceReason>> = {
  lines: "not_one_line",
  url: "url",
  action: "action",
  marker: "marker",
  order: "instruction",
};

/**
 * Returns why a sentence must not become memory, or null. Applies to sentences of summaries and
 * recaps, claims and facts. Takes cleaned text with tokens or labels.
 */
export function checkSentence(text: string, checks: SentenceChecks): SentenceReason | null {
  if (text.length > (checks.charsMax ?? SENTENCE_CHARS_MAX)) {
    return /[\n\r]/.test(text.trim()) ? "not_one_line" : "too_long";
  }
  const kind = findInstruction(text);
  if (kind !== null) {
    return REASONS[kind];
  }
  if (checks.allowSensitive !== true && findPrivateMatter(text, checks.languagesOf) !== null) {
    return "sensitive";
  }
  return checks.banned(text) === null ? null : "banned";
}
