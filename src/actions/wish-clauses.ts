import type { ActionName } from "../config/names.ts";
import { MARK } from "./mark-people.ts";
import {
  ASKS,
  BEFORE_NAME,
  BLOCKED_BY,
  COMPLAINT,
  CONDITIONS,
  DENIALS,
  LEADS,
  LENGTH,
  OTHER,
  PRONOUN,
  REPORTS,
  RUN_ON,
  SPOILED_BY,
  TAKEN_BACK,
  TAKEN_BACK_LATER,
  TOLD_OF,
  WISHES,
  type Wished,
} from "./wish-words.ts";
import { NATIVE_ASKS, NATIVE_NOT, NATIVE_WISHES } from "./wish-words-native.ts";

/** Where a text asks for an action: the wish itself, with whom it names, and everything before it. */
export interface Passage {
  readonly named: string;
  readonly before: string;
}

const SENTENCE_END = /(?<=[.!?。…;\n])/u;
const CLAUSE_END = /[,、，]/u;
const NO_WORD = /[^\p{L}\p{M}\p{N}'_\ue000]+/gu;
/** "cliiip": letters that somebody leans on. */
const LEANT_ON = /(\p{L})\1{2,}/gu;
const WHO = `${BEFORE_NAME}(?:${MARK}|${PRONOUN})(?! 's)(?:(?: and| und| y| e| et| и| &) ${MARK}(?! 's))*`;

const CORES = eachWished((name) => compiled(WISHES[name]));
const RUN_ONS = eachWished((name) => compiled(RUN_ON[name] ?? []));
const NATIVE = eachWished(
  (name) => new RegExp(NATIVE_WISHES[name].map(withNativeNames).join("|"), "gu"),
);
const LEAD = compiled(
  LEADS.flatMap((row) => row.split("|")).toSorted((one, other) => other.length - one.length),
);
const ASK = compiled(ASKS);
const NAME = new RegExp(`${MARK}(?= )`, "uy");
const REPORTS_LAST = new RegExp(` (?:${REPORTS}) $`, "u");
const DENIED_LAST = new RegExp(` (?:${DENIALS}) $`, "u");
const CONDITION = new RegExp(` (?:${CONDITIONS})(?= )`, "u");
const CONDITION_FIRST = new RegExp(`^ (?:${CONDITIONS})(?= )`, "u");
const BACK = new RegExp(` (?:${TAKEN_BACK})(?= )|^ (?:${TOLD_OF})(?= )`, "u");
const BACK_LATER = new RegExp(` (?:${TAKEN_BACK_LATER})(?= )`, "u");
const SPOILED = new RegExp(` (?:${SPOILED_BY})(?= )`, "u");
const BLOCKED = new RegExp(` (?:${BLOCKED_BY}|\\S+n't) $`, "u");
const COMPLAINED = new RegExp(` (?:${COMPLAINT}) $`, "u");
const TARGETED = new Set<Wished>(["timeout", "warn", "delete", "shoutout"]);

/** Words that a wish is made of: somebody called so is named only with an @. */
export const VOCABULARY: ReadonlySet<string> = new Set(
  [WISHES, LEADS, ASKS, PRONOUN, LENGTH, BEFORE_NAME, REPORTS, CONDITIONS, TAKEN_BACK, BLOCKED_BY]
    .flatMap((table) => JSON.stringify(table).match(/[\p{L}']{3,}\??/gu) ?? [])
    // Where the last letter may be missing, both are words.
    .flatMap((word) => (word.endsWith("?") ? [word.slice(0, -1), word.slice(0, -2)] : [word])),
);
export const NATIVE_VOCABULARY = `${JSON.stringify(NATIVE_WISHES)}${NATIVE_NOT.source}`;

/** Every passage in which a text asks for an action. People stand in it as marks. */
export function asksFor(name: ActionName, text: string, ownNames: readonly string[]): Passage[] {
  if (name === "remember" || name === "correct") return [];
  const sentences = text.replace(LEANT_ON, "$1").split(SENTENCE_END);
  return sentences.flatMap((sentence, at) => {
    const before = sentences.slice(0, at).join(" ");
    const after = plain(sentences.slice(at + 1).join(" "));
    if (BACK_LATER.test(after)) return [];
    const found = [...inClauses(name, sentence, ownNames), ...inNative(name, sentence)];
    return found.map((passage) => ({ ...passage, before: `${before} ${passage.before}` }));
  });
}

function inClauses(name: Wished, sentence: string, ownNames: readonly string[]): Passage[] {
  const clauses = sentence.split(CLAUSE_END).map(plain);
  // What a poll or an announcement is to ask makes no question of the wish.
  const isQuestion = TARGETED.has(name) && /\?\s*$/u.test(sentence);
  const own = ownNames.map((word) => word.replace(NO_WORD, " "));
  return clauses.flatMap((clause, at) => {
    const earlier = clauses.slice(0, at);
    const isOff =
      earlier.some((one) => CONDITION.test(one) || DENIED_LAST.test(one)) ||
      REPORTS_LAST.test(earlier.at(-1) ?? "") ||
      clauses.slice(at + 1).some((one) => CONDITION_FIRST.test(one) || BACK_LATER.test(one));
    if (isOff) return [];
    const isAsked = isQuestion && at === clauses.length - 1;
    const found = atStart(name, clause, { isAsked, own }) ?? runningOn(name, clause, isAsked);
    if (found === null || isUndone(name, found.rest)) return [];
    return [{ named: found.named, before: [...earlier, found.before].join(" ") }];
  });
}

interface Found extends Passage {
  /** What follows in the clause. */
  readonly rest: string;
}

/** The wish behind nothing but what may lead up to one. Reads each word once. */
function atStart(
  name: Wished,
  clause: string,
  { isAsked, own }: { readonly isAsked: boolean; readonly own: readonly string[] },
): Found | null {
  let at = 1;
  let hasAsked = / (?:please|pls|plz|bitte|por favor|svp|пожалуйста) /u.test(clause);
  while (at < clause.length) {
    const core = matchAt(CORES[name], clause, at);
    if (core !== null) return isAsked && !hasAsked ? null : foundAt(clause, at, core);
    const ask = matchAt(ASK, clause, at);
    hasAsked ||= ask !== null;
    const lead =
      ask ?? matchAt(LEAD, clause, at) ?? matchAt(NAME, clause, at) ?? ownAt(own, clause, at);
    if (lead === null) return null;
    at += lead.length + 1;
  }
  return null;
}

/** The wish at the end of a sentence without a comma: "he spams again time him out". */
function runningOn(name: Wished, clause: string, isAsked: boolean): Found | null {
  if (isAsked) return null;
  for (let at = clause.indexOf(" ", 1); at > 0; at = clause.indexOf(" ", at + 1)) {
    const core = matchAt(RUN_ONS[name], clause, at + 1);
    const before = clause.slice(0, at + 1);
    if (core === null || SPOILED.test(before) || BLOCKED.test(before)) continue;
    if (!TARGETED.has(name) || COMPLAINED.test(before)) return foundAt(clause, at + 1, core);
  }
  return null;
}

function foundAt(clause: string, at: number, core: string): Found {
  return { named: core, before: clause.slice(0, at), rest: clause.slice(at + core.length) };
}

function isUndone(name: Wished, rest: string): boolean {
  return BACK.test(rest) || BACK_LATER.test(rest) || (TARGETED.has(name) && CONDITION.test(rest));
}

/** Where two are named it does not say who is meant. */
function inNative(name: Wished, sentence: string): Passage[] {
  const isWondering = /\?\s*$/u.test(sentence) && !NATIVE_ASKS.test(sentence);
  if (isWondering || NATIVE_NOT.test(sentence)) return [];
  const isCrowded = new Set(sentence.match(new RegExp(MARK, "gu"))).size > 1;
  return [...sentence.matchAll(NATIVE[name])].map((match) => ({
    named: isCrowded ? sentence.replace(/\ue000\d+/gu, "\ue000u") : match[0],
    before: sentence.slice(0, match.index),
  }));
}

function plain(text: string): string {
  return ` ${text
    .replace(NO_WORD, " ")
    .replace(/\ue000(?!\d|u)/gu, "")
    .trim()} `;
}

function ownAt(own: readonly string[], clause: string, at: number): string | null {
  return own.find((name) => name !== "" && clause.startsWith(`${name} `, at)) ?? null;
}

function compiled(wishes: readonly string[]): RegExp {
  const sources = wishes.map((wish) =>
    wish
      .replace("% 's", `(?:${MARK}) 's`)
      .replaceAll("%", `(?:${WHO})`)
      .replaceAll("#", `(?:${LENGTH})`)
      .replaceAll("\\S+", OTHER),
  );
  return new RegExp(`(?:${sources.length === 0 ? "(?!)" : sources.join("|")})(?= )`, "uy");
}

function withNativeNames(wish: string): string {
  return wish.replaceAll("[^%]", "[^\ue000]").replaceAll("%", MARK);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function eachWished<T>(make: (name: Wished) => T): Readonly<Record<Wished, T>> {
  return {
    forget: make("forget"),
    announce: make("announce"),
    shoutout: make("shoutout"),
    clip: make("clip"),
    marker: make("marker"),
    poll: make("poll"),
    warn: make("warn"),
    delete: make("delete"),
    timeout: make("timeout"),
  };
}
