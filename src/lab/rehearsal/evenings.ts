import { type Beat, type Draft, toBeats } from "./beat.ts";
import { gatherCast } from "./cast.ts";
import { EVENINGS } from "./lines.ts";
import { randomFrom } from "./random.ts";
import { play } from "./scene.ts";
import { fillTemplate } from "./template.ts";

const SEED = 1;
/** From the last line to the end of the stream: the last answer is said by then. */
const ENDING_MS = 2_500;
/** The first stream begins as the rehearsal does; the bot joins within this. */
const FIRST_LINE_MS = 1_000;

/**
 * The rehearsal of two minutes: two short streams, in the first of which people tell things, and in the second of which
 * they ask for them. The same beats every time.
 */
export function writeEvenings(channel: string, botName: string): readonly Beat[] {
  const drafts: Draft[] = [];
  let startMs = 0;
  for (const [index, { title, category, lines }] of EVENINGS.streams.entries()) {
    const stream = index + 1;
    const cast = gatherCast(channel, stream);
    const names = Object.entries(cast).map(([key, { displayName }]) => [key, displayName]);
    const slots = { ...Object.fromEntries(names), bot: botName };
    const random = randomFrom(SEED);
    const fill = (template: string) => fillTemplate(template, slots, random);
    const played = play(lines, startMs + FIRST_LINE_MS, { cast, stream, botName, random, fill });
    const endMs = Math.max(...played.map(({ atMs }) => atMs)) + ENDING_MS;
    drafts.push({ kind: "live", title, category, atMs: startMs, stream }, ...played, {
      kind: "offline",
      atMs: endMs,
      stream,
    });
    startMs = endMs;
  }
  return toBeats(drafts);
}
