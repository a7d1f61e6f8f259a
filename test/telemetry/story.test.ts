import { expect, test } from "vitest";
import { formatLocalDay } from "../../src/config/local-time.ts";
import { choosePeriod, readReport, readStory } from "../../src/telemetry/report-store.ts";
import { makeSummaryParts } from "../../src/telemetry/report-table.ts";
import { HOUR_MS, type Ledgers, ledgers, START_MS } from "./reported.ts";

const NOW_MS = START_MS + 3 * HOUR_MS;

test("people come first: who talked to it, who is new, who came back", () => {
  const kept = ledgers();
  streamWithPeople(kept);
  const lines = told(kept);
  expect(lines.slice(0, 4)).toEqual([
    "People",
    "talked to it: Ann (2), Bo",
    "here for the first time: Bo",
    "came back: Ann",
  ]);
});

test("a reply with a thumb down is named with the notes to look at", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + HOUR_MS);
  const id = kept.reply({ atMs: START_MS + 1, outcomes: ["bad"] });
  kept.db
    .prepare(
      "UPDATE replies SET token_usage_json = json_set(token_usage_json, '$.ids.lore', json('[31,13]'))",
    )
    .run();
  const text = told(kept).join("\n");
  expect(text).toContain(
    `reply ${id}: got a thumb down, a deletion or a timeout. See \`forgetmenot explain ${id}\`.`,
  );
  expect(text).toContain("notes in them: 13, 31. Correct what is wrong on the page, under Memory.");
});

test("what was learned stands with what it replaced; who asked to be forgotten is counted, not named", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + HOUR_MS);
  const [old = 0] = kept.episode(START_MS - HOUR_MS, ["profile"]);
  const [fresh = 0] = kept.episode(START_MS + 1, ["profile"]);
  kept.db.exec(`UPDATE semantic_notes SET fact = 'lives in Bergen', status = 'superseded', superseded_by = ${fresh} WHERE id = ${old};
    UPDATE semantic_notes SET fact = 'lives in Utrecht' WHERE id = ${fresh};
    INSERT INTO forgets (who, forgotten_at) VALUES ('h:x', ${START_MS + 2})`);
  const lines = told(kept);
  expect(lines).toContain(`[${fresh}]: lives in Utrecht; before: lives in Bergen`);
  expect(lines).toContain("forgotten: 1 viewer, on request");
  expect(lines.filter((line) => line.includes("Bergen"))).toHaveLength(1);
});

test("moments are the raids, and what was chatted about most, most lines first; another channel's are not", () => {
  const kept = ledgers();
  const session = kept.stream(START_MS, START_MS + HOUR_MS);
  viewer(kept, "Ann", START_MS);
  const episode = kept.db.prepare(
    `INSERT INTO episodes (channel, kind, session_id, topic, event_count, started_at, ended_at, created_at)
     VALUES (?, 'window', ?, ?, ?, ?, ?, 1)`,
  );
  const [from, to] = [START_MS + 1, START_MS + 9];
  for (const [topic, lines] of [
    ["a lamp", 30],
    ["bees", 25],
    ["a lamp", 12],
    ["ladders", 1],
    ["tea", 2],
    ["", 99],
  ] as const)
    episode.run("here", session, topic, lines, from, to);
  episode.run("there", null, "elsewhere", 99, from, to);
  const raid = kept.db.prepare(
    "INSERT INTO moments (channel, kind, user_id, amount, at) VALUES (?, 'raid', ?, ?, ?)",
  );
  raid.run("here", "Ann", 41, START_MS + 5);
  raid.run("here", "gone", 1, START_MS + 6);
  raid.run("here", "Ann", null, START_MS + 7);
  raid.run("there", "Ann", 99, START_MS + 7);
  raid.run("here", "Ann", 98, START_MS - 7);
  const lines = told(kept);
  const at = lines.indexOf("Moments");
  expect(lines.slice(at + 1, at + 5)).toEqual([
    "raid: Ann with 41 viewers",
    "raid: somebody with 1 viewer",
    "raid: Ann",
    "most chatted about: a lamp (42 messages); bees (25 messages); tea (2 messages)",
  ]);
});

