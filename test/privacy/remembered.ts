import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hashKey } from "../../src/config/secrets.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { createKeyedHash, type KeyedHash } from "../../src/language/people.ts";
import { ForgetStore, recordSaver } from "../../src/privacy/forget-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const NOW_MS = 1_700_000_000_000;
export const ROSA = { userId: "50123401", login: "rosalindqq", displayName: "RosalindQQ" };
export const THAD = { userId: "50123402", login: "thaddeuszz", displayName: "ThaddeusZZ" };
export const CHAT_LINE = "the violet submarine leaves harbour at nine o'clock sharp";
export const ANSWER = "a periwinkle answer that nobody else would ever give";

/** A data folder whose database remembers two people. */
export interface Remembered {
  readonly dataDir: string;
  readonly file: string;
  readonly db: Db;
  readonly hash: KeyedHash;
  readonly forget: ForgetStore["forget"];
}

export function remembered(): Remembered {
  const dataDir = join(temporaryFolder(), "data");
  const file = join(dataDir, "forgetmenot.db");
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  const hash = createKeyedHash(hashKey(dataDir));
  fill(db);
  const forgets = new ForgetStore(db, hash, () => NOW_MS + 60_000, recordSaver(db, dataDir));
  const forget: ForgetStore["forget"] = (userId, names) => forgets.forget(userId, names);
  return { dataDir, file, db, hash, forget };
}

function fill(db: Db): void {
  db.exec("INSERT INTO channel_state (channel) VALUES ('lanternroom')");
  const viewer = db.prepare("INSERT INTO viewers VALUES (?, ?, ?, ?, ?, 0)");
  const episode = db.prepare(
    `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, topic, summary, stage, status, created_at)
     VALUES ('lanternroom', 'window', 25, ?, ?, 'lamps', ?, 'extracted', 'done', ?)`,
  );
  for (const { userId, login, displayName } of [ROSA, THAD]) {
    viewer.run(userId, login, displayName, NOW_MS, NOW_MS);
    const episodeId = Number(
      episode.run(NOW_MS, NOW_MS, `{u:${userId}} showed a lamp.`, NOW_MS).lastInsertRowid,
    );
    db.prepare("INSERT INTO episode_participants VALUES (?, ?)").run(episodeId, userId);
    db.prepare(
      "INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json) VALUES (?, 1, 'viewer', ?, ?, '[1]')",
    ).run(episodeId, userId, `{u:${userId}} collects ${login} lamps`);
    const noteId = Number(
      db
        .prepare(
          `INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, topics, words, confidence, importance,
             status, source_kind, created_at, last_confirmed_at)
           VALUES ('lanternroom', 'viewer', ?, 'profile', ?, 'lamps', 'lamp', 0.8, 0.1, 'active', 'extracted', ?, ?)`,
        )
        .run(userId, `{u:${userId}} collects paper lamps`, NOW_MS, NOW_MS).lastInsertRowid,
    );
    db.prepare("INSERT INTO note_evidence VALUES (?, ?, 1, 'extracted', 0.8, 'm', '1', ?)").run(
      noteId,
      episodeId,
      NOW_MS,
    );
  }
  db.prepare(
    `INSERT INTO events (channel, kind, user_id, message_id, text, memorable, created_at, expires_at)
     VALUES ('lanternroom', 'message', ?, 'm-1', ?, 1, ?, ?)`,
  ).run(ROSA.userId, CHAT_LINE, NOW_MS, NOW_MS + 86_000_000);
  db.prepare(
    `INSERT INTO replies (channel, user_id, "trigger", state, created_at, text)
     VALUES ('lanternroom', ?, 'mention', 'sent', ?, ?)`,
  ).run(THAD.userId, NOW_MS, ANSWER);
  db.prepare(
    `INSERT INTO action_log (channel, action, class, args_json, decision, reason, created_at, idempotency_key)
     VALUES ('lanternroom', 'announce', 'chat', ?, 'refuse', 'class_off', ?, 'key-1')`,
  ).run(JSON.stringify({ text: CHAT_LINE }), NOW_MS);
}
