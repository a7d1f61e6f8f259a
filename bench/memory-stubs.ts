import type { Llm, LlmAnswer, LlmRequest } from "../src/platform/models/model-port.ts";
import { type Random, randomFrom } from "../test/stand-ins/random.ts";
import type { GeneratedChat } from "./generated-chat.ts";

/** What memory asked about. */
export type Question = "window" | "recap" | "notes";

export interface Exchange {
  readonly about: Question;
  readonly request: LlmRequest;
  /** As JSON. */
  readonly answer: string;
}

type OnAnswer = (exchange: Exchange) => void;

/** A stub of a model: it answers memory's questions at once, each as it is told here. */
function stub(write: (about: Question, tail: string) => unknown, onAnswer: OnAnswer): Llm {
  return {
    ask: <T>(request: LlmRequest<T>): Promise<LlmAnswer<T>> => {
      const about = questionOf(request);
      const written = write(about, request.tail);
      const parsed = request.schema?.safeParse(written);
      onAnswer({ about, request, answer: JSON.stringify(written) });
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

function questionOf({ purpose, tail }: LlmRequest): Question {
  if (purpose !== "summarise") return "notes";
  return tail.includes("notes on the stream") ? "recap" : "window";
}

/** What is null, false or usual is left out. */
function newNote(n: number, kind: string, lifetime: string, statement: string) {
  const topics = statement.split(" ").slice(-2);
  return {
    claims: [n],
    relation: "new",
    kind,
    confidence: 0.7,
    importance: "low",
    lifetime,
    topics,
  };
}

/**
 * A stub that writes as much as a model does that leaves nothing out: of a window a summary of 90 words and a claim
 * for every fifth of its first 40 lines; of claims a note for every `claimsPerNote` claims, none where that is null.
 */
export function verboseStub(
  chat: GeneratedChat,
  claimsPerNote: number | null,
  onAnswer: OnAnswer,
): Llm {
  return stub(
    (about, tail) =>
      ({
        window: () => everyFifthLine(chat, tail),
        recap: () => ({ recap: sentences(chat, 5) }),
        notes: () => ({ notes: claimsPerNote === null ? [] : someNotes(tail, claimsPerNote) }),
      })[about](),
    onAnswer,
  );
}

function sentences(chat: GeneratedChat, count: number): string {
  return Array.from({ length: count }, () => `The chat came back to ${chat.words(12)}.`).join(" ");
}

function everyFifthLine(chat: GeneratedChat, tail: string) {
  const lines = [...tail.matchAll(/^(P\d+): ((\S+ \S+ \S+).*)$/gm)].slice(0, 40);
  const claims = lines
    .filter((_, index) => index % 5 === 0)
    .map(([, label = "", line = "", said = ""]) => ({
      subject: label,
      statement: `${label} often speaks of ${said}`,
      quotes: [line.split(" ").slice(0, 6).join(" ")],
    }));
  return { topic: chat.words(4), summary: sentences(chat, 6), claims };
}

function someNotes(tail: string, claimsPerNote: number) {
  const claims = tail.split("notes\n")[0] ?? "";
  return [...claims.matchAll(/^\[(\d+)\] (P\d+): (.+)$/gm)]
    .filter((_, index) => index % claimsPerNote === 0)
    .map(([, n, , statement = ""]) => newNote(Number(n), "preference", "30d", statement));
}

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

const SENTENCES = 5;
const VIEWER_CLAIMS_MAX = 5;
/** Lines of two people at least bear out a claim about the channel: among so many there are. */
const CHANNEL_LINES = 6;
const WORDS = new Intl.Segmenter("und", { granularity: "word" });
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;
const KINDS = ["preference", "profile", "event", "state"];

interface Writer {
  readonly chat: GeneratedChat;
  readonly random: Random;
  readonly hand: Hand;
}

/**
 * A stub that remembers, in any script: of a window a summary, five claims about people who wrote in it and one about
 * the channel; of an episode a note for each of its claims.
 */
export function rememberingStub(
  chat: GeneratedChat,
  hand: Hand,
  onAnswer: OnAnswer = () => undefined,
): Llm {
  const writer = { chat, hand, random: randomFrom("scribe") };
  return stub(
    (about, tail) =>
      ({
        window: () => digestOf(writer, tail),
        recap: () => ({ recap: textOf(writer, hand.recap) }),
        notes: () => ({ notes: allNotes(writer, tail) }),
      })[about](),
    onAnswer,
  );
}

function digestOf(writer: Writer, tail: string) {
  const lines = [...tail.matchAll(/^(P\d+): (.+)$/gm)].map(([, label = "", said = ""]) => ({
    label,
    said,
  }));
  const longest = new Map<string, Line>();
  for (const line of lines) {
    const { length } = longest.get(line.label)?.said ?? "";
    if (!isWall(line.said) && line.said.length > length) longest.set(line.label, line);
  }
  const ofViewers = writer.random
    .shuffled([...longest.values()])
    .slice(0, VIEWER_CLAIMS_MAX)
    .map(({ label, said }) => ({
      subject: label,
      quotes: [said],
      statement: `${label} ${writer.hand.habit} ${retold(writer, said)}`,
    }));
  const { channelFact } = writer.hand;
  const ofChannel = {
    subject: "channel",
    quotes: lines.slice(-CHANNEL_LINES).map(({ said }) => said),
    statement: writer.chat.sentence(writer.random.int(channelFact.from, channelFact.to)),
  };
  return {
    topic: writer.chat.words(4),
    summary: textOf(writer, writer.hand.summary),
    claims: [...ofViewers, ofChannel],
  };
}

interface Line {
  readonly label: string;
  readonly said: string;
}

/** The words of a line in another order: a claim about somebody has to rest on what they said, and must not copy it. */
function retold({ random, hand: { factMax } }: Writer, said: string): string {
  const words = [...WORDS.segment(said)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? segment : [],
  );
  return random
    .shuffled(words)
    .slice(0, factMax)
    .join(UNSPACED.test(said) ? "" : " ");
}

function allNotes({ random }: Writer, tail: string) {
  // What is known already stands behind the claims, in the same form.
  const claims = tail.slice(0, tail.lastIndexOf("notes\n"));
  return [...claims.matchAll(/^\[(\d+)\] (?:P\d+|channel): (.+)$/gm)].map(([, n, statement = ""]) =>
    newNote(Number(n), random.pick(KINDS), "permanent", statement),
  );
}

function isWall(said: string): boolean {
  return /\(×\d+\)/.test(said);
}

function textOf({ chat, random }: Writer, { from, to }: Range): string {
  const words = Math.round(random.int(from, to) / SENTENCES);
  return Array.from({ length: SENTENCES }, () => chat.sentence(words)).join(" ");
}
