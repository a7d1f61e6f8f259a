import type { NoteKind, NoteProperty } from "../catalogue/note-kinds.ts";
import {
  type Llm,
  type LlmAnswer,
  type LlmFailure,
  type LlmRequest,
  NO_USAGE,
} from "../models/model-port.ts";

export interface Recording {
  /** Facts in messages, for summaries and extraction. */
  readonly facts: readonly RecordedFact[];
  readonly streams: readonly {
    readonly topic: string;
    readonly summary: string;
    readonly recap: string;
    /** True if a message was sent in this stream. */
    has(text: string): boolean;
  }[];
  readonly replies: readonly RecordedReply[];
}

export interface RecordedFact {
  readonly key: string;
  readonly about: "viewer" | "channel" | "bit";
  /** Without its subject. */
  readonly statement: string;
  readonly kind: NoteKind;
  readonly property?: {
    readonly name: NoteProperty;
    readonly value: string;
    readonly game?: string;
  };
  readonly topics: readonly string[];
  /** Words of a note that is no longer true, in any case. */
  readonly replaces?: string;
  /** True if a message contains this fact. */
  isToldBy(text: string): boolean;
}

interface RecordedReply {
  /** Words that the current message must contain, as `makeMessageKey` returns them. */
  readonly to: string;
  /** The key of a fact in braces becomes the number of its note; nothing if the prompt has none. */
  readonly text: string;
  /** The reply is given only if the memory in the prompt, in lower case, contains these words; null: always. */
  readonly needs: string | null;
  /** The reply is given only if the memory in the prompt lacks these words; null: always. */
  readonly forbids: string | null;
}

const MODEL = "recorded";

/**
 * Opens a model that answers from a recording, without network or key. It gives a recorded reply only if the prompt
 * holds the memory that the reply needs. If no reply fits, it quotes a note of the prompt.
 */
export function openRecordedModel(recording: Recording): Llm {
  return {
    ask: async (request) => {
      if (request.signal?.aborted === true) return makeUnsentFailure(MODEL, "aborted");
      const { prefix, tail, schema, purpose } = request;
      if (schema === undefined)
        return makeAnswer(MODEL, request, {
          text: writeReply(recording, prefix, tail),
          value: null,
        });
      const blocks = readBlocks(tail);
      const value =
        purpose === "extract" ? extract(recording, blocks) : summariseOrRecap(recording, blocks);
      return makeAnswer(MODEL, request, { text: "", value });
    },
  };
}

/**
 * Makes an answer that no provider gave. Without a schema it has `text`. With one it has `value` and, as text, its
 * JSON; or it is the failure `invalid_json`, if the value does not fit.
 */
export function makeAnswer<T>(
  model: string,
  { schema }: LlmRequest<T>,
  { text, value }: { readonly text: string; readonly value: unknown },
): LlmAnswer<T> {
  // No token is counted: an estimate would look like a perfect estimate.
  const said = { ok: true, model, finish: "stop", usage: NO_USAGE, latencyMs: 0 } as const;
  if (schema === undefined) return { ...said, text, value: null };
  const parsed = schema.safeParse(value);
  if (!parsed.success) return makeUnsentFailure(model, "invalid_json");
  return { ...said, text: JSON.stringify(value), value: parsed.data };
}

/** Makes the failure of a call that no provider got. */
export function makeUnsentFailure(model: string, failure: LlmFailure) {
  const finish = failure === "aborted" ? "aborted" : "error";
  const missing = { usage: NO_USAGE, latencyMs: 0, retryAtMs: null };
  return { ok: false, failure, detail: failure, finish, model, ...missing } as const;
}

