import type { z } from "zod";
import {
  failed,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  type ModelText,
} from "./adapter.ts";
import { parseAnswer, repairTail } from "./json.ts";

interface Accepted<T> extends ModelText {
  readonly value: T | null;
}

interface Rejected extends ModelFailure {
  /** The question that may repair an answer which did not validate. */
  readonly repair?: string;
}

export type Settled<T> = Accepted<T> | Rejected;

const TEXT_CHARACTERS_MAX = 64_000;

/**
 * What a provider's answer is worth. An abort by our own clock (`isLate`) is a time-out; with a schema the text must
 * be JSON that validates.
 */
export function settle<T>(
  schema: z.ZodType<T> | undefined,
  call: ModelCall,
  raw: ModelAnswer,
  isLate: boolean,
): Settled<T> {
  if (!raw.ok) {
    const isOurs = raw.failure === "aborted" && isLate;
    return isOurs ? { ...raw, failure: "timeout", detail: "no answer in time" } : raw;
  }
  const text = raw.text.slice(0, TEXT_CHARACTERS_MAX);
  if (schema === undefined) return { ...raw, text, value: null };
  const parsed = parseAnswer(text, schema);
  if (parsed.ok) return { ...raw, text, value: parsed.value };
  const { finish, usage } = raw;
  if (finish === "max_tokens") return failed("truncated", "cut off JSON", { finish, usage });
  const rejected = failed("invalid_json", "does not validate", { finish, usage });
  return { ...rejected, repair: repairTail(call.tail, text, parsed.complaint) };
}
