import type { ServerResponse } from "node:http";
import { setSharedInterval } from "../clock.ts";
import type { Db } from "../database/open-database.ts";
import { NOTES_MARK } from "../memory/note-reads-store.ts";
import { finishedReplies } from "../reply/reply-view-store.ts";

/** What may change under an open page; a view says which of these it shows. */
export type Topic = keyof typeof MARKS;

/** What each topic is seen by: a few numbers, each read from an index or a row or two. */
const MARKS = {
  status: `SELECT json_array((SELECT group_concat(name || is_on) FROM switches),
    (SELECT group_concat(kind || last_at) FROM notices),
    (SELECT group_concat(coalesce(is_live, '') || title || category) FROM channel_state),
    (SELECT group_concat(value ->> 'joined') FROM json_each(
      (SELECT value_json FROM runtime WHERE name = 'daemon'), '$.channels')))`,
  chat: "SELECT max(id) FROM events",
  replies: `SELECT json_array(
    (SELECT group_concat(id || state) FROM (SELECT id, state FROM replies ORDER BY id DESC LIMIT 20)),
    (SELECT group_concat(reply_id || kind) FROM reply_outcomes WHERE reply_id IN
      (SELECT id FROM replies ORDER BY id DESC LIMIT 20)))`,
  notes: `SELECT json_array((SELECT max(number) FROM policy_history),
    ${NOTES_MARK})`,
  actions: `SELECT group_concat(id || decision || reason || coalesce(outcome, '') || coalesce(answer, '')) FROM
    (SELECT id, decision, reason, outcome, answer FROM action_log ORDER BY id DESC LIMIT 30)`,
  episodes: `SELECT json_array(
    (SELECT group_concat(id || stage || status) FROM
      (SELECT id, stage, status FROM episodes ORDER BY id DESC LIMIT 20)),
    (SELECT group_concat(id || coalesce(ended_at, '') || (recap IS NULL)) FROM
      (SELECT id, ended_at, recap FROM stream_sessions ORDER BY id DESC LIMIT 3)))`,
  // Triggers count every text that is taken away, whoever takes it, and everybody who is forgotten.
  texts:
    "SELECT group_concat(value) FROM counters WHERE name IN ('removed.texts', 'removed.people', 'gone.texts')",
  people: "SELECT value FROM counters WHERE name = 'removed.people'",
};
const SAID_MAX = 5;

/** Returns a function that reads what changed since its last call; null for nothing that a page shows. */
export function changeReader(db: Db): () => Told | null {
  const version = db.prepare<[], number>("PRAGMA data_version").pluck();
  const marks = Object.entries(MARKS).map(([topic, sql]) => ({
    topic: topic as Topic,
    read: db.prepare<[], string | null>(sql).pluck(),
  }));
  const newest = db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM replies").pluck();
  const spoken = db.prepare<[number], { id: number; text: string }>(
    "SELECT id, text FROM replies WHERE id > ? AND state = 'sent' AND text IS NOT NULL ORDER BY id",
  );
  const seen = { version: -1, marks: new Map<Topic, string | null>() };
  const said = finishedReplies(db, newest.get() ?? 0, (afterId) => spoken.all(afterId));
  return () => {
    const current = version.get() ?? 0;
    if (current === seen.version) return null;
    seen.version = current;
    const topics = marks.flatMap(({ topic, read }) => {
      const mark = read.get() ?? null;
      const isNew = seen.marks.get(topic) !== mark;
      seen.marks.set(topic, mark);
      return isNew ? [topic] : [];
    });
    const texts = said()
      .slice(0, SAID_MAX)
      .map(({ text }) => text);
    return topics.length + texts.length === 0 ? null : { topics, said: texts };
  };
}

export interface Told {
  readonly topics: readonly Topic[];
  /** What the bot just said in chat, for the overlay, oldest first. */
  readonly said: readonly string[];
}

const LISTENERS_MAX = 40;
/** A page that hears nothing for twice this long says that the bot is not reachable. */
const PING_EVERY_MS = 2_000;

export type Listeners = ReturnType<typeof openListeners>;

interface Listener {
  /** It hears what was said in chat, and nothing else. */
  readonly isOverlay: boolean;
  /** Asked before each word: its key may have been taken away since. */
  readonly mayHear: () => boolean;
}

/**
 * Browsers that wait to be told of changes. One that does not take what it is sent, or may hear no more, is dropped: nothing
 * is kept for it. `onHeard` is told when the first comes and the last goes.
 */
export function openListeners(onHeard: (isHeard: boolean) => void) {
  const listeners = new Map<ServerResponse, Listener>();
  let endPings = (): void => undefined;
  const drop = (response: ServerResponse): void => {
    if (!listeners.delete(response)) return;
    response.destroy();
    if (listeners.size > 0) return;
    endPings();
    onHeard(false);
  };
  const write = (response: ServerResponse, text: string): void => {
    const mayHear = listeners.get(response)?.mayHear() === true;
    if (!mayHear || response.writableNeedDrain) drop(response);
    else response.write(text);
  };
  return {
    add: (response: ServerResponse, listener: Listener): void => {
      const oldest = listeners.keys().next().value;
      if (listeners.size >= LISTENERS_MAX && oldest !== undefined) drop(oldest);
      response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
      response.on("close", () => drop(response));
      listeners.set(response, listener);
      write(response, "retry: 1000\n\n");
      if (listeners.size > 1) return;
      endPings = setSharedInterval(PING_EVERY_MS, () => {
        for (const one of listeners.keys()) write(one, "event: here\ndata: {}\n\n");
      });
      onHeard(true);
    },
    /** Nobody is left who could tell them: they come again by themselves. */
    dropAll: (): void => {
      for (const one of listeners.keys()) drop(one);
    },
    /** `nowMs` is the bot's clock: countdowns go by it. */
    tell: ({ topics, said }: Told, nowMs: number): void => {
      const change = `event: change\ndata: ${JSON.stringify({ topics, nowMs })}\n\n`;
      const spoken = said
        .map((text) => `event: said\ndata: ${JSON.stringify({ text })}\n\n`)
        .join("");
      // What was taken away may be what the bubble shows.
      const gone = topics.includes("texts") ? "event: gone\ndata: {}\n\n" : "";
      for (const [response, { isOverlay }] of listeners) {
        if (!isOverlay) write(response, change);
        else if (gone + spoken !== "") write(response, gone + spoken);
      }
    },
  };
}
