import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "../src/platform/database/open-database.ts";
import { trailWith } from "../test/telemetry/reported.ts";
import { CHANNEL } from "./bench-names.ts";
import { openLoopbackChannel } from "./loopback-channel.ts";
import { buildPrograms } from "./programs.ts";

// How soon each view's first byte comes over a database of a million notes and a hundred thousand episodes, of the program
// as it is built: the first time that somebody opens it, and again. The first view of all waits for the
// page to be loaded. Exit code 1 where one is late. npm run bench:page [-- NOTES]

const NOTES = Number(process.argv[2] ?? 1_000_000);
const EPISODES = NOTES / 10;
const VIEWERS = NOTES / 50;
const REPLIES = NOTES / 10;
const ACTIONS = NOTES / 20;
const REACH_MS = 150;
/** So long somebody looks at the first page before they click. */
const SETTLE_MS = 2_000;
const AGAIN = 5;
const VIEWS = [
  "/",
  "/replies",
  "/replies?state=refused",
  "/replies/77",
  "/review",
  "/review?session=500",
  "/memory",
  "/memory?q=lamp",
  "/memory?q=nothinglikeit",
  "/memory?scope=channel",
  "/memory/notes/77",
  "/memory/people",
  "/memory/people?q=viewer7",
  "/memory/people/u7",
  "/memory/streams",
  "/memory/episodes/7",
  "/actions",
  "/actions?requester=viewer7",
  "/actions/explain?action=timeout&about=viewer7",
  "/actions/policy",
  "/telemetry",
  "/settings",
  "/overlay",
];

const programs = buildPrograms();
const channel = await openLoopbackChannel();
try {
  const bot = channel.startDaemon(programs.daemon, { fill });
  await bot.joined;
  const link = new URL(JSON.parse(bot.command("page", "--json").output).url);
  const entered = await fetch(link, { redirect: "manual" });
  const headers = { cookie: entered.headers.get("set-cookie") ?? "", accept: "text/html" };
  for (const [n, path] of VIEWS.entries()) {
    await measure(path, link.origin, headers);
    if (n === 0) await delay(SETTLE_MS);
  }
  await bot.stop();
} finally {
  await channel.close();
  programs.remove();
}

async function measure(
  path: string,
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const took: number[] = [];
  for (let n = 0; n <= AGAIN; n += 1) {
    const startMs = performance.now();
    const response = await fetch(new URL(path, address), { headers });
    took.push(performance.now() - startMs);
    const text = await response.text();
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status}, ${text.slice(0, 80)}`);
  }
  const [first = 0, ...others] = took;
  const worst = Math.max(...others);
  const isLate = Math.max(first, worst) > REACH_MS;
  if (isLate) process.exitCode = 1;
  console.log(
    `${path.padEnd(46)} first ${first.toFixed(0)} ms, then at most ${worst.toFixed(0)} ms${isLate ? " OVER" : ""}`,
  );
}

function fill(databaseFile: string): void {
  const db = openDatabase(databaseFile);
  const nowMs = Date.now();
  const candidates = [7, 8, 9].map((id) => ({ id, score: 1, terms: [0, 0, 0, 0, 0] }));
  const trail = JSON.stringify(
    trailWith({ notes: { candidates, kept: [7, 8], dropped: [9] } } as never),
  );
  const series = (count: number) =>
    `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`;
  db.exec(`INSERT INTO channel_state (channel, title) VALUES ('${CHANNEL}', 'lamps');
    ${series(VIEWERS)} INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
      SELECT 'u' || n, 'viewer' || n, 'Viewer' || n, 1, ${nowMs} - n FROM s;
    ${series(VIEWERS)} INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at)
      SELECT '${CHANNEL}', 'u' || n, 1, ${nowMs} - n FROM s;
    ${series(500)} INSERT INTO stream_sessions (channel, started_at, ended_at)
      SELECT '${CHANNEL}', ${nowMs} - (501 - n) * 86400000, ${nowMs} - (501 - n) * 86400000 + 14400000 FROM s;
    ${series(EPISODES)} INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, topic, summary, stage, status, created_at)
      SELECT '${CHANNEL}', 'window', 1 + n * 499 / ${EPISODES}, 50, ${nowMs} - (${EPISODES} - n) * 60000, ${nowMs} - (${EPISODES} - n) * 60000, 'lamps and glue', 'Somebody glued a lamp, and others said what they thought of it.', 'extracted', 'done', 1 FROM s;
    ${series(NOTES)} INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, topics, words, confidence, status, source_kind, created_at, last_confirmed_at)
      SELECT '${CHANNEL}', CASE WHEN n % 5000 = 0 THEN 'channel' ELSE 'viewer' END, CASE WHEN n % 5000 = 0 THEN NULL ELSE 'u' || (1 + n % ${VIEWERS}) END,
        'preference', '{u:u' || (1 + n % ${VIEWERS}) || '} owns lamp number ' || n, 'lamps', 'own lamp number ' || n, 0.8,
        CASE WHEN n % 20 = 0 THEN 'shadow' ELSE 'active' END, 'extracted', ${nowMs} - ${NOTES} + n, ${nowMs} - ${NOTES} + n FROM s;
    ${series(NOTES)} INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, created_at)
      SELECT n, 1 + n % ${EPISODES}, 1, 'extracted', 0.8, 1 FROM s;
    ${series(REPLIES)} INSERT INTO replies (channel, user_id, "trigger", state, reason, created_at, sent_at, model, latency_ms, text, token_usage_json)
      SELECT '${CHANNEL}', 'u' || (1 + n % ${VIEWERS}), 'mention', iif(n % 9 = 0, 'refused', 'sent'), iif(n % 9 = 0, 'cooldown', NULL),
        ${nowMs} - (${REPLIES} - n) * 30000, ${nowMs}, 'm1', 500, iif(n > ${REPLIES} - 500, 'An answer about lamps.', NULL), '${trail}' FROM s;
    ${series(REPLIES)} INSERT INTO reply_outcomes (reply_id, kind, created_at) SELECT n, 'none', 1 FROM s;
    ${series(ACTIONS)} INSERT INTO action_log (reply_id, channel, action, class, target_id, decision, reason, requested_by, created_at, idempotency_key)
      SELECT n, '${CHANNEL}', 'timeout', 'moderation', 'u' || (1 + n % 900), iif(n % 3 = 0, 'run', 'refuse'), iif(n % 3 = 0, 'confirmed', 'not_allowed'),
        'u' || (1 + n % ${VIEWERS}), ${nowMs} - (${ACTIONS} - n) * 60000, 'k' || n FROM s;`);
  db.close();
}
