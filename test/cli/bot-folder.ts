import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { readStems } from "../../src/language/stems.ts";
import { runHere } from "../stand-ins/command.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A folder with a configuration and a database, in which the bot knows Ann (7) and Bob (9). */
export function openBotFolder(file: object = {}) {
  const folder = temporaryFolder();
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ channel: "here", bot: { login: "b" }, ...file }));
  const db = openDatabase(join(folder, "data", "forgetmenot.db"));
  onTestFinished(() => void db.close());
  db.exec(`INSERT INTO channel_state (channel) VALUES ('here');
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
      VALUES ('7', 'ann', 'Ann', 1, 1), ('9', 'bob', 'Bob', 1, 1)`);
  const run = (...args: string[]) => runHere(...args, "--config", config);
  return { db, run, folder, file: config };
}

/** Notes something about Ann. */
export function remember(
  db: Db,
  fact: string,
  topics: string,
  { id, kind }: { readonly id: number; readonly kind: string },
): void {
  db.prepare(
    `INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, topics, words, confidence, status,
       source_kind, created_at, last_confirmed_at)
     VALUES (?, 'here', 'viewer', '7', ?, ?, ?, ?, 0.8, 'active', 'extracted', 1, ?)`,
  ).run(id, kind, fact, topics, readStems(`${fact} ${topics}`).join(" "), Date.now());
}

/** A reply to Ann, the first one. */
export function addReply(db: Db, trail: string | null): void {
  db.prepare(
    `INSERT INTO replies (id, channel, user_id, "trigger", state, created_at, sent_at, latency_ms, token_usage_json, text)
     VALUES (1, 'here', '7', 'mention', 'sent', 1000, 2000, 300, ?, 'SECRET')`,
  ).run(trail);
}
