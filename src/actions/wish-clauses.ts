import type { ActionName } from "../platform/config/names.ts";
import { MARK, markedIn } from "./mark-people.ts";
import {
  ASKS,
  BARE_ALONE,
  BARE_AT_END,
  BEFORE_NAME,
  LEADS,
  LENGTH,
  OTHER,
  PRONOUN,
  RUN_ON,
  WISHES,
  type Wished,
} from "./wish-table.ts";
import {
  BLOCKED_BY,
  COMPLAINT,
  CONDITIONS,
  COURTESY,
  DENIALS,
  NOT_HERE,
  REPORTS,
  SPOILED_BY,
  TAKEN_BACK,
  TAKEN_BACK_LATER,
  TOLD_OF,
} from "./wish-words-around.ts";
import { NATIVE_ASKS, NATIVE_NOT, NATIVE_WISHES } from "./wish-words-native.ts";

/** Where a text asks for an action: the wish itself, with whom it names, and everything before it. */
export interface Passage {
  readonly named: string;
  readonly before: string;
  /** What follows in the clause. */
  readonly rest: string;
}

const END_MARKS = /([.!?。…;\n])[.!?。…;\n]+/gu;
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
const BARE_LAST = compiled(BARE_AT_END);
const BARE_ONLY = compiled(BARE_ALONE);
const NAME = new RegExp(`${MARK}(?= )`, "uy");
/** A clause in which somebody is called, and nothing else. */
const CALL = new RegExp(`^ (?:(?:${COURTESY}|and|sorry) )*(?:${MARK} (?:and )?)+$`, "u");
const NOTHING = new RegExp(`^ (?:(?:${COURTESY}) )*$`, "u");
const REPORTS_LAST = new RegExp(` (?:${REPORTS}) $`, "u");
const DENIED_LAST = new RegExp(` (?:${DENIALS}) $`, "u");
const CONDITION = new RegExp(` (?:${CONDITIONS})(?= )`, "u");
const CONDITION_FIRST = new RegExp(`^ (?:${CONDITIONS})(?= )`, "u");
const BACK = new RegExp(` (?:${TAKEN_BACK})(?= )|^ (?:${TOLD_OF})(?= )`, "u");
const ELSEWHERE = new RegExp(`^ (?:${NOT_HERE})(?= )`, "u");
const BACK_LATER = new RegExp(` (?:${TAKEN_BACK_LATER})(?= )`, "u");
const BACK_STARTS = new RegExp(`(?= (?:${TAKEN_BACK_LATER}) )`, "gu");
const SPOILED = new RegExp(` (?:${SPOILED_BY})(?= )`, "u");
const BLOCKED = new RegExp(` (?:${BLOCKED_BY}|\\S+n't) $`, "u");
const COMPLAINED = new RegExp(` (?:${COMPLAINT}) $`, "u");
const TARGETED = new Set<Wished>(["timeout", "warn", "delete", "shoutout"]);

/** Every passage in which a text asks for an action. People stand in it as marks. Each sentence is read once. */
export function asksFor(name: ActionName, text: string, ownNames: readonly string[]): Passage[] {
  if (name === "remember" || name === "correct") return [];
  const sentences = sentencesIn(text);
  const own = ownNames.map((word) => word.replace(NO_WORD, " "));
  const said = sentences.map(plain);
  const { first, last } = ends(said, own);
  const back = lastTakenBack(said);
  return sentences.flatMap((sentence, at) => {
    if (at < back) return [];
    const around = { own, isFirst: at <= first, isLast: at >= last };
    const found = [...inClauses(name, sentence, around), ...inNative(name, sentence)];
    if (found.length === 0) return [];
    const before = sentences.slice(0, at).join(" ");
    return found.map((passage) => ({ ...passage, before: `${before} ${passage.before}` }));
  });
}

/** Those with a word in them. Of a run of end marks the first tells what kind of sentence it was. */
function sentencesIn(text: string): string[] {
  const sentences = text.replace(LEANT_ON, "$1").replace(END_MARKS, "$1").split(SENTENCE_END);
  return sentences.filter((sentence) => plain(sentence).trim() !== "");
}

/** Where something is said first and last; behind the end and before the start where nothing is. */
function ends(said: readonly string[], own: readonly string[]) {
  const isSaying = said.map((one) => !isNothing(one, own));
  const first = isSaying.indexOf(true);
  return { first: first === -1 ? said.length : first, last: isSaying.lastIndexOf(true) };
}

/** In which sentence that begins which last takes a wish back, and may go on behind it; the first where nothing does. */
function lastTakenBack(said: readonly string[]): number {
  const whole = said.map((one) => one.slice(0, -1)).join("");
  let left = [...`${whole} `.matchAll(BACK_STARTS)].at(-1)?.index ?? 0;
  return said.findIndex((one) => {
    left -= one.length - 1;
    return left < 0;
  });
}

