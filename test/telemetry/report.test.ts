import { expect, test } from "vitest";
import { formatLocalTime } from "../../src/config/local-time.ts";
import type { Db } from "../../src/database/open-database.ts";
import {
  choosePeriod,
  type PeriodAsked,
  readReport,
  readStory,
} from "../../src/telemetry/report-store.ts";
import {
  formatParts,
  makeNumberParts,
  makeSummaryParts,
  periodText,
} from "../../src/telemetry/report-table.ts";
import { DAY_MS, HOUR_MS, ledgers, START_MS } from "./reported.ts";

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
  expect(periodText(period(db))).toBe(`${from} to ${to} (1 h)`);
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
