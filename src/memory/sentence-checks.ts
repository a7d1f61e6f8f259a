// Pure: values in, values out.
import { type InstructionKind, instructs } from "../language/instruction.ts";
import type { Language } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";

/** What a sentence is never longer than, in UTF-16 units; a fact's own limit is narrower. */
const SENTENCE_CHARS_MAX = 400;

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
