import { type Cast, type CastMember, CHATTERS, gatherCast } from "./cast.ts";
import { LONG } from "./lines.ts";
import type { Random } from "./random.ts";
import { phaseAt, planStream } from "./rehearsal-plan.ts";

const DEATH_EVERY_MS = 47_000;
const LADDER_EVERY_MS = 170_000;
const DEATHS_BEFORE = 3;
const LADDERS_BEFORE = 12;
const LADDERS_A_STREAM = 6;

/** A stream of a long rehearsal: its people, its plan, and its words. */
export type StreamStage = ReturnType<typeof setStage>;

/** Sets one stream up. Times are milliseconds since the rehearsal began. */
export function setStage(
  { channel, botName }: { readonly channel: string; readonly botName: string },
  stream: number,
  { startMs, lengthMs }: { readonly startMs: number; readonly lengthMs: number },
  random: Random,
) {
  const cast = gatherCast(channel, stream);
  const plan = planStream(stream, lengthMs, random.fork("plan"));
  const { gameSlots, talkSlots, raidSlots } = LONG;
  const fixed = { ...namesOf(cast, botName), ...gameSlots, ...talkSlots, ...raidSlots };
  /** The template as written, with where the story stands and somebody whom this person may mention as a friend. */
  const fill = (template: string, person: CastMember, atMs: number): string => {
    const streamMs = Math.max(0, atMs - startMs);
    const friends = CHATTERS.map((key) => cast[key]).filter((one) => one !== person);
    const ladders = LADDERS_BEFORE + LADDERS_A_STREAM * (stream - 1);
    const slots = {
      ...fixed,
      friend: random.pick(friends).displayName,
      boss: phaseAt(plan, streamMs).boss,
      n: String(random.int(2, 40)),
      deaths: String(DEATHS_BEFORE + Math.floor(streamMs / DEATH_EVERY_MS)),
      ladders: String(ladders + Math.floor(streamMs / LADDER_EVERY_MS)),
    };
    return fillTemplate(template, slots, random);
  };
  return { cast, plan, stream, startMs, random, botName, fill };
}

/** What everybody, and the bot, is called, by how templates name them. */
export function namesOf(cast: Cast, botName: string): Readonly<Record<string, string>> {
  const names = Object.entries(cast).map(([key, { displayName }]) => [key, displayName]);
  return { ...Object.fromEntries(names), bot: botName };
}

/** Values for a template's slots: a list is drawn from, a text stands as it is. */
type Slots = Readonly<Record<string, string | readonly string[]>>;

const INNERMOST_GROUP = /\{([^{}]*)\}/u;
const GROUPS_MAX = 60;
/** Private-use stand-ins for the braces of a group that is text. */
const OPEN = "\uE000";
const CLOSE = "\uE001";

/**
 * Fills a template: `{a|b|}` becomes one of its choices, `{boss}` what the slot of that name holds; choices may
 * hold slots, and slots templates. A group without a bar that is no slot is text, braces and all.
 */
export function fillTemplate(template: string, slots: Slots, random: Random): string {
  let text = template;
  for (let groups = 0; groups < GROUPS_MAX && INNERMOST_GROUP.test(text); groups += 1) {
    text = text.replace(INNERMOST_GROUP, (_, inside: string) => {
      if (inside.includes("|")) return random.pick(inside.split("|"));
      const value = Object.hasOwn(slots, inside) ? slots[inside] : undefined;
      if (value === undefined) return `${OPEN}${inside}${CLOSE}`;
      return typeof value === "string" ? value : random.pick(value);
    });
  }
  return text.replaceAll(OPEN, "{").replaceAll(CLOSE, "}").replace(/ {2,}/gu, " ").trim();
}
