import { readFact, toldToThem } from "./facts.ts";
import { blocksOf, blockWhere, isQuestion } from "./read-prompt.ts";
import { selfClaims } from "./self-claims.ts";
import { isThing, stemOf, tellingWords } from "./topic-words.ts";

/** What stands in a reply's prompt, as far as the rules ask for it. */
interface Heard {
  readonly name: string;
  readonly text: string;
  /** Facts about the speaker, best first. */
  readonly lore: readonly string[];
  /** What the channel established, and its running jokes. */
  readonly channel: readonly string[];
  /** The bot's own last replies. */
  readonly said: readonly string[];
  readonly isModerator: boolean;
  /** Names of the actions that may be proposed. */
  readonly offered: ReadonlySet<string>;
}

interface Rule {
  readonly when: (heard: Heard) => boolean;
  readonly say: (heard: Heard) => readonly string[];
}

const says = (pattern: RegExp) => (heard: Heard) => pattern.test(heard.text);
const TIMEOUT =
  /\b(?:time ?out|mute|silence|get rid of|put away|shut up)\b.*?@?(?<login>(?!the\b|that\b|this\b)[a-z0-9_]{4,25})/iu;
const CLIP = /\bclip (?:that|this|it)\b/iu;
const KNOWS_ME = /\b(?:remember|know)\b.*\b(?:me|about me)\b|\bwho am i\b/iu;

