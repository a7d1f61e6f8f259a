import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Ledger } from "../../src/actions/ledger-store.ts";
import { TEXT_LIFETIME_MS } from "../../src/chat/event-removal-store.ts";
import { EventStore } from "../../src/chat/event-store.ts";
import { MomentStore } from "../../src/chat/moment-store.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase, truncateWal } from "../../src/database/open-database.ts";
import { Counters } from "../../src/database/runtime-store.ts";
import { openLog } from "../../src/log.ts";
import { LlmCallStore } from "../../src/models/call-store.ts";
import { NO_USAGE } from "../../src/models/model-port.ts";
import { sweep } from "../../src/privacy/retention.ts";
import { ReplyStore } from "../../src/reply/reply-store.ts";
import { say } from "../chat/say.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 4, 1);

test("a text lives a sweep, and the wait for a VACUUM after it, less than the promise", () => {
  expect(TEXT_LIFETIME_MS).toBe(24 * HOUR_MS - 300_000 - 600_000);
});

test("what ran out goes, what did not stays, and what was never summarised is counted and told", async () => {
  const house = world();
  house.say("an early line", 8);
  house.at(START_MS + HOUR_MS);
  house.say("a later line", 2);
  house.at(START_MS + TEXT_LIFETIME_MS);
  const swept = await house.sweep();
  expect(swept).toEqual({ textsExpired: 8, eventsPruned: 8, unsummarised: 8, walTruncated: true });
  expect(house.texts()).toEqual(["a later line 0", "a later line 1"]);
  expect(house.counters.read("retention.")).toEqual({
    "retention.pruned": 8,
    "retention.unsummarised": 8,
  });
  expect(house.notices.list().map(({ kind }) => kind)).toEqual(["memory_gap"]);
});

test("a rest that is too little for an episode is counted when it runs out, and no cause for a warning", async () => {
  const house = world();
  house.say("a line", 7);
  house.at(START_MS + TEXT_LIFETIME_MS);
  expect(await house.sweep()).toMatchObject({ unsummarised: 7 });
  expect(house.counters.read("retention.unsummarised")).toEqual({ "retention.unsummarised": 7 });
  expect(house.notices.list()).toEqual([]);
});

test("a sweep with nothing to do does nothing, and tells nothing", async () => {
  const house = world();
  house.say("a line", 2);
  expect(await house.sweep()).toEqual({
    textsExpired: 0,
    eventsPruned: 0,
    unsummarised: 0,
    walTruncated: true,
  });
  expect(house.notices.list()).toEqual([]);
  expect(house.counters.read()).toEqual({});
});

test("no byte of an expired line is left in any file of the folder", async () => {
  const house = world();
  const said = "the heron at the pond ate my left sandal on a tuesday";
  house.say(said, 700);
  const asked = { channel: "here", userId: "7", trigger: "mention", eventId: 1 };
  const id = house.replies.begin(asked);
  house.replies.finish(id, {
    state: "sent",
    reason: null,
    text: `${said}, really`,
    messageId: "m",
    sentAtMs: START_MS,
  });
  expect(house.filesHolding("heron at the pond")).not.toEqual([]);
  house.at(START_MS + 24 * HOUR_MS);
  const swept = await house.sweep();
  expect(swept).toMatchObject({ textsExpired: 701, eventsPruned: 700, walTruncated: true });
  expect(house.filesHolding("heron at the pond")).toEqual([]);
  expect(house.filesHolding("left sandal")).toEqual([]);
});

test("chat goes on between the slices, and what comes in meanwhile stays", async () => {
  const house = world();
  house.say("old", 1_200);
  house.at(START_MS + 24 * HOUR_MS);
  let breaths = 0;
  await house.sweep(() => {
    breaths += 1;
    if (breaths === 2) house.say("in between", 1);
  });
  expect(breaths).toBeGreaterThanOrEqual(8);
  expect(house.texts()).toEqual(["in between 0"]);
});

