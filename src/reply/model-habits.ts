// Pure: values in, values out.
import { decode } from "html-entities";
import { splitSentences } from "../language/clean.ts";

/** A time of day in front of a line, such as `21:14`; maybe with a date and seconds. */
const TIME =
  "(?:\\d{4}-\\d\\d-\\d\\d[ T])?\\d{1,2}:\\d\\d(?::\\d\\d)?(?:\\s?(?:[ap]\\.?m\\.?|uhr))?";
/** The name in front of a line, maybe after a time: `[21:14] @name (to bob):`, `<name>` or `[name]:`. */
const SPEAKER = new RegExp(
  `^\\s*(?<bullet>[-•*]\\s+)?(?<time>\\[${TIME}\\]|\\(${TIME}\\)|${TIME}\\s)?\\s*` +
    "(?:<(?<angled>@?[^\\s<>]{1,25})>:?|\\[(?<squared>[^\\s[\\]]{1,25})\\]\\s?[:：]|" +
    "\\*{0,2}(?<plain>@?[\\p{L}\\p{N}_]{1,25})\\*{0,2}(?:\\s\\([^()]{1,40}\\))?(?:\\sto\\s[^:：]{1,40})?\\s?[:：](?!\\/\\/))",
  "iu",
);
/** A time in brackets in front of an answer. Without brackets it may be the answer's own. */
export const LEADING_TIME = new RegExp(`^\\s*(?:\\[${TIME}\\]|\\(${TIME}\\)):?\\s*`, "iu");
/** Pattern of a time before a name, in brackets or not; maybe with nothing. */
export const TIME_BEFORE_NAME = `(?:[[(]?${TIME}[\\])]?[\\s–—-]{1,3})?`;
/** Template words for anyone but the model. */
const ROLES = /^(?:user|human|viewer|chatter|streamer|player|instruction|p\d{1,3})$/iu;
const LOGIN = /^(?=\D*\d|[^_]*_)[\p{L}\p{N}_]{3,25}$|^[a-z0-9_]{3,25}$/u;

type Speaker = "own" | "other" | "none";

/**
 * Returns the model's own lines: up to the first line that it wrote for another speaker. If the answer begins with such
 * a line, from the first line with the model's own label; null if there is none. `isOwn` gets a label in lower case.
 * `tail`: the prompt's tail, whose lines show who writes in chat.
 */
export function keepOwnLines(
  text: string,
  isOwn: (name: string) => boolean,
  tail: string,
): string | null {
  const lines = text.split(/\r\n|[\r\n]/u).map((line) => ({ line, ...readSpeakerLabel(line) }));
  const first = lines.findIndex(({ line }) => line.trim() !== "");
  const known = `\n${tail.toLowerCase()}`;
  const lastOwn = lines.findLastIndex(({ name }) => isOwn(name.toLowerCase()));
  const speakers = lines.map(({ name, isMarked }, n): Speaker => {
    if (name === "") return "none";
    if (isOwn(name.toLowerCase())) return "own";
    // A later line of the bot's own makes it a conversation.
    if (n > first && (isMarked || n < lastOwn)) return "other";
    const ways = n > first ? [": ", ", to you:", " goes on, to you:"] : [": "];
    const isInChat = ways.some((way) => known.includes(`\n${name.toLowerCase()}${way}`));
    return isInChat || ROLES.test(name) ? "other" : "none";
  });
  // A list of "name: text" lines is a script, even if the first name is the bot's.
  if (
    speakers[first] === "none" &&
    speakers.includes("other") &&
    LOGIN.test(lines[first]?.name ?? "")
  )
    speakers[first] = "other";
  const from = speakers[first] === "other" ? speakers.indexOf("own") : 0;
  if (from < 0) return null;
  const end = speakers.findIndex((speaker, n) => n > from && speaker === "other");
  if (from === 0 && end < 0) return text;
  const kept = lines.slice(from, end < 0 ? undefined : end);
  return kept.map(({ line }) => line).join("\n");
}

