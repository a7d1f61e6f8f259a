import { expect, test } from "vitest";
import { localTime } from "../../src/platform/config/local-time.ts";
import type { Db } from "../../src/platform/database/open-database.ts";
import { counterStore } from "../../src/platform/database/runtime-store.ts";
import { choosePeriod, type PeriodAsked } from "../../src/telemetry/period-store.ts";
import { readReport } from "../../src/telemetry/report.ts";
import { headline, textOf as textOfWords } from "../../src/telemetry/report-figures.ts";
import { reportText } from "../../src/telemetry/report-text.ts";
import { telemetryStore } from "../../src/telemetry/status-store.ts";
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
  expect(textOf(db)).toContain("calls for every channel in that time together");
  expect(report(db, { since: "7d" }).isSpendShared).toBe(false);
  expect(textOf(db)).toContain("without 1 call to models whose price is not known");
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

test("a report tells which steps the ladder took, for which kind of message, and what they cost", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  const step = { section: "lore", from: 10, to: 7, savedTokens: 60, droppedIds: [1, 2, 3] };
  reply({ atMs: START_MS + 1, trail: { ladder: [step] } });
  reply({ atMs: START_MS + 2, trail: { ladder: [step] } });
  reply({ atMs: START_MS + 3, trail: { ladder: [step], messageKind: "command" } });
  expect(report(db).prompts.ladder).toEqual([
    { messageKind: "mention", section: "lore", fired: 2, droppedLines: 6, savedTokens: 120 },
    { messageKind: "command", section: "lore", fired: 1, droppedLines: 3, savedTokens: 60 },
  ]);
});

test("a report tells how estimates erred against the provider's count, by model", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  for (const estimatedTokens of [985, 1_000, 1_010, 1_200])
    reply({ atMs: START_MS + 1, trail: { estimatedTokens } });
  reply({ atMs: START_MS + 2, trail: { promptTokens: null } });
  const [found] = report(db).prompts.estimates;
  expect(found).toMatchObject({ model: "m1", within: { "2": 0.75, "5": 0.75, "10": 0.75 } });
  expect(found?.error.count).toBe(4);
  expect(found?.error.p50).toBeCloseTo(0);
  expect(found?.error.max).toBeCloseTo(0.2);
});

test("a report tells what memory made, which notes were in prompts and which never", () => {
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
  // The third one has none: it could stand in no prompt.
  db.exec("UPDATE episodes SET summary = 'bees' WHERE id <> 3");
  reply({ atMs: START_MS + 2, trail: { notes: { candidates: [], kept: [first], dropped: [] } } });
  expect(report(db).memory).toMatchObject({
    episodes: 3,
    episodesUnused: [4],
    notesMade: 3,
    notesConfirmed: 0,
    active: 4,
    viewersWithNotes: 1,
    notesUsed: 2,
    episodesUsed: 1,
    activeUnused: 2,
    notesDropped: 1,
    mostUsedNotes: [
      { id: first, uses: 2 },
      { id: second, uses: 1 },
    ],
  });
});

test("an episode is a summary of chat: requests, what the operator wrote, imports and gaps are none", () => {
  const { db, stream, episode } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  episode(START_MS + 1, []);
  for (const kind of ["request", "operator", "import", "gap"])
    db.prepare(
      `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, status, created_at)
       VALUES ('here', ?, 0, ?, ?, 'extracted', 'done', 1)`,
    ).run(kind, START_MS, START_MS + 2);
  expect(report(db).memory).toMatchObject({ episodes: 1, gaps: 1 });
  expect(telemetryStore(db, () => NOW_MS).counts()).toMatchObject({ episodes: 1 });
});

test("a report counts what the counters counted in this stream alone", () => {
  const { db, stream } = ledgers();
  const counters = counterStore(db);
  counters.bump("retention.unsummarised", 7);
  const id = stream(START_MS, START_MS + HOUR_MS);
  counters.bump("retention.unsummarised", 2);
  stream(START_MS + DAY_MS, null);
  counters.bump("retention.unsummarised", 40);
  expect(report(db, { session: String(id) }).counted).toEqual({
    over: "stream",
    counts: { "retention.unsummarised": 2 },
  });
  expect(report(db, { since: "24h" }).counted).toMatchObject({
    over: "ever",
    counts: { "retention.unsummarised": 49 },
  });
});

