import { closeSync, fsyncSync, openSync } from "node:fs";
import type { Db } from "../src/database/open-database.ts";
import { openDatabase } from "../src/database/open-database.ts";
import { readStems } from "../src/language/stems.ts";
import {
  type Chatter,
  type GeneratedChat,
  generateChat,
} from "../test/stand-ins/generated-chat.ts";

/** Rows of a channel's database. */
export interface StoredSize {
  readonly events: number;
  /** Events by the first viewer. */
  readonly eventsOfFirst: number;
  readonly episodes: number;
  /** 200 of the channel, and 50 for each viewer. */
  readonly notes: number;
  readonly replies: number;
}

const NOTES_A_VIEWER = 50;
const NOTES_OF_CHANNEL = 200;
const SENTENCES = 4_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Spreads rows over viewers and sentences. It is prime, so that it reaches all of them. */
const STRIDE = 7_919;
const NOTE_KINDS = ["preference", "profile", "event", "state", "constraint"];

export interface StoredChannel {
  readonly people: readonly Chatter[];
  readonly chat: GeneratedChat;
}

interface FillInput extends StoredChannel {
  readonly db: Db;
  readonly channel: string;
  readonly nowMs: number;
  readonly size: StoredSize;
  readonly sentence: (n: number) => string;
}

/**
 * Makes the database of a channel that has run for long: chat of the last 23 hours up to `nowMs`, and memory of
 * years, every viewer at the cap.
 */
export function storeChannel(
  file: string,
  {
    channel,
    botName,
    nowMs,
  }: { readonly channel: string; readonly botName: string; readonly nowMs: number },
  size: StoredSize,
): StoredChannel {
  const viewers = Math.max(1, Math.floor((size.notes - NOTES_OF_CHANNEL) / NOTES_A_VIEWER));
  const chat = generateChat(11, viewers, botName);
  const sentences = Array.from({ length: SENTENCES }, (_, n) => chat.words(4 + (n % 12)));
  const db = openDatabase(file);
  // The measured program opens the file again with its own settings.
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -200000");
  const sentence = (n: number) => sentences[(n * STRIDE) % SENTENCES] ?? "";
  const filling = { db, channel, nowMs, size, chat, people: chat.people, sentence };
  for (const fill of [fillPeople, fillEpisodes, fillEvents, fillNotes, fillReplies]) {
    db.transaction(() => fill(filling))();
  }
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  flushToDisk(file);
  return { people: chat.people, chat };
}

