/** A line of the transcript that a summary is made from. */
export interface Said {
  /** Of the line, as the transcript stands, from 1. */
  readonly number: number;
  /** `P1` and so on, or `STREAMER`. */
  readonly label: string;
  readonly isStreamer: boolean;
  readonly text: string;
}

/** A numbered line about somebody or something: a claim, or a note. */
export interface NumberedLine {
  readonly n: number;
  /** A label, `channel` or `bit`. */
  readonly subject: string;
  readonly text: string;
}

const MARKER = /^~[0-9a-z]{8,}~ /;
const LINE = /^(?:\[\d{1,4}\] )?(P\d{1,4}|STREAMER)((?: \([a-z ]+\)){0,2}): (.*)$/u;
const LISTED = /^\[(\d+)\] (P\d{1,4}|STREAMER|channel|bit): (.+)$/;
const QUESTION_MARK = /[?？]/u;
const QUESTION_BEGINNING =
  /^(?:@\w+|[^\p{L}\p{N}@_])*(?:(?:so|and|but|ok|hey|hi|btw)[\s,]+)?(?:(?:the bot|someone|P\d{1,4}|STREAMER)[\s,]+)?(?:who|what|when|where|which|why|how)(?![\p{L}\p{N}'])/iu;

/** The blocks of a prompt by their titles, each as its lines. Only the mark that it begins with opens one. */
export function blocksOf(prompt: string): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  const begin = /^~[0-9a-z]{8,}~ /m.exec(prompt);
  const marker = begin === null ? null : MARKER.exec(prompt.slice(begin.index))?.[0];
  if (marker === null || marker === undefined) return blocks;
  let lines: string[] | null = null;
  for (const line of prompt.split("\n")) {
    if (line.startsWith(marker)) {
      lines = [];
      blocks.set(line.slice(marker.length), lines);
    } else if (line !== "") {
      lines?.push(line);
    }
  }
  return blocks;
}

/** The first block whose title satisfies `matches`; no lines where there is none. */
export function blockWhere(blocks: Map<string, string[]>, matches: RegExp): readonly string[] {
  for (const [title, lines] of blocks) if (matches.test(title)) return lines;
  return [];
}

/** Reads the lines of a transcript block; what does not look like one is left out. */
export function readTranscript(lines: readonly string[]): Said[] {
  return lines.flatMap((line, index) => {
    const [, label, marks = "", text] = LINE.exec(line) ?? [];
    if (label === undefined || text === undefined) return [];
    const isStreamer = label === "STREAMER" || marks.includes("(streamer)");
    return [{ number: index + 1, label, isStreamer, text }];
  });
}

/** Reads numbered lines such as `[3] P1: P1 plays chess`; what does not look like one is left out. */
export function readListed(lines: readonly string[]): NumberedLine[] {
  return lines.flatMap((line) => {
    const [, n = "", subject = "", text = ""] = LISTED.exec(line) ?? [];
    return text === "" ? [] : [{ n: Number(n), subject, text }];
  });
}

/** Whether a line asks something: by its mark, or by its first word, since many leave the mark out. */
export function isQuestion(text: string): boolean {
  return QUESTION_MARK.test(text) || QUESTION_BEGINNING.test(text);
}
