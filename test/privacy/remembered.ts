import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findOrCreateHashKey } from "../../src/config/secrets.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { createKeyedHash, type KeyedHash } from "../../src/language/people.ts";
import { forgetEverything, recordSaver } from "../../src/privacy/forget-store.ts";
import { addRow } from "../stand-ins/rows.ts";
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
  readonly forget: (userId: string, names?: readonly string[]) => void;
}

export function remembered(): Remembered {
  const dataDir = join(temporaryFolder(), "data");
  const file = join(dataDir, "forgetmenot.db");
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  const hash = createKeyedHash(findOrCreateHashKey(dataDir));
  fill(db);
  const parts = { db, hash, now: () => NOW_MS + 60_000, saveRecord: recordSaver(db, dataDir) };
  return { dataDir, file, db, hash, forget: (...given) => forgetEverything(parts, ...given) };
}

function fill(db: Db): void {
  const channel = "lanternroom";
  const seen = { first_seen_at: NOW_MS, last_seen_at: NOW_MS };
  addRow(db, "channel_state", { channel });
  for (const { userId, login, displayName } of [ROSA, THAD]) {
    addRow(db, "viewers", { user_id: userId, login, display_name: displayName, ...seen });
    const episode = addRow(db, "episodes", {
      ...{ channel, topic: "lamps", summary: `{u:${userId}} showed a lamp.` },
      ...{ started_at: NOW_MS, ended_at: NOW_MS, created_at: NOW_MS },
    });
    addRow(db, "episode_participants", { episode_id: episode, user_id: userId });
    const statement = `{u:${userId}} collects ${login} lamps`;
    addRow(db, "episode_claims", { episode_id: episode, subject_id: userId, statement });
    const note = addRow(db, "semantic_notes", {
      ...{ channel, subject_id: userId, fact: `{u:${userId}} collects paper lamps` },
      ...{ topics: "lamps", words: "lamp", importance: 0.1 },
      ...{ created_at: NOW_MS, last_confirmed_at: NOW_MS },
    });
    const rests = { note_id: note, episode_id: episode, claim_n: 1 };
    addRow(db, "note_evidence", { ...rests, created_at: NOW_MS, model: "m", prompt_version: "1" });
  }
  addRow(db, "events", {
    ...{ channel, user_id: ROSA.userId, message_id: "m-1", text: CHAT_LINE, memorable: 1 },
    ...{ created_at: NOW_MS, expires_at: NOW_MS + 86_000_000 },
  });
  addRow(db, "replies", { channel, user_id: THAD.userId, created_at: NOW_MS, text: ANSWER });
  addRow(db, "action_log", {
    ...{ channel, action: "announce", args_json: JSON.stringify({ text: CHAT_LINE }) },
    ...{ decision: "refuse", reason: "class_off", created_at: NOW_MS, idempotency_key: "key-1" },
  });
}
