import process from "node:process";
import { setImmediate as breathe } from "node:timers/promises";
import { toConfig } from "../../src/config/load.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { Counters, SwitchStore } from "../../src/database/runtime-store.ts";
import { makeFence } from "../../src/language/fence.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import { openLog } from "../../src/log.ts";
import { Memory } from "../../src/memory/memory-loop.ts";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";
import { openLlm } from "../../src/models/open-model.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";

// Another process for the kill test: summarises what waits in a database with the model at a URL and ends.
const [file = "", modelUrl = "", ...channel] = process.argv.slice(2);
const caps = { callsPerHour: 1e6, callsPerDay: 1e6, tokensPerDay: 1e12, dollarsPerDay: 1e6 };
const config = toConfig(
  { channel, bot: { login: "automark" }, llm: { baseUrl: modelUrl, caps } },
  ".",
);
const db = openDatabase(file);
const log = openLog("silent");
const now = Date.now;
const notices = new NoticeBoard(db, now, log);
const switches = new SwitchStore(db, now);
const apiKeys = { geminiApiKey: "k3yofthemodel", openaiApiKey: null };
const memory = new Memory({
  config,
  db,
  llm: openLlm({ config, apiKeys, offline: scriptedLlm(), db, now, notices, log }),
  fence: makeFence("testmarker"),
  switches: () => switches.read(),
  flush: () => true,
  breathe: () => breathe(),
  isOver: () => true,
  counters: new Counters(db),
  notices,
  suppressions: new SuppressionStore(db, createKeyedHash("a key for tests"), now),
  now,
  log,
});
await memory.run();
db.close();
