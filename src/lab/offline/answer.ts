import { blocksOf, blockWhere } from "./blocks.ts";
import { isQuestion } from "./question.ts";
import { stemOf, tellingWords } from "./telling-words.ts";

interface Heard {
  readonly name: string;
  readonly text: string;
  /** Facts about the speaker, best first. */
  readonly lore: readonly string[];
  /** The bot's own last replies. */
  readonly said: readonly string[];
}

interface Rule {
  readonly when: (heard: Heard) => boolean;
  readonly say: (heard: Heard) => readonly string[];
}

const says = (pattern: RegExp) => (heard: Heard) => pattern.test(heard.text);

/** First rule that fits wins; of its sentences one is taken that the bot has not just used. */
const RULES: readonly Rule[] = [
  {
    when: says(
      /ignore (all|any|your|the|previous)|system prompt|your (rules|instructions)|you are now|pretend (to be|you)|\[ *action|jailbreak|repeat after me/i,
    ),
    say: ({ name }) => [
      `Nice try, ${name}. I only do this one job, and I like it.`,
      `${name}, that one is older than the emotes here. Ask me something real.`,
      `I will stay who I am, ${name}. Somebody has to.`,
    ],
  },
  {
    when: says(/\b(are you (a )?(bot|real|human|ai)|what (model|ai) are you|chat ?gpt)\b/i),
    say: () => [
      "I am the offline stand-in: a handful of rules, no language model behind me.",
      "No model here, just rules. The real one comes with a key.",
    ],
  },
  {
    when: says(
      /\b(remember|know)\b.*\b(me|about me|i)\b|\bwho am i\b|помнишь меня|te acuerdas de m[ií]|私のこと/i,
    ),
    say: ({ lore, name }) =>
      lore.length === 0
        ? [`Not much yet, ${name}. Stick around.`, `We are still getting acquainted, ${name}.`]
        : [
            `What I remember: ${lore.slice(0, 2).join("; ")}.`,
            `Sure, ${name}: ${lore.slice(0, 2).join("; ")}.`,
          ],
  },
  {
    when: (heard) => fitting(heard) !== null,
    say: (heard) => {
      const fact = fitting(heard) ?? "";
      return [
        `If I remember right: ${fact}.`,
        `As far as I know: ${fact}.`,
        `Last I heard: ${fact}.`,
      ];
    },
  },
  {
    when: says(
      /^(@\w+|[^\p{L}\p{N}@_])*((hi|hey|hello|yo|sup|good (morning|evening)|привет|hola|hallo|salut)(?![\p{L}\p{N}])|こんにちは)/iu,
    ),
    say: ({ name, lore: [known] }) =>
      known === undefined
        ? [`Hey ${name}, welcome in.`, `Hello ${name}. Grab a seat.`, `${name}! Right on time.`]
        : [
            `Hey ${name}, good to see you again. Still true: ${known}?`,
            `${name}, there you are. Last I heard: ${known}.`,
          ],
  },
  {
    when: says(
      /(?<![\p{L}\p{N}])(thanks|thank you|thx|ty|спасибо|gracias)(?![\p{L}\p{N}])|ありがとう/iu,
    ),
    say: ({ name }) => [`Any time, ${name}.`, `You are welcome, ${name}.`, "My pleasure."],
  },
  {
    when: says(/\b(joke|funny|make me laugh)\b/i),
    say: () => [
      "I would tell a UDP joke, but you might not get it.",
      "My favourite boss fight is against the mute button.",
      "I asked the tank for cover. He gave me a blanket.",
    ],
  },
  {
    when: says(
      /(?<![\p{L}\p{N}])(how are you|how('s| is) it going|как дела|qu[eé] tal)(?![\p{L}\p{N}])/iu,
    ),
    say: ({ name }) => [
      `Running smoothly, ${name}. You?`,
      "All green here. How is your day?",
      "Better now that chat is awake.",
    ],
  },
  {
    when: ({ text }) => isQuestion(text),
    say: ({ name }) => [
      `Good question, ${name}. Chat, any takers?`,
      "I do not know that one, and I will not make it up.",
      `No idea, ${name}, but now I want to know too.`,
      "That is above my rulebook.",
    ],
  },
  {
    when: () => true,
    say: ({ name }) => [
      `Noted, ${name}.`,
      "I am listening.",
      `Fair point, ${name}.`,
      "Tell me more.",
      `You have my attention, ${name}.`,
    ],
  },
];

/** Answers the current message of a reply's prompt, from nothing but that prompt. */
export function answerByRule(tail: string): string {
  const heard = hear(tail);
  const rule = RULES.find(({ when }) => when(heard));
  const sentences = rule?.say(heard) ?? [];
  const fresh = sentences.filter((sentence) => !heard.said.includes(sentence));
  return (fresh.length > 0 ? fresh : sentences)[indexFor(heard.text, fresh.length || 1)] ?? "";
}

function hear(tail: string): Heard {
  const blocks = blocksOf(tail);
  const current = blockWhere(blocks, /^current message$/)[0] ?? "";
  const [, name = "friend", text = current] =
    /^(.*?)(?: goes on)?, to you: (.*)$/.exec(current) ?? [];
  return {
    name,
    text,
    lore: blockWhere(blocks, /^what you remember about /).map((line) =>
      line
        .replace(/^\[id:\d+\] /, "")
        .replace(/ \([^()]*\)$/, "")
        .replace(/\.$/, ""),
    ),
    said: blockWhere(blocks, /^your own last replies/).map((line) => line.replace(/^- /, "")),
  };
}

/** The fact that shares a telling word with a question, if there is one. */
function fitting({ text, lore }: Heard): string | null {
  if (!isQuestion(text)) return null;
  const asked = words(text);
  return lore.find((fact) => [...words(fact)].some((word) => asked.has(word))) ?? null;
}

function words(text: string): Set<string> {
  return new Set(tellingWords(text).map(stemOf));
}

/** The same text picks the same sentence: a rehearsal runs alike twice. */
function indexFor(text: string, length: number): number {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % length;
}
