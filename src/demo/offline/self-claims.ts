import english from "./data/english.json" with { type: "json" };
import { isQuestion } from "./read-prompt.ts";

const ENGLISH = english.claims;

/** At most so many words of a sentence stand as its proof, and never so many that they fill a summary's limits. */
const QUOTE_WORDS_MAX = 12;
const QUOTE_WORDS_MIN = 3;

/**
 * What a line of English says about its speaker, as far as the form of words tells: plain sentences in the first
 * person, retold in the third with the words that were used, beginning with the speaker's label; and the words of the
 * line that say so. Questions, hearsay, jokes and quotations say nothing.
 */
export function selfClaims(text: string, label: string) {
  return plainSentences(text).flatMap((sentence) =>
    retellSentence(sentence, label).map((statement) => ({
      statement,
      quote: quoteOf(sentence, text),
    })),
  );
}

/** The sentences of a line that state something in its speaker's own name. */
export function plainSentences(text: string): string[] {
  const line = text.replaceAll(/[’ʼ＇]/g, "'").normalize("NFC");
  if (NOT_MEANT.some((mark) => mark.test(line))) return [];
  return line
    .split(SENTENCE_END)
    .filter((sentence) => !NOT_FACT.some((mark) => mark.test(sentence.replace(WANTS_A_NAME, ""))))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "" && !isQuestion(sentence));
}

/** The beginning of the sentence; the whole line where that is too short to prove anything. */
function quoteOf(sentence: string, line: string): string {
  const words = sentence.split(/\s+/u);
  const proof = words.length < QUOTE_WORDS_MIN ? line.split(/\s+/u) : words;
  return proof.slice(0, QUOTE_WORDS_MAX).join(" ");
}

/**
 * One way in which people tell something about themselves. `said` fits a whole clause and names what it caught;
 * `told` says it in the third person: `$P` is the label, `{name}` what was caught. Caught as `what` is the matter
 * itself, which is tidied first; the rest is small words.
 */
interface SelfRule {
  readonly said: RegExp;
  readonly told: string;
}

/** What the clauses of a sentence say about its speaker, retold with their label. */
function retellSentence(sentence: string, label: string): string[] {
  const ready = spell(sentence).replace(FILLERS, "");
  const clauses = OWN_CLAUSE.test(ready) ? ready.split(NEXT_CLAUSE) : [ready];
  return clauses
    .map((clause) => retellClause(trimEnd(clause), label))
    .filter((statement) => statement !== null);
}

function retellClause(ready: string, label: string): string | null {
  for (const { said, told } of RULES) {
    const caught = said.exec(ready)?.groups;
    if (caught !== undefined) return fill(told, { ...caught }, label);
  }
  return null;
}

function fill(
  told: string,
  caught: Readonly<Record<string, string | undefined>>,
  label: string,
): string | null {
  let isWhole = true;
  const statement = told.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = caught[name] ?? "";
    const matter = name === "what" ? tidy(text) : small(name, text);
    if (matter === null || LABEL_OR_NOBODY.test(matter)) isWhole = false;
    return matter ?? "";
  });
  return isWhole ? statement.replace("$P", label).replace(/\s+/gu, " ").trim() : null;
}

/** Times of day and week are written small wherever they stood. */
function small(name: string, text: string): string {
  return name === "when" ? text.trim().toLowerCase() : text.trim();
}

function tidy(text: string): string | null {
  if (VAGUE.test(text)) return null;
  let matter = trimEnd(text.replace(CUT, ""));
  while (isLong(matter)) {
    const shorter = trimEnd(matter.replace(JOINTS, ""));
    if (shorter === matter) return null;
    matter = shorter;
  }
  return /[\p{L}\p{N}]/u.test(matter) && !VAGUE.test(matter) ? turn(matter) : null;
}

function trimEnd(text: string): string {
  let matter = text.trim();
  for (let before = ""; before !== matter; ) {
    before = matter;
    matter = matter.replace(EMOTE, "").replace(LOOSE_END, "");
  }
  return matter;
}