test("while a reader holds the log, it is said, and the next sweep ends it", async () => {
  const house = world();
  house.say("a line that is read", 5);
  const reader = openDatabase(house.file, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM events").get();
  house.at(START_MS + 24 * HOUR_MS);
  expect((await house.sweep()).walTruncated).toBe(false);
  reader.close();
  expect((await house.sweep()).walTruncated).toBe(true);
  expect(house.filesHolding("a line that is read")).toEqual([]);
});

test("what was proposed loses its arguments sooner than the chat they may quote, and stays itself", async () => {
  const house = world();
  house.ledger.record({
    replyId: null,
    channel: "here",
    action: "warn",
    class: "moderation",
    targetId: "8",
    argsJson: '{"reason":"flooding the pond"}',
    decision: "refuse",
    reason: "not_allowed",
    requestedBy: "7",
    messageId: null,
    waitsFor: null,
    expiresAtMs: null,
    key: "one",
  });
  const args = house.db.prepare("SELECT args_json, reason FROM action_log").raw();
  house.at(START_MS + TEXT_LIFETIME_MS - 300_000);
  await house.sweep();
  expect(args.get()).toEqual(['{"reason":"flooding the pond"}', "not_allowed"]);
  house.at(START_MS + TEXT_LIFETIME_MS - 299_999);
  await house.sweep();
  expect(args.get()).toEqual([null, "not_allowed"]);
});

test("calls to models are forgotten after 400 days, in slices", async () => {
  const house = world();
  const call = {
    purpose: "reply",
    model: "m",
    ...NO_USAGE,
    estimatedTokens: 1,
    latencyMs: 1,
  } as const;
  for (let n = 0; n < 600; n += 1)
    house.calls.add({ ...call, outcome: "ok", dollars: null, createdAtMs: START_MS + n });
  house.at(START_MS + 400 * 24 * HOUR_MS + 550);
  await house.sweep();
  expect(house.calls.since(0)).toHaveLength(50);
});

test("a ledger that cannot be read does not keep chat from running out", async () => {
  const house = world();
  house.say("a line", 2);
  house.db.exec("DROP TABLE action_log");
  house.at(START_MS + TEXT_LIFETIME_MS);
  expect(await house.sweep()).toMatchObject({ textsExpired: 2, walTruncated: true });
  expect(house.notices.list().map(({ cause }) => cause)).toContain("actions");
});

function world() {
  let nowMs = START_MS;
  const now = () => nowMs;
  const folder = temporaryFolder();
  const file = join(folder, "forgetmenot.db");
  const db = openDatabase(file);
  const events = new EventStore(db, { now, expiryMs: TEXT_LIFETIME_MS });
  const replies = new ReplyStore(db, now);
  const ledger = new Ledger(db, now);
  const calls = new LlmCallStore(db);
  const counters = new Counters(db);
  const notices = new NoticeBoard(db, now, openLog("silent"));
  let said = 0;
  return {
    file,
    db,
    replies,
    ledger,
    calls,
    counters,
    notices,
    at: (ms: number) => {
      nowMs = ms;
    },
    say: (text: string, times: number) => {
      for (let index = 0; index < times; index += 1) {
        said += 1;
        events.add(say(`${text} ${index}`, { channel: "here", messageId: `m${said}` }));
      }
      events.flush();
    },
    sweep: (onBreath: () => void = () => undefined) =>
      sweep({
        events,
        replies,
        ledger,
        calls,
        moments: new MomentStore(db),
        db,
        counters,
        notices,
        now,
        breathe: async () => onBreath(),
        emptyWal: () => truncateWal(db),
      }),
    texts: () =>
      db.prepare("SELECT text FROM events WHERE text IS NOT NULL ORDER BY id").pluck().all(),
    filesHolding: (text: string) =>
      readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text)),
  };
}
