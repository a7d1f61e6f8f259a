import { type Cast, type CastMember, type Voice, voiceOf } from "./cast.ts";
import { LONG } from "./lines.ts";
import type { Random } from "./random.ts";
import { phaseAt, type StreamPlan } from "./rehearsal-plan.ts";

interface WordingInput {
  readonly cast: Cast;
  /** Those a line may mention as a friend. */
  readonly friends: readonly CastMember[];
  readonly stream: number;
  readonly streamStartMs: number;
  readonly plan: StreamPlan;
  readonly botName: string;
  readonly random: Random;
}

interface Wording {
  /** The template as written for this person. */
  fill(template: string, person: CastMember, atMs: number): string;
  /** The same in this person's manner: typos, capitals, what they end on. */
  voiced(template: string, person: CastMember, atMs: number): string;
}

const TAIL_CHANCE = 0.14;
const TYPO_WORD_LENGTH_MIN = 5;

const DEATH_EVERY_MS = 47_000;
const LADDER_EVERY_MS = 170_000;
const DEATHS_BEFORE = 3;
const LADDERS_BEFORE = 12;
const LADDERS_A_STREAM = 6;

/** Words for one stream: fills templates with its people, its game and where the story stands. */
export function wordingOf(input: WordingInput): Wording {
  const { cast, friends, random, botName } = input;
  const names = Object.entries(cast).map(([key, { displayName }]) => [key, displayName] as const);
  const fixed = {
    ...Object.fromEntries(names),
    ...LONG.gameSlots,
    ...LONG.talkSlots,
    ...LONG.raidSlots,
    bot: botName,
  };
  const fill = (template: string, person: CastMember, atMs: number) => {
    const streamMs = Math.max(0, atMs - input.streamStartMs);
    const others = friends.filter(({ userId }) => userId !== person.userId);
    const slots = {
      ...fixed,
      friend: random.pick(others).displayName,
      boss: phaseAt(input.plan, streamMs).boss,
      n: String(random.int(2, 40)),
      deaths: String(DEATHS_BEFORE + Math.floor(streamMs / DEATH_EVERY_MS)),
      ladders: String(
        LADDERS_BEFORE +
          Math.floor(streamMs / LADDER_EVERY_MS) +
          LADDERS_A_STREAM * (input.stream - 1),
      ),
    };
    return fillTemplate(template, slots, random);
  };
  return {
    fill,
    voiced(template, person, atMs) {
      const text = fill(template, person, atMs);
      const isForSomebody =
        /[@!]/u.test(text) || text.toLowerCase().includes(botName.toLowerCase());
      if (isForSomebody || person.role === "bot") return text;
      const tail = (choice: string) => fill(choice, person, atMs);
      return voicedText(text, voiceOf(person), random, tail);
    },
  };
}

function voicedText(
  plain: string,
  voice: Voice,
  random: Random,
  fill: (template: string) => string,
): string {
  let text = random.chance(voice.typos) ? withTypo(plain, random) : plain;
  if (voice.tails.length > 0 && random.chance(TAIL_CHANCE)) {
    text = `${text}${voice.proper ? "," : ""} ${fill(random.pick(voice.tails))}`;
  }
  if (random.chance(voice.shouts)) text = text.toUpperCase();
  return voice.proper ? proper(text) : text;
}

function proper(text: string): string {
  const stop = /\p{L}$/u.test(text) ? "." : "";
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${stop}`;
}

/** Two neighbouring letters of one longer word change places. */
function withTypo(text: string, random: Random): string {
  const words = text.split(" ");
  const longer = words.flatMap((word, at) =>
    word.length >= TYPO_WORD_LENGTH_MIN && /^[a-z]+$/u.test(word) ? [at] : [],
  );
  if (longer.length === 0) return text;
  const chosen = random.pick(longer);
  const swapAt = random.int(1, TYPO_WORD_LENGTH_MIN - 3);
  return words.map((word, at) => (at === chosen ? swapped(word, swapAt) : word)).join(" ");
}

function swapped(word: string, at: number): string {
  return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
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
    text = text.replace(INNERMOST_GROUP, (_, inside: string) => valueFor(inside, slots, random));
  }
  return text.replaceAll(OPEN, "{").replaceAll(CLOSE, "}").replace(/ {2,}/gu, " ").trim();
}

function valueFor(inside: string, slots: Slots, random: Random): string {
  if (inside.includes("|")) return random.pick(inside.split("|"));
  const value = Object.hasOwn(slots, inside) ? slots[inside] : undefined;
  if (value === undefined) return `${OPEN}${inside}${CLOSE}`;
  return typeof value === "string" ? value : random.pick(value);
}
