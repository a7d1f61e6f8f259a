import type { ServerResponse } from "node:http";
import { STREAMS_MARK } from "../chat/channel-store.ts";
import { EVENTS_MARK } from "../chat/event-reads-store.ts";
import { setSharedInterval } from "../clock.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { EPISODES_MARK } from "../memory/episode-texts-store.ts";
import { NOTES_MARK } from "../memory/note-review-store.ts";
import { readFinishedReplies } from "../reply/reply-view-store.ts";

/** A part of the data that may change under an open page. Each view names the parts that it shows. */
export type Topic = keyof typeof MARKS;

/** SQL for a value that changes with each topic. Each reads an index or a few rows. */
const MARKS = {
  status: `SELECT json_array((SELECT group_concat(name || is_on) FROM switches),
    (SELECT group_concat(kind || last_at) FROM notices),
    (SELECT group_concat(coalesce(is_live, '') || title || category) FROM channel_state),
    (SELECT group_concat(value ->> 'joined') FROM json_each(
      (SELECT value_json FROM runtime WHERE name = 'daemon'), '$.channels')))`,
  chat: `SELECT ${EVENTS_MARK}`,
  replies: `SELECT json_array(
    (SELECT group_concat(id || state) FROM (SELECT id, state FROM replies ORDER BY id DESC LIMIT 20)),
    (SELECT group_concat(reply_id || kind) FROM reply_outcomes WHERE reply_id IN
      (SELECT id FROM replies ORDER BY id DESC LIMIT 20)))`,
  notes: `SELECT json_array((SELECT max(number) FROM policy_history),
    ${NOTES_MARK})`,
  actions: `SELECT group_concat(id || decision || reason || coalesce(outcome, '') || coalesce(answer, '')) FROM
    (SELECT id, decision, reason, outcome, answer FROM action_log ORDER BY id DESC LIMIT 30)`,
  episodes: `SELECT json_array(${EPISODES_MARK}, ${STREAMS_MARK})`,
  // Triggers count every removed text and every forgotten viewer.
  texts:
    "SELECT group_concat(value) FROM counters WHERE name IN ('removed.texts', 'removed.people', 'gone.texts')",
  people: "SELECT value FROM counters WHERE name = 'removed.people'",
};
const SAID_MAX = 5;

/**
 * Returns a function that reads the changes since its last call; null if nothing changed that a page shows. Its first
 * call names all topics. `said` has the first five messages that the bot sent since; the overlay never gets the others.
 */
export function changeReader(db: Db): () => News | null {
  const sql = prepareStatements(db);
  const version = sql.value<[], number>("PRAGMA data_version");
  const marks = Object.entries(MARKS).map(([topic, mark]) => {
    return { topic: topic as Topic, read: sql.value<[], string>(mark) };
  });
  const newest = sql.value<[], number>("SELECT coalesce(max(id), 0) FROM replies");
  const spoken = sql.all<[number], { id: number; text: string }>(
    "SELECT id, text FROM replies WHERE id > ? AND state = 'sent' AND text IS NOT NULL ORDER BY id",
  );
  const readSpoken = readFinishedReplies(db, newest() ?? 0, spoken);
  const seen = new Map<Topic, string | null>();
  let seenVersion: number | null = -1;
  return () => {
    const current = version();
    if (current === seenVersion) return null;
    seenVersion = current;
    const topics = marks.flatMap(({ topic, read }) => {
      const mark = read();
      const isNew = seen.get(topic) !== mark;
      seen.set(topic, mark);
      return isNew ? [topic] : [];
    });
    const said = readSpoken()
      .slice(0, SAID_MAX)
      .map(({ text }) => text);
    return topics.length + said.length === 0 ? null : { topics, said };
  };
}

export interface News {
  readonly topics: readonly Topic[];
  /** The bot's messages in chat, for the overlay, oldest first. */
  readonly said: readonly string[];
}

const LISTENERS_MAX = 40;
/** A page that hears nothing for twice this long says that the bot is not reachable. */
const PING_EVERY_MS = 2_000;

interface Listener {
  /** True if it gets the bot's messages, and no topics. */
  readonly isOverlay: boolean;
  /** Checked before each event: its key may be revoked by now. */
  readonly mayHear: () => boolean;
}

/**
 * The browsers that wait for changes, at most 40: a new one replaces the oldest. Disconnects one that reads too slowly
 * or whose key was revoked.
 */
export class Listeners {
  readonly #all = new Map<ServerResponse, Listener>();
  readonly #onHeard: (isHeard: boolean) => void;
  #endPings = (): void => undefined;

  /** `onHeard` runs with true when the first browser comes, and with false when the last one leaves. */
  constructor(onHeard: (isHeard: boolean) => void) {
    this.#onHeard = onHeard;
  }

  /** Begins a stream of events to a browser. It stays open until the browser leaves or is dropped. */
  add(response: ServerResponse, listener: Listener): void {
    const oldest = this.#all.keys().next().value;
    if (this.#all.size >= LISTENERS_MAX && oldest !== undefined) this.#drop(oldest);
    response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
    response.on("close", () => this.#drop(response));
    this.#all.set(response, listener);
    this.#writeOrDrop(response, "retry: 1000\n\n");
    if (this.#all.size > 1) return;
    this.#endPings = setSharedInterval(PING_EVERY_MS, () => {
      for (const one of this.#all.keys()) this.#writeOrDrop(one, eventText("here", {}));
    });
    this.#onHeard(true);
  }

  /** Ends every connection. Browsers connect again by themselves. */
  dropAll(): void {
    for (const one of this.#all.keys()) this.#drop(one);
  }

  /**
   * Sends the changed topics to pages. Sends to overlays the bot's messages, after `gone` if a stored text was removed.
   * `nowMs` is the bot's clock, for countdowns.
   */
  send({ topics, said }: News, nowMs: number): void {
    const change = eventText("change", { topics, nowMs });
    // The overlay may show the removed text.
    const removedEvent = topics.includes("texts") ? eventText("gone", {}) : "";
    const spoken = removedEvent + said.map((text) => eventText("said", { text })).join("");
    for (const [response, { isOverlay }] of this.#all) {
      if (!isOverlay) this.#writeOrDrop(response, change);
      else if (spoken !== "") this.#writeOrDrop(response, spoken);
    }
  }

  #writeOrDrop(response: ServerResponse, text: string): void {
    const mayHear = this.#all.get(response)?.mayHear() === true;
    if (!mayHear || response.writableNeedDrain) this.#drop(response);
    else response.write(text);
  }

  /** Disconnects a browser, if it is still there. The last one ends the pings and calls `onHeard`. */
  #drop(response: ServerResponse): void {
    if (!this.#all.delete(response)) return;
    response.destroy();
    if (this.#all.size > 0) return;
    this.#endPings();
    this.#onHeard(false);
  }
}

function eventText(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
