// Pure: values in, values out.
/** What a terminal obeys rather than shows, and what turns the direction of reading. */
const OBEYED = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CHARS_MAX = 1_000;

/** A text from elsewhere as one line for a terminal: nothing in it is obeyed, and it ends somewhere. */
export function printable(text: string): string {
  const line = text.replace(OBEYED, "\ufffd");
  return line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX)}…` : line;
}

/** "1 note", "2 notes"; `many` where an s is not enough. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A title and its lines, indented; nothing where there are no lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}
