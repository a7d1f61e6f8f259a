import { createHash } from "node:crypto";
import { makeFence } from "../../../src/language/fence.ts";
import type { PrefixSnapshot } from "../../../src/memory/recall/snapshot.ts";
import { renderPrompt } from "../../../src/reply/prompt/ladder.ts";
import {
  type ChatLine,
  type Persona,
  prefixSections,
  type Standing,
  tailSections,
} from "../../../src/reply/prompt/sections.ts";
import { type Random, randomFrom } from "../../stand-ins/random.ts";
import { CHAT_LINES } from "./chat-lines.ts";

/** Kinds of chat that the estimate is held to. */
export const CHAT_KINDS = ["english", "emotes", "russian", "japanese", "mixed"] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];

const PROMPTS_A_KIND = 60;

export interface CountedPrompt {
  readonly kind: ChatKind;
  readonly n: number;
  /** As it goes to the model: prefix, then tail. */
  readonly text: string;
  /** Before correction; what the trail and the correction work with. */
  readonly estimatedTokens: number;
}

const BUDGET_TOKENS = 4_000;
const NAMES: Readonly<Record<ChatKind, readonly string[]>> = {
  english: ["Maple", "old_harbour", "Tess4", "GrumpyOwl", "nora_b", "Quill"],
  emotes: ["xXpogoXx", "LunaTTV", "kek_lord", "ayaya_mi", "zoomer77", "Bjorn"],
  russian: ["Ветка", "danya_k", "Снегирь", "olga1988", "tikhon", "Мох"],
  japanese: ["ねこまる", "yuki_m", "たぬき", "sora_08", "はるか", "kenta"],
  mixed: ["Ветка", "Maple", "ねこまる", "Søren", "小雨", "Marisol"],
};
const STANDINGS: readonly Standing[] = ["viewer", "regular", "newcomer", "moderator", "vip"];
const PERSONA: Persona = {
  name: "Mark",
  voice: "Warm, dry, brief. Teases gently, never mocks. Asks back when curious.",
};
const OFFERED = ['remember fact="…"', 'correct note=ID fact="…"', "forget note=ID"];

/** Prompts as the bot makes them, of lines of one kind in every place: the same ones on every run. */
export function countedPrompts(kind: ChatKind): CountedPrompt[] {
  const lines = CHAT_LINES[kind];
  return Array.from({ length: PROMPTS_A_KIND }, (_, n) => {
    // A channel's memory and title change now and then, its chat with every prompt.
    const memory = randomFrom(`${kind} memory ${Math.floor(n / 10)}`);
    return promptOf({ kind, n, lines, memory, chat: randomFrom(`${kind} chat ${n}`) });
  });
}

/** A line break ends a token, so a text is worth the sum of its lines. */
export function lineHash(line: string): string {
  return createHash("sha256").update(line).digest("hex").slice(0, 12);
}

interface Making {
  readonly kind: ChatKind;
  readonly n: number;
  readonly lines: readonly string[];
  readonly memory: Random;
  readonly chat: Random;
}

function promptOf({ kind, n, lines, memory, chat }: Making): CountedPrompt {
  const fence = makeFence("k3v9x2m7q1p5");
  const say = (): ChatLine => ({ id: 1, name: chat.pick(NAMES[kind]), text: chat.pick(lines) });
  const some = (from: number, to: number) => Array.from({ length: chat.int(from, to) }, say);
  const note = (id: number, random: Random) => ({
    id,
    fact: random.pick(lines),
    topics: "",
    kind: "profile",
    score: 0.5,
    createdAtMs: 1_790_000_000_000,
  });
  const tail = tailSections(
    {
      pace: "normal",
      speaker: { name: chat.pick(NAMES[kind]), standing: chat.pick(STANDINGS) },
      lore: Array.from({ length: chat.int(0, 10) }, (_, at) => note(100 + at, chat)),
      own: some(0, 5),
      chat: some(5, 20),
      thread: some(0, 4).map((line) => ({ ...line, isRepliedTo: false })),
      replies: some(0, 5),
      current: say(),
      continues: chat.chance(0.5),
    },
    PERSONA,
    fence,
  );
  const snapshot = snapshotOf(lines, memory, note);
  const prefix = prefixSections(PERSONA, snapshot, fence, OFFERED);
  const prompt = renderPrompt(prefix, tail, BUDGET_TOKENS);
  return { kind, n, text: prompt.prefix + prompt.tail, estimatedTokens: prompt.trimmed.tokens };
}

function snapshotOf(
  lines: readonly string[],
  memory: Random,
  note: (id: number, random: Random) => PrefixSnapshot["notes"][number],
): PrefixSnapshot {
  const sentences = (count: number) =>
    Array.from({ length: count }, () => memory.pick(lines)).join(". ");
  return {
    channel: "lanternroom",
    version: 1,
    state: {
      title: memory.pick(lines),
      category: "Just Chatting",
      isLive: true,
      prefixVersion: 1,
      sessionId: 2,
      recap: memory.chance(0.5) ? sentences(3) : null,
    },
    notes: Array.from({ length: memory.int(0, 5) }, (_, at) => note(10 + at, memory)),
    episodes: Array.from({ length: memory.int(0, 3) }, (_, at) => ({
      id: 20 + at,
      topic: memory.pick(lines),
      summary: sentences(memory.int(3, 8)),
      endedAtMs: at,
      sessionId: 2,
    })),
  };
}
