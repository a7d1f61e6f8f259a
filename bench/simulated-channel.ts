import { randomFrom } from "../src/rehearsal/random.ts";
import { CHANNEL, type DeskRoom, spoken } from "./desk-room.ts";
import { type Chatter, generateChat } from "./generated-chat.ts";

/** A channel whose chat never changes its pace, and whose memory grows as it would, up to its caps. */
export interface SimulatedChannel {
  /** One more line of chat, a moment later. */
  line(): Promise<void>;
  /** Somebody asks the bot, and is answered. */
  question(): Promise<void>;
  /** What was said since becomes an episode, and notes come of it. */
  remember(): void;
  begin(): void;
  /** Ends the stream, with a recap of it. */
  end(): void;
}

export interface Clock {
  atMs: number;
}

const LINES_A_MINUTE = 30;
const LINE_MS = 60_000 / LINES_A_MINUTE;
/** Longer than any cooldown. */
const QUESTION_MS = 11_000;
const NOTES_A_VIEWER = 50;
const NOTES_OF_CHANNEL = 200;
const NOTES_AN_EPISODE = 6;
/** Of at most 120 that a summary or recap may have. */
const SUMMARY_WORDS = { from: 60, to: 110 };
const FACTS = { twitchId: "77", title: "a long way down", category: "Chess" };
const KINDS = ["preference", "profile", "event", "running_bit", "state"];

export function simulateChannel(
  { desk, clock }: { readonly desk: DeskRoom; readonly clock: Clock },
  { people, botName }: { readonly people: number; readonly botName: string },
): SimulatedChannel {
  const chat = generateChat(5, people, botName);
  const random = randomFrom("memory");
  const write = memoryWriter(desk);
  const summary = () => chat.words(random.int(SUMMARY_WORDS.from, SUMMARY_WORDS.to));
  const { channels } = desk.stores;
  let saidSinceMs = clock.atMs;
  return {
    begin: () => {
      channels.refresh(CHANNEL, { ...FACTS, isLive: true, startedAtMs: Math.floor(clock.atMs) });
    },
    end: () => {
      channels.refresh(CHANNEL, { ...FACTS, isLive: false, startedAtMs: null });
      write.recap(summary());
    },
    line: async () => {
      clock.atMs += LINE_MS;
      await desk.hear(spoken(chat.somebody(), chat.text(), clock.atMs));
    },
    question: async () => {
      clock.atMs += QUESTION_MS;
      await desk.hear(spoken(chat.somebody(), chat.question(), clock.atMs));
      await desk.idle();
    },
    remember: () => {
      const episodeId = write.episode(saidSinceMs, clock.atMs, chat.words(5), summary());
      saidSinceMs = clock.atMs;
      for (let n = 0; n < NOTES_AN_EPISODE; n += 1) {
        const subject = n === 0 ? null : chat.somebody();
        const fact = chat.words(random.int(5, 14));
        write.note(episodeId, { subject, fact, kind: random.pick(KINDS), atMs: clock.atMs });
      }
    },
  };
}

interface WrittenNote {
  /** null: the channel's. */
  readonly subject: Chatter | null;
  readonly fact: string;
  readonly kind: string;
  readonly atMs: number;
}

interface MemoryWriter {
  recap(text: string): void;
  episode(fromMs: number, toMs: number, topic: string, summary: string): number;
  note(episodeId: number, note: WrittenNote): void;
}

/** Stands in for what turns chat into memory, with sentences of the length that it makes. */
function memoryWriter({ stores: { db } }: DeskRoom): MemoryWriter {
  const episode = db.prepare(
    `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, topic, summary, stage, status,
       created_at)
     VALUES (?, 'window', (SELECT max(id) FROM stream_sessions), 100, ?, ?, ?, ?, 'extracted', 'done', ?)`,
  );
  const note = db.prepare(
    `INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, topics, words, confidence, importance, status,
       source_kind, created_at, last_confirmed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, .7, .1, 'active', 'stated', ?, ?)`,
  );
  const evidence = db.prepare(
    "INSERT INTO note_evidence (note_id, episode_id, method, confidence, created_at) VALUES (?, ?, 'extracted', .7, ?)",
  );
  const evict = db.prepare(
    `UPDATE semantic_notes SET status = 'stale' WHERE id IN (SELECT id FROM semantic_notes
       WHERE channel = ? AND scope = ? AND subject_id IS ? AND status = 'active' ORDER BY id DESC LIMIT -1 OFFSET ?)`,
  );
  const recap = db.prepare(
    "UPDATE stream_sessions SET recap = ? WHERE id = (SELECT max(id) FROM stream_sessions)",
  );
  return {
    recap: (text) => {
      recap.run(text);
    },
    episode: (fromMs, toMs, topic, summary) =>
      Number(episode.run(CHANNEL, fromMs, toMs, topic, summary, toMs).lastInsertRowid),
    note: (episodeId, { subject, fact, kind, atMs }) => {
      const scope = subject === null ? "channel" : "viewer";
      const subjectId = subject?.userId ?? null;
      const topics = fact.split(" ").slice(0, 2).join(", ");
      const { lastInsertRowid } = note.run(
        CHANNEL,
        scope,
        subjectId,
        kind,
        fact,
        topics,
        fact,
        atMs,
        atMs,
      );
      evidence.run(lastInsertRowid, episodeId, atMs);
      evict.run(CHANNEL, scope, subjectId, subject === null ? NOTES_OF_CHANNEL : NOTES_A_VIEWER);
    },
  };
}
