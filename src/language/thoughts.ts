// Pure: values in, values out.

const TAG =
  /<\s{0,3}(\/?)\s{0,3}(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis|monologue)\b[^<>]{0,80}>/giu;
/** Channels of the harmony format. The last `final` one is for the user. */
const CHANNEL = /<\|channel\|>/iu;
const FINAL_CHANNEL = /<\|channel\|>\s{0,3}final\s{0,3}<\|message\|>/giu;
/** Matches the end of a turn. Text after it is an invented conversation. */
const END_OF_TURN =
  /<(?:\|(?:im_end|e(?:nd|ot|om|os)(?!_header)[a-z_]{0,15}|return|stop)\||\/s|end_of_turn|eos|｜end▁of▁sentence｜)>/iu;
/** Matches the opening of another speaker's turn after an answer. */
const NEXT_TURN =
  /<(?:[|｜](?:user|human|system)[|｜]|\|(?:im_start|start_header_id|start)\|>\s{0,3}(?:user|system)\b|start_of_turn>\s{0,3}user\b)|\[INST\]|^#{2,4}\s(?:instruction|user|human|input)\b/imu;
/** A token that opens a turn, with the name of its speaker. */
const CONTROL_TOKEN =
  /<(?:\|(?:im_start|start_header_id|start)\||start_of_turn)>\s{0,3}(?:(?:assistant|model)\b)?|<([|｜])(?!\/?(?:python_tag|tool|function|plugin))[^<>|｜]{1,40}\1>|<\/?s>|\[\/?INST\]/giu;
/** Marks of thoughts of some models. */
const OTHER_TAG = /\[(\/?)THINK\]|◁(\/?)think▷/gu;

const ORNAMENT = "[\\s*_#>`-]{0,8}";
const THOUGHT =
  "(?:(?:my\\s)?thoughts?(?:\\sprocess)?|thinking|reasoning|analysis|inner\\smonologue|gedanken|pensamientos?|réflexion|мысли|思考|考え)";
const ANSWER =
  "(?:(?:my\\s|the\\s)?(?:final\\s)?(?:answer|reply|response|output)|antwort|respuesta|réponse|ответ|回答|回复|返信)";
const THOUGHT_LINE = new RegExp(`^${ORNAMENT}${THOUGHT}${ORNAMENT}[:：]`, "iu");
const ANSWER_LINE = new RegExp(`^${ORNAMENT}${ANSWER}${ORNAMENT}[:：]${ORNAMENT}`, "iu");
const ANSWER_INLINE = new RegExp(`[.!?…。*\\s]${ANSWER}[\\s*_]{0,4}[:：][\\s*_]{0,4}`, "iu");

/**
 * Returns an answer without thoughts: tagged parts, "Thought:" blocks, channels but the last `final` one, control tokens,
 * and invented turns after its end. An unclosed tag reaches to the end; a closing tag alone removes all before it.
 * Returns "" if it has channels and none is final. Linear time.
 */
export function removeThoughts(raw: string): string {
  const tagged = raw.replace(OTHER_TAG, "<$1$2think>");
  return removeThoughtLines(removeTagged(removeChannels(tagged)));
}

