import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** A run of fewer files is somebody's look at one room: the report would be in the way there. */
const SUITE_FILES_MIN = 100;
const SENTENCE_WORDS_MAX = 25;

/** A first sentence without a main clause. */
const CLAUSE =
  /^(?:What|Whatever|Whether|Who|Whom|Whose|Whoever|Which|How|So (?:many|much|long)|Null[ :])\b|^(?:Of|Where|As|By|In|From|With|For|To|Its|Their|Than|Until)\b[^,:]*$/;
/** Words that hide who does what, or when. */
const HOUSE_WORDS =
  /\b(?:whoever|whatever|whom|somebody|nobody|stands?|stood|tells?|told|goes|gone|went|anew|meanwhile|beside|any more|of (?:its|their) own|in the way|as far as|so (?:many|much|long)|comes? of|that which|nothing (?:of|is|was)|null where|(?:of|for|with|and|is|than|in|on|from) what|what (?:is|was|has|it|they|stands|comes)|where (?:there|none|nothing|it|that))\b/gi;
const VERBS = new Set(
  `accept activate add adjust admit advance alert allow announce answer append apply approve are ask assemble assert
  assign attach attempt await back backup begin block bring build call can cancel change check choose clamp classify
  clean clear clip close collapse collect combine commit compact compare compile complete compose compute confirm
  connect consume contains convert copy correct count create cut decide decode decline defer delay delete deliver derive
  describe detach detect disarm discard discover drain draw drop edit enable encode end ends enforce enqueue ensure
  enter escape estimate evaluate evict examine exchange execute expand expect expire explain export extend extract fail
  fetch fill filter find finish fit fix flush fold follow forget format forward gather generate get give grant group
  guard handle has hash hear hide hold identify ignore import increment insert inspect install is join judge keep label
  launch learn leave limit link list listen load lock look lookup lower make map mark mask match may measure merge
  migrate move must needs normalise note notify observe offer omit open order pad parse pause perform pick place plan
  play poll prepare print propose protect prune publish push put query quote raise rank rate read realign rebuild
  receive reconcile record redact refresh refuse register reject release remember remove rename render renew repair
  repeat replace replay reply report request require rerank reset resolve respond restart restore resume retain retry
  return reuse revert review revoke rewrite run sample save say scan schedule score seal search select send separate
  serve set settle shift shorten should show shuffle shut simulate skip sleep sort speak split start starts stop store
  strip sum summarise supersede swap sweep switch sync take tally test throw touch track transform translate trim
  truncate try turn undo unlock update upgrade use validate verify visit wait walk want warn was watch weigh withdraw
  wrap write yield`.split(/\s+/),
);

/** Prints how hard the code is to read, after the whole suite. It fails nothing. */
export class ReadingReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < SUITE_FILES_MIN) return;
    const rows = measureReading("src").map(
      ([label, now, aim]) =>
        `  ${now.toFixed(1).padStart(6)}  ${String(aim).padStart(4)}  ${label}`,
    );
    setImmediate(() =>
      process.stdout.write(`\nReading cost of src (now, aim)\n${rows.join("\n")}\n`),
    );
  }
}

/** Measures the TypeScript files of a folder. Returns a label, the figure and its aim; lower is better. */
function measureReading(folder: string): (readonly [string, number, number])[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const all = files.join("\n");
  const lines = all.split("\n").length;
  const comments = [...all.matchAll(/\/\*\*?[\s\S]*?\*\/|^ *\/\/.*$/gm)].map(([text]) => ({
    isDoc: text.startsWith("/**"),
    sentences: splitSentences(text),
  }));
  const docs = comments.filter(({ isDoc }) => isDoc);
  const sentences = comments.flatMap((comment) => comment.sentences);
  const words = sentences.map((sentence) => count(sentence, /[\p{L}\p{N}'’-]+|…/gu));
  const wordCount = words.reduce((sum, length) => sum + length, 0);
  const functions = files.flatMap((code) =>
    [...code.matchAll(/^(export )?(?:async )?function\*? (\w+)/gm)].map(
      ([, isExported, name = ""]) => ({
        name,
        isCalledOnce:
          isExported === undefined && count(code, new RegExp(`\\b${name}\\b`, "g")) === 2,
      }),
    ),
  );
  const verbless = functions.filter(({ name }) => !VERBS.has(/^[a-z]+/.exec(name)?.[0] ?? ""));
  const openings = docs.filter((doc) => CLAUSE.test(doc.sentences[0] ?? ""));
  const long = words.filter((length) => length > SENTENCE_WORDS_MAX);
  const houseWords = sentences.reduce((sum, sentence) => sum + count(sentence, HOUSE_WORDS), 0);
  const calledOnce = functions.filter((one) => one.isCalledOnce);
  const imports = count(all, /^(?:import .*|\} )from "/gm);
  return [
    ["doc comments that open with a clause, %", percent(openings.length, docs.length), 3],
    ["house words in 1,000 words of comments", (1_000 * houseWords) / wordCount, 3],
    ["comment sentences over 25 words, %", percent(long.length, sentences.length), 4],
    ["functions without a verb in their name, %", percent(verbless.length, functions.length), 30],
    ["private functions called once in 1,000 lines", (1_000 * calledOnce.length) / lines, 8],
    [
      "Pick, Omit, ReturnType, Parameters in 1,000 lines",
      (1_000 * count(all, DERIVED)) / lines,
      1.5,
    ],
    ["characters in a line", all.length / lines, 36],
    ["imports in a file", imports / files.length, 5.5],
    ["files", files.length, 220],
    ["lines in 1,000", lines / 1_000, 38],
  ];
}

const DERIVED = /\b(?:Pick|Omit|ReturnType|Parameters)</g;

/** Splits a comment into sentences. Code in backticks counts as one word. */
function splitSentences(comment: string): string[] {
  return comment
    .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/+)|\*\/$/gm, " ")
    .replace(/https?:\S+/g, " ")
    .replace(/`[^`]*`/g, "`…`")
    .split(/(?<=[.!?]["')]?)\s+(?=[A-Z"'(*`])/)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[a-z]{2}/i.test(sentence));
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function percent(part: number, whole: number): number {
  return (100 * part) / Math.max(1, whole);
}
