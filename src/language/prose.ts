// Pure: values in, values out.
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
const OBJECT_START = /^(?:\{\s*["'}]|\[\s*(?:["'{]|\]\s*$))/u;

/** Markdown and HTML as the plain words in them, on one line. Blocks of code go, links keep both their parts. */
export function plainProse(text: string): string {
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
  return plainInline(bare.join(" "));
}

/** Whether an answer is nothing that could be said: JSON, or a block of code with no word around it. */
export function isCode(text: string): boolean {
  const trimmed = text.trim();
  return (
    OBJECT_START.test(trimmed) ||
    (/^(?:```|~~~)/.test(trimmed) && !/[\p{L}\p{N}]/u.test(trimmed.replace(FENCED, "")))
  );
}

function plainInline(text: string): string {
  return text
    .replace(LINK, (_, label: string, target: string) =>
      label === target ? target : `${label} ${target}`,
    )
    .replace(HTML_TAG, " ")
    .replace(ESCAPED, "$1")
    .replace(STRONG, "")
    .replace(STRONG_UNDERSCORES, "$1")
    .replace(EMPHASIS, "$1")
    .replace(UNDERSCORES, "$1");
}
