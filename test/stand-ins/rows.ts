import type { Db } from "../../src/database/open-database.ts";

/** What stands in a column that a test says nothing of, and that the schema has no default for. */
const USUAL = {
  channel_state: {},
  viewers: { first_seen_at: 1, last_seen_at: 1 },
  viewer_channels: { first_seen_at: 1, last_seen_at: 1 },
  stream_sessions: {},
  events: { kind: "message", created_at: 1, expires_at: 9_000_000_000_000 },
  episodes: {
    ...{ kind: "window", event_count: 25, started_at: 1, ended_at: 1, created_at: 1 },
    ...{ stage: "extracted", status: "done" },
  },
  episode_participants: {},
  claim_carriers: {},
  episode_claims: { n: 1, scope: "viewer", event_ids_json: "[1]" },
  semantic_notes: {
    ...{ scope: "viewer", kind: "profile", confidence: 0.8, status: "active" },
    ...{ source_kind: "extracted", created_at: 1, last_confirmed_at: 1 },
  },
  note_evidence: { method: "extracted", confidence: 0.8, created_at: 1 },
  note_candidates: { decision: "write", reason: "new", created_at: 1 },
  replies: { trigger: "mention", state: "sent", created_at: 1 },
  action_log: { class: "chat", args_json: "{}", created_at: 1 },
} as const;

type Row = Readonly<Record<string, string | number | null>>;

/** Adds a row as another process would, and gives its number. */
export function addRow(db: Db, table: keyof typeof USUAL, row: Row): number {
  const whole: Row = { ...USUAL[table], ...row };
  const names = Object.keys(whole);
  const columns = names.map((name) => `"${name}"`).join();
  const values = names.map((name) => `@${name}`).join();
  const add = db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${values})`);
  return Number(add.run(whole).lastInsertRowid);
}

/** Adds somebody whose login is their name in small letters, and who was seen in the channel, if any. */
export function addViewer(
  db: Db,
  userId: string,
  name: string,
  channel: string | null = "here",
): void {
  const person = { user_id: userId, login: name.toLowerCase(), display_name: name };
  addRow(db, "viewers", person);
  if (channel !== null) addRow(db, "viewer_channels", { channel, user_id: userId });
}
