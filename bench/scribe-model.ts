import { type Random, randomFrom } from "../src/lab/rehearsal/random.ts";
import type { Llm, LlmAnswer, LlmRequest } from "../src/platform/models/model-port.ts";
import type { GeneratedChat } from "./generated-chat.ts";

/** How many words it writes; its instructions allow 120 for a summary, 80 for a recap and 20 for a claim. */
export interface Hand {
  /** What stands in a claim behind the label of whom it is about. */
  readonly habit: string;
  readonly summary: Range;
  readonly recap: Range;
  /** Of a claim about a person, at most. */
  readonly factMax: number;
  /** Of one about the channel. */
  readonly channelFact: Range;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Scribe {
  readonly chat: GeneratedChat;
  readonly random: Random;
  readonly hand: Hand;
}

const SENTENCES = 5;
const VIEWER_CLAIMS_MAX = 5;
/** Lines of two people at least bear out a claim about the channel: among so many there are. */
const CHANNEL_LINES = 6;
const WORDS = new Intl.Segmenter("und", { granularity: "word" });
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;
const KINDS = ["preference", "profile", "event", "state"];

/**
 * A model that answers at once and remembers, in any script: of a window a summary, five claims about people who wrote
 * in it and one about the channel; of an episode a note for each of its claims.
 */
export function scribeModel(
  chat: GeneratedChat,
  hand: Hand,
  onAnswer: (request: LlmRequest, answer: string) => void = () => undefined,
): Llm {
  const scribe = { chat, hand, random: randomFrom("scribe") };
  return {
    ask: <T>(request: LlmRequest<T>): Promise<LlmAnswer<T>> => {
      const written = writtenFor(scribe, request);
      const parsed = request.schema?.safeParse(written);
      onAnswer(request, JSON.stringify(written));
      return Promise.resolve({
        ok: true,
        value: parsed?.success === true ? parsed.data : null,
        text: "",
        model: "bench",
        finish: "stop",
        usage: { promptTokens: null, cachedTokens: null, outputTokens: null },
        latencyMs: 0,
      });
    },
  };
}

function writtenFor(scribe: Scribe, { purpose, tail }: LlmRequest) {
  if (purpose !== "summarise") return { notes: notesOf(scribe, tail) };
  if (tail.includes("notes on the stream")) return { recap: textOf(scribe, scribe.hand.recap) };
  return digestOf(scribe, tail);
}

function digestOf(scribe: Scribe, tail: string) {
  const lines = [...tail.matchAll(/^(P\d+): (.+)$/gm)].map(([, label = "", said = ""]) => ({
    label,
    said,
  }));
  const longest = new Map<string, Line>();
  for (const line of lines) {
    const { length } = longest.get(line.label)?.said ?? "";
    if (!isWall(line.said) && line.said.length > length) longest.set(line.label, line);
  }
  const ofViewers = scribe.random
    .shuffled([...longest.values()])
    .slice(0, VIEWER_CLAIMS_MAX)
    .map(({ label, said }) => ({
      subject: label,
      quotes: [said],
      statement: `${label} ${scribe.hand.habit} ${retold(scribe, said)}`,
    }));
  const { channelFact } = scribe.hand;
  const ofChannel = {
    subject: "channel",
    quotes: lines.slice(-CHANNEL_LINES).map(({ said }) => said),
    statement: scribe.chat.sentence(scribe.random.int(channelFact.from, channelFact.to)),
  };
  return {
    topic: scribe.chat.words(4),
    summary: textOf(scribe, scribe.hand.summary),
    claims: [...ofViewers, ofChannel],
  };
}

interface Line {
  readonly label: string;
  readonly said: string;
}

/** The words of a line in another order: a claim about somebody has to rest on what they said, and must not copy it. */
function retold({ random, hand: { factMax } }: Scribe, said: string): string {
  const words = [...WORDS.segment(said)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? segment : [],
  );
  return random
    .shuffled(words)
    .slice(0, factMax)
    .join(UNSPACED.test(said) ? "" : " ");
}

function notesOf({ random }: Scribe, tail: string) {
  // What is known already stands behind the claims, in the same form.
  const claims = tail.slice(0, tail.lastIndexOf("notes\n"));
  return [...claims.matchAll(/^\[(\d+)\] (?:P\d+|channel): (.+)$/gm)].map(
    ([, n, statement = ""]) => ({
      claims: [Number(n)],
      relation: "new",
      kind: random.pick(KINDS),
      confidence: 0.7,
      importance: "low",
      lifetime: "permanent",
      topics: statement.split(" ").slice(-2),
    }),
  );
}

function isWall(said: string): boolean {
  return /\(×\d+\)/.test(said);
}

function textOf({ chat, random }: Scribe, { from, to }: Range): string {
  const words = Math.round(random.int(from, to) / SENTENCES);
  return Array.from({ length: SENTENCES }, () => chat.sentence(words)).join(" ");
}
