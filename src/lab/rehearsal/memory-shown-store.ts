import { fillNames } from "../../language/people.ts";
import type { Db } from "../../platform/database/open-database.ts";

/** A note with names put in. */
interface ShownNote {
  readonly id: number;
  readonly fact: string;
}

/** What a stream shows of what the streams before it left behind. */
export interface MemoryShown {
  /** Lines of the earlier streams' chat that can still be read. */
  readonly linesLeft: number;
  /** The last earlier stream's recap; null where it has none. */
  readonly recap: string | null;
  /** Notes that the earlier streams left, about viewers first. */
  readonly learned: readonly ShownNote[];
  /** The first reply that said something an earlier stream taught about the one spoken to. */
  readonly greeting: {
    readonly name: string;
    /** What they had said; null where it is gone. */
    readonly line: string | null;
    readonly reply: string;
    readonly noteId: number;
  } | null;
  /** Notes of the earlier streams, and what took their place since. */
  readonly corrections: readonly { readonly before: ShownNote; readonly after: ShownNote }[];
}

/** Reads from a rehearsal's database what memory did in the stream that began at `sinceMs`, epoch ms. */
export function memoryShown(db: Db, sinceMs: number): MemoryShown {
  const name = db
    .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
    .pluck();
  const named = (text: string): string => fillNames(text, (userId) => name.get(userId) ?? null);
  const rows = statements(db);
  const replies = rows.replies
    .all(sinceMs, sinceMs)
    .map((row) => ({ ...row, fact: named(row.fact) }));
  const said = replies.find(({ reply, fact }) => reply.includes(fact.replace(/\.$/, "")));
  const recap = rows.recap.get(sinceMs);
  return {
    linesLeft: rows.linesLeft.get(sinceMs) ?? 0,
    recap: recap === undefined ? null : named(recap),
    learned: rows.learned.all(sinceMs).map(({ id, fact }) => ({ id, fact: named(fact) })),
    greeting:
      said === undefined
        ? null
        : { name: said.name, line: said.line, reply: said.reply, noteId: said.noteId },
    corrections: rows.corrections.all(sinceMs, sinceMs).map((row) => ({
      before: { id: row.oldId, fact: named(row.oldFact) },
      after: { id: row.newId, fact: named(row.newFact) },
    })),
  };
}

interface ReplyRow {
  readonly reply: string;
  readonly line: string | null;
  readonly name: string;
  readonly noteId: number;
  readonly fact: string;
}

interface CorrectionRow {
  readonly oldId: number;
  readonly oldFact: string;
  readonly newId: number;
  readonly newFact: string;
}

function statements(db: Db) {
  return {
    linesLeft: db
      .prepare<[number], number>(
        "SELECT count(*) FROM events WHERE created_at < ? AND text IS NOT NULL",
      )
      .pluck(),
    recap: db
      .prepare<[number], string>(
        `SELECT recap FROM stream_sessions WHERE started_at < ? AND recap IS NOT NULL ORDER BY id DESC LIMIT 1`,
      )
      .pluck(),
    learned: db.prepare<[number], ShownNote>(
      "SELECT id, fact FROM semantic_notes WHERE created_at < ? ORDER BY scope = 'viewer' DESC, id",
    ),
    replies: db.prepare<[number, number], ReplyRow>(
      `SELECT r.text AS reply, e.text AS line, v.display_name AS name, n.id AS noteId, n.fact
       FROM replies r JOIN viewers v ON v.user_id = r.user_id
       JOIN semantic_notes n ON n.subject_id = r.user_id AND n.created_at < ?
       LEFT JOIN events e ON e.id = r.event_id
       WHERE r.state = 'sent' AND r.text IS NOT NULL AND r.created_at >= ? ORDER BY r.id, n.id`,
    ),
    corrections: db.prepare<[number, number], CorrectionRow>(
      `SELECT old.id AS oldId, old.fact AS oldFact, new.id AS newId, new.fact AS newFact
       FROM semantic_notes old JOIN semantic_notes new ON new.id = old.superseded_by
       WHERE old.created_at < ? AND new.created_at >= ? ORDER BY old.scope = 'viewer' DESC, old.id`,
    ),
  };
}