/** What a sentence stands in: what the bot is called, and whether anything is said before or behind it. */
interface Around {
  readonly own: readonly string[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function inClauses(name: Wished, sentence: string, around: Around): Passage[] {
  const clauses = sentence.split(CLAUSE_END).map(plain);
  // What a poll or an announcement is to ask makes no question of the wish.
  const isQuestion = TARGETED.has(name) && /\?\s*$/u.test(sentence);
  const { own } = around;
  const { first, last } = ends(clauses, own);
  const { from, to } = openClauses(clauses);
  return clauses.flatMap((clause, at) => {
    const previous = clauses[at - 1] ?? "";
    if (at < from || at > to || REPORTS_LAST.test(previous)) return [];
    const isAsked = isQuestion && at === clauses.length - 1;
    const called = markedIn(CALL.exec(previous)?.[0] ?? "");
    const found = inClause(
      name,
      { clause, isAsked, own, called },
      { isFirst: around.isFirst && at <= first, isLast: around.isLast && at >= last },
    );
    if (found === null || isUndone(name, found.rest)) return [];
    return [{ ...found, before: [...clauses.slice(0, at), found.before].join(" ") }];
  });
}

/** From and up to which clause nothing is denied, supposed or taken back in another one. */
function openClauses(clauses: readonly string[]) {
  const held = clauses.findIndex((one) => CONDITION.test(one) || DENIED_LAST.test(one));
  const from = clauses.findLastIndex((one) => CONDITION_FIRST.test(one) || BACK_LATER.test(one));
  return { from, to: held === -1 ? clauses.length : held };
}

interface Start {
  readonly clause: string;
  readonly isAsked: boolean;
  readonly own: readonly string[];
  /** Whom the clause before speaks to. */
  readonly called: readonly number[];
}

function inClause(name: Wished, start: Start, alone: Omit<Around, "own">): Passage | null {
  const found = atStart(CORES[name], start) ?? runningOn(name, start.clause, start.isAsked);
  return found ?? (name === "timeout" ? bareLength(start, alone) : null);
}

/** "Bob needs ten minutes", where nothing else is said that could be about it. */
function bareLength(start: Start, { isFirst, isLast }: Omit<Around, "own">): Passage | null {
  const last = isLast ? (atStart(BARE_LAST, start) ?? atStart(BARE_ONLY, start)) : null;
  if (last === null || !isNothing(last.rest, start.own)) return null;
  const isGiven = last.named.startsWith("give ");
  return isGiven || (isFirst && isNothing(last.before, start.own)) ? last : null;
}

/** Nothing but courtesy and the bot's own name. */
function isNothing(text: string, own: readonly string[]): boolean {
  const others = own.reduce((rest, name) => rest.replaceAll(` ${name} `, " "), ` ${text} `);
  return NOTHING.test(others.replace(/ +/g, " "));
}

/**
 * The wish behind nothing but what may lead up to one, unless that speaks to, or tells of, somebody else: "bob put carl in
 * timeout". Reads each word once.
 */
function atStart(cores: RegExp, { clause, isAsked, own, called }: Start): Passage | null {
  let at = 1;
  let others = called;
  let hasAsked = / (?:please|pls|plz|bitte|por favor|svp|пожалуйста) /u.test(clause);
  while (at < clause.length) {
    const core = matchAt(cores, clause, at);
    if (core !== null) {
      const isOff = (isAsked && !hasAsked) || isForOthers(core, others);
      return isOff ? null : foundAt(clause, at, core);
    }
    const lead = leadAt(clause, at, own);
    if (lead === null) return null;
    hasAsked ||= lead.isAsk;
    others = lead.isOwn ? [] : [...others, ...markedIn(lead.text)];
    at += lead.text.length + 1;
  }
  return null;
}

interface Lead {
  readonly text: string;
  readonly isAsk: boolean;
  readonly isOwn: boolean;
}

function leadAt(clause: string, at: number, own: readonly string[]): Lead | null {
  const ask = matchAt(ASK, clause, at);
  const plainLead = ask ?? matchAt(LEAD, clause, at) ?? matchAt(NAME, clause, at);
  const text = plainLead ?? ownAt(own, clause, at);
  return text === null ? null : { text, isAsk: ask !== null, isOwn: plainLead === null };
}

function isForOthers(core: string, called: readonly number[]): boolean {
  const meant = markedIn(core);
  return called.length > 0 && meant.length > 0 && !meant.some((place) => called.includes(place));
}

/** The wish at the end of a sentence without a comma: "he spams again time him out". */
function runningOn(name: Wished, clause: string, isAsked: boolean): Passage | null {
  if (isAsked) return null;
  for (let at = clause.indexOf(" ", 1); at > 0; at = clause.indexOf(" ", at + 1)) {
    const core = matchAt(RUN_ONS[name], clause, at + 1);
    const before = clause.slice(0, at + 1);
    if (core === null || SPOILED.test(before) || BLOCKED.test(before)) continue;
    if (!TARGETED.has(name) || COMPLAINED.test(before)) return foundAt(clause, at + 1, core);
  }
  return null;
}

function foundAt(clause: string, at: number, core: string): Passage {
  return { named: core, before: clause.slice(0, at), rest: clause.slice(at + core.length) };
}

function isUndone(name: Wished, rest: string): boolean {
  if (BACK.test(rest) || BACK_LATER.test(rest)) return true;
  return TARGETED.has(name) && (CONDITION.test(rest) || ELSEWHERE.test(rest));
}

/** Where two are named it does not say who is meant. */
function inNative(name: Wished, sentence: string): Passage[] {
  const isWondering = /\?\s*$/u.test(sentence) && !NATIVE_ASKS.test(sentence);
  if (isWondering || NATIVE_NOT.test(sentence)) return [];
  const isCrowded = new Set(sentence.match(new RegExp(MARK, "gu"))).size > 1;
  return [...sentence.matchAll(NATIVE[name])].map((match) => ({
    named: isCrowded ? sentence.replace(/\ue000\d+/gu, "\ue000u") : match[0],
    before: sentence.slice(0, match.index),
    rest: sentence.slice(match.index + match[0].length),
  }));
}

function plain(text: string): string {
  const words = text.replace(NO_WORD, " ").replace(/\ue000(?!\d|u)/gu, "");
  return ` ${words.trim()} `;
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
