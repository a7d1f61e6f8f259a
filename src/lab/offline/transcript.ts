/** A line of the transcript that a summary is made from. */
export interface Said {
  /** As the transcript counts, from 1. */
  readonly number: number;
  readonly label: string;
  readonly isStreamer: boolean;
  readonly text: string;
}

const LINE = /^\[(\d{1,4})\] (P\d{1,4})((?: \((?:streamer|to the bot)\)){0,2}): (.*)$/u;

/** Reads the lines of a transcript block; what does not look like one is left out. */
export function readTranscript(lines: readonly string[]): Said[] {
  return lines.flatMap((line) => {
    const [, number, label, marks, text] = LINE.exec(line) ?? [];
    if (label === undefined || text === undefined) return [];
    return [
      { number: Number(number), label, isStreamer: marks?.includes("(streamer)") ?? false, text },
    ];
  });
}
