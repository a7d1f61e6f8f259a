// Pure: values in, values out.
const TAG =
  /<\s{0,3}(\/?)\s{0,3}(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis|monologue)\b[^<>]{0,80}>/giu;
/** Channels of the harmony format: what is meant for the user stands in the last `final` one. */
const CHANNEL = /<\|channel\|>/iu;
const FINAL_CHANNEL = /<\|channel\|>\s{0,3}final\s{0,3}<\|message\|>/giu;
/** What a model ends its turn with; anything behind it is a conversation it went on inventing. */
const END_OF_TURN = /<(?:\|(?:im_end|eot_id|eom_id|end|endoftext|return)\||\/s|end_of_turn|eos)>/iu;
const CONTROL_TOKEN = /<\|[^<>|]{1,40}\|>|<start_of_turn>|<\/?s>|\[\/?INST\]/giu;

const ORNAMENT = "[\\s*_#>`-]{0,8}";
const THOUGHT =
  "(?:(?:my\\s)?thoughts?(?:\\sprocess)?|thinking|reasoning|analysis|inner\\smonologue|gedanken|pensamientos?|réflexion|мысли|思考|考え)";
const ANSWER =
  "(?:(?:my\\s|the\\s)?(?:final\\s)?(?:answer|reply|response|output)|antwort|respuesta|réponse|ответ|回答|回复|返信)";
const THOUGHT_LINE = new RegExp(`^${ORNAMENT}${THOUGHT}${ORNAMENT}[:：]`, "iu");
const ANSWER_LINE = new RegExp(`^${ORNAMENT}${ANSWER}${ORNAMENT}[:：]${ORNAMENT}`, "iu");
const ANSWER_INLINE = new RegExp(`[.!?…。*\\s]${ANSWER}[\\s*_]{0,4}[:：][\\s*_]{0,4}`, "iu");

/**
 * A model's answer without what it only thought: tagged parts (an unclosed one reaches to the end, one without a
 * beginning from the start), "Thought:" blocks, channels not meant for the reader, control tokens. Linear time.
 */
export function withoutThoughts(raw: string): string {
  return withoutThoughtLines(withoutTagged(withoutChannels(raw)));
}

function withoutChannels(raw: string): string {
  if (!raw.includes("<") && !raw.includes("[")) {
    return raw;
  }
  const last = [...raw.matchAll(FINAL_CHANNEL)].at(-1);
  if (last === undefined && CHANNEL.test(raw)) {
    return "";
  }
  const shown = last === undefined ? raw : raw.slice(last.index + last[0].length);
  const end = shown.search(END_OF_TURN);
  return (end < 0 ? shown : shown.slice(0, end)).replace(CONTROL_TOKEN, "");
}

function withoutTagged(text: string): string {
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

function withoutThoughtLines(text: string): string {
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
    .concat(behindThoughts(lines.slice(firstThought)))
    .join("\n");
}

/** The lines that are not of a thought block: one ends at an empty line, or where an answer is announced. */
function behindThoughts(lines: readonly string[]): string[] {
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
