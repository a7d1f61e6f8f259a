// Pure: values in, values out.

import { ACTION_NAMES } from "../config/names.ts";
import { extractActions } from "../language/action-syntax.ts";
import { createForbiddenTest } from "../language/banned.ts";
import { cleanLine, cutBrokenEnd, cutText } from "../language/clean.ts";
import { runFinder } from "../language/distinctive.ts";
import { fold } from "../language/fold.ts";
import { createHostTest, findHosts, spaceDots } from "../language/links.ts";
import { isCode, removeThoughts, stripMarkup } from "../language/thoughts.ts";
import { makeLiteralPattern } from "../language/words.ts";
import {
  collapseDoubled,
  decodeEscapes,
  hasPlaceholder,
  hasToolCall,
  isLoop,
  isSilence,
  keepOwnLines,
  LEADING_TIME,
  TIME_BEFORE_NAME,
} from "./model-habits.ts";

/**
 * Why an answer is not sent:
 * - `empty`: nothing is left to say
 * - `silence`: it is a word for silence, such as `NO_REPLY`
 * - `not_prose`: JSON or code only, or it does not settle into one plain line
 * - `tool_call`: it calls a tool that does not exist here
 * - `placeholder`: it shows a slot that nothing filled, such as `{user}`
 * - `speaker`: it only speaks for other viewers
 * - `loop`: it repeats itself without end
 * - `command`: it would begin with a chat command
 * - `marker`: it shows a fence, a header or a person's token of the prompt
 * - `note_id`: it names a note by its number
 * - `system_prompt`: it repeats a run of the persona or rules
 * - `link`: it links to a host that is not allowed
 * - `banned`: it holds a banned word
 * - `mass_mention`: it mentions everyone, or has more than two mentions
 */
export type GuardRule =
  | "empty"
  | "silence"
  | "not_prose"
  | "tool_call"
  | "placeholder"
  | "speaker"
  | "loop"
  | "command"
  | "marker"
  | "note_id"
  | "system_prompt"
  | "link"
  | "banned"
  | "mass_mention";

/** A change that the guard made. */
export type RemovedCode =
  | "thought"
  | "action"
  | "speaker"
  | "escape"
  | "markdown"
  | "cleaned"
  | "note_id"
  | "label"
  | "lead"
  | "doubled"
  | "dot"
  | "cut";

/** `proposals` are the action spans as the model wrote them, for the policy engine to parse; malformed ones too. */
export type GuardResult =
  | {
      readonly ok: true;
      readonly text: string;
      readonly removed: readonly RemovedCode[];
      readonly proposals: readonly string[];
    }
  | { readonly ok: false; readonly rule: GuardRule; readonly proposals: readonly string[] };

export interface GuardRules {
  /** Hosts that may be linked to, with their subdomains. */
  readonly allowedHosts: readonly string[];
  readonly bannedWords: readonly string[];
  /** Persona and rules, as in the prompt. */
  readonly secretTexts: readonly string[];
  /** The voices of the personas, as the streamer wrote them. */
  readonly voiceTexts: readonly string[];
  /** Fence markers and section headers of the prompt. */
  readonly markers: readonly string[];
  /** The bot's login, aliases and persona name. */
  readonly ownNames: readonly string[];
}