function isLong(matter: string): boolean {
  return matter.length > CHARS_MAX || matter.split(/\s+/u).length > WORDS_MAX;
}

function spell(text: string): string {
  return CONTRACTIONS.reduce((line, [short, long]) => line.replace(short, long), text);
}

/** What changes in the matter when somebody else tells it: "my" is "their". */
function turn(matter: string): string {
  return matter
    .replace(/(?<![\p{L}])my(?![\p{L}])/giu, "their")
    .replace(/(?<![\p{L}])i am(?![\p{L}])/giu, "they are")
    .replace(/(?<![\p{L}])me(?![\p{L}])/gu, "them")
    .replace(/(?<![\p{L}])i(?![\p{L}])/gu, "they");
}

/** One of these and the whole line is no plain statement: a quote, a joke, a part in a play. */
const NOT_MEANT = [
  /["“”„«»‟]|^\s*[>'‘`(]/u,
  /(?:^|\s)\/(?:s|j|jk|hj|joke|sarcasm)(?![\p{L}\p{N}])/iu,
  new RegExp(word(ENGLISH.notMeant), "iu"),
  /^\s*(?:P\d{1,4}|STREAMER|someone|the bot)\s*:/u,
];

/** One of these and the sentence is a question, hearsay or a thought, not a fact. */
const NOT_FACT = [/[?？¿؟⁉]/u, new RegExp(word(ENGLISH.notFact), "iu")];
/** The one wish that is a fact. */
const WANTS_A_NAME = /(?<![\p{L}])(?:would|i'?d) (?:like|love|prefer) to be called/iu;

const SENTENCE_END = /(?<=[.!?…;])\s+|\s+[|•]\s+/u;
const WORDS_MAX = 7;
/** Far from the 60 characters in a row that make a run distinctive. */
const CHARS_MAX = 45;
const NEXT_CLAUSE =
  /(?:,\s*|\s+)(?:(?:and|but|so|also|then|plus)\s+)+(?=(?:i|my)(?![\p{L}\p{N}]))|,\s+(?=(?:i|my)(?![\p{L}\p{N}]))/iu;
const LABEL_OR_NOBODY = /\bP\d{1,4}\b|\bsomeone\b|\bthe bot\b/u;
const SMILEY = "<3|[:;]-?[()DPpo3]";
/** What Twitch calls a channel's emotes: the channel's own word, then another with a capital. */
const CHANNEL_EMOTE = "\\p{Ll}{2,}\\p{Lu}\\w{2,}";
const EMOTE = new RegExp(`\\s+(?:${CHANNEL_EMOTE}|${anyOf(ENGLISH.emotes)}|${SMILEY})$`, "u");
const LOOSE_END = /[^\p{L}\p{M}\p{N}+#%)]+$/u;
/** How a clause in one's own name begins: only behind such a one may a further clause follow. */
const OWN_CLAUSE = /^(?:i|my)(?![\p{L}\p{N}])/iu;
/** Small words before the clause proper. */
const FILLERS = new RegExp(
  `^(?:(?:hey|hi|hello|yo) [\\p{L}\\p{N}_]+[,!]+\\s*|(?:${anyOf(ENGLISH.fillers)})[\\s,:!.-]+|(?:the bot|someone|P\\d{1,4}|STREAMER)[\\s,!]+|[^\\p{L}\\p{N}"'(]+)+`,
  "iu",
);
/** Where the matter ends and something else begins. */
const CUT = new RegExp(`\\s*(?:[,;(|]|:\\s|\\s[-–—]+\\s|\\s${word(ENGLISH.cuts)}).*$`, "iu");
/** Matters that say nothing by themselves. */
const VAGUE = new RegExp(
  `^${word(ENGLISH.vague)}|^old$|(?:^|\\s)(?:${anyOf(ENGLISH.openEnds)})$`,
  "iu",
);
/** Where a long matter may be cut, from the back. */
const JOINT = `\\s(?:${anyOf(ENGLISH.joints)})\\s`;
const JOINTS = new RegExp(`${JOINT}(?:(?!${JOINT}).)*$`, "iu");

/** What stands for `<name>` in the rules of the data. */
const PARTS: Readonly<Record<string, string>> = {
  how: `(?:(?:${anyOf(ENGLISH.adverbs)})\\s+)*`,
  will: "(?:will|am going to|am gonna|plan to|am planning to)",
  times: anyOf(ENGLISH.times),
  pet: anyOf(ENGLISH.pets),
  own: anyOf(`${ENGLISH.pets}, ${ENGLISH.belongings}`),
  tier: anyOf(ENGLISH.tiers),
  /** Without its number a tier may be a joke ("i am gold"), unless the game follows. */
  rank: "(?:<tier>) (?:\\d|i{1,3}|iv|v)|top \\d{1,4}|\\d{3,4} (?:elo|mmr|rated)",
  game: `(?:in|on) (?!(?:\\p{L}+ing|${anyOf(ENGLISH.noGames)})(?![\\p{L}\\p{N}]))[^ ,.;!]+(?: (?!(?:and|but|now|lol|btw) )[^ ,.;!]+){0,2}`,
  reached:
    "(?:have )?<how>(?:hit|reached|got to|climbed to|ranked up to|made it to|dropped to|fell to|am hardstuck(?: in| at)?|am (?:currently |still )?stuck in)",
  /** What may follow a rank without taking it back. */
  rest: "(?: (?:now|finally|today|atm|rn|right now|again|already|btw|lol|lmao|tho|though))*(?:\\s*[,;!(].*| (?:and|but|so|which|[-–—]) .*)?",
  /** Trades that no game has; what else stands behind "i am a" is as often a joke. */
  trade: `(?:(?:${anyOf(ENGLISH.tradesOf)}) ){0,2}(?:${anyOf(ENGLISH.trades)})`,
};

/** Somebody who says "I am drinking tea" tells of this minute, not of themselves. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(["drink", "use"]);

/** `<name>` in a rule is one of `PARTS` or of `own`; `{what}` is the matter. */
function rule(
  [said, told]: readonly string[],
  own: Readonly<Record<string, string>> = {},
): SelfRule {
  const spelt = (text: string): string =>
    text.replaceAll(/(?<!\(\?)<(\w+)>/gu, (whole, name: string) => {
      const part = own[name] ?? PARTS[name];
      return part === undefined ? whole : spelt(part);
    });
  const pattern = spelt((said ?? "").replace("{what}", "(?<what>.+)"));
  return { said: new RegExp(`^${pattern}$`, "iu"), told: spelt(told ?? "") };
}

const VERB_RULES = ENGLISH.verbs.split(", ").flatMap((forms) => {
  const [base = "", third = "", ing = ""] = forms.split("/");
  return ENGLISH.verbRules
    .filter(([said = ""]) => !(OF_THE_MOMENT.has(base) && / (?:been |<how>)<ing>/.test(said)))
    .map((one) => rule(one, { base, third, ing }));
});
const RULES: readonly SelfRule[] = [
  ...ENGLISH.plans.map((one) => rule(one)),
  ...VERB_RULES,
  ...ENGLISH.rules.map((one) => rule(one)),
];
const CONTRACTIONS = ENGLISH.contractions.map(
  ([short = "", long = ""]) => [new RegExp(short, "giu"), long] as const,
);

/** One of the words of a list from the data; `*` at a word's end stands for any letters. */
function anyOf(list: string): string {
  return list
    .split(", ")
    .map((one) => one.replace("*", "\\w*"))
    .join("|");
}

/** The same as a whole word. */
function word(list: string): string {
  return `(?<![\\p{L}\\p{N}])(?:${anyOf(list)})(?![\\p{L}\\p{N}])`;
}
