import { describe, expect, test } from "vitest";
import { formatLocalDay, formatLocalTime } from "../../src/config/local-time.ts";
import type { Db } from "../../src/database/open-database.ts";
import {
  choosePeriod,
  type PeriodAsked,
  readReport,
  readStory,
} from "../../src/telemetry/report-store.ts";
import {
  formatParts,
  formatPeriod,
  makeNumberParts,
  makeSummaryParts,
} from "../../src/telemetry/report-table.ts";
import { addRow, addViewer } from "../stand-ins/rows.ts";
import { DAY_MS, HOUR_MS, type Ledgers, ledgers, START_MS } from "./reported.ts";

const MINUTE_MS = 60_000;
const NOW_MS = START_MS + 20 * DAY_MS;

test("a report counts the stream's replies alone, by how they ended", () => {
  const { db, stream, reply } = ledgers();
  reply({ atMs: START_MS - 1 });
  stream(START_MS, START_MS + HOUR_MS);
  reply({ atMs: START_MS });
  reply({ atMs: START_MS + 5, state: "refused", reason: "stale" });
  reply({ atMs: START_MS + 6, state: "silent", reason: "model_cap", trail: null });
  reply({ atMs: START_MS + 7, channel: "there" });
  reply({ atMs: START_MS + HOUR_MS });
  reply({ atMs: START_MS + HOUR_MS + 1 });
  expect(report(db).replies).toMatchObject({
    total: 4,
    sent: 2,
    byState: { sent: 2, refused: 1, silent: 1 },
    byReason: { stale: 1, model_cap: 1 },
    cappedReplies: 1,
  });
});

test("a report counts tokens and money by model and purpose, and makes no price up", () => {
  const { db, stream, call } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  call({ atMs: START_MS });
  call({ atMs: START_MS + 1, purpose: "summarise", dollars: 0.03 });
  call({ atMs: START_MS + HOUR_MS + MINUTE_MS, purpose: "extract", model: "own", dollars: null });
  call({ atMs: START_MS + 3 * HOUR_MS });
  const { spend } = report(db);
  expect(spend).toMatchObject({ calls: 3, tokensIn: 3_000, tokensCached: 1_200, unpriced: 1 });
  expect(spend.dollars).toBeCloseTo(0.04);
  expect(spend.memoryDollarShare).toBeCloseTo(0.75);
  expect(spend.memoryTokenShare).toBeCloseTo(2 / 3);
  expect(spend.byModel.find(({ model }) => model === "own")?.dollars).toBeNull();
  // There is another channel, and a call belongs to none.
  expect(report(db).isSpendShared).toBe(true);
  expect(textOf(db)).toContain("the calls for every channel");
  expect(report(db, { since: "7d" }).isSpendShared).toBe(false);
  expect(textOf(db)).toMatch(/calls without a known price +1$/m);
});

test("a report tells the prefix's share, its changes, and what the ladder cut from it", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  const prefix = (version: number, hash: string) => ({
    prefix: { version, hash, bytes: 1, tokens: 600, fresh: true },
  });
  for (const trail of [prefix(1, "a"), prefix(1, "a"), prefix(1, "b"), prefix(2, "c")])
    reply({ atMs: START_MS + 1, trail });
  expect(report(db).prompts.prefix).toEqual({ share: 0.6, changes: 1, cuts: 1 });
});

test("a report tells what memory made", () => {
  const { db, stream, reply, episode } = ledgers();
  episode(START_MS - DAY_MS, ["profile"]);
  stream(START_MS, START_MS + HOUR_MS);
  episode(START_MS + MINUTE_MS, []);
  episode(START_MS + MINUTE_MS, []);
  const [first = 0, second = 0] = episode(START_MS + MINUTE_MS, ["profile", "event", "event"]);
  reply({
    atMs: START_MS + 1,
    trail: {
      notes: { candidates: [], kept: [first, second], dropped: [9] },
      episodes: { kept: [2], dropped: [] },
    },
  });
  reply({ atMs: START_MS + 2, trail: { notes: { candidates: [], kept: [first], dropped: [] } } });
  expect(report(db).memory).toMatchObject({
    episodes: 3,
    notesMade: 3,
    notesConfirmed: 0,
    active: 4,
    viewersWithNotes: 1,
  });
});