test("a report joins outcomes to the sections, depths and notes of the prompt", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  const lore = (kept: number[], outcomes: string[]) =>
    reply({
      atMs: START_MS + 1,
      outcomes,
      trail: {
        sections: { persona: 600, lore: kept.length > 0 ? 50 : 0 },
        notes: { candidates: [], kept, dropped: [] },
      },
    });
  for (let n = 0; n < 5; n += 1) lore([11, 12, 13], ["viewer_answered", "positive"]);
  lore([12], ["viewer_answered", "bad"]);
  lore([], ["none"]);
  lore([], ["others_answered"]);
  lore([], []);
  const { outcomes } = report(db);
  expect(outcomes).toMatchObject({ known: 8, unknown: 1, welcome: { hits: 5, of: 8 } });
  expect(outcomes.sections).toMatchObject([
    { section: "lore", with: { hits: 5, of: 6 }, without: { hits: 0, of: 2 } },
  ]);
  expect(outcomes.noteDepths.map(({ notes, score }) => [notes, score.hits, score.of])).toEqual([
    ["0", 0, 2],
    ["1 to 2", 0, 1],
    ["3 to 5", 5, 5],
  ]);
  expect(outcomes.bestNotes.map(({ noteId }) => noteId)).toEqual([11, 13, 12]);
  expect(outcomes.unwelcomeIds).toEqual([6]);
  expect(textOf(db)).toContain("reply 6: see forgetmenot explain 6");
});

test("a reply that was denied or asked again is no welcome, whatever else came of it", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  reply({ atMs: START_MS + 1, outcomes: ["went_on", "viewer_answered"] });
  reply({ atMs: START_MS + 2, outcomes: ["went_on", "positive"] });
  reply({ atMs: START_MS + 3, outcomes: ["viewer_answered"] });
  expect(report(db).outcomes).toMatchObject({ welcome: { hits: 1, of: 3 }, unwelcomeIds: [] });
  expect(textOf(db)).toMatch(/welcome +1 of 3\n/);
});

test("a note is among the best or among the worst, with how sure that is, never among both", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  for (let n = 0; n < 12; n += 1)
    reply({
      atMs: START_MS + n,
      outcomes: [n < 6 ? "viewer_answered" : "none"],
      trail: { notes: { candidates: [], kept: [n < 6 ? 21 : 22, 23], dropped: [] } },
    });
  const { bestNotes, worstNotes } = report(db).outcomes;
  expect([bestNotes, worstNotes].map((notes) => notes.map(({ noteId }) => noteId))).toEqual([
    [21],
    [22],
  ]);
  expect(textOf(db)).toMatch(/best notes +note 21: 100\s% of 6 \(61 to 100\s%\)/);
});

test("a report names the model that answers since this stream", () => {
  const { db, stream, reply } = ledgers();
  for (let n = 0; n < 4; n += 1) {
    stream(START_MS + n * DAY_MS, START_MS + n * DAY_MS + HOUR_MS);
    reply({ atMs: START_MS + n * DAY_MS + 1 });
  }
  db.exec("UPDATE replies SET model = 'm2' WHERE id = 4");
  expect(report(db).drift).toMatchObject({ models: { from: ["m1"], to: ["m2"] } });
  expect(textOf(db)).toContain("after model m1 → m2");
});

test("a report names what moved against earlier streams, and what had changed by then", () => {
  const { db, stream, reply, episode } = ledgers();
  for (let n = 0; n < 5; n += 1) {
    const atMs = START_MS + n * DAY_MS;
    stream(atMs, atMs + HOUR_MS);
    for (let count = 0; count < 30; count += 1) reply({ atMs: atMs + count });
    episode(
      atMs + MINUTE_MS,
      Array.from({ length: 30 }, (_, at) => (at < 20 ? "profile" : "event")),
    );
  }
  const lastMs = START_MS + 5 * DAY_MS;
  db.prepare(
    "INSERT INTO policy_history (policy_json, source, created_at) VALUES ('{}', 'file', ?)",
  ).run(lastMs - MINUTE_MS);
  stream(lastMs, lastMs + HOUR_MS);
  for (let count = 0; count < 60; count += 1)
    reply(
      count < 30
        ? { atMs: lastMs + count }
        : { atMs: lastMs + count, state: "refused", reason: "stale" },
    );
  episode(
    lastMs + MINUTE_MS,
    Array.from({ length: 30 }, () => "event"),
  );
  const { drift } = report(db);
  expect(drift).toMatchObject({
    streams: 5,
    policies: [{ number: 1, source: "file" }],
    models: null,
  });
  expect(drift?.moved.map(({ name }) => name).sort()).toEqual([
    "notes.kind.event",
    "notes.kind.profile",
    "replies.refused:stale",
    "replies.sent",
  ]);
  expect(textOf(db)).toMatch(
    /4 things moved against the 5 streams before; after policy 1 \(file\); most:/,
  );
});

