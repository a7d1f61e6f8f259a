import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const BATCH = 64;

/** A process that writes batches of 64 events, each with its batch's number as text, until it is killed. */
function writer(file: string): ChildProcess {
  const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    const { openDatabase } = await import(${from("../../src/database/open-database.ts")});
    const { EventStore } = await import(${from("../../src/chat/event-store.ts")});
    const { say } = await import(${from("./say.ts")});
    const store = new EventStore(openDatabase(${JSON.stringify(file)}), { now: () => 1, expiryMs: 1 });
    let batch = 0;
    const write = () => {
      for (let n = 0; n < ${BATCH}; n += 1) store.add(say(String(batch), { by: "v" + n % 7 }));
      store.flush();
      batch += 1;
      if (batch === 5) console.log("writing");
      setImmediate(write);
    };
    write();`;
  return spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

test("killed while it writes, a batch is there whole or not at all, with its counts", async () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const child = writer(file);
  if (child.stdout === null) throw new Error("no output to wait for");
  await once(child.stdout, "data");
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  const db = openDatabase(file);
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  const batches = db
    .prepare<[], { text: string; rows: number }>(
      "SELECT text, count(*) AS rows FROM events GROUP BY text ORDER BY min(id)",
    )
    .all();
  expect(batches.length).toBeGreaterThanOrEqual(5);
  expect(batches).toEqual(batches.map((_, n) => ({ text: String(n), rows: BATCH })));
  const counted = db.prepare("SELECT sum(message_count) FROM viewer_channels").pluck().get();
  expect(counted).toBe(batches.length * BATCH);
  db.close();
});
