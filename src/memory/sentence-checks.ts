// Pure: values in, values out.
import { fold } from "../language/fold.ts";
import { findInstruction, findMarkup, type InstructionKind } from "../language/instruction.ts";
import type { Language } from "../language/languages.ts";
import { PERSON } from "../language/people.ts";
import { findPii, findPrivateMatter } from "../language/private-matters.ts";

/** The most UTF-16 units of a sentence. A fact has a lower limit. */
const SENTENCE_CHARS_MAX = 400;

/** Why a sentence does not become memory. */
export type SentenceReason = InstructionKind | "too_long" | "sensitive" | "banned";

export interface SentenceChecks {
  readonly isBanned: (text: string) => boolean;
  /** In UTF-16 units; default: 400. */
  readonly charsMax?: number;
  /** Finds the languages whose word lists apply. Default: those of the sentence. */
  readonly languagesOf?: (text: string) => readonly Language[];
  /**
   * It is about the channel or a joke. The word lists then apply only if it names a viewer: a game's story is not
   * private.
   */
  readonly ofChannel?: boolean;
  /** The subject asked for it to be kept. */
  readonly allowSensitive?: boolean;
  /** `links`: it may also hold links, or begin with a command; `orders`: it may also give the bot an order. */
  readonly mayHold?: "statements" | "links" | "orders";
}

/** Words for a person of the channel without a name. */
const PRESENT = /streamer|viewer|moderator|(?<!\p{L})mods?(?!\p{L})/iu;

/**
 * Returns why a sentence must not become memory, or null. Applies to sentences of summaries and
 * recaps, claims and facts. Takes cleaned text with tokens or labels.
 */
export function checkSentence(text: string, checks: SentenceChecks): SentenceReason | null {
  if (text.length > (checks.charsMax ?? SENTENCE_CHARS_MAX)) {
    return /[\n\r]/.test(text.trim()) ? "not_one_line" : "too_long";
  }
  const kind =
    checks.mayHold === "orders"
      ? findMarkup(text)
      : findInstruction(text, checks.mayHold === "links");
  if (kind !== null) return kind;
  const namesNoViewer = checks.ofChannel === true && text.search(PERSON) < 0 && !PRESENT.test(text);
  const isPrivate = namesNoViewer
    ? findPii(fold(text, { lookAlikes: true })) !== null
    : findPrivateMatter(text, checks.languagesOf) !== null;
  if (checks.allowSensitive !== true && isPrivate) return "sensitive";
  return checks.isBanned(text) ? "banned" : null;
}
