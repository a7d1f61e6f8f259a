import type { Line } from "./sections.ts";

/** Gives the line of a key, which says everything that the line depends on. */
export type LineOf = (key: string, make: () => Line) => Line;

/**
 * Remembers the finished lines of one prompt for the next, and nothing longer: most of them stand there again, and
 * making and counting them is most of what a prompt costs. Each call begins another prompt.
 */
export function lineMemory(): () => LineOf {
  let last = new Map<string, Line>();
  return () => {
    const before = last;
    const now = new Map<string, Line>();
    last = now;
    return (key, make) => {
      const line = before.get(key) ?? make();
      now.set(key, line);
      return line;
    };
  };
}