/**
 * Returns the name before a line's text, without `@`; "" if there is none. `isMarked`: true if it is surely a
 * speaker's. It has a time, an `@` or angle brackets, or looks like a login; and the line is no list item.
 */
function readSpeakerLabel(line: string): { name: string; isMarked: boolean } {
  const { bullet, time, angled, squared, plain } = SPEAKER.exec(line)?.groups ?? {};
  const label = angled ?? squared ?? plain ?? "";
  const isMarked = Boolean(time ?? angled) || label.startsWith("@") || LOGIN.test(label);
  return { name: label.replace(/^@/, ""), isMarked: isMarked && bullet === undefined };
}

const TOOL_MARKUP =
  /<\s?\/?\s?(?:tool_?calls?|function_?calls?|tool_use|invoke|function\s?=)|\[\/?TOOL_CALLS?\]|<[|｜]\/?(?:python_tag|tool|function|plugin|call)|(?<![\p{L}\p{N}])functions\.\w{1,40}\(|^action\sinput\s?:|\{\s{0,9}"(?:name|tool|function|tool_name)"\s{0,9}:[^{}]{0,200}"(?:arguments|parameters|args|input)"\s{0,9}:/imu;

/** True if an answer calls a tool, in a notation that models use. The bot has no tools. */
export function hasToolCall(text: string): boolean {
  return TOOL_MARKUP.test(text);
}

const SLOT =
  "(?:(?:your|the|viewer|user|display|streamer|channel|bot|sender|target|game)[ _]?)?(?:(?:user|display|viewer)?name|user|viewer|streamer|channel|sender|target|login|game|title|message|time|date)";
const PLACEHOLDER = new RegExp(
  `\\{\\{[^{}]{1,40}\\}\\}|\\$\\{?\\(?[a-z_]{2,30}[)}]|\\{${SLOT}\\}|\\[${SLOT}\\]|<${SLOT}>|%${SLOT}%`,
  "iu",
);
/** A slot in any language, in the place of a name: after the first word or two, before punctuation. */
const SLOT_AS_NAME =
  /(?:^|[.!?…]\s)[¡¿]?\p{L}{2,15}(?:\s\p{L}{1,10})?,?\s(?:\{[\p{L}_ ]{2,25}\}|\[[\p{L}_ ]{2,25}\]|<[\p{L}_ ]{2,25}>)\s?[!！,，.。?？]/u;
/** Labels of a transcript in the place of a name, such as `@P1` or `hi STREAMER`. */
const LABEL_AS_NAME =
  /@P\d{1,3}\b|(?:^|[.!?…]\s)(?:hi|hey|hello|heya|yo|welcome(?: back)?|thanks|thank you|hallo|hola|salut|ciao|oi|ol[aá]|bonjour|moin|привет),?\s(?:P\d{1,3}|STREAMER)(?![\p{L}\p{N}])/u;

/** True if an answer holds a slot that something should have filled: `{user}`, `Hi P1`. */
export function hasPlaceholder(text: string): boolean {
  const decapitalised = text.replace(/(?<=^|[.!?…]\s)\p{Lu}(?=\p{Ll})/gu, (letter) =>
    letter.toLowerCase(),
  );
  return PLACEHOLDER.test(text) || SLOT_AS_NAME.test(text) || LABEL_AS_NAME.test(decapitalised);
}

const QUIET =
  "(?:no[_\\s-]?(?:reply|response|answer|comment|output|message)|(?:stays?\\s|remains?\\s|is\\s)?silen(?:ce|t)|says?\\snothing|" +
  "empty|skip(?:ped)?|ignored?|none|null|nothing|pass|does\\snot\\s(?:reply|respond|answer)|no\\s(?:reply|response)\\sneeded|" +
  "schweigt?|schweigen|keine\\santwort|silencio|sin\\srespuesta|silêncio|sem\\sresposta|pas\\sde\\sréponse|silenzio|nessuna\\srisposta|" +
  "молчит|молчание|тишина|без\\sответа|沈黙|無言|返信なし|沉默|无回复|침묵)";
const SAYS_NOTHING = new RegExp(
  `^(?:[\\s"'\`]*(?:no[_\\s-](?:reply|response|answer|output|message)|null|undefined)|[[(<*_]{1,3}\\s*${QUIET}\\s*/?[\\])>*_]{1,3})[\\s"'\`.!…]*$`,
  "iu",
);
/** Names for an answer that is none are written like constants, or alone between square brackets. */
const CONSTANT =
  /^[\s"'`]*(?:[A-Z]{2,}(?:_[A-Z]{2,})+|SILENCE|SKIP|IGNORE|NONE|N\/A|\[[\p{L}\s]{3,30}\])[\s"'`.!…]*$/u;

/** True if an answer is only a word for silence: `NO_REPLY`, `[silence]`. */
export function isSilence(text: string): boolean {
  return SAYS_NOTHING.test(text) || CONSTANT.test(text);
}

const LITERAL_BREAK = /\\r?\\n|\\n/gu;
/** A path on a disk or network, whose backslashes are its own. */
const PATH = /^(?:[("']{0,2}[a-z]:|\\|\.|~)\\|^[("']{0,2}[a-z]:\\/iu;

/**
 * Decodes HTML entities, and line breaks and quotes that were written as escapes. Leaves words that look like paths.
 */
export function decodeEscapes(text: string): string {
  const decoded = /&[#\w]{1,32};/u.test(text) ? decode(text, { scope: "strict" }) : text;
  if (!decoded.includes("\\n") && !decoded.includes('\\"')) return decoded;
  return decoded.replace(/\S+/gu, (piece) =>
    PATH.test(piece) ? piece : piece.replace(LITERAL_BREAK, "\n").replaceAll('\\"', '"'),
  );
}

/** A shorter sentence may be said twice on purpose: "no no", "gg gg". */
const DOUBLED_CHARS_MIN = 12;
const SENTENCES_IN_LOOP_MAX = 4;

/**
 * Removes repeats that follow at once: of one to four sentences, in any case, or of the whole text. Leaves repeats of
 * fewer than 12 characters.
 */
export function collapseDoubled(text: string): string {
  const sentences = splitSentences(text);
  const keys = sentences.map((sentence) => sentence.trim().toLowerCase());
  const kept: number[] = [];
  for (let at = 0; at < keys.length; at += 1) {
    kept.push(at);
    for (let size = 1; size <= SENTENCES_IN_LOOP_MAX; size += 1) {
      const last = kept.slice(-size).map((n) => keys[n]);
      const before = kept.slice(-2 * size, -size).map((n) => keys[n]);
      if (last.join(" ").length < DOUBLED_CHARS_MIN || before.length < size) continue;
      if (last.every((key, n) => key === before[n])) kept.length -= size;
    }
  }
  const once = kept.map((n) => sentences[n] ?? "");
  return findRepeatedHalf(once.join("").trim()) ?? once.join("");
}

/**
 * Returns the first half of a text if the second half is the same, apart from white space around it. Else returns null;
 * also if the half is one word or shorter than 12 characters.
 */
function findRepeatedHalf(text: string): string | null {
  const middle = Math.ceil(text.length / 2);
  for (let end = middle; end >= Math.max(DOUBLED_CHARS_MIN, middle - 2); end -= 1) {
    const half = text.slice(0, end).trim();
    if (half.length >= DOUBLED_CHARS_MIN && text.slice(end).trim() === half && /\s/u.test(half))
      return half;
  }
  return null;
}

const LOOP_CHARS_MIN = 100;
const LOOP_PERIOD_MAX = 60;
const LOOP_ROUNDS_MIN = 4;

/** True if a piece of up to 60 characters comes four times or more in a row, over 100 characters or more. */
export function isLoop(text: string): boolean {
  for (let period = 1; period <= LOOP_PERIOD_MAX; period += 1) {
    let same = 0;
    for (let at = period; at < text.length; at += 1) {
      same = text[at] === text[at - period] ? same + 1 : 0;
      if (same >= LOOP_CHARS_MIN && same >= period * (LOOP_ROUNDS_MIN - 1)) return true;
    }
  }
  return false;
}
