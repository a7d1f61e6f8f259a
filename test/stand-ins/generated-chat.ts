import { type Random, randomFrom } from "./random.ts";

export interface Chatter {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
}

export interface GeneratedChat {
  readonly people: readonly Chatter[];
  /** Somebody, the talkative ones more often. */
  somebody(): Chatter;
  /** What somebody says: one to thirty words, now and then emotes only or another script. */
  text(): string;
  /** The same, said to the bot. */
  question(): string;
  /** As `text`, among walls of emotes: as many characters a line, and as many tokens in a prompt, as busy chat has. */
  lively(): string;
  /** As many words as asked for: a summary, a fact. */
  words(count: number): string;
  /** The same as a sentence that states something, in the third person. */
  sentence(count: number): string;
}

const WORDS = (
  "the a to it and that of you in is was this for what with have just game boss run map time still so not how " +
  "we he they like one on good last again think really never after before stream chat song music night level " +
  "armour sword bridge lantern forest river turnip soup ladder jump lost found won died try tried next first " +
  "second yesterday tomorrow work school dog cat coffee pizza rain summer winter city train keyboard headset " +
  "because though maybe actually literally honestly honest favourite harder easier faster slower beautiful"
).split(" ");
/** Nobody is spoken to in a summary. */
const TOLD_WORDS = WORDS.filter((word) => word !== "you");
const EMOTES = [
  "Kappa",
  "LUL",
  "PogChamp",
  "catJAM",
  "monkaS",
  "KEKW",
  "BibleThump",
  "<3",
  "gg",
  "o7",
];
const OTHER_SCRIPTS = [
  "да ладно, опять этот босс",
  "今日も配信ありがとう",
  "¿otra vez esa canción?",
  "진짜 어렵다 ㅋㅋ",
];
const FIRST_ID = 500_000_000;
/** In 357 lines of real chat: 88 characters a line, of which 25 are left where repeats are told once. */
const WALL_PERCENT = 35;
const WALL_REPEATS = { from: 10, to: 20 };

/** Chat whose pace and shape stay the same for ever: the same seed gives the same chat. */
export function generateChat(seed: number, peopleCount: number, botName: string): GeneratedChat {
  const random = randomFrom(seed);
  const words = (count: number) =>
    Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
  const text = () => textOf(random, words);
  return {
    ...peopleOf(random, peopleCount),
    text,
    lively: () => (random.int(1, 100) <= WALL_PERCENT ? wallOf(random) : text()),
    question: () => `@${botName} ${words(random.int(3, 14))}?`,
    words,
    sentence: (count) => {
      const told = Array.from({ length: count - 5 }, () => random.pick(TOLD_WORDS));
      return `The chat came back to ${told.join(" ")}.`;
    },
  };
}

function peopleOf(random: Random, count: number) {
  const people = Array.from({ length: count }, (_, n) => ({
    userId: String(FIRST_ID + n),
    login: `viewer_${n}`,
    displayName: `Viewer_${n}`,
  }));
  return {
    people,
    // The lesser of two draws: a third of the people write more than half of the lines.
    somebody: () =>
      people[Math.min(random.int(0, count - 1), random.int(0, count - 1))] ?? random.pick(people),
  };
}

/** One or two emotes, over and over. */
function wallOf(random: Random): string {
  const emotes = [random.pick(EMOTES), random.pick(EMOTES)].join(" ");
  return Array.from({ length: random.int(WALL_REPEATS.from, WALL_REPEATS.to) }, () => emotes).join(
    " ",
  );
}

function textOf(random: Random, words: (count: number) => string): string {
  const kind = random.int(1, 100);
  if (kind <= 15)
    return Array.from({ length: random.int(1, 8) }, () => random.pick(EMOTES)).join(" ");
  if (kind <= 20) return random.pick(OTHER_SCRIPTS);
  return words(random.int(1, kind <= 90 ? 14 : 30));
}