/** The most characters of a raw answer that are read; the rest is ignored. */
const RAW_CHARS_MAX = 40_000;
const SHOWN_CHARS_MAX = 8_000;
/** The most characters of an answer: Twitch's 500, less room for a name in front. */
export const REPLY_CHARS_MAX = 450;
/** An answer leaks the rules if it has such a run of their words. A shorter run occurs in ordinary chat too. */
const RULES_RUN = { wordsMin: 8, lettersMin: 40 };
const VOICE_RUN = { wordsMin: 6, lettersMin: 30 };
const ROUNDS_MAX = 8;
/** Letters, digits, symbols and emoji, or an emoticon made of punctuation. */
const SAYS_SOMETHING = /[\p{L}\p{N}\p{So}\p{Sm}]|[:;=]['-]?[()[\]/\\*]/u;

/**
 * Returns a guard: a function that returns what may be sent of a model's answer, or the rule that forbids it. Pure, and
 * bounded for any length. Its text is one line of at most 450 UTF-16 units; guarding it again changes nothing.
 */
export function prepareGuard(rules: GuardRules): Guard {
  const clean = createCleaner(rules);
  const findBrokenRule = createChecker(rules);
  return (raw, { noteIds = NO_IDS, isCutOff = false, tail = "" } = {}) => {
    const notes: Notes = { removed: new Set(), proposals: [] };
    const { proposals } = notes;
    const shown = recordChange(notes, "thought", raw.slice(0, RAW_CHARS_MAX), removeThoughts);
    const settled = settle(shown.slice(0, SHOWN_CHARS_MAX), (text) => clean(text, notes, tail));
    if (!settled.ok) return { ...settled, proposals };
    const isBroken = isCutOff || raw.length > RAW_CHARS_MAX || shown.length > SHOWN_CHARS_MAX;
    const text = isBroken ? recordChange(notes, "cut", settled.text, cutBrokenEnd) : settled.text;
    const rule = findBrokenRule(text, noteIds);
    if (rule !== null) return { ok: false, rule, proposals };
    return { ok: true, text, removed: [...notes.removed], proposals };
  };
}

/** Returns the text that may be sent, or the rule that forbids it. */
export type Guard = (raw: string, answer?: AnswerFacts) => GuardResult;

interface AnswerFacts {
  /** Ids of the notes in the prompt: "note #12" names one of them, "Note 5 was the worst song" does not. */
  readonly noteIds?: ReadonlySet<number>;
  /** True if the model ran into its limit: its last sentence is broken. */
  readonly isCutOff?: boolean;
  /** The end of the prompt: its lines show who speaks in chat. */
  readonly tail?: string;
}

const NO_IDS: ReadonlySet<number> = new Set();

/** The guard's changes so far, and the actions that it took out. */
interface Notes {
  readonly removed: Set<RemovedCode>;
  readonly proposals: string[];
}

type CleanedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly rule: GuardRule };

/**
 * Cleans until nothing changes, because one step may expose work for another. Refuses a text that still changes after
 * eight rounds.
 */
function settle(shown: string, clean: (text: string) => CleanedText): CleanedText {
  let text = shown;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const cleaned = clean(text);
    if (!cleaned.ok || cleaned.text === text) return cleaned;
    text = cleaned.text;
  }
  return { ok: false, rule: "not_prose" };
}

type Step = readonly [RemovedCode, (text: string) => string];

/**
 * Returns a function that does one cleaning round: it removes actions and thoughts, keeps only the bot's own lines,
 * then cleans them into one. It adds the actions and the codes of its changes to `notes`. It returns a rule for an
 * answer that cleaning cannot save. `tail` shows who speaks in chat.
 */
function createCleaner(
  rules: GuardRules,
): (text: string, notes: Notes, tail: string) => CleanedText {
  const isAllowed = createHostTest(rules.allowedHosts);
  const own = new Set([...rules.ownNames, ...OWN_LABELS].map((name) => name.toLowerCase()));
  const firstSteps: readonly Step[] = [
    ["thought", removeThoughts],
    ["action", (text) => text.replace(HALF_ACTION, " ")],
    ["escape", decodeEscapes],
  ];
  const lineSteps: readonly Step[] = [
    ["markdown", stripMarkup],
    ["cleaned", cleanLine],
    ["note_id", (text) => text.replace(CITATION, "")],
    ["label", createUnwrapper(rules.ownNames)],
    ["lead", (text) => readLead(text).rest],
    ["doubled", collapseDoubled],
  ];
  const lastSteps: readonly Step[] = [
    ["cut", (text) => cutText(text, REPLY_CHARS_MAX)],
    ["dot", (text) => spaceDots(text, isAllowed)],
  ];
  return (text, notes, tail) => {
    const { text: bare, spans } = extractActions(text);
    notes.proposals.push(...spans);
    if (spans.length > 0) notes.removed.add("action");
    const said = applySteps(notes, bare, firstSteps);
    const rule = UNSPEAKABLE.find(([, is]) => is(said))?.[0];
    if (rule !== undefined) return { ok: false, rule };
    const ownText = keepOwnLines(said, (name) => own.has(name), tail);
    if (ownText === null) return { ok: false, rule: "speaker" };
    const ownLines = recordChange(notes, "speaker", said, () => ownText);
    const line = applySteps(notes, ownLines, lineSteps);
    if (isLoop(line)) return { ok: false, rule: "loop" };
    return { ok: true, text: applySteps(notes, line, lastSteps) };
  };
}

function applySteps(notes: Notes, text: string, steps: readonly Step[]): string {
  return steps.reduce((current, [code, step]) => recordChange(notes, code, current, step), text);
}

/** Answers that no cleaning can save. */
const UNSPEAKABLE: readonly (readonly [GuardRule, (text: string) => boolean])[] = [
  ["silence", isSilence],
  ["tool_call", hasToolCall],
  ["placeholder", hasPlaceholder],
  ["not_prose", isCode],
];

