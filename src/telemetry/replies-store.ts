import { nameReader } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import { factsAfter, newestNote } from "../memory/note-view-store.ts";

/**
 * Returns a function that gives the rows that `read` finds after an id, each once, as soon as its reply is finished.
 * An unfinished reply holds the mark back, because later ones may finish before it.
 */
export function finishedReplies<T extends { readonly id: number }>(
  db: Db,
  fromId: number,
  read: (afterId: number) => T[],
): () => T[] {
  const finishedUpTo = statements(db).value<[number], number>(
    `SELECT coalesce(min(id) FILTER (WHERE state IN ('thinking', 'sending')) - 1, max(id))
     FROM replies WHERE id > ?`,
  );
  const given = new Set<number>();
  let finishedId = fromId;
  return () => {
    // Before the rows are read: a reply that finishes in between is found next time.
    const next = finishedUpTo(finishedId) ?? finishedId;
    const rows = read(finishedId).filter(({ id }) => !given.has(id));
    for (const { id } of rows) given.add(id);
    finishedId = next;
    for (const id of given) if (id <= finishedId) given.delete(id);
    return rows;
  };
}

type Seen = ReturnType<typeof seenStore>;
/** A reply as a person reads it: who asked what, what was sent or would have been, and why not. */
export type SeenReply = ReturnType<Seen["replies"]>[number];
export type SeenNote = ReturnType<Seen["notesAfter"]>[number];
/** An action that waits for approval. */
export type SeenHold = ReturnType<Seen["holdsAfter"]>[number];

const NAME = "SELECT display_name FROM viewers WHERE user_id = ";

/** Reads replies, notes and held actions with names filled in. For a screen, never for a file. */
export function seenStore(db: Db) {
  const sql = statements(db);
  const replies = sql.all<
    [object],
    {
      readonly id: number;
      readonly atMs: number;
      /** `asked` and `text` are null once the text is gone: it lives 24 hours. */
    } & Record<"channel" | "viewer" | "state", string> &
      Record<"asked" | "text" | "reason" | "outcomes", string | null> &
      Record<"latencyMs", number | null>
  >(
    `SELECT r.id, r.channel, r.created_at AS atMs, coalesce((${NAME} r.user_id), 'somebody') AS viewer,
       e.text AS asked, r.text, r.state, r.reason, r.latency_ms AS latencyMs,
       (SELECT group_concat(kind) FROM reply_outcomes o WHERE o.reply_id = r.id) AS outcomes
     FROM replies r LEFT JOIN events e ON e.id = r.event_id
     WHERE r.id > :afterId AND r.state NOT IN ('thinking', 'sending')
       AND (:shadow = 0 OR r.state = 'shadow') AND (:userId IS NULL OR r.user_id = :userId)
     ORDER BY r.id DESC LIMIT :limit`,
  );
  const notes = factsAfter(db);
  const newestNoteId = newestNote(db);
  const newest = sql.one<[], { reply: number; action: number }>(
    `SELECT (SELECT coalesce(max(id), 0) FROM replies) AS reply,
       (SELECT coalesce(max(id), 0) FROM action_log) AS action`,
  );
  const nameOf = nameReader(db);
  return {
    /** The newest finished replies after an id, oldest first. `shadow`: only those that were not sent for that reason. */
    replies: (asked: { afterId: number; limit: number; shadow: boolean; userId: string | null }) =>
      replies({ ...asked, shadow: Number(asked.shadow) })
        .reverse()
        .map((row) => ({ ...row, outcomes: row.outcomes?.split(",") ?? [] })),
    notesAfter: (id: number) =>
      notes(id).map((note) => ({ ...note, fact: fillNames(note.fact, nameOf) })),
    holdsAfter: sql.all<[number], { id: number; action: string; target: string | null }>(
      `SELECT id, action, (${NAME} target_id) AS target FROM action_log
       WHERE id > ? AND decision = 'hold' ORDER BY id`,
    ),
    /** The last ids of replies, notes and actions. */
    newest: () => ({ ...(newest() ?? { reply: 0, action: 0 }), note: newestNoteId() }),
  };
}
