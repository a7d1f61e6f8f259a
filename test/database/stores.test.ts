import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { Counters, RuntimeStore, SwitchStore } from "../../src/database/runtime-store.ts";
import { watchChanges } from "../../src/database/watch-changes.ts";
import { openLog } from "../../src/log.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("every switch is off at first, and stays as it was set", () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const db = openDatabase(file);
  const switches = new SwitchStore(db, () => 1_000);
  expect(switches.read()).toEqual({ paused: false, safeMode: false, readOnly: false });
  switches.set("safe_mode", true, "moderator");
  switches.set("paused", true, "cli");
  switches.set("paused", false, "streamer");
  db.close();
  const again = openDatabase(file);
  expect(new SwitchStore(again, () => 0).read()).toEqual({
    paused: false,
    safeMode: true,
    readOnly: false,
  });
  expect(
    again.prepare("SELECT name, is_on, set_by, set_at FROM switches ORDER BY name").all(),
  ).toEqual([
    { name: "paused", is_on: 0, set_by: "streamer", set_at: 1_000 },
    { name: "safe_mode", is_on: 1, set_by: "moderator", set_at: 1_000 },
  ]);
  again.close();
});

test("a notice is told once until it changes, and counted meanwhile", () => {
  const { board, told, at } = notices();
  board.raise("model:quota", "warning", "the cap was reached");
  at(2_000);
  board.raise("model:quota", "warning", "the cap was reached");
  expect(told()).toEqual([["warn", "the cap was reached"]]);
  expect(board.list()).toEqual([
    {
      kind: "model",
      cause: "quota",
      severity: "warning",
      message: "the cap was reached",
      firstAtMs: 1_000,
      lastAtMs: 2_000,
      count: 2,
    },
  ]);
  board.raise("model:quota", "error", "another cap was reached");
  expect(told()).toEqual([
    ["warn", "the cap was reached"],
    ["error", "another cap was reached"],
  ]);
  expect(board.list()).toMatchObject([
    { severity: "error", message: "another cap was reached", count: 3 },
  ]);
});

test("each cause of a kind has its own notice", () => {
  const { board } = notices();
  board.raise("chat:join #one", "error", "cannot join #one");
  board.raise("chat:join #two", "error", "cannot join #two");
  board.clear("chat:join #one");
  expect(board.list()).toMatchObject([{ kind: "chat", cause: "join #two" }]);
  expect(board.past()).toMatchObject([{ kind: "chat", cause: "join #one" }]);
});

test("a notice of a kind that an earlier edition had is deleted", () => {
  const { board } = notices();
  board.raise("llm_key" as "model", "error", "the key is missing");
  board.raise("model", "error", "the key is missing");
  board.expire();
  expect(board.list()).toMatchObject([{ kind: "model" }]);
});

test("a notice that no longer holds is gone, and told anew when it comes back", () => {
  const { board, told } = notices();
  board.raise("chat", "info", "no connection");
  board.raise("helix", "info", "something else");
  board.clear("chat");
  board.clear("backup_failed");
  expect(board.list().map(({ kind }) => kind)).toEqual(["helix"]);
  board.raise("chat", "info", "no connection");
  expect(told().filter(([, message]) => message === "no connection")).toHaveLength(2);
});

test("counts add up across restarts, and are read by their beginning", () => {
  const db = openDatabase(":memory:");
  new Counters(db).bump("guard.link");
  new Counters(db).bump("guard.link", 4);
  new Counters(db).bump("guard_like");
  new Counters(db).bump("ingest.ignored.whisper");
  expect(new Counters(db).read("guard.")).toEqual({ "guard.link": 5 });
  expect(new Counters(db).read()).toEqual({
    "guard.link": 5,
    guard_like: 1,
    "ingest.ignored.whisper": 1,
  });
});

test("what the daemon says of itself is read as its shape, or not at all", () => {
  const db = openDatabase(":memory:");
  const runtime = new RuntimeStore(db, () => 7_000);
  const shape = z.strictObject({ pid: z.int() });
  expect(runtime.read("daemon", shape)).toBeNull();
  runtime.write("daemon", { pid: 1 });
  runtime.write("daemon", { pid: 2 });
  expect(runtime.read("daemon", shape)).toEqual({ value: { pid: 2 }, updatedAtMs: 7_000 });
  expect(runtime.read("daemon", z.strictObject({ port: z.int() }))).toBeNull();
});

test("another connection's write is seen, and one's own is not", () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const own = openDatabase(file);
  const other = openDatabase(file);
  let changes = 0;
  const watch = watchChanges(own, () => {
    changes += 1;
  });
  watch.check();
  new Counters(own).bump("mine");
  watch.check();
  expect(changes).toBe(0);
  new SwitchStore(other, () => 0).set("paused", true, "cli");
  new SwitchStore(other, () => 0).set("paused", false, "cli");
  watch.check();
  watch.check();
  expect(changes).toBe(1);
  new SwitchStore(other, () => 0).set("paused", true, "cli");
  watch.check();
  expect(changes).toBe(2);
  watch.close();
  own.close();
  other.close();
});

test("it is seen without being asked, too, and again where it could not be read", async () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const own = openDatabase(file);
  const other = openDatabase(file);
  let looks = 0;
  const seen = new Promise<string>((resolve) => {
    const watch = watchChanges(own, () => {
      looks += 1;
      if (looks === 1) throw new Error("cannot be read now");
      watch.close();
      resolve("seen");
    });
  });
  new Counters(other).bump("theirs");
  expect(await seen).toBe("seen");
  own.close();
  other.close();
});

function notices() {
  let nowMs = 1_000;
  const lines: string[] = [];
  const log = openLog("info", (line) => lines.push(line));
  const board = new NoticeBoard(openDatabase(":memory:"), () => nowMs, log);
  const levels: Record<number, string> = { 30: "info", 40: "warn", 50: "error" };
  return {
    board,
    at: (ms: number) => {
      nowMs = ms;
    },
    told: () =>
      lines.map((line) => {
        const { level, msg } = z
          .object({ level: z.int(), msg: z.string() })
          .parse(JSON.parse(line));
        return [levels[level], msg];
      }),
  };
}