/** An action without its name: it runs nothing, and is not sent. */
const HALF_ACTION = new RegExp(
  `\\[\\s*(?:${ACTION_NAMES.join("|")}|ban)(?:[\\s:][^\\]]*)?(?:\\]|$)`,
  "giu",
);

/** Returns the text after a step. Adds the code to `notes` if more than white space changed; `dot` for any change. */
function recordChange(
  notes: Notes,
  code: RemovedCode,
  text: string,
  step: (text: string) => string,
): string {
  const next = step(text);
  if (next === text) return text;
  // A change of white space alone counts only if a space is the fix.
  if (code === "dot" || next.replace(SPACES, "") !== text.replace(SPACES, ""))
    notes.removed.add(code);
  return next;
}

const SPACES = /[ \t\r\n\u00a0\u2028\u2029\u3000]+/gu;

/** A note's number in brackets, such as `[id 12]`: it means nothing in chat. */
const CITATION =
  /\s?[[(]\s?(?:note\s)?id\s?[:#=]?\s?\d{1,12}(?:\s?,\s?(?:id\s?[:#=]?\s?)?\d{1,12}){0,10}\s?[\])]/giu;

/** Returns a function that returns the first rule that a cleaned text breaks; null if it breaks none. */
function createChecker(
  rules: GuardRules,
): (text: string, noteIds: ReadonlySet<number>) => GuardRule | null {
  const isAllowed = createHostTest(rules.allowedHosts);
  const isForbidden = createForbiddenTest(rules.bannedWords);
  const leaksRules = runFinder(rules.secretTexts, RULES_RUN);
  const leaksVoice = runFinder(rules.voiceTexts, VOICE_RUN);
  const showsMark = markFinder(rules.markers);
  type Check = readonly [GuardRule, (text: string, noteIds: ReadonlySet<number>) => boolean];
  const checks: readonly Check[] = [
    ["empty", (text) => !SAYS_SOMETHING.test(text)],
    ["silence", isSilence],
    ["command", (text) => readLead(text).isCommand],
    ["marker", showsMark],
    ["note_id", mentionsNote],
    ["system_prompt", (text) => leaksRules(text) || leaksVoice(text)],
    ["link", (text) => findHosts(text).some((host) => !isAllowed(host))],
    ["banned", isForbidden],
    ["mass_mention", callsMany],
  ];
  return (text, noteIds) => checks.find(([, breaks]) => breaks(text, noteIds))?.[0] ?? null;
}

const NOTE_ID =
  /(?<![\p{L}\p{N}])(?:id\s{0,3}[:#=]\s{0,3}\d|[[(]\s{0,3}id\s{0,3}\d|notes?\s{0,3}id\s{0,3}[:#]?\s{0,3}\d)/iu;
const NOTE_NUMBER =
  /(?<![\p{L}\p{N}])notes?\s{0,3}(?:number|no\.?|nr\.?|#)\s{0,3}[:#]?\s{0,3}(\d{1,12})(?!\d)/giu;

/**
 * True if a text names a note by its number: any number after `id`, or one of `noteIds` in "note #5" or "note number
 * 5". "Note 5" alone may be a song.
 */
function mentionsNote(text: string, noteIds: ReadonlySet<number>): boolean {
  const plain = fold(text);
  if (NOTE_ID.test(plain)) return true;
  return [...plain.matchAll(NOTE_NUMBER)].some(([, id]) => noteIds.has(Number(id)));
}

const MENTIONS_MAX = 2;
const MENTION = /[@＠﹫]\s?[\p{L}\p{N}_]/gu;
const EVERYONE = /[@＠﹫]\s?(?:everyone|everybody|here|all|chat)(?![\p{L}\p{N}_])/iu;

/** True if a text mentions everyone (`@all`), or has more than two mentions. */
function callsMany(text: string): boolean {
  return EVERYONE.test(text) || (text.match(MENTION)?.length ?? 0) > MENTIONS_MAX;
}

/** Characters that begin a command for Twitch or another bot. */
const SLASHES = "/\\\\⁄∕／╱⧸⟋∖⧵⧹＼﹨╲⟍";
const DOTS = ".．․﹒｡。…‥";
const BANGS = "!！ǃ︕﹗‼";
const COMMAS = ",，､、";
const COMMAND_LEAD = new RegExp(`^[\\s${SLASHES}${DOTS}${BANGS}${COMMAS}]+`, "u");
const SLASH = new RegExp(`[${SLASHES}]`, "u");
/** One dot or exclamation mark with a word right behind it: several are only emphasis, or a pause. */
const COMMAND_WORD = new RegExp(`^[\\s${COMMAS}]*[${DOTS}${BANGS}](?=[\\p{L}\\p{N}_])`, "u");
/** Names in front: clients that thread replies hide them, so the rest begins the line. */
const ADDRESSES = /^(?:[\s,:]*[@＠﹫][\p{L}\p{N}_]+[,:]?(?=[\s\p{P}\p{S}]))*\s*/u;
const ME = /^[/.]me\s+(?=\S)/iu;

interface Lead {
  /**
   * The text without `/me` and without dots, commas or exclamation marks at its beginning. Of a command, the whole
   * text.
   */
  readonly rest: string;
  readonly isCommand: boolean;
}

/** Reads how a line begins, after any @-mentions: with a chat command, or with characters to remove. */
function readLead(text: string): Lead {
  const addresses = ADDRESSES.exec(text)?.[0] ?? "";
  const body = text.slice(addresses.length).replace(ME, "");
  const lead = COMMAND_LEAD.exec(body)?.[0] ?? "";
  if (SLASH.test(lead) || COMMAND_WORD.test(body)) {
    return { rest: text, isCommand: true };
  }
  return { rest: addresses + body.slice(lead.length), isCommand: false };
}

const SPACE = /\s+/gu;
const NOT_WORD = /[^\p{L}\p{N}]+/gu;
/** A shorter mark would be found in ordinary words. */
const MARK_CHARS_MIN = 4;
const PERSON_TOKEN = /\{u:\d/;

/**
 * Returns a test for marks of our prompt in a text. A mark with spaces or a final colon, such as a header, is found
 * with any spacing. Another, such as a fence, is found also with any punctuation. The test finds a person's token
 * (`{u:1`) too. It ignores marks under four characters.
 */
function markFinder(marks: readonly string[]): (text: string) => boolean {
  const headers: string[] = [];
  const fences: string[] = [];
  for (const written of marks) {
    const mark = fold(written.trim(), { lookAlikes: true });
    if (/\s|:$/u.test(mark)) headers.push(mark.replace(SPACE, ""));
    else fences.push(mark.replace(NOT_WORD, "") || mark);
  }
  const hasAny = (text: string, parts: readonly string[]) =>
    parts.some((part) => part.length >= MARK_CHARS_MIN && text.includes(part));
  return (text) => {
    const folded = fold(text, { lookAlikes: true });
    const compact = folded.replace(SPACE, "");
    return (
      PERSON_TOKEN.test(compact) ||
      hasAny(compact, headers) ||
      hasAny(compact, fences) ||
      hasAny(folded.replace(NOT_WORD, ""), fences)
    );
  };
}

const OWN_LABELS = [
  "assistant",
  "bot",
  "ai",
  "chatbot",
  "reply",
  "answer",
  "response",
  "final answer",
  "message",
];
const QUOTE_PAIRS = ['""', "''", "“”", "„“", "„”", "«»", "»«", "‘’", "「」", "『』", "＂＂", "‹›"];
const BRACKETS = "[\\s*_\"'<>()\\[\\]]{0,4}";

/**
 * Returns a function that removes a time and the model's own label at the start (`[21:14] Mark:`, `Mark (you) to
 * Wendy:`). It removes quotation marks around the whole too, unless the text has some inside.
 */
function createUnwrapper(ownNames: readonly string[]): (text: string) => string {
  const names = [...ownNames, ...OWN_LABELS]
    .map((name) => makeLiteralPattern(name.trim()))
    .filter((name) => name !== "");
  const label = new RegExp(
    `^${TIME_BEFORE_NAME}${BRACKETS}@?(?:${names.join("|")})(?:\\s\\((?:you|bot)\\)(?:\\sto\\s[^:：]{1,40})?)?${BRACKETS}[:：](?!//)\\s*(?:\\*{1,2}\\s)?`,
    "iu",
  );
  return (text) => {
    const said = text.replace(label, "").replace(LEADING_TIME, "").trim();
    const inner = said.slice(1, -1);
    const pair = QUOTE_PAIRS.find(
      ([open = "", close = ""]) => said.length > 1 && said.startsWith(open) && said.endsWith(close),
    );
    // Quotation marks inside belong to the sentence.
    return pair !== undefined && ![...pair].some((quote) => inner.includes(quote))
      ? inner.trim()
      : said;
  };
}
