import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { eventStore } from "../src/chat/event-store.ts";
import { openLog } from "../src/log.ts";
import { noticeBoard } from "../src/platform/database/notices-store.ts";
import { type Db, openDatabase } from "../src/platform/database/open-database.ts";
import { vacuumQueue } from "../src/platform/database/vacuum-queue.ts";
import { writeGate } from "../src/platform/database/write-gate.ts";
import { fileKeeper } from "../src/privacy/file-keeper.ts";
import { say } from "../test/chat/say.ts";

// How long chat waits while the database is written anew: `npx tsx bench/vacuum.ts [MB]`.

const MB = Number(process.argv[2] ?? 200);
const LINES_A_SECOND = 100;

function fill(db: Db): void {
  const insert = db.prepare(
    "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, summary, created_at) VALUES ('c', 'window', 1, 1, 1, ?, 1)",
  );
  const text = "a sentence of a summary that says what was talked about. ".repeat(18);
  db.transaction(() => {
    for (let n = 0; n < MB * 900; n += 1) insert.run(`${n} ${text}`);
  })();
  db.pragma("wal_checkpoint(TRUNCATE)");
}

const folder = mkdtempSync(join(tmpdir(), "forgetmenot-vacuum-"));
const file = join(folder, "forgetmenot.db");
const db = openDatabase(file, { busyTimeoutMs: 250 });
fill(db);
const gate = writeGate();
const queue = vacuumQueue(db, Date.now);
const notices = noticeBoard(db, Date.now, openLog("silent"));
const keeper = fileKeeper({ db, databaseFile: file, queue, gate, notices, now: Date.now });
const events = eventStore(db, { now: Date.now, expiryMs: 86_000_000, isHeld: gate.isClosed });
db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");

const startedAtMs = performance.now();
let isOver = false;
let said = 0;
const blocksMs: number[] = [];
/** Of this process, in the turn that took most of it: what a busy machine kept it waiting is not in it. */
let ownMs = 0;
let used = process.cpuUsage();
const looked = keeper.look().then(() => {
  isOver = true;
});
let lastMs = performance.now();
while (!isOver) {
  while (said < ((performance.now() - startedAtMs) * LINES_A_SECOND) / 1_000) {
    events.add(say(`line ${said}`, { messageId: `m-${said}` }));
    said += 1;
  }
  await delay(1);
  blocksMs.push(performance.now() - lastMs);
  const { user, system } = process.cpuUsage(used);
  ownMs = Math.max(ownMs, (user + system) / 1_000);
  used = process.cpuUsage();
  lastMs = performance.now();
}
await looked;
const tookMs = performance.now() - startedAtMs;
events.close();
const stored = db.prepare("SELECT count(*) FROM events").pluck().get();
const counts = events.counts();
blocksMs.sort((a, b) => a - b);
const at = (share: number): string =>
  (blocksMs[Math.floor((blocksMs.length - 1) * share)] ?? 0).toFixed(1);
process.stdout.write(
  `${[
    `database ${(statSync(file).size / 1e6).toFixed(0)} MB, written anew in ${(tookMs / 1_000).toFixed(1)} s (${queue.state().tookMs} ms of it VACUUM)`,
    `event loop: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms between two turns; most processor time in one: ${ownMs.toFixed(1)} ms`,
    `chat: ${said} lines at ${LINES_A_SECOND}/s meanwhile, ${stored} stored, ${counts.dropped} dropped, ${counts.rejected} rejected`,
  ].join("\n")}\n`,
);
db.close();
rmSync(folder, { recursive: true, force: true });
