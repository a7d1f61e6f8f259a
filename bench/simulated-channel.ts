import { toConfig } from "../src/platform/config/load.ts";
import { openBenchMemory } from "./bench-memory.ts";
import { CHANNEL } from "./bench-names.ts";
import type { GeneratedChat } from "./generated-chat.ts";
import { type Hand, rememberingStub } from "./memory-stubs.ts";
import { type ReplyRoom, spoken } from "./reply-room.ts";

/** A channel whose chat becomes memory as it would: the program's own, run as often as it runs. */
export interface SimulatedChannel {
  /** One more line of chat, so much later; two seconds unless told. */
  line(laterMs?: number): Promise<void>;
  /** Somebody asks the bot, so much later, and is answered; longer than any cooldown unless told. */
  question(laterMs?: number): Promise<void>;
  begin(): void;
  /** Ends the stream; what is left of it becomes memory, and then its recap. */
  end(): Promise<void>;
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface Clock {
  atMs: number;
}

interface Writing {
  readonly chat: GeneratedChat;
  /** How much the model writes of it. */
  readonly hand: Hand;
  /** Told of each question of memory's, and of the answer to it. */
  readonly onMemory?: Parameters<typeof rememberingStub>[2];
}

const LINE_MS = 2_000;
const QUESTION_MS = 11_000;
const FACTS = { twitchId: "77", title: "a long way down", category: "Chess" };

export function simulateChannel(
  { desk, clock }: { readonly desk: ReplyRoom; readonly clock: Clock },
  { chat, hand, onMemory }: Writing,
): SimulatedChannel {
  const { channels, db, events } = desk.stores;
  const memory = openBenchMemory(db, {
    channel: CHANNEL,
    now: () => Math.floor(clock.atMs),
    llm: rememberingStub(chat, hand, onMemory),
    flush: () => events.flush(),
    isOver: (channel) => channels.isLive(channel) === false,
  });
  const pauseMs = toConfig({ channel: CHANNEL }, ".").memory.compactionSeconds * 1_000;
  let ranAtMs = clock.atMs;
  const say = async (text: string, laterMs: number): Promise<void> => {
    clock.atMs += laterMs;
    await desk.hear(spoken(chat.somebody(), text, clock.atMs));
  };
  const remember = async (): Promise<void> => {
    if (clock.atMs - ranAtMs < pauseMs) return;
    ranAtMs = clock.atMs;
    await memory.run();
  };
  return {
    begin: () => {
      channels.refresh(CHANNEL, { ...FACTS, isLive: true, startedAtMs: Math.floor(clock.atMs) });
    },
    end: async () => {
      events.flush();
      channels.refresh(CHANNEL, { ...FACTS, isLive: false, startedAtMs: null });
      clock.atMs += pauseMs;
      await remember();
    },
    line: async (laterMs = LINE_MS) => {
      await say(chat.lively(), laterMs);
      await remember();
    },
    question: async (laterMs = QUESTION_MS) => {
      await say(chat.question(), laterMs);
      await desk.idle();
      await remember();
    },
    sweep: async () => {
      memory.sweep();
      await desk.stores.sweep();
    },
    close: () => memory.close(),
  };
}
