import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import type { Db } from "../../src/database/open-database.ts";
import { collapseRepeats } from "../../src/language/clean.ts";
import { type Trail, trailSchema } from "../../src/reply/trail.ts";
import { openClockedMemory } from "../stand-ins/clocked-memory.ts";
import { type GeneratedChat, generateChat } from "../stand-ins/generated-chat.ts";
import { blocksOf } from "../stand-ins/prompt-blocks.ts";
import { randomFrom } from "../stand-ins/random.ts";
import { readSample, SAMPLE } from "./chat-sample.ts";
import { rememberingStub } from "./remembering-stub.ts";
import { BOT, CHANNEL, openReplyRoom, type ReplyRoom, spoken } from "./reply-room.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CHAT_MS = 5 * MINUTE_MS;
const OTHERS_MIN = 12;
const CHAT_MAX = 30;
const BUDGET_TOKENS = 4_000;
const PEOPLE = 60;
/** Somebody asks after so many lines: who, is somebody else each time, so that nobody cools down. */
const ASKED_EVERY = 12;
/** Long enough to tell lines apart, and shorter than any that is clipped. */
const SEEN_CHARS = 24;
const RUNGS = ["chat", "episodes", "lore", "channelNotes", "chat", "lore", "chat", "chat"];

/** What one reply was shown, and what there was to show. */
interface Shown {
  readonly prefix: string;
  readonly tail: ReadonlyMap<string, readonly string[]>;
  readonly asker: string;
  readonly question: string;
  /** What the message replies to, as it stands in the database; null where it is kept no longer, or replies to nothing. */
  readonly parent: string | null;
  readonly isReply: boolean;
  /** Lines of other people in the last five minutes that are not of the thread. */
  readonly others: number;
  /** What a prefix may show just then. */
  readonly memory: string;
  readonly trail: Trail;
}

interface Day {
  readonly room: ReplyRoom;
  readonly shown: readonly Shown[];
  pass(ms: number): void;
  /** A line; its writer's memory is made as often as the daemon does it. */
  hear(line: Spoken): Promise<void>;
  ask(line: Spoken): Promise<void>;
}