test("a report says how much of chat was never read", () => {
  const { db } = ledgers();
  expect(textOf(db)).not.toContain("never read");
  counterStore(db).bump("memory.lines_unread", 200);
  expect(report(db).counted.counts["memory.lines_unread"]).toBe(200);
  expect(textOf(db)).toMatch(/never read +200 lines of chat since the database was made/);
});

test("a report says how each model sorted claims", () => {
  const { db } = ledgers();
  const counters = counterStore(db);
  counters.bump("extract.relation.small-model.new", 3);
  counters.bump("extract.relation.small-model.same");
  expect(textOf(db)).toMatch(/small-model: 75\s% of 4 claims new/);
});

test("a report says nothing of drift after two streams", () => {
  const { db, stream } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  stream(START_MS + DAY_MS, null);
  expect(report(db).drift).toMatchObject({ streams: 1, moved: [] });
  expect(textOf(db)).toContain("takes three earlier streams; there is one");
});

test("a report of an empty database, of damaged records and of records of an older version can be read too", () => {
  const { db, reply } = ledgers();
  expect(textOf(db)).toContain("0 of 0 that were asked for");
  expect(textOf(db)).not.toMatch(/^(?:Cost|Memory)$/m);
  reply({ atMs: NOW_MS - 1, trail: null });
  db.exec("UPDATE replies SET token_usage_json = '{broken'");
  expect(report(db).replies).toMatchObject({ total: 1, damaged: 1 });
  expect(textOf(db)).toMatch(/unreadable +1 record$/m);
});

test("one reply has no percentiles and no share, and one of each thing is singular", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  reply({
    atMs: START_MS + 1,
    outcomes: ["good"],
    trail: { episodes: { kept: [1], dropped: [] } } as never,
  });
  db.exec(
    `INSERT INTO events (channel, kind, text, memorable, created_at, expires_at)
     VALUES ('here', 'message', 'a', 1, ${START_MS}, ${NOW_MS + DAY_MS})`,
  );
  const text = textOf(db);
  expect(text).not.toMatch(/\bp\d\d /);
  expect(text).not.toMatch(/\b1 \w+s\b(?! ago)/);
  expect(text).toMatch(/^ +1 episode +1 of 1$/m);
  const shown = headline(report(db)).map(textOfWords);
  expect(shown).toContain("1line not yet read");
  expect(shown.join(" ")).not.toContain("welcome");
});

test("as text it has no colour and no line longer than the terminal where nobody asked for colour", () => {
  const { db, stream, reply } = ledgers();
  stream(START_MS, START_MS + HOUR_MS);
  for (let n = 0; n < 50; n += 1) reply({ atMs: START_MS + n * MINUTE_MS, outcomes: ["positive"] });
  const text = textOf(db);
  expect(text).not.toContain("\u001b");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  const [from, to] = [START_MS, START_MS + HOUR_MS].map((ms) => localTime(ms));
  expect(text.split("\n").slice(0, 2)).toEqual(["Stream 1 in #here", `${from} to ${to} (1 h)`]);
  expect(text).toMatch(/sent {6}[▁▂▃▄▅▆▇█ ]{20,}/u);
  expect(text).toMatch(/welcome means +it was praised/u);
  const report_ = report(db);
  expect(reportText(report_, { colour: true, columns: 100 })).toContain("\u001b[1m");
});

function period(db: Db, asked: Partial<PeriodAsked> = {}) {
  return choosePeriod(db, { session: null, since: null, channel: null, ...asked }, NOW_MS);
}

function report(db: Db, asked: Partial<PeriodAsked> = {}) {
  return readReport(db, period(db, asked), NOW_MS);
}

function textOf(db: Db): string {
  return reportText(report(db), { colour: false, columns: 100 });
}
