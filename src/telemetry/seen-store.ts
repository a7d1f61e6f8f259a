import { fillNames } from "../language/people.ts";
import type { Db } from "../platform/database/open-database.ts";

/** An answer as a person reads it: who asked what, what was said or would have been, and why not. */
export interface SeenReply {
  readonly id: number;
  readonly channel: string;
  readonly atMs: number;
  readonly viewer: string;
  /** null where the text is gone: it lives for 24 hours. */
  readonly asked: string | null;
  readonly text: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly latencyMs: number | null;
  /** How it was taken; empty where nothing is known. */
  readonly outcomes: readonly string[];
}

/** Something that memory learned: one note. */
export interface SeenNote {
  readonly id: number;
  readonly fact: string;
  readonly status: string;
}

/** A proposal that waits for somebody's word. */
export interface SeenHold {
  readonly id: number;
  readonly action: string;
  readonly target: string | null;
}

interface Wanted {
  /** Only those after this id. */
  readonly afterId: number;
  readonly limit: number;
  /** Only what was thought in mode shadow. */
  readonly shadow?: boolean;
  /** Only those to this user id. */
  readonly userId?: string | null;
}

export interface SeenStore {
  /** The newest that are finished, oldest of them first. */
  replies(wanted: Wanted): SeenReply[];
  notesAfter(id: number): SeenNote[];
  holdsAfter(id: number): SeenHold[];
  /** The last ids of replies, notes and proposals. */
  newest(): { readonly reply: number; readonly note: number; readonly action: number };
}

const NAME = "SELECT display_name FROM viewers WHERE user_id = ";

/** Reads what the streamer may see, with names put in. For a screen, never for a file. */
export function seenStore(db: Db): SeenStore {
  const replies = db.prepare<unknown[], Omit<SeenReply, "outcomes"> & { outcomes: string | null }>(
    `SELECT r.id, r.channel, r.created_at AS atMs, coalesce((${NAME} r.user_id), 'somebody') AS viewer,
       e.text AS asked, r.text, r.state, r.reason, r.latency_ms AS latencyMs,
       (SELECT group_concat(kind) FROM reply_outcomes o WHERE o.reply_id = r.id AND o.kind <> 'none') AS outcomes
     FROM replies r LEFT JOIN events e ON e.id = r.event_id
     WHERE r.id > :afterId AND r.state NOT IN ('thinking', 'sending')
       AND (:shadow = 0 OR r.state = 'shadow') AND (:userId IS NULL OR r.user_id = :userId)
     ORDER BY r.id DESC LIMIT :limit`,
  );
  const notes = db.prepare<[number], SeenNote>(
    "SELECT id, fact, status FROM semantic_notes WHERE id > ? ORDER BY id",
  );
  const holds = db.prepare<[number], SeenHold>(
    `SELECT id, action, (${NAME} target_id) AS target FROM action_log
     WHERE id > ? AND decision = 'hold' ORDER BY id`,
  );
  const newest = db.prepare<[], { reply: number; note: number; action: number }>(
    `SELECT (SELECT coalesce(max(id), 0) FROM replies) AS reply,
       (SELECT coalesce(max(id), 0) FROM semantic_notes) AS note,
       (SELECT coalesce(max(id), 0) FROM action_log) AS action`,
  );
  const name = db.prepare<[string], string>(`${NAME} ?`).pluck();
  return {
    replies: ({ afterId, limit, shadow = false, userId = null }) =>
      replies
        .all({ afterId, limit, shadow: Number(shadow), userId })
        .reverse()
        .map((row) => ({ ...row, outcomes: row.outcomes?.split(",") ?? [] })),
    notesAfter: (id) =>
      notes.all(id).map((note) => ({
        ...note,
        fact: fillNames(note.fact, (userId) => name.get(userId) ?? null),
      })),
    holdsAfter: (id) => holds.all(id),
    newest: () => newest.get() ?? { reply: 0, note: 0, action: 0 },
  };
}
