import type { Db } from "../platform/database/open-database.ts";
import type { Topic } from "./live.ts";

interface Changes {
  readonly topics: readonly Topic[];
  /** What the bot said in chat since the last look, oldest first. */
  readonly said: readonly string[];
}

/** What each topic is seen by: a few numbers, each read from an index or a row or two. */
const MARKS: Readonly<Record<Exclude<Topic, "said">, string>> = {
  status: `SELECT json_array((SELECT group_concat(name || is_on) FROM switches),
    (SELECT group_concat(kind || last_at) FROM notices),
    (SELECT group_concat(coalesce(is_live, '') || title || category) FROM channel_state),
    (SELECT updated_at FROM runtime WHERE name = 'daemon'))`,
  replies: `SELECT json_array(
    (SELECT group_concat(id || state) FROM (SELECT id, state FROM replies ORDER BY id DESC LIMIT 20)),
    (SELECT group_concat(reply_id || kind) FROM reply_outcomes WHERE reply_id IN
      (SELECT id FROM replies ORDER BY id DESC LIMIT 20)))`,
  notes: `SELECT json_array((SELECT max(number) FROM policy_history),
    (SELECT group_concat(id || status || pinned || last_confirmed_at) FROM
      (SELECT id, status, pinned, last_confirmed_at FROM semantic_notes ORDER BY id DESC LIMIT 50)))`,
  actions: `SELECT group_concat(id || decision || reason || coalesce(outcome, '') || coalesce(answer, '')) FROM
    (SELECT id, decision, reason, outcome, answer FROM action_log ORDER BY id DESC LIMIT 30)`,
  episodes: `SELECT json_array(
    (SELECT group_concat(id || stage || status) FROM
      (SELECT id, stage, status FROM episodes ORDER BY id DESC LIMIT 20)),
    (SELECT group_concat(id || coalesce(ended_at, '') || (recap IS NULL)) FROM
      (SELECT id, ended_at, recap FROM stream_sessions ORDER BY id DESC LIMIT 3)))`,
  // Triggers count every text that is taken away, whoever takes it, and everybody who is forgotten.
  texts:
    "SELECT group_concat(value) FROM counters WHERE name IN ('removed.texts', 'removed.people')",
};
const SAID_MAX = 5;

/** Tells what changed in the database since it was asked last; null for nothing that a page shows. */
export function changeTeller(db: Db): { look(): Changes | null } {
  const version = db.prepare<[], number>("PRAGMA data_version").pluck();
  const marks = Object.entries(MARKS).map(([topic, sql]) => ({
    topic: topic as Topic,
    read: db.prepare<[], string | null>(sql).pluck(),
  }));
  const newest = db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM replies").pluck();
  const spoken = db.prepare<[number, number], { id: number; text: string }>(
    `SELECT id, text FROM replies WHERE id > ? AND state = 'sent' AND text IS NOT NULL ORDER BY id LIMIT ?`,
  );
  const pending = db
    .prepare<[number], number | null>(
      "SELECT min(id) FROM replies WHERE id > ? AND state IN ('thinking', 'sending')",
    )
    .pluck();
  const seen = { version: -1, marks: new Map<Topic, string | null>(), saidId: newest.get() ?? 0 };
  const told = new Set<number>();
  const said = (): string[] => {
    const rows = spoken.all(seen.saidId, SAID_MAX).filter(({ id }) => !told.has(id));
    for (const { id } of rows) told.add(id);
    // One that is not sent yet holds the place behind which everything was told.
    const open = pending.get(seen.saidId) ?? null;
    seen.saidId = open === null ? (newest.get() ?? 0) : open - 1;
    for (const id of told) if (id <= seen.saidId) told.delete(id);
    return rows.map(({ text }) => text);
  };
  return {
    look: () => {
      const current = version.get() ?? 0;
      if (current === seen.version) return null;
      seen.version = current;
      const topics = marks.flatMap(({ topic, read }) => {
        const mark = read.get() ?? null;
        const isNew = seen.marks.get(topic) !== mark;
        seen.marks.set(topic, mark);
        return isNew ? [topic] : [];
      });
      const texts = said();
      return topics.length + texts.length === 0 ? null : { topics, said: texts };
    },
  };
}