/** Returns the words of a text in lower case, to compare it with another. Leaves out each `@name` and `the bot`. */
export function makeMessageKey(text: string): string {
  const words = text.toLowerCase().replaceAll(/@\w+|\bthe bot\b/gu, " ");
  return words.match(/[\p{L}\p{N}!']+/gu)?.join(" ") ?? "";
}

type Blocks = readonly { readonly title: string; readonly lines: readonly string[] }[];

/** Splits a prompt at its fence headers into titles and lines, without empty lines. The text before them is a block. */
function readBlocks(prompt: string): Blocks {
  return prompt.split(/^~[0-9a-z]{8,}~ /mu).map((block) => {
    const [title = "", ...lines] = block.split("\n").filter((line) => line !== "");
    return { title, lines };
  });
}

/** Returns the lines of all blocks whose title matches. */
function collectLines(blocks: Blocks, titles: RegExp): readonly string[] {
  return blocks.flatMap((block) => (titles.test(block.title) ? block.lines : []));
}

const CHAT_LINE = /^(P\d+|STREAMER)(?: \(known\))?: (.*)$/u;
const QUOTE_WORDS_MAX = 12;
const QUOTES_MAX = 4;

/** Returns the recorded recap if the prompt has notes on a stream; else topic, summary and claims of its chat. */
function summariseOrRecap({ facts, streams }: Recording, blocks: Blocks) {
  const notes = collectLines(blocks, /^notes on the stream$/u).join("\n");
  if (notes !== "") {
    const ended = streams.find(({ topic }) => notes.includes(`- ${topic}:`));
    return { recap: ended?.recap ?? "It was a quiet stream." };
  }
  const chat = collectLines(blocks, /^chat$/u).flatMap((line) => {
    const [, label = "", text = ""] = CHAT_LINE.exec(line) ?? [];
    return label === "" ? [] : [{ label, text }];
  });
  const claims = facts.flatMap(({ about, statement, isToldBy }) => {
    const sayings = chat.filter(({ text }) => isToldBy(text));
    const [first] = sayings;
    if (first === undefined) return [];
    return [
      {
        subject: about === "viewer" ? first.label : about,
        statement: about === "viewer" ? `${first.label} ${statement}` : statement,
        how: "plainly",
        quotes: sayings
          .slice(0, QUOTES_MAX)
          .map(({ text }) => text.split(/\s+/u).slice(0, QUOTE_WORDS_MAX).join(" ")),
      },
    ];
  });
  const { topic = "", summary = "" } =
    streams.find(({ has }) => chat.some(({ text }) => has(text))) ?? {};
  return { topic, summary, claims };
}

const LISTED = /^\[(\d+)\] (P\d+|STREAMER|channel|bit): (.+)$/u;

/**
 * Returns a note for each recorded claim in the prompt, and how it relates to the listed notes on its subject. Leaves
 * out claims that are not recorded.
 */
function extract({ facts }: Recording, blocks: Blocks) {
  const readListed = (title: RegExp) =>
    collectLines(blocks, title).flatMap((line) => {
      const [, n = "", subject = "", text = ""] = LISTED.exec(line) ?? [];
      return text === "" ? [] : [{ n: Number(n), subject, key: makeMessageKey(text) }];
    });
  const known = readListed(/notes/u);
  const notes = readListed(/claims/u).flatMap(({ n, subject, key }) => {
    const fact = facts.find(({ statement }) => makeMessageKey(statement) === key);
    if (fact === undefined) return [];
    const { kind, property = null, topics } = fact;
    const same = known.find(
      (note) => note.subject === subject && note.key === makeMessageKey(fact.statement),
    );
    const old = known.find(
      (note) =>
        note.subject === subject &&
        fact.replaces !== undefined &&
        note.key.includes(makeMessageKey(fact.replaces)),
    );
    const changed = old === undefined ? "new" : "replaces";
    const relation = same === undefined ? changed : "same";
    const rest = { confidence: 0.9, importance: "high", relation, note: (same ?? old)?.n ?? null };
    return [{ claims: [n], kind, property, topics, ...rest }];
  });
  return { notes };
}

const NOTE_LINE = /^(?:(\d+)|-) (?:joke: )?(.+?)(?: \([^()]*\))?$/u;

/**
 * Returns the first recorded reply that fits the current message and the memory in the prompt. If none fits, quotes the
 * note that shares the most words with the message, or writes that it does not know.
 */
function writeReply({ facts, replies }: Recording, prefix: string, tail: string): string {
  const blocks = readBlocks(`${prefix}\n${tail}`);
  const current = collectLines(blocks, /^current message$/u).join(" ");
  const asked = makeMessageKey(current.replace(/^.*?, to (?:you|the chat[^:]*): /u, ""));
  const memory = collectLines(blocks, /^(?:what you |channel notes|speaker)/u);
  const remembers = (words: string): boolean =>
    memory.some((line) => line.toLowerCase().includes(words));
  const fitting = replies.find(
    ({ to, needs, forbids }) =>
      asked.includes(to) &&
      (needs === null || remembers(needs)) &&
      (forbids === null || !remembers(forbids)),
  );
  const notes = memory.flatMap((line) => {
    const [, id = "", fact = ""] = NOTE_LINE.exec(line) ?? [];
    return fact === "" ? [] : [{ id, fact, key: makeMessageKey(fact) }];
  });
  if (fitting === undefined) {
    const words = new Set(asked.split(" "));
    const countShared = (key: string): number =>
      key.split(" ").filter((word) => words.has(word)).length;
    const [best] = [...notes].sort((one, other) => countShared(other.key) - countShared(one.key));
    if (best === undefined || countShared(best.key) === 0) return "I don't know that yet.";
    return `I only remember this: ${best.fact}.`;
  }
  return fitting.text.replaceAll(/\{(\w+)\}/gu, (_, key: string) => {
    const fact = facts.find((one) => one.key === key);
    const isNote = (note: string): boolean => note.includes(makeMessageKey(fact?.statement ?? key));
    return notes.find((note) => isNote(note.key))?.id ?? "";
  });
}
