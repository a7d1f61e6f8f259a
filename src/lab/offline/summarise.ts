import { type RunFinder, runFinder } from "../../language/distinctive.ts";
import type { Digest } from "../../memory/summary-prompt.ts";
import { blocksOf } from "./blocks.ts";
import { recapByRule } from "./offline-recap.ts";
import { plainSentences } from "./plain-sentences.ts";
import { retell } from "./retell.ts";
import { SELF_LANGUAGES } from "./self-languages.ts";
import { retellSentence } from "./self-rule.ts";
import { sharedClaims } from "./shared-claims.ts";
import { tongueOf } from "./telling-words.ts";
import { topicsOfChat } from "./topic-words.ts";
import { readTranscript, type Said } from "./transcript.ts";

type Claim = Digest["claims"][number];

const CLAIMS_MAX = 20;

/**
 * Answers a question about memory from nothing but the prompt's tail: a digest of a window of chat, or the recap of
 * a stream. Null where the tail holds neither.
 */
export function summariseByRule(tail: string): Digest | { readonly recap: string } | null {
  const blocks = blocksOf(tail);
  const notes = blocks.get("notes on the stream");
  if (notes !== undefined) return { recap: recapByRule(notes) };
  const chat = blocks.get("chat");
  return chat === undefined ? null : digest(readTranscript(chat));
}

function digest(lines: readonly Said[]): Digest {
  const findRun = runFinder(lines.map(({ text }) => text));
  const tongue = tongueOf(lines.map(({ text }) => text));
  const own = selfClaims(lines);
  const ownLines = new Set(own.flatMap(({ event_numbers }) => event_numbers));
  const claims = [...own, ...sharedClaims(lines, ownLines, tongue)].filter(
    ({ statement }) => findRun(statement) === null,
  );
  const words = topicsOfChat(lines, tongue);
  return {
    topic: withoutRun(words, findRun),
    summary: retell(lines, { claims: own, words, tongue }),
    claims: claims.slice(0, CLAIMS_MAX),
  };
}

/** What people say about themselves; the same from the same person is one claim with more lines behind it. */
function selfClaims(lines: readonly Said[]): Claim[] {
  const claims = new Map<string, Claim>();
  for (const { number, label, text } of lines) {
    const statements = plainSentences(text).flatMap((sentence) => statementsOf(sentence, label));
    for (const statement of statements) {
      const key = statement.toLowerCase();
      const claim = claims.get(key) ?? { subject: label, event_numbers: [], statement };
      claims.set(key, { ...claim, event_numbers: [...new Set([...claim.event_numbers, number])] });
    }
  }
  return [...claims.values()];
}

/** In the first language whose rules fit. */
function statementsOf(sentence: string, label: string): string[] {
  for (const language of SELF_LANGUAGES) {
    const statements = retellSentence(sentence, label, language);
    if (statements.length > 0) return statements;
  }
  return [];
}

function withoutRun(words: readonly string[], findRun: RunFinder): string {
  const topic = words.join(", ");
  return findRun(topic) === null ? topic : (words[0] ?? "");
}
