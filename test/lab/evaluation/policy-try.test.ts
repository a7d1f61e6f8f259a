import { afterAll, beforeAll, expect, test } from "vitest";
import { loadScenario } from "../../../src/lab/evaluation/load-scenario.ts";
import { recordedEpisodes } from "../../../src/lab/evaluation/policy-run-store.ts";
import { openReplayRoom, type ReplayRoom } from "../../../src/lab/evaluation/replay-room.ts";
import { timeline } from "../../../src/lab/evaluation/timeline.ts";
import { tryPolicy } from "../../../src/lab/evaluation/try-policy.ts";
import { offlineModel } from "../../../src/lab/offline/offline-model.ts";
import { type Config, toConfig } from "../../../src/platform/config/load.ts";
import { memorySchema } from "../../../src/platform/config/memory-schema.ts";

const CONFIG: Config = toConfig({ channel: "lanternroom" }, ".");
const EVER = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, sessionId: null };

/** A room whose memory has learned from a scenario's chat: once, for every test. */
let room: ReplayRoom;
beforeAll(async () => {
  const scenario = loadScenario("corrections");
  room = openReplayRoom({ scenario, llm: offlineModel() });
  for (const session of timeline(scenario)) {
    room.begin(session);
    for (const moment of session.moments) {
      room.clock.nowMs = session.startsAtMs + moment.atMs;
      if (moment.kind === "line") room.say(moment.by, moment.text);
    }
    room.end();
    await room.memory.run();
  }
}, 30_000);
afterAll(() => room.close());

test("the same policy makes the same of what was offered, and the halves have no episode in common", () => {
  const { db } = room.stores;
  const before = db.prepare("SELECT count(*) FROM semantic_notes").pluck().get();
  const recorded = recordedEpisodes(db, EVER);
  expect(recorded.episodes.length).toBeGreaterThan(10);
  const { halves } = tryPolicy(CONFIG, memorySchema.parse({}), recorded);
  expect(halves.map(({ half }) => half)).toEqual(["tuning", "held-out"]);
  expect(halves.reduce((sum, { episodes }) => sum + episodes, 0)).toBe(recorded.episodes.length);
  for (const { episodes, now, tried, onlyNow, onlyTried } of halves) {
    expect(episodes).toBeGreaterThan(0);
    expect({ ...tried, latencyMsMean: 0 }).toEqual({ ...now, latencyMsMean: 0 });
    expect([onlyNow, onlyTried]).toEqual([[], []]);
    expect(now.violations).toBe(0);
  }
  // Nothing was written.
  expect(db.prepare("SELECT count(*) FROM semantic_notes").pluck().get()).toBe(before);
});

test("another policy keeps, drops and shows something else", () => {
  const { db } = room.stores;
  const recorded = recordedEpisodes(db, EVER);
  const narrow = memorySchema.parse({ scopes: ["viewer"], recall: { readFloor: 0.9 } });
  for (const { now, tried, onlyNow, onlyTried } of tryPolicy(CONFIG, narrow, recorded).halves) {
    expect(tried.decisions["drop.scope_off"]).toBeGreaterThan(0);
    expect(now.decisions["drop.scope_off"]).toBeUndefined();
    expect(tried.kept.length).toBeLessThan(now.kept.length);
    expect(onlyNow.length).toBeGreaterThan(0);
    expect(onlyTried).toEqual([]);
    expect(tried.shown).toEqual([]);
  }
});

test("what may not be told again is counted, not run", () => {
  const { db } = room.stores;
  const all = recordedEpisodes(db, EVER);
  db.exec("SAVEPOINT told; UPDATE note_candidates SET fact = NULL WHERE id % 3 = 0");
  const some = recordedEpisodes(db, EVER);
  db.exec("ROLLBACK TO told; RELEASE told");
  const count = ({ episodes }: typeof all) =>
    episodes.reduce((sum, { candidates }) => sum + candidates.length, 0);
  expect(some.unreadable).toBeGreaterThan(0);
  expect(count(some) + some.unreadable).toBe(count(all) + all.unreadable);
});
