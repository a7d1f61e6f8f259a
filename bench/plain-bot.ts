/**
 * The bot that a streamer would pick instead, and the physical limit of storing chat. Each is its own process:
 * `node plain-bot.js batched|each|last20 CHAT_URL DATABASE MODEL_URL`.
 */
import process from "node:process";
import { GoogleGenerativeAI } from "@google/generative-ai";
import tmi from "tmi.js";
import { Database } from "../src/database/sqlite.ts";
import { BOT, CHANNEL } from "./bench-names.ts";

const FLUSH_MS = 100;
const FLUSH_ROWS = 64;
const LINES_SENT = 20;

const [kind = "", chatUrl = "", databaseFile = "", modelUrl = ""] = process.argv.slice(2);
const { hostname, port } = new URL(chatUrl);
const client = new tmi.Client({
  options: { skipMembership: true, skipUpdatingEmotesets: true },
  connection: { server: hostname, port: Number(port), secure: false, reconnect: false },
  identity: { username: BOT, password: "oauth:bench" },
  channels: [CHANNEL],
});
const hear = openBot();
client.on("message", (_channel, tags, text, isOwn) => {
  if (!isOwn) hear(tags, text);
});
client.on("roomstate", () => process.stdout.write(`Joined #${CHANNEL}\n`));
await client.connect();

type Hear = (tags: tmi.ChatUserstate, text: string) => void;

function openBot(): Hear {
  if (kind === "last20") return createAnswerer();
  return kind === "each" ? createStorer("FULL", 1) : createStorer("NORMAL", FLUSH_ROWS);
}

/** Stores a row for each line: in batches into a write-ahead log, or one transaction a line with SQLite's defaults. */
function createStorer(synchronous: "FULL" | "NORMAL", rowsAtOnce: number): Hear {
  const db = new Database(databaseFile);
  if (rowsAtOnce > 1) db.pragma("journal_mode = WAL");
  db.pragma(`synchronous = ${synchronous}`);
  db.exec(
    "CREATE TABLE events (id INTEGER PRIMARY KEY, channel TEXT, user_id TEXT, name TEXT, text TEXT, sent_at INTEGER)",
  );
  const insert = db.prepare(
    "INSERT INTO events (channel, user_id, name, text, sent_at) VALUES (?, ?, ?, ?, ?)",
  );
  let rows: unknown[][] = [];
  const write = db.transaction(() => {
    for (const row of rows) insert.run(...row);
  });
  const flush = (): void => {
    if (rows.length > 0) write();
    rows = [];
  };
  if (rowsAtOnce > 1) setInterval(flush, FLUSH_MS);
  return (tags, text) => {
    const { "user-id": userId, "display-name": name, "tmi-sent-ts": sentAt } = tags;
    rows.push([CHANNEL, String(userId), String(name), text, Number(sentAt)]);
    if (rows.length >= rowsAtOnce) flush();
  };
}

/** Sends the last 20 lines to the model if a line mentions the bot. Remembers nothing. */
function createAnswerer(): Hear {
  const google = new GoogleGenerativeAI("bench");
  const model = google.getGenerativeModel(
    { model: "gemini-3.5-flash-lite", systemInstruction: "You are a friendly bot in a chat." },
    { baseUrl: modelUrl },
  );
  const lines: string[] = [];
  const answer = async (): Promise<void> => {
    const { response } = await model.generateContent(lines.join("\n"));
    await client.say(CHANNEL, response.text());
  };
  return (tags, text) => {
    lines.push(`${tags["display-name"]}: ${text}`);
    if (lines.length > LINES_SENT) lines.shift();
    if (text.includes(`@${BOT}`)) void answer();
  };
}