function openDay(chat: GeneratedChat, beginsAtMs: number): Day {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-day-"));
  let nowMs = beginsAtMs;
  let request = { prefix: "", tail: "" };
  const answer = (asked: typeof request) => {
    request = asked;
    return `ha, ${chat.words(12)}`;
  };
  const room = openReplyRoom({ folder, now: () => nowMs, answer });
  const { channels, db, events } = room.stores;
  const memory = openClockedMemory(db, {
    channel: CHANNEL,
    now: () => nowMs,
    llm: rememberingStub(chat),
    flush: () => events.flush(),
    isOver: () => false,
  });
  onTestFinished(async () => {
    await memory.close();
    await room.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const facts = { twitchId: "77", title: "a long way down", category: "Chess" };
  channels.refresh(CHANNEL, { ...facts, isLive: true, startedAtMs: nowMs });
  const look = looker(room);
  const shown: Shown[] = [];
  let rememberedAtMs = nowMs;
  return {
    room,
    shown,
    pass: (ms) => {
      nowMs += ms;
    },
    hear: async (line) => {
      await room.hear(line);
      if (nowMs - rememberedAtMs < 3 * MINUTE_MS) return;
      rememberedAtMs = nowMs;
      await memory.run();
    },
    ask: async (line) => {
      events.flush();
      const parent = line.parent === null ? null : look.textOf(line.parent.messageId);
      await room.hear(line);
      await room.idle();
      const trail = look.lastTrail();
      shown.push({
        prefix: request.prefix,
        tail: blocksOf(request.tail),
        asker: line.person.displayName,
        question: line.text,
        parent,
        isReply: line.parent !== null,
        others: look.others(line.person.userId, nowMs - CHAT_MS, trail.ids["thread"] ?? []),
        memory: look.memory(),
        trail,
      });
    },
  };
}

/** Asked of the tables alone, not of what the program reads. */
function looker({ stores: { db } }: ReplyRoom) {
  const text = db
    .prepare<[string], string>("SELECT text FROM events WHERE message_id = ? AND text IS NOT NULL")
    .pluck();
  const others = db
    .prepare<[string, string, number, string], number>(
      `SELECT count(*) FROM events WHERE channel = ? AND kind IN ('message', 'action') AND user_id <> ?
         AND text <> '' AND created_at >= ? AND id NOT IN (SELECT value FROM json_each(?))`,
    )
    .pluck();
  const trail = db
    .prepare<[], string>("SELECT token_usage_json FROM replies ORDER BY id DESC LIMIT 1")
    .pluck();
  return {
    memory: whatPrefixShows(db),
    textOf: (messageId: string) => text.get(messageId) ?? null,
    others: (askerId: string, sinceMs: number, thread: readonly number[]) =>
      others.get(CHANNEL, askerId, sinceMs, JSON.stringify(thread)) ?? 0,
    lastTrail: () => trailSchema.parse(JSON.parse(trail.get() ?? "null")),
  };
}

function replyTo(line: Spoken, messageId: string): Spoken {
  return { ...line, parent: { messageId, userId: null } };
}

/** What prompts must be whatever the chat was; says how much was seen of what it looks for. */
function expectRead(shown: readonly Shown[]) {
  for (const [n, one] of shown.entries()) {
    expectParent(one);
    expectChat(one);
    expectFloor(one);
    expectLadder(one);
    const before = shown[n - 1];
    if (before !== undefined && before.memory === one.memory) expectSamePrefix(before, one);
  }
  const tokens = (of: (trail: Trail) => number) => mean(shown.map(({ trail }) => of(trail)));
  return {
    replies: shown.length,
    toKept: shown.filter(({ parent }) => parent !== null).length,
    toGone: shown.filter(({ isReply, parent }) => isReply && parent === null).length,
    withOthers: shown.filter(({ others }) => others >= OTHERS_MIN).length,
    prefixes: new Set(shown.map(({ prefix }) => prefix)).size,
    cutPrefixes: shown.filter(({ trail }) => trail.episodes.dropped.length > 0).length,
    tokens: Math.round(tokens(({ estimatedTokens }) => estimatedTokens)),
    prefixPercent: Math.round(
      (100 * tokens(({ prefix, correction }) => prefix.tokens * correction)) /
        tokens(({ estimatedTokens }) => estimatedTokens),
    ),
  };
}

/** Every reply to a message whose text is kept shows that message; of one that is gone nothing stands there. */
function expectParent({ tail, asker, parent }: Shown): void {
  const lines = tail.get(`your conversation with ${asker}`) ?? [];
  const marked = lines.filter((line) => line.startsWith(`(${asker} replies to this) `));
  expect(marked).toHaveLength(parent === null ? 0 : 1);
  if (parent !== null) expect(marked[0]).toContain(beginning(parent));
}

function beginning(text: string): string {
  return collapseRepeats(text).slice(0, SEEN_CHARS);
}

/** 12 to 30 lines of others, where chat has them in five minutes. */
function expectChat({ tail, asker, others }: Shown): void {
  const lines = tail.get("chat") ?? [];
  const ofOthers = lines.filter((line) => !line.startsWith(`${BOT} (you)`));
  expect(lines.length).toBeLessThanOrEqual(CHAT_MAX);
  expect(ofOthers.length).toBeGreaterThanOrEqual(Math.min(OTHERS_MIN, others));
  expect(ofOthers.filter((line) => line.startsWith(`${asker}: `))).toEqual([]);
}

/** Persona and rules, the speaker and the current message stand in every prompt, that one last and once. */
function expectFloor({ prefix, tail, asker, question }: Shown): void {
  expect(prefix).toMatch(/^You are /);
  const titles = [...tail.keys()];
  const current = titles.find((title) => title.startsWith("current message")) ?? "";
  expect(titles.slice(-2)).toEqual([current, `your one-line answer as ${BOT}`]);
  const said = question.replace(`@${BOT} `, "").slice(0, SEEN_CHARS);
  expect(tail.get(current)?.join(" ")).toContain(said);
  expect(titles.some((title) => title.includes("speaker"))).toBe(true);
  expect(tail.get("chat")?.join("\n") ?? "").not.toContain(`${asker}: ${question}`);
}

/** Within the budget, and cut in the ladder's order alone. */
function expectLadder({ trail }: Shown): void {
  expect(trail.overBudget).toBe(false);
  expect(trail.estimatedTokens).toBeLessThanOrEqual(BUDGET_TOKENS);
  let rung = 0;
  for (const { section, from, to } of trail.ladder) {
    rung = RUNGS.indexOf(section, rung) + 1;
    expect(rung, `${section} was cut out of its turn`).toBeGreaterThan(0);
    expect(to).toBeLessThan(from);
  }
}

/** The same bytes, or a shorter run of them: by what the ladder took, and by nothing else. */
function expectSamePrefix(before: Shown, one: Shown): void {
  const [longer, shorter] =
    one.prefix.length > before.prefix.length ? [one, before] : [before, one];
  expect(longer.prefix.startsWith(shorter.prefix), "the prefix changed and memory did not").toBe(
    true,
  );
  if (longer.prefix === shorter.prefix) return;
  const taken = ({ trail }: Shown) =>
    trail.ladder
      .filter(({ section }) => section === "episodes" || section === "channelNotes")
      .reduce((lines, { from, to }) => lines + from - to, 0);
  expect(taken(shorter), "the prefix is shorter, and the ladder did not cut it").toBeGreaterThan(
    taken(longer),
  );
}

function print(name: string, read: ReturnType<typeof expectRead>): void {
  process.stdout.write(`${name}: ${JSON.stringify(read)}\n`);
}

/** How fast chat goes, for how long: two streams, with a night between them that outlives the first one's lines. */
const HOURS = [
  { everyMs: 6_000, lines: 100 },
  { everyMs: 1_000, lines: 200 },
  { everyMs: 300, lines: 300 },
  { everyMs: 60_000, lines: 40 },
  { everyMs: 25 * HOUR_MS, lines: 1 },
  { everyMs: 6_000, lines: 100 },
  { everyMs: 1_200, lines: 200 },
  { everyMs: 15_000, lines: 60 },
];

test("each reply of a day shows what it replies to, the chat around it and a prefix that moves with memory alone", async () => {
  const chat = generateChat(7, PEOPLE, BOT);
  const random = randomFrom(11);
  const beginsAtMs = Date.UTC(2026, 9, 3, 18);
  const day = openDay(chat, beginsAtMs);
  const heard: string[] = [];
  const removedLine = (nowMs: number): string => {
    const line = spoken(chat.somebody(), "what nobody may see again", nowMs);
    const messageId = line.messageId ?? "";
    day.room.stores.events.add(line, false);
    day.room.stores.events.remove({ by: "message", messageId });
    return messageId;
  };
  /** In turn: to nothing, to the bot, to what somebody just said, to something old, to what a moderator removed. */
  const parents = [
    () => null,
    () => `sent-${day.shown.length - random.int(0, 3)}`,
    () => heard.at(-random.int(1, 40)),
    () => heard[random.int(0, 30)],
    removedLine,
  ];
  let nowMs = beginsAtMs;
  let count = 0;
  const ask = async (turn: number): Promise<void> => {
    const asker = chat.people[turn % PEOPLE];
    if (asker === undefined) throw new Error("nobody asks");
    const question = spoken(asker, chat.question(), nowMs);
    const parent = parents[turn % parents.length]?.(nowMs) ?? null;
    await day.ask(parent === null ? question : replyTo(question, parent));
  };
  for (const { everyMs, lines } of HOURS) {
    for (let n = 0; n < lines; n += 1) {
      nowMs += everyMs;
      day.pass(everyMs);
      const line = spoken(chat.somebody(), chat.lively(), nowMs);
      heard.push(line.messageId ?? "");
      await day.hear(line);
      count += 1;
      if (count % ASKED_EVERY === 0) await ask(count / ASKED_EVERY);
    }
    await day.room.stores.sweep();
  }
  const read = expectRead(day.shown);
  print("a generated day", read);
  expect(day.room.turns.refused).toBe(0);
  expect(read.toKept).toBeGreaterThan(30);
  expect(read.toGone).toBeGreaterThan(15);
  expect(read.withOthers).toBeGreaterThan(50);
  expect(read.prefixes).toBeGreaterThan(5);
  expect(JSON.stringify(day.shown.map(({ tail }) => [...tail]))).not.toContain("nobody may see");
});

test.skipIf(SAMPLE === null)(
  "so does each reply in chat that real people wrote (runs where shared/data is beside the project)",
  async () => {
    const chat = generateChat(13, PEOPLE, BOT);
    const lines = readSample();
    let nowMs = lines[0]?.sentAtMs ?? 0;
    const day = openDay(chat, nowMs);
    for (const [n, line] of lines.entries()) {
      const laterMs = Math.max(0, (line.sentAtMs ?? nowMs) - nowMs);
      nowMs += laterMs;
      day.pass(laterMs);
      await day.hear(line);
      const asker = chat.people[n % PEOPLE];
      if (n % 5 !== 4 || asker === undefined) continue;
      day.pass(1_100);
      nowMs += 1_100;
      const to = n % 10 === 9 ? `sent-${day.shown.length}` : (lines[n - (n % 7)]?.messageId ?? "");
      await day.ask(replyTo(spoken(asker, chat.question(), nowMs), to));
    }
    const read = expectRead(day.shown);
    print("real chat", read);
    expect(read.replies).toBeGreaterThan(50);
    expect(read.toKept).toBeGreaterThan(50);
    expect(read.withOthers).toBeGreaterThan(50);
  },
);

/** Reads what a prefix may show from the tables alone, not from what the program thinks has changed. */
function whatPrefixShows(db: Db): () => string {
  const query = db
    .prepare<[{ channel: string }], string>(
      `SELECT json_array(
         (SELECT json_group_array(json_array(id, fact, topics, confidence, importance, pinned, last_confirmed_at))
          FROM (SELECT * FROM semantic_notes WHERE channel = :channel AND scope IN ('channel', 'bit')
                AND subject_id IS NULL AND status = 'active' ORDER BY id)),
         (SELECT json_group_array(json_array(id, topic, summary))
          FROM (SELECT * FROM episodes WHERE channel = :channel AND stage <> 'claimed' AND kind <> 'gap'
                AND summary <> '' ORDER BY ended_at DESC, id DESC LIMIT 5)),
         (SELECT max(id) FROM stream_sessions WHERE channel = :channel AND ended_at IS NULL),
         (SELECT recap FROM stream_sessions WHERE channel = :channel AND recap IS NOT NULL ORDER BY id DESC LIMIT 1),
         (SELECT json_array(title, category, is_live) FROM channel_state WHERE channel = :channel))`,
    )
    .pluck();
  return () => query.get({ channel: CHANNEL }) ?? "";
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