test("cost is shown per day, memory apart from answers, in tokens without a known price", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + 48 * HOUR_MS);
  const [first, second] = [START_MS + 1, START_MS + 30 * HOUR_MS];
  kept.call({ atMs: first, dollars: 1.2 });
  kept.call({ atMs: second, dollars: 0.5 });
  kept.call({ atMs: second + 1, purpose: "summarise", dollars: 0.25 });
  const now = START_MS + 49 * HOUR_MS;
  expect(told(kept, now)).toContain(
    `${formatLocalDay(first)}: $1.20: answers $1.20, memory $0.0000`,
  );
  expect(told(kept, now)).toContain(
    `${formatLocalDay(second)}: $0.75: answers $0.50, memory $0.25`,
  );
  kept.db.exec("UPDATE llm_calls SET dollars = NULL");
  expect(told(kept, now)).toContain(
    `${formatLocalDay(second)}: 2,040 tokens: answers 1,020 tokens, memory 1,020 tokens`,
  );
});

test("what failed is told with what to type: calls, stretches of chat, notes that wait", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + HOUR_MS);
  const [note = 0] = kept.episode(START_MS + 1, ["profile"]);
  kept.call({ atMs: START_MS + 1 });
  kept.db.exec(`UPDATE semantic_notes SET status = 'pending' WHERE id = ${note};
    UPDATE llm_calls SET outcome = 'timeout';
    UPDATE episodes SET status = 'failed', stage = 'claimed'`);
  const lines = told(kept);
  for (const line of [
    "waiting for you: 1 note. See `forgetmenot memory list --status pending`.",
    "model: 1 call failed (timeout). `forgetmenot doctor` tries it.",
    "not summarised: 1 stretch of chat. The page shows them, under Memory.",
  ])
    expect(lines).toContain(line);
});

function told({ db }: Ledgers, nowMs = NOW_MS): string[] {
  const period = choosePeriod(db, { session: null, since: null, channel: null }, nowMs);
  const parts = makeSummaryParts(readReport(db, period, nowMs), readStory(db, period, nowMs));
  return parts.flatMap(({ name, rows }) => [
    name,
    ...rows.map(({ label, text }) => `${label}: ${text}`),
  ]);
}

function streamWithPeople({ db, stream, reply }: Ledgers): void {
  const session = stream(START_MS, START_MS + HOUR_MS);
  const ids = { Ann: reply({ atMs: START_MS + 1 }), Bo: reply({ atMs: START_MS + 2 }) };
  const again = reply({ atMs: START_MS + 3 });
  const episode = db
    .prepare(
      `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, created_at)
       VALUES ('here', 'window', ?, 30, ?, ?, ?)`,
    )
    .run(session, START_MS, START_MS + 9, START_MS + 9).lastInsertRowid;
  for (const [name, firstSeenAtMs] of [
    ["Ann", START_MS - 9 * HOUR_MS],
    ["Bo", START_MS + 1],
  ] as const) {
    viewer({ db }, name, firstSeenAtMs);
    db.prepare(
      "INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at) VALUES ('here', ?, ?, ?)",
    ).run(name, firstSeenAtMs, START_MS);
    db.prepare("INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)").run(
      episode,
      name,
    );
    db.prepare("UPDATE replies SET user_id = ? WHERE id = ?").run(name, ids[name]);
  }
  db.prepare("UPDATE replies SET user_id = 'Ann' WHERE id = ?").run(again);
}

function viewer({ db }: Pick<Ledgers, "db">, name: string, firstSeenAtMs: number): void {
  db.prepare(
    "INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?)",
  ).run(name, name.toLowerCase(), name, firstSeenAtMs, START_MS);
}
