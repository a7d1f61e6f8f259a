// Pure: values in, values out.
import { defuse } from "./action-syntax.ts";
import { cleanLine } from "./clean.ts";

/**
 * The mark that opens every block of a prompt, random for each process. A block ends where the next one opens, so text
 * cannot close it.
 */
export interface Fence {
  readonly marker: string;
}

const MARKER_SHAPE = /^~[0-9a-z]{8,}~$/;

/**
 * Makes a fence. Throws if `random` is not at least eight characters of a–z and 0–9, which make the marker unguessable.
 */
export function makeFence(random: string): Fence {
  const marker = `~${random}~`;
  if (!MARKER_SHAPE.test(marker)) throw new Error("a fence needs at least 8 of a-z and 0-9");
  return { marker };
}

export function formatFenceHeader(fence: Fence, title: string): string {
  return `${fence.marker} ${title}\n`;
}

/** Makes foreign text safe for a block: one line, no action syntax, no marker. */
export function quoteData(text: string, fence: Fence): string {
  // Replaced, not removed, so that the parts around it cannot join to a new marker.
  return defuse(cleanLine(text)).replaceAll(fence.marker.slice(1, -1), "·");
}
