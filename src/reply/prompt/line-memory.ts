// Pure: values in, values out.
import type { Line } from "./sections.ts";

/** What a line is made of. No two of a kind have one number. */
interface LineSource {
  readonly kind: "said" | "note" | "reply";
  readonly id: number;
  readonly text: string;
  /** What else stands in it: a name, topics; "" for nothing. */
  readonly beside: string;
  readonly tokensMax: number;
}

/** Gives the line of a source, which says everything that the line depends on. */
export type LineOf = (source: LineSource, make: () => Line) => Line;

interface Remembered {
  readonly source: LineSource;
  readonly line: Line;
}

type Lines = Readonly<Record<LineSource["kind"], Map<number, Remembered>>>;

/**
 * Remembers the finished lines of one prompt for the next, and nothing longer: most of them stand there again, and
 * making and counting them is most of what a prompt costs. Each call begins another prompt.
 */
export function lineMemory(): () => LineOf {
  let last = nothing();
  return () => {
    const before = last;
    const now = nothing();
    last = now;
    return (source, make) => {
      const { kind, id } = source;
      const known = before[kind].get(id);
      const line = known !== undefined && isSame(known.source, source) ? known.line : make();
      now[kind].set(id, { source, line });
      return line;
    };
  };
}

function nothing(): Lines {
  return { said: new Map(), note: new Map(), reply: new Map() };
}

function isSame(one: LineSource, other: LineSource): boolean {
  return (
    one.text === other.text && one.beside === other.beside && one.tokensMax === other.tokensMax
  );
}
