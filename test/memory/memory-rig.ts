import { setImmediate as macrotask } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { ChannelStore } from "../../src/chat/channel-store.ts";
import { EventStore } from "../../src/chat/event-store.ts";
import type { Spoken } from "../../src/chat/normalise.ts";
import { toConfig } from "../../src/config/load.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { Counters, SwitchStore } from "../../src/database/runtime-store.ts";
import { prepareStatements } from "../../src/database/statements.ts";
import { makeFence } from "../../src/language/fence.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import { openLog } from "../../src/log.ts";
import { Memory } from "../../src/memory/memory-loop.ts";
import type { How } from "../../src/memory/summary-prompt.ts";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";
import type { Llm } from "../../src/models/model-port.ts";
import { NO_ROLES, say } from "../chat/say.ts";

export const CHANNEL = "brambleway";
/** The first sailor whom nobody knows. */
export const STRANGER = 50;
export const START_MS = 1_800_000_000_000;

const FACTS = { twitchId: "77", title: "boats", category: "Sailing", language: null };
/** Every second: nothing waits for slow chat to fill a window. */
const EVERY_SECOND = { compactionSeconds: 1 };

/** An episode as `EPISODES` reads it. */
export interface EpisodeRow {
  readonly id: number;
  readonly kind: string;
  readonly n: number;
  readonly stage: string;
  readonly status: string;
  readonly attempts: number;
  readonly summary: string;
  readonly next: number | null;
}

export const EPISODES = `SELECT id, kind, event_count AS n, stage, status, attempts, summary, next_attempt_at AS next
  FROM episodes ORDER BY id`;

export type MemoryRig = ReturnType<typeof memoryRig>;

/**
 * A memory over a database in memory, a clock that stands still until it is moved, and chat to fill it. Without
 * `notes` the model is only asked for summaries and recaps.
 */
export function memoryRig(
  llm: Llm,
  db: Db = openDatabase(":memory:"),
  options: {
    readonly notes?: boolean;
    readonly mode?: "auto" | "off";
    readonly breathe?: () => Promise<void>;
  } = {},
) {
  const memoryPolicy = { ...EVERY_SECOND, mode: options.mode ?? "auto" };
  const bot = { login: "automark", aliases: ["mark"] };
  const config = toConfig({ channel: CHANNEL, bot, memory: memoryPolicy }, ".");
  const clock = { nowMs: START_MS };
  const now = () => clock.nowMs;
  const log = openLog("silent");
  const channels = new ChannelStore(db, now);
  channels.ensure(CHANNEL);
  const counters = new Counters(db);
  const switches = new SwitchStore(db, now);
  const notices = new NoticeBoard(db, now, log);
  const hash = createKeyedHash("a key for tests");
  const suppressions = new SuppressionStore(db, hash, now);
  const events = new EventStore(db, {
    now,
    expiryMs: 86_100_000,
    streamOf: (channel) => channels.runningStream(channel),
    isOptedOut: suppressions.isOptedOut,
    onRemoved: () => memory.settleRemovals(),
  });
  const open = () =>
    new Memory({
      config,
      db,
      llm: options.notes === true ? llm : withoutNotes(llm),
      fence: makeFence("testmarker"),
      switches: () => switches.read(),
      flush: () => events.flush(),
      breathe: options.breathe ?? macrotask,
      isOver: (channel) => channels.isLive(channel) === false,
      counters,
      notices,
      suppressions,
      now,
      log,
    });
  let memory = open();
  onTestFinished(async () => {
    await memory.close();
    events.close();
    db.close();
  });
  const { say, sayMany } = chatter(events, clock);
  return {
    db,
    get memory() {
      return memory;
    },
    /** Ends the memory, whatever it is at, and opens another over the same database. */
    restart: async () => {
      await memory.close();
      memory = open();
    },
    events,
    hash,
    suppressions,
    channels,
    switches,
    counters,
    clock,
    /** Somebody says something; gives its message id. */
    say,
    sayMany,
    setLive(isLive: boolean): boolean {
      return channels.refresh(CHANNEL, {
        ...FACTS,
        isLive,
        startedAtMs: isLive ? clock.nowMs : null,
      });
    },
    rows: reader(db, events),
  };
}

/** Gives the rows of any statement. A property asks the same thousands of times: each is prepared once. */
function reader(db: Db, events: EventStore): <T>(sql: string) => T[] {
  const asked = new Map<string, () => unknown[]>();
  return <T>(sql: string) => {
    events.flush();
    const read = asked.get(sql) ?? prepareStatements(db).all<[], unknown>(sql);
    asked.set(sql, read);
    return read() as T[];
  };
}

/** Answers every question about notes with none, so that a test can script summaries alone. */
function withoutNotes(llm: Llm): Llm {
  return {
    ask: (request) => {
      const { purpose, schema } = request;
      if (purpose !== "extract" || schema === undefined) return llm.ask(request);
      const usage = { promptTokens: null, cachedTokens: null, outputTokens: null };
      const value = schema.parse({ notes: [] });
      return Promise.resolve({
        ok: true,
        text: "",
        value,
        model: "none",
        finish: "stop",
        usage,
        latencyMs: 0,
      });
    },
  };
}

/** Lets people speak, a second apart. */
function chatter(events: Pick<EventStore, "add">, clock: { nowMs: number }) {
  let serial = 0;
  /** Somebody says something; gives its message id. */
  const say = (person: number, text: string, toBot = false, more: Partial<Spoken> = {}): string => {
    serial += 1;
    const messageId = `m-${serial}`;
    events.add({ ...spoken(person, text, messageId), ...more }, toBot);
    clock.nowMs += 1_000;
    return messageId;
  };
  const sayMany = (count: number, people = 5): void => {
    for (let index = 0; index < count; index += 1) {
      say(index % people, `line ${serial} about the ${["boat", "lamp", "crab"][index % 3]}`);
    }
  };
  return { say, sayMany };
}

/** A message of sailor `person`; those up to 49 are subscribers, others nobody knows. */
export function spoken(person: number, text: string, messageId: string): Spoken {
  const userId = String(1_000 + person);
  const roles = { ...NO_ROLES, broadcaster: person === 0, subscriber: person < STRANGER };
  const who = { userId, login: `sailor_${person}`, displayName: `Sailor_${person}`, roles };
  return say(text, { channel: CHANNEL, messageId, person: who });
}

/** What a model might write about a window: a summary of its own and the claims given. */
export function summaryJson(
  claims: readonly {
    subject: string;
    statement: string;
    quotes: readonly string[];
    how?: How;
    on?: string | null;
  }[] = [],
  summary = "The crew traded stories about boats and lamps.",
): string {
  const plain = claims.map((claim) => ({ how: "plainly", on: null, ...claim }));
  return JSON.stringify({ topic: "boats", summary, claims: plain });
}
