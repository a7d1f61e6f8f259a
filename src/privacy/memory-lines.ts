import { REPLY_CHARS_MAX } from "../reply/guard.ts";

/** A note as it may be told to whom it is about. */
export interface ToldNote {
  readonly id: number;
  readonly fact: string;
}

const HIDDEN = "(not for chat; the streamer can show it)";
const BETWEEN = " · ";

/**
 * What is known about somebody, as lines of chat that fit: the count, then each note with its number. `maySay` gives
 * the text that may be said, or null: then the note is counted and not told.
 */
export function memoryLines(
  notes: readonly ToldNote[],
  maySay: (text: string) => string | null,
  command: string,
): string[] {
  const items = notes.map(({ id, fact }) => `#${id} ${maySay(fact) ?? HIDDEN}`);
  const head = `I know ${notes.length} ${notes.length === 1 ? "thing" : "things"} about you: `;
  const more = (page: number) => ` (${command} ${page} goes on)`;
  const room = REPLY_CHARS_MAX - head.length - more(items.length).length;
  const pages = inPages(items, room);
  return pages.map((page, index) => {
    const rest = index + 1 < pages.length ? more(index + 2) : "";
    return `${index === 0 ? head : ""}${page}${rest}`;
  });
}

function inPages(items: readonly string[], charsMax: number): string[] {
  const pages: string[] = [];
  for (const item of items) {
    const last = pages.at(-1);
    const longer = last === undefined ? item : `${last}${BETWEEN}${item}`;
    if (last === undefined || longer.length > charsMax) pages.push(item);
    else pages[pages.length - 1] = longer;
  }
  return pages;
}