test("a report joins outcomes to the notes of the prompt", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  const lore = (kept: number[], outcomes: string[]) =>
    reply({
      atMs: START_MS + 1,
      outcomes,
      trail: { notes: { candidates: [], kept, dropped: [] }, ids: { lore: kept } },
    });
  for (let n = 0; n < 5; n += 1) lore([11, 12, 13], ["viewer_answered"]);
  lore([12], ["viewer_answered", "bad"]);
  lore([], ["others_answered"]);
  lore([], []);
  lore([], []);
  const { outcomes } = report(db);
  expect(outcomes).toMatchObject({
    known: 7,
    welcome: { hits: 5, of: 9 },
    byKind: { viewer_answered: 6, bad: 1, others_answered: 1 },
    unwelcomeIds: [6],
    unwelcomeNotes: [12],
  });
  expect(outcomes.bestNotes.map(({ noteId }) => noteId)).toEqual([11, 13, 12]);
  expect(textOf(db)).toContain("See `forgetmenot explain 6`");
});

test("drift is the cosine of what was learned before and after a policy change", () => {
  const { db, stream, episode } = ledgers();
  const policyAt = (atMs: number, source: string) =>
    db
      .prepare("INSERT INTO policy_history (policy_json, source, created_at) VALUES ('{}', ?, ?)")
      .run(source, atMs);
  policyAt(START_MS - 3 * DAY_MS, "start");
  episode(START_MS - DAY_MS, ["profile", "profile", "profile", "event", "event", "event", "event"]);
  stream(START_MS, START_MS + HOUR_MS);
  expect(report(db).drift).toBeNull();
  policyAt(START_MS + 1, "cli set");
  episode(START_MS + MINUTE_MS, ["event", "event", "event", "event"]);
  expect(report(db).drift).toMatchObject({ notesBefore: 7, notesAfter: 4, cosine: null });
  episode(START_MS + 2 * MINUTE_MS, ["event"]);
  const drift = report(db).drift;
  expect(drift).toMatchObject({ policy: { number: 2, source: "cli set" }, notesAfter: 5 });
  // (3, 4) and (0, 5): 20 / (5 * 5).
  expect(drift?.cosine).toBeCloseTo(0.8);
  expect(textOf(db)).toMatch(/drift +0\.80: cosine .* policy 2 \(cli set\)/);
  expect(report(db, { since: "1h" }).drift).not.toBeNull();
  db.exec(`UPDATE policy_history SET created_at = created_at - ${40 * DAY_MS}`);
  expect(report(db).drift).toBeNull();
});

test("a report of an empty database, of damaged records and of records of an older version can be read too", () => {
  const { db, reply } = ledgers();
  expect(textOf(db)).toContain("0 of 0 that were asked for");
  expect(textOf(db)).not.toMatch(/^(?:Cost per day|Memory|Prompt)$/m);
  reply({ atMs: NOW_MS - 1, trail: null });
  db.exec("UPDATE replies SET token_usage_json = '{broken'");
  expect(report(db).replies).toMatchObject({ total: 1, damaged: 1 });
  expect(textOf(db)).toMatch(/unreadable records +1$/m);
});

test("in a terminal no line is longer than the terminal, and colour is used only on request", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  for (let n = 0; n < 50; n += 1)
    reply({ atMs: START_MS + n * MINUTE_MS, outcomes: ["viewer_answered"] });
  const text = textOf(db);
  expect(text).not.toContain("\u001b");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(text).toMatch(/^ {2}the viewer followed up +50$/m);
  const [from, to] = [START_MS, START_MS + HOUR_MS].map((ms) => formatLocalTime(ms));
  expect(formatPeriod(period(db))).toBe(`${from} to ${to} (1 h)`);
  const coloured = formatParts(makeNumberParts(report(db)), { colour: true, columns: 100 });
  expect(coloured).toContain("\u001b[1m");
});

function period(db: Db, asked: Partial<PeriodAsked> = {}) {
  return choosePeriod(db, { session: null, since: null, channel: null, ...asked }, NOW_MS);
}

function report(db: Db, asked: Partial<PeriodAsked> = {}) {
  return readReport(db, period(db, asked), NOW_MS);
}

function textOf(db: Db): string {
  const found = report(db);
  const story = readStory(db, period(db), NOW_MS);
  const parts = [...makeSummaryParts(found, story), ...makeNumberParts(found)];
  return formatParts(parts, { colour: false, columns: 100 });
}

