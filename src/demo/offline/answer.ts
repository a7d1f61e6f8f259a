import english from "./data/english.json" with { type: "json" };
import { blocksOf, blockWhere, isQuestion } from "./read-prompt.ts";
import { selfClaims } from "./self-claims.ts";
import { readFact, toldToThem } from "./sort.ts";
import { isThing, rootOf, tellingWords } from "./topic-words.ts";

/** What stands in a reply's prompt, as far as the rules ask for it. */
type Heard = ReturnType<typeof hear>;

interface Rule {
  readonly when: (heard: Heard) => boolean;
  readonly say: (heard: Heard) => readonly string[];
}

const SAY = english.answers;
const GAP = /\{\w+\}/g;
const TIMEOUT = new RegExp(SAY.timeout.when, "iu");

/** First rule that fits wins; of its sentences one is taken that the bot has not just used. */
const RULES: readonly Rule[] = [
  plain(SAY.order),
  plain(SAY.whatAreYou),
  {
    when: ({ text, isModerator }) => TIMEOUT.test(text) && !isModerator,
    say: ({ name }) => filled(SAY.timeout.refuse, { name }),
  },
  {
    when: ({ text, offered }) => TIMEOUT.test(text) && offered.has("timeout"),
    say: ({ text }) => {
      const login = TIMEOUT.exec(text)?.groups?.["login"]?.toLowerCase() ?? "";
      return filled(SAY.timeout.say, { login });
    },
  },
  {
    when: (heard) => plain(SAY.clip).when(heard) && heard.offered.has("clip"),
    say: () => SAY.clip.say,
  },
  {
    when: plain(SAY.aboutMe).when,
    say: ({ lore, name }) => {
      const known = lore.slice(0, KNOWN_TOLD_MAX).map((fact) => toldToThem(fact, name));
      const sentences = known.length === 0 ? SAY.aboutMe.refuse : SAY.aboutMe.say;
      return filled(sentences, { name, known: known.join("; ") });
    },
  },
  {
    when: (heard) => fitting(heard) !== null,
    say: (heard) => filled(SAY.fact.say, { fact: fitting(heard) ?? "" }),
  },
  { when: plain(SAY.greeting).when, say: greetings },
  ...SAY.plain.map(plain),
  { when: ({ text }) => isQuestion(text), say: ({ name }) => filled(SAY.unknown.say, { name }) },
  { when: (heard) => told(heard) !== null, say: acknowledgements },
  { when: () => true, say: ({ name }) => filled(SAY.remark.say, { name }) },
];

function plain({ when, say }: { readonly when: string; readonly say: readonly string[] }): Rule {
  const pattern = new RegExp(when, "iu");
  return { when: ({ text }) => pattern.test(text), say: ({ name }) => filled(say, { name }) };
}

/**
 * The sentences with their gaps filled, those under a name with a capital with one; a sentence with a gap that nothing
 * fills is left out.
 */
function filled(
  sentences: readonly string[],
  words: Readonly<Record<string, string | undefined>>,
): string[] {
  const wordFor = (gap: string): string | undefined => {
    const name = gap.slice(1, -1);
    const small = words[name.toLowerCase()];
    return small === undefined || name === name.toLowerCase() ? small : capital(small);
  };
  return sentences
    .filter((sentence) => sentence.match(GAP)?.every((gap) => wordFor(gap) !== undefined) ?? true)
    .map((sentence) => sentence.replaceAll(GAP, (gap) => wordFor(gap) ?? gap));
}

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

function hear(prefix: string, tail: string) {
  const blocks = blocksOf(tail);
  const current = blockWhere(blocks, /^current message/u)[0] ?? "";
  const [, name = "friend", text = current] =
    /^(.*?)(?: goes on)?, to you: (.*)$/u.exec(current) ?? [];
  const speaker = blockWhere(blocks, /^speaker$/u).join(" ");
  return {
    name,
    text,
    /** Facts about the speaker, best first. */
    lore: blockWhere(blocks, /^what you remember about /u)
      .filter((line) => !line.startsWith("More about them"))
      .map(factOf)
      .map((fact) => (fact.startsWith(name) ? fact : `${name} ${fact}`)),
    /** What the channel established, and its running jokes. */
    channel: blockWhere(blocksOf(prefix), /^channel notes$/u).map(factOf),
    /** The bot's own last replies. */
    said: blockWhere(blocks, /^your own (?:last|recent) replies/u),
    isModerator: /\b(?:moderates?|moderator|streamer)\b/u.test(speaker),
    /** Names of the actions that may be proposed. */
    offered: new Set([...prefix.matchAll(/^- \[action (\w+)/gmu)].map(([, action = ""]) => action)),
  };
}

/** A note as the prompt shows it, without its mark, its topics and its full stop. */
function factOf(line: string): string {
  return line
    .replace(/^(?:\d+|-) (?:joke: )?/u, "")
    .replace(/ \([^()]*\)$/u, "")
    .replace(/\.$/u, "");
}

const EMPTY: ReadonlySet<string> = new Set(SAY.asking.split(" "));
const FACT_WEIGHT = 2;
const KNOWN_TOLD_MAX = 3;
const WHERE = rootOf("where");
/** How a running joke stands among the channel's notes. */
const SAYING = "The saying here is ";

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
    count(asked, (stem) => hints.some((hint) => rootOf(hint) === stem));
  // "where" alone asks for many things.
  return property !== null && score === 1 && asked.has(WHERE) && asked.size > 1 ? 0 : score;
}

function askedFor(text: string): ReadonlySet<string> {
  const where = /\bwhere\b/iu.test(text) ? [WHERE] : [];
  return new Set([...where, ...stems(text.replaceAll(/@\w+/gu, " "))]);
}

function stems(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.filter((word) => !EMPTY.has(word)).map(rootOf);
}

function count(words: ReadonlySet<string>, fits: (word: string) => boolean): number {
  return [...words].filter(fits).length;
}

/** Whoever is known is greeted by what is known; whoever has told nothing yet, by what the channel laughs about. */
function greetings({ name, lore: [known], channel }: Heard): readonly string[] {
  const bit = channel.find((fact) => fact.startsWith(SAYING));
  const joke = bit?.slice(SAYING.length).toLowerCase();
  const { say, known: again, knownWithJoke, joke: hint } = SAY.greeting;
  if (known === undefined) {
    const ending = joke === undefined ? "" : hint;
    return filled(
      say.map((line) => line + ending),
      { name, joke },
    );
  }
  const words = { name, fact: toldToThem(known, name), joke };
  return filled(joke === undefined ? again : knownWithJoke, words);
}

/** What the message tells about its speaker; null where it tells nothing. */
function told({ text, name }: Heard): string | null {
  const [claim] = selfClaims(text, "P1");
  return claim === undefined ? null : toldToThem(claim.statement.replace("P1", name), name);
}

function acknowledgements(heard: Heard): readonly string[] {
  const thing = tellingWords(heard.text).filter(isThing).at(-1);
  return filled(SAY.told.say, { name: heard.name, fact: told(heard) ?? "", thing });
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