function removeChannels(raw: string): string {
  if (!/[<[#]/.test(raw)) {
    return raw;
  }
  const last = [...raw.matchAll(FINAL_CHANNEL)].at(-1);
  if (last === undefined && CHANNEL.test(raw)) {
    return "";
  }
  const shown = last === undefined ? raw : raw.slice(last.index + last[0].length);
  const [said = ""] = shown.split(END_OF_TURN, 1);
  const before = said.slice(0, NEXT_TURN.exec(said)?.index);
  return (before.trim() === "" ? said : before).replace(CONTROL_TOKEN, "");
}

function removeTagged(text: string): string {
  let kept = "";
  let depth = 0;
  let from = 0;
  for (const { index, 0: tag, 1: slash } of text.matchAll(TAG)) {
    const isClosing = slash === "/";
    if (depth === 0) {
      kept = isClosing ? "" : `${kept}${text.slice(from, index)} `;
    }
    depth = Math.max(0, depth + (isClosing ? -1 : 1));
    from = index + tag.length;
  }
  return depth > 0 ? kept : kept + text.slice(from);
}

function removeThoughtLines(text: string): string {
  const lines = text.split("\n");
  const firstThought = lines.findIndex((line) => THOUGHT_LINE.test(line));
  if (firstThought < 0) {
    return text;
  }
  const answer = lines.findLastIndex((line, n) => n > firstThought && ANSWER_LINE.test(line));
  if (answer >= 0) {
    return lines.slice(answer).join("\n").replace(ANSWER_LINE, "");
  }
  return lines
    .slice(0, firstThought)
    .concat(skipThoughts(lines.slice(firstThought)))
    .join("\n");
}

/** Returns the lines outside thought blocks. A block ends at an empty line or before an answer. */
function skipThoughts(lines: readonly string[]): string[] {
  const said: string[] = [];
  let isThinking = false;
  for (const line of lines) {
    isThinking = (isThinking && line.trim() !== "") || THOUGHT_LINE.test(line);
    const answer = isThinking ? ANSWER_INLINE.exec(line) : null;
    if (answer !== null) {
      isThinking = false;
      said.push(line.slice(answer.index + answer[0].length));
    } else if (!isThinking) {
      said.push(line);
    }
  }
  return said;
}

const FENCED = /(?:```|~~~)[^\n`~]{0,60}\n?[\s\S]*?(?:```|~~~|$)/g;
const LINK = /!?\[([^[\]]{0,300})\]\(\s{0,3}<?([^()\s<>]{1,300})>?[^()]{0,120}\)/gu;
const HTML_TAG = /<\/?[a-z][a-z0-9-]{0,20}(?:\s[^<>]{0,200})?\/?>/giu;
const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const RULED_LINE = /^[\s|:*_=-]{3,}$/u;
const LINE_START = /^\s*(?:(?:#{1,6}(?=\s)|>(?!\S)|[-+•*](?=\s))\s*)+/u;
const NUMBER_START = /^\s*\d{1,2}[.)]\s+/u;
const ESCAPED = /\\([*~`#>[\]])/g;
const STRONG = /\*{2,}|~~|`+/g;
const STRONG_UNDERSCORES = /(?<![\p{L}\p{N}_@\\])__(?=\S)([^_\n]{1,300})__(?![\p{L}\p{N}_/])/gu;
const EMPHASIS = /(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]{1,300})(?<=\S)\*(?![\p{L}\p{N}*])/gu;
const UNDERSCORES = /(?<![\p{L}\p{N}_@\\])_(?=\S)([^_\n]{1,300})(?<=\S)_(?![\p{L}\p{N}_/])/gu;
const SENTENCE_BEFORE = /(?:^|[.!?…。！？:：,，]\s*)$/u;
const JSON_START = /^(?:\{\s*["'}]|\[\s*(?:["'{]|\]\s*$))/u;

/**
 * Strips Markdown and HTML to plain words on one line. Removes blocks of code, keeps both parts of a link, and keeps an
 * action between asterisks: `*waves* hi`.
 */
export function stripMarkup(text: string): string {
  const lines = text
    .replace(FENCED, "\n")
    .replace(HTML_COMMENT, " ")
    .split(/[\r\n\u2028\u2029]+/u);
  const isList = lines.filter((line) => NUMBER_START.test(line)).length > 1;
  const bare = lines
    .filter((line) => !RULED_LINE.test(line))
    .map((line) => line.replace(LINE_START, ""))
    .map((line) => (isList ? line.replace(NUMBER_START, "") : line).trim())
    .filter((line) => line !== "");
  return bare
    .join(" ")
    .replace(LINK, (_, label: string, target: string) =>
      label === target ? target : `${label} ${target}`,
    )
    .replace(HTML_TAG, " ")
    .replace(ESCAPED, "$1")
    .replace(STRONG, "")
    .replace(STRONG_UNDERSCORES, "$1")
    .replace(EMPHASIS, (span, inner: string, at: number, whole: string) => {
      const [before, after] = [whole.slice(0, at), whole.slice(at + span.length)];
      // Something done, not stressed, begins a sentence, or ends the answer.
      const begins = SENTENCE_BEFORE.test(before.slice(-8)) && /^(?:\s|$)/u.test(after);
      const ends = /\s$/u.test(before) && after.trim() === "" && /\s/u.test(inner);
      return begins || ends ? span : inner;
    })
    .replace(UNDERSCORES, "$1");
}

/** Returns true if an answer begins like JSON, or is only blocks of code. */
export function isCode(text: string): boolean {
  const trimmed = text.trim();
  return (
    JSON_START.test(trimmed) ||
    (/^(?:```|~~~)/.test(trimmed) && !/[\p{L}\p{N}]/u.test(trimmed.replace(FENCED, "")))
  );
}