describe("the period of a report", () => {
  test("is the last stream, and its memory's work for an hour more or until the next one", () => {
    const { db, stream } = ledgers();
    stream(START_MS, START_MS + HOUR_MS);
    const last = stream(START_MS + 2 * HOUR_MS, START_MS + 3 * HOUR_MS);
    expect(period(db)).toEqual({
      sessionId: last,
      channels: ["here"],
      fromMs: START_MS + 2 * HOUR_MS,
      toMs: START_MS + 3 * HOUR_MS,
      callsToMs: START_MS + 4 * HOUR_MS,
      isOver: true,
    });
    const soon = stream(START_MS + 3 * HOUR_MS + MINUTE_MS, null);
    expect(period(db, { session: String(last) }).callsToMs).toBe(
      START_MS + 3 * HOUR_MS + MINUTE_MS,
    );
    expect(period(db)).toMatchObject({ sessionId: soon, toMs: NOW_MS, isOver: false });
  });

  test("is the last day where there never was a stream", () => {
    expect(period(ledgers().db)).toMatchObject({
      sessionId: null,
      channels: ["here", "there"],
      fromMs: NOW_MS - DAY_MS,
    });
  });

  test.each([
    ["24h", NOW_MS - DAY_MS],
    ["3d", NOW_MS - 3 * DAY_MS],
    ["2026-05-02", new Date(2026, 4, 2).getTime()],
    ["2026-05-02T12:30", new Date(2026, 4, 2, 12, 30).getTime()],
    ["2026-05-02T12:30Z", Date.UTC(2026, 4, 2, 12, 30)],
    ["2026-05-02T12:30-04:00", Date.UTC(2026, 4, 2, 16, 30)],
  ])("can be since %s", (since, fromMs) => {
    expect(period(ledgers().db, { since })).toMatchObject({ fromMs, toMs: NOW_MS });
  });

  test.each<Partial<PeriodAsked>>([
    { since: "yesterday" },
    { since: "2027-01-01" },
    { since: "24h", session: "last" },
    { session: "99" },
    { session: "first" },
    { channel: "nowhere" },
  ])("is refused where it cannot be meant: %j", (asked) => {
    expect(() => period(ledgers().db, asked)).toThrow(expect.objectContaining({ code: "usage" }));
  });

  test("of another channel's stream is refused", () => {
    const { db, stream } = ledgers();
    const id = stream(START_MS, null, "there");
    expect(() => period(db, { session: String(id), channel: "here" })).toThrow();
    expect(period(db, { session: String(id), channel: "there" }).sessionId).toBe(id);
  });
});

const SOON_MS = START_MS + 3 * HOUR_MS;

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
  addViewer(kept.db, "Ann", "Ann", null);
  const own = { session_id: session, started_at: START_MS + 1, ended_at: START_MS + 9 };
  for (const [topic, lines] of [
    ["a lamp", 30],
    ["bees", 25],
    ["a lamp", 12],
    ["ladders", 1],
    ["tea", 2],
    ["", 99],
  ] as const)
    addRow(kept.db, "episodes", { ...own, channel: "here", topic, event_count: lines });
  const elsewhere = { channel: "there", topic: "elsewhere", event_count: 99 };
  addRow(kept.db, "episodes", { ...own, session_id: null, ...elsewhere });
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

function told({ db }: Ledgers, nowMs = SOON_MS): string[] {
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
  const episode = addRow(db, "episodes", {
    ...{ channel: "here", session_id: session, event_count: 30 },
    ...{ started_at: START_MS, ended_at: START_MS + 9, created_at: START_MS + 9 },
  });
  for (const [name, firstSeenAtMs] of [
    ["Ann", START_MS - 9 * HOUR_MS],
    ["Bo", START_MS + 1],
  ] as const) {
    const seen = { user_id: name, first_seen_at: firstSeenAtMs, last_seen_at: START_MS };
    addRow(db, "viewers", { ...seen, login: name.toLowerCase(), display_name: name });
    addRow(db, "viewer_channels", { ...seen, channel: "here" });
    addRow(db, "episode_participants", { episode_id: episode, user_id: name });
    db.prepare("UPDATE replies SET user_id = ? WHERE id = ?").run(name, ids[name]);
  }
  db.prepare("UPDATE replies SET user_id = 'Ann' WHERE id = ?").run(again);
}