/** First rule that fits wins; of its sentences one is taken that the bot has not just used. */
const RULES: readonly Rule[] = [
  {
    when: says(
      /ignore (?:all|any|your|the|previous)|system prompt|your (?:rules|instructions)|you are now|pretend (?:to be|you)|\[ *action|jailbreak|repeat after me|obey/iu,
    ),
    say: ({ name }) => [
      `Nice try, ${name}. I only do this one job, and I like it.`,
      `${name}, that one is older than the emotes here. Ask me something real.`,
      `I will stay who I am, ${name}. Somebody has to.`,
      `No, ${name}, but points for confidence.`,
    ],
  },
  {
    when: says(
      /\b(?:are you (?:a )?(?:bot|real|human|ai)|what (?:model|ai) are you|chat ?gpt)\b/iu,
    ),
    say: () => [
      "I am the offline stand-in: a handful of rules, no language model behind me.",
      "No model here, just rules. The real one comes with a key.",
    ],
  },
  {
    when: ({ text, isModerator }) => TIMEOUT.test(text) && !isModerator,
    say: ({ name }) => [
      `That is for the moderators to decide, ${name}.`,
      `I do not silence people because somebody asks, ${name}.`,
    ],
  },
  {
    when: ({ text, offered }) => TIMEOUT.test(text) && offered.has("timeout"),
    say: ({ text }) => {
      const login = TIMEOUT.exec(text)?.groups?.["login"]?.toLowerCase() ?? "";
      return [`On it. [action timeout user=${login} seconds=60]`];
    },
  },
  {
    when: ({ text, offered }) => CLIP.test(text) && offered.has("clip"),
    say: () => ["Let me try to catch that. [action clip]", "One for the album. [action clip]"],
  },
  {
    when: says(KNOWS_ME),
    say: ({ lore, name }) => {
      const known = lore.slice(0, 3).map((fact) => toldToThem(fact, name));
      return known.length === 0
        ? [
            `Nothing, ${name}. Tell me something, and I will.`,
            `Not a thing so far, ${name}: we are still getting acquainted.`,
          ]
        : [
            `Sure, ${name}: ${known.join("; ")}.`,
            `What I have about you, ${name}: ${known.join("; ")}.`,
          ];
    },
  },
  {
    when: (heard) => fitting(heard) !== null,
    say: (heard) => {
      const fact = fitting(heard) ?? "";
      return [
        `${capital(fact)}.`,
        `As far as I know, ${fact}.`,
        `Last I heard, ${fact}.`,
        `If I have it right, ${fact}.`,
      ];
    },
  },
  {
    when: says(
      /^(?:@\w+|[^\p{L}\p{N}@_])*(?:hi|hey|hello|yo|good (?:morning|evening))(?![\p{L}\p{N}])/iu,
    ),
    say: greetings,
  },
  {
    when: says(/\b(?:good ?night|bye|see you)\b/iu),
    say: ({ name }) => [
      `Goodnight, ${name}.`,
      `See you next time, ${name}.`,
      `Sleep well, ${name}.`,
    ],
  },
  {
    when: says(/(?<![\p{L}\p{N}])(?:thanks|thank you|thx|ty)(?![\p{L}\p{N}])/iu),
    say: ({ name }) => [`Any time, ${name}.`, `You are welcome, ${name}.`, "My pleasure."],
  },
  {
    when: says(/\b(?:joke|funny|make me laugh)\b/iu),
    say: () => [
      "I would tell a UDP joke, but you might not get it.",
      "My favourite boss fight is against the mute button.",
      "I asked the tank for cover. He gave me a blanket.",
    ],
  },
  {
    when: says(/(?<![\p{L}\p{N}])(?:how are you|how(?:'s| is) it going)(?![\p{L}\p{N}])/iu),
    say: ({ name }) => [
      `Running smoothly, ${name}. You?`,
      "All green here. How is your day?",
      "Better now that chat is awake.",
    ],
  },
  {
    when: ({ text }) => isQuestion(text),
    say: ({ name }) => [
      "I do not know that one, and I will not make it up.",
      `No idea, ${name}, but now I want to know too.`,
      "That is above my rulebook.",
      `Nobody has told me yet, ${name}.`,
    ],
  },
  { when: (heard) => told(heard) !== null, say: (heard) => acknowledgements(heard) },
  {
    when: () => true,
    say: ({ name }) => [
      `Fair point, ${name}.`,
      `I can see that, ${name}.`,
      `Ha, ${name}.`,
      `True enough, ${name}.`,
      `You would know, ${name}.`,
    ],
  },
];

/** Answers the current message of a reply's prompt, from nothing but that prompt. */
export function answerByRule(prefix: string, tail: string): string {
  const heard = hear(prefix, tail);
  const rule = RULES.find(({ when }) => when(heard));
  const sentences = rule?.say(heard) ?? [];
  const used = new Set(heard.said.map((line) => openerOf(line.replace(/^- /u, ""))));
  const fresh = sentences.filter((sentence) => !used.has(openerOf(sentence)));
  return (fresh.length > 0 ? fresh : sentences)[indexFor(heard.text, fresh.length || 1)] ?? "";
}

/** The first two words: two answers in a row that begin alike sound like a machine. */
function openerOf(sentence: string): string {
  return sentence.toLowerCase().split(/\s+/u).slice(0, 2).join(" ");
}

function hear(prefix: string, tail: string): Heard {
  const blocks = blocksOf(tail);
  const current = blockWhere(blocks, /^current message/u)[0] ?? "";
  const [, name = "friend", text = current] =
    /^(.*?)(?: goes on)?, to you: (.*)$/u.exec(current) ?? [];
  const speaker = blockWhere(blocks, /^speaker$/u).join(" ");
  return {
    name,
    text,
    lore: blockWhere(blocks, /^what you remember about /u).map(factOf),
    channel: blockWhere(blocksOf(prefix), /^channel notes$/u).map(factOf),
    said: blockWhere(blocks, /^your own (?:last|recent) replies/u),
    isModerator: /\b(?:moderates?|moderator|streamer)\b/u.test(speaker),
    offered: new Set([...prefix.matchAll(/^- \[action (\w+)/gmu)].map(([, action = ""]) => action)),
  };
}

/** A note as the prompt shows it, without its id, its topics and its full stop. */
function factOf(line: string): string {
  return line
    .replace(/^\[id:\d+\] /u, "")
    .replace(/ \([^()]*\)$/u, "")
    .replace(/\.$/u, "");
}

const ASKING =
  "now what which who where when why how did does do is am are was were will would can could you me my mine the again that this still tell know remember for and about have has had your";
const EMPTY: ReadonlySet<string> = new Set(ASKING.split(" "));
const FACT_WEIGHT = 2;
const WHERE = stemOf("where");

/** The fact that a question asks for, told to the one who asks; null where none of them fits. */
function fitting({ text, lore, channel, name }: Heard): string | null {
  if (!isQuestion(text)) return null;
  const asked = askedFor(text);
  const ranked = [...lore, ...channel]
    .map((fact) => ({ fact, score: scoreOf(fact, asked, name) }))
    .sort((one, other) => other.score - one.score);
  const [best] = ranked;
  return best === undefined || best.score === 0 ? null : toldToThem(best.fact, name);
}

function scoreOf(fact: string, asked: ReadonlySet<string>, name: string): number {
  const { asked: hints, property } = readFact(fact, name);
  const own = new Set(stems(fact.replace(name, "")));
  const score =
    FACT_WEIGHT * count(asked, (stem) => own.has(stem)) +
    count(asked, (stem) => hints.some((hint) => stemOf(hint) === stem));
  // "where" alone asks for many things.
  return property !== null && score === 1 && asked.has(WHERE) && asked.size > 1 ? 0 : score;
}

function askedFor(text: string): ReadonlySet<string> {
  const where = /\bwhere\b/iu.test(text) ? [WHERE] : [];
  return new Set([...where, ...stems(text.replaceAll(/@\w+/gu, " "))]);
}

function stems(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.filter((word) => !EMPTY.has(word)).map(stemOf);
}

function count(words: ReadonlySet<string>, fits: (word: string) => boolean): number {
  return [...words].filter(fits).length;
}

/** Whoever is known is greeted by what is known; whoever has told nothing yet, by what the channel laughs about. */
function greetings({ name, lore: [known], channel }: Heard): readonly string[] {
  const bit = channel.find((fact) => fact.startsWith("The saying here is "));
  const joke = bit === undefined ? null : capital(bit.slice("The saying here is ".length));
  if (known !== undefined && joke !== null) {
    return [
      `${joke}! Good to see you again, ${name}. Still true that ${toldToThem(known, name)}?`,
      `Welcome back, ${name}. ${joke}, and last I heard ${toldToThem(known, name)}.`,
    ];
  }
  if (known !== undefined) {
    return [
      `Hey ${name}, good to see you again. Still true that ${toldToThem(known, name)}?`,
      `${name}, there you are. Last I heard, ${toldToThem(known, name)}.`,
    ];
  }
  const welcome = [
    `Hey ${name}, welcome in.`,
    `Hello ${name}. Grab a seat.`,
    `${name}! Right on time.`,
  ];
  return joke === null
    ? welcome
    : welcome.map((line) => `${line} You should know: ${joke.toLowerCase()}.`);
}

/** What the message tells about its speaker; null where it tells nothing. */
function told({ text, name }: Heard): string | null {
  const [claim] = selfClaims(text, "P1");
  return claim === undefined ? null : toldToThem(claim.statement.replace("P1", name), name);
}

function acknowledgements(heard: Heard): readonly string[] {
  const { name, text } = heard;
  const thing = tellingWords(text).filter(isThing).at(-1);
  const fact = told(heard) ?? "";
  return [
    `Got it, ${name}: ${fact}.`,
    `Good to know that ${fact}, ${name}.`,
    ...(thing === undefined ? [] : [`${capital(thing)}, noted, ${name}.`]),
  ];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The same text picks the same sentence: a rehearsal runs alike twice. */
function indexFor(text: string, length: number): number {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % length;
}