/** Else the first measured commit waits until the system has written all of the file. */
function flushToDisk(file: string): void {
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function fillPeople({ db, channel, people, nowMs, size }: FillInput): void {
  db.prepare(
    `INSERT INTO channel_state (channel, title, category, is_live, refreshed_at)
     VALUES (?, 'a long way down', 'Chess', 1, ?)`,
  ).run(channel, nowMs);
  db.prepare("INSERT INTO stream_sessions (channel, started_at) VALUES (?, ?)").run(
    channel,
    nowMs - HOUR_MS,
  );
  const viewer = db.prepare(
    "INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?)",
  );
  const inChannel = db.prepare(
    `INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at, message_count, stream_count)
     VALUES (?, ?, ?, ?, ?, 40)`,
  );
  for (const [n, { userId, login, displayName }] of people.entries()) {
    viewer.run(userId, login, displayName, nowMs - 900 * DAY_MS, nowMs - HOUR_MS);
    inChannel.run(
      channel,
      userId,
      nowMs - 900 * DAY_MS,
      nowMs - HOUR_MS,
      n === 0 ? size.eventsOfFirst : 60,
    );
  }
}

function fillEpisodes({ db, channel, people, nowMs, size, sentence }: FillInput): void {
  const episode = db.prepare(
    `INSERT INTO episodes (id, channel, kind, session_id, event_count, started_at, ended_at, topic, summary, stage,
       status, created_at)
     VALUES (?, ?, 'window', 1, 80, ?, ?, ?, ?, 'extracted', 'done', ?)`,
  );
  const participant = db.prepare(
    "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
  );
  for (let n = 1; n <= size.episodes; n += 1) {
    const endedAtMs = nowMs - (size.episodes - n) * 180_000;
    const summary = [0, 1, 2, 3, 4, 5].map((part) => `${sentence(n * 6 + part)}.`).join(" ");
    episode.run(
      n,
      channel,
      endedAtMs - 180_000,
      endedAtMs,
      sentence(n).slice(0, 40),
      summary,
      endedAtMs,
    );
    const first = people[(n * STRIDE) % people.length];
    if (first !== undefined) participant.run(n, first.userId);
  }
}

function fillEvents({ db, channel, people, nowMs, size, sentence }: FillInput): void {
  const event = db.prepare(
    `INSERT INTO events (channel, kind, user_id, message_id, text, memorable, sent_at, created_at, expires_at, episode_id)
     VALUES (?, 'message', ?, ?, ?, 1, ?, ?, ?, ?)`,
  );
  const everyFirst = Math.max(1, Math.floor(size.events / Math.max(1, size.eventsOfFirst)));
  const gapMs = (23 * HOUR_MS) / Math.max(1, size.events);
  for (let n = 0; n < size.events; n += 1) {
    const person = people[n % everyFirst === 0 ? 0 : (n * STRIDE) % people.length];
    const atMs = Math.floor(nowMs - (size.events - n) * gapMs);
    const episodeId = n < size.events - 1_000 ? 1 + (n % size.episodes) : null;
    event.run(
      channel,
      person?.userId ?? "",
      `stored-${n}`,
      sentence(n),
      atMs,
      atMs,
      atMs + DAY_MS,
      episodeId,
    );
  }
}

function fillNotes({ db, channel, people, nowMs, size, sentence }: FillInput): void {
  const note = db.prepare(
    `INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, topics, words, confidence, importance,
       status, source_kind, created_at, last_confirmed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active', 'stated', ?, ?)`,
  );
  const evidence = db.prepare(
    "INSERT INTO note_evidence (note_id, episode_id, method, confidence, created_at) VALUES (?, ?, 'extracted', .8, ?)",
  );
  const readings = new Map<string, ReturnType<typeof readFact>>();
  for (let n = 0; n < size.notes; n += 1) {
    // A viewer's notes are spread over the file, as they would be learned.
    const isChannels = n < NOTES_OF_CHANNEL;
    const person = isChannels ? null : (people[n % people.length] ?? null);
    const fact = sentence(n);
    const { topics, words } = readings.get(fact) ?? readFact(fact);
    readings.set(fact, { topics, words });
    const atMs = nowMs - ((n * STRIDE) % (80 * DAY_MS));
    note.run(
      n + 1,
      channel,
      person === null ? "channel" : "viewer",
      person?.userId ?? null,
      NOTE_KINDS[n % NOTE_KINDS.length],
      fact,
      topics,
      words,
      0.45 + (n % 50) / 100,
      (n % 3) / 10,
      atMs,
      atMs,
    );
    evidence.run(n + 1, 1 + (n % size.episodes), atMs);
  }
}

/** Returns two words of a fact as topics, and the words of both as recall compares them. */
function readFact(fact: string): { readonly topics: string; readonly words: string } {
  const topics = fact.split(" ").slice(0, 2);
  return {
    topics: topics.join(", "),
    words: readStems(`${fact} ${topics.join(" ")}`).join(" "),
  };
}

function fillReplies({ db, channel, people, nowMs, size, sentence }: FillInput): void {
  const reply = db.prepare(
    `INSERT INTO replies (channel, user_id, "trigger", state, created_at, sent_at, message_id, text)
     VALUES (?, ?, 'mention', 'sent', ?, ?, ?, ?)`,
  );
  // All within a day: the start would remove older texts.
  const gapMs = (23 * HOUR_MS) / Math.max(1, size.replies);
  for (let n = 0; n < size.replies; n += 1) {
    const atMs = Math.floor(nowMs - (size.replies - n) * gapMs);
    const person = people[(n * STRIDE) % people.length];
    reply.run(channel, person?.userId ?? "", atMs, atMs, `reply-${n}`, sentence(n));
  }
}
