import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { readStems } from "../../src/language/stems.ts";
import { runHere } from "../stand-ins/command.ts";
import { addRow, addViewer } from "../stand-ins/rows.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A folder with a configuration, and the program on it. `openDb` opens its database, and makes it if there is none. */
export function makeBotFolder(config: object | string) {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
  const openDb = () => {
    const db = openDatabase(join(folder, "data", "forgetmenot.db"));
    onTestFinished(() => void db.close());
    return db;
  };
  const run = (...args: string[]) => runHere(...args, "--config", file);
  return { folder, file, openDb, run };
}

/** A folder with a configuration and a database, in which the bot knows Ann (7) and Bob (9). */
export function openBotFolder() {
  const bot = makeBotFolder({ channel: "here", bot: { login: "b" } });
  const db = bot.openDb();
  addRow(db, "channel_state", { channel: "here" });
  addViewer(db, "7", "Ann", null);
  addViewer(db, "9", "Bob", null);
  return { ...bot, db };
}

/** Notes something about Ann. */
export function remember(
  db: Db,
  fact: string,
  topics: string,
  { id, kind }: { readonly id: number; readonly kind: string },
): void {
  const words = readStems(`${fact} ${topics}`).join(" ");
  const about = { channel: "here", subject_id: "7", id, kind, fact, topics, words };
  addRow(db, "semantic_notes", { ...about, last_confirmed_at: Date.now() });
}

/** A reply to Ann, the first one. */
export function addReply(db: Db, trail: string | null): void {
  addRow(db, "replies", {
    ...{ id: 1, channel: "here", user_id: "7", created_at: 1_000, sent_at: 2_000 },
    ...{ latency_ms: 300, token_usage_json: trail, text: "SECRET" },
  });
}
