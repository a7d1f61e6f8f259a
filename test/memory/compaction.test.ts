import fc from "fast-check";
import { expect, test } from "vitest";
import { IdentityStore } from "../../src/chat/viewer-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { EpisodeStore } from "../../src/memory/episode-store.ts";
import { sampleEvenly } from "../../src/memory/transcript.ts";
import {
  REST_EVENTS_MIN,
  SILENCE_MS,
  SLOW_EVENTS_A_MINUTE,
  sizeWindow,
  WINDOW_EVENTS_MIN,
  WINDOW_EVENTS_SAMPLED_MAX,
} from "../../src/memory/windows.ts";
import type { LlmRequest } from "../../src/models/model-port.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { EPISODES, type EpisodeRow, memoryRig, summaryJson } from "./memory-rig.ts";
import { CHAT } from "./summary-window.ts";

const UNCOVERED = "SELECT id FROM events WHERE memorable = 1 AND episode_id IS NULL";

test("24 messages wait, 25 become an episode", async () => {
  const rig = memoryRig(scriptedLlm(summaryJson()));
  rig.sayMany(24);
  await rig.memory.run();
  expect(rig.rows(EPISODES)).toEqual([]);
  rig.sayMany(1);
  await rig.memory.run();
  expect(rig.rows<EpisodeRow>(EPISODES)).toMatchObject([
    { kind: "window", n: 25, stage: "extracted", status: "done" },
  ]);
  expect(rig.rows(UNCOVERED)).toEqual([]);
});

test("emotes alone and commands fill no window, and do not wait for one", async () => {
  const llm = scriptedLlm(summaryJson());
  const rig = memoryRig(llm);
  for (let n = 0; n < 40; n += 1) rig.say(n % 5, "catJAM catJAM", false, { fillsNoWindow: true });
  rig.sayMany(24);
  await rig.memory.run();
  expect(rig.rows(EPISODES)).toEqual([]);
  rig.say(1, "!uptime", false, { fillsNoWindow: true });
  rig.sayMany(1);
  await rig.memory.run();
  expect(rig.rows<EpisodeRow>(EPISODES).map(({ n }) => n)).toEqual([25]);
  expect(llm.requests[0]?.tail).not.toMatch(/catJAM|!uptime/);
  rig.setLive(true);
  rig.setLive(false);
  await rig.memory.run();
  expect(rig.rows(EPISODES)).toHaveLength(1);
  expect(rig.rows(`${UNCOVERED} AND no_window = 0`)).toEqual([]);
});

test("all of a backlog is read, a hundred lines at a time; only what waited too long is sampled, and that is told", async () => {
  const llm = scriptedLlm(summaryJson());
  const rig = memoryRig(llm);
  rig.sayMany(650);
  await rig.memory.run();
  const sizes = () => rig.rows<EpisodeRow>(EPISODES).map(({ n }) => n);
  const shown = () =>
    llm.requests.map(({ tail }) => tail.match(/^(?:P\d+(?: \(known\))?|STREAMER): /gm)?.length);
  expect(sizes()).toEqual([100, 100, 100, 100, 100, 100, 50]);
  expect(shown()).toEqual(sizes());
  expect(rig.counters.read()["memory.lines_unread"]).toBeUndefined();
  rig.sayMany(350);
  rig.clock.nowMs += 21 * 60_000;
  await rig.memory.run();
  expect(sizes().slice(7)).toEqual([300, 50]);
  expect(shown().slice(7)).toEqual([100, 50]);
  expect(rig.counters.read()["memory.lines_unread"]).toBe(200);
  expect(llm.requests[7]?.tail).toContain("line 650 about");
  expect(llm.requests[7]?.tail).toContain("line 949 about");
  expect(rig.rows(UNCOVERED)).toEqual([]);
});

test("a rest of eight closes when the stream has ended, or after half an hour of silence", async () => {
  const rig = memoryRig(scriptedLlm(summaryJson()));
  rig.setLive(true);
  rig.sayMany(8);
  await rig.memory.run();
  expect(rig.rows(EPISODES)).toEqual([]);
  expect(rig.setLive(false)).toBe(true);
  await rig.memory.run();
  expect(rig.rows<EpisodeRow>(EPISODES).map(({ n }) => n)).toEqual([8]);
  rig.setLive(true);
  rig.sayMany(9);
  rig.clock.nowMs += 29 * 60_000;
  await rig.memory.run();
  expect(rig.rows(EPISODES)).toHaveLength(1);
  rig.clock.nowMs += 60_000;
  await rig.memory.run();
  expect(rig.rows<EpisodeRow>(EPISODES).map(({ n }) => n)).toEqual([8, 9]);
});

test("a finished conversation with the bot becomes an episode of its own", async () => {
  const llm = scriptedLlm(summaryJson());
  const rig = memoryRig(llm);
  for (let turn = 0; turn < 8; turn += 1) {
    rig.say(1, `my ${turn}th question about knots`, turn % 2 === 0);
    rig.say(2, "unrelated");
  }
  await rig.memory.run();
  expect(rig.rows(EPISODES)).toEqual([]);
  rig.clock.nowMs += 61_000;
  await rig.memory.run();
  expect(rig.rows<EpisodeRow>(EPISODES)).toMatchObject([{ kind: "direct", n: 8 }]);
  expect(llm.requests[0]?.tail).not.toContain("unrelated");
});

test("no name leaves the machine, and labels come back as tokens", async () => {
  const llm = scriptedLlm((request: LlmRequest) => {
    const line = /^(P\d+) \(known\): (.*knots.*)$/m.exec(request.tail);
    return summaryJson(
      [
        {
          subject: line?.[1] ?? "",
          quotes: [line?.[2] ?? ""],
          statement: `${line?.[1]} ties knots for a living`,
        },
      ],
      "P3 told P2 about work on the quay.",
    );
  });
  const rig = memoryRig(llm);
  rig.say(5, "evening all");
  rig.say(3, "@Sailor_4 and sailor_5, say hi to @stranger99 and @automark");
  rig.say(4, "honestly I tie knots all day at work");
  rig.sayMany(25);
  await rig.memory.run();
  const sent = llm.requests.map(({ prefix, tail }) => prefix + tail).join("\n");
  expect(sent).not.toMatch(/sailor|stranger99|automark|brambleway/i);
  expect(sent).toContain("P2 (known): P3 and P1, say hi to someone and the bot");
  expect(
    rig.rows(
      "SELECT scope, subject_id AS who, statement, event_ids_json AS ids FROM episode_claims",
    ),
  ).toEqual([
    { scope: "viewer", who: "1004", statement: "{u:1004} ties knots for a living", ids: "[3]" },
  ]);
  expect(rig.rows<EpisodeRow>(EPISODES)[0]?.summary).toBe(
    "{u:1004} told {u:1003} about work on the quay.",
  );
});

test("a model that cannot be reached costs no try, and the window waits for it", async () => {
  const llm = scriptedLlm({ failure: "timeout" });
  const rig = memoryRig(llm);
  rig.sayMany(60);
  for (let look = 0; look < 12; look += 1) {
    await rig.memory.run();
    rig.clock.nowMs += 31 * 60_000;
  }
  expect(rig.rows<EpisodeRow>(EPISODES)).toMatchObject([
    { stage: "claimed", status: "pending", attempts: 0 },
  ]);
  llm.enqueue(summaryJson());
  await rig.memory.run();
  expect(rig.rows<EpisodeRow>(EPISODES)).toMatchObject([{ stage: "extracted", n: 60 }]);
});

test("a model that cannot be reached is asked again every half minute", async () => {
  const llm = scriptedLlm({ failure: "network" });
  const rig = memoryRig(llm);
  rig.sayMany(25);
  const pauses: number[] = [];
  for (let look = 0; look < 3; look += 1) {
    await rig.memory.run();
    const next = rig.rows<EpisodeRow>(EPISODES)[0]?.next ?? 0;
    pauses.push((next - rig.clock.nowMs) / 1_000);
    await rig.memory.run();
    rig.clock.nowMs = next;
  }
  expect(pauses).toEqual([30, 30, 30]);
  expect(llm.requests).toHaveLength(3);
});

test("two accounts of one person prove nothing together, and lend each other their own words", async () => {
  const line = "the mod desk hands out golden hats tonight";
  const told = "i keep seven tortoises in the attic";
  const claimed = async (isMerged: boolean): Promise<string[]> => {
    const llm = scriptedLlm((request: LlmRequest) => {
      const second = /^(P\d+) \(known\): they sleep/m.exec(request.tail)?.[1] ?? "";
      return summaryJson([
        { subject: "channel", statement: "The mod desk hands out golden hats", quotes: [line] },
        {
          subject: second,
          statement: `${second} keeps seven tortoises that sleep in the attic`,
          quotes: ["they sleep all winter long"],
        },
      ]);
    });
    const rig = memoryRig(llm);
    rig.sayMany(25);
    if (isMerged) expect(new IdentityStore(rig.db, () => 0).merge("1007", "1006")).toBe(true);
    for (const person of [6, 7]) rig.say(person, line);
    rig.say(6, told);
    rig.say(7, "they sleep all winter long");
    await rig.memory.run();
    return rig
      .rows<{ scope: string }>("SELECT scope FROM episode_claims")
      .map(({ scope }) => scope);
  };
  expect(await claimed(false)).toEqual(["channel"]);
  expect(await claimed(true)).toEqual(["viewer"]);
});

const NOW = 1_700_000_000_000;
const going = { nowMs: NOW, isOver: false, intervalMs: 180_000 };
const over = { ...going, isOver: true };
const fresh = (events: number) => ({
  events,
  newestAtMs: NOW,
  oldestAtMs: NOW,
  lastMinute: SLOW_EVENTS_A_MINUTE,
});

test("while chat goes on, a window waits until it is full, or three intervals, and has 25 events", () => {
  const waited = (events: number) => ({ ...fresh(events), oldestAtMs: NOW - 3 * 180_000 });
  expect(sizeWindow(fresh(99), going)).toBe(0);
  expect(sizeWindow(fresh(100), going)).toBe(100);
  expect(sizeWindow(waited(24), going)).toBe(0);
  expect(sizeWindow(waited(25), going)).toBe(25);
});

test("in slow chat a window waits for 60 events, or three intervals, ten minutes at most", () => {
  const slow = (events: number, waitedMs: number) => ({
    ...fresh(events),
    lastMinute: SLOW_EVENTS_A_MINUTE - 1,
    oldestAtMs: NOW - waitedMs,
  });
  expect(sizeWindow(slow(59, 0), going)).toBe(0);
  expect(sizeWindow(slow(60, 0), going)).toBe(60);
  expect(sizeWindow(slow(30, 3 * 180_000 - 1), going)).toBe(0);
  expect(sizeWindow(slow(30, 3 * 180_000), going)).toBe(30);
  expect(sizeWindow(slow(30, 600_000), { ...going, intervalMs: 3_600_000 })).toBe(30);
  expect(sizeWindow(slow(8, 0), over)).toBe(8);
});

test("a rest of eight closes after the stream, or after half an hour of silence", () => {
  const silent = (events: number, silentMs: number) => ({
    ...fresh(events),
    newestAtMs: NOW - silentMs,
    oldestAtMs: NOW - silentMs,
  });
  expect(sizeWindow(fresh(7), over)).toBe(0);
  expect(sizeWindow(fresh(8), over)).toBe(8);
  expect(sizeWindow(silent(8, 30 * 60_000 - 1), going)).toBe(0);
  expect(sizeWindow(silent(8, 30 * 60_000), going)).toBe(8);
});

test("windows are sampled up to 300 events once the oldest waits longer than 20 minutes", () => {
  const behind = (waitedMs: number) => ({ ...fresh(1_000), oldestAtMs: NOW - waitedMs });
  expect(sizeWindow(behind(20 * 60_000), going)).toBe(100);
  expect(sizeWindow(behind(20 * 60_000 + 1), going)).toBe(300);
});

test("whatever waits, a window takes no more than that and no more than its limits", () => {
  fc.assert(
    fc.property(fc.nat(2_000), fc.nat(2 * SILENCE_MS), fc.boolean(), (events, silentMs, isOver) => {
      const taken = sizeWindow(
        { ...fresh(events), newestAtMs: NOW - silentMs, oldestAtMs: NOW - silentMs },
        { ...going, isOver },
      );
      const least = isOver || silentMs >= SILENCE_MS ? REST_EVENTS_MIN : WINDOW_EVENTS_MIN;
      expect(taken).toBeLessThanOrEqual(Math.min(events, WINDOW_EVENTS_SAMPLED_MAX));
      expect(taken === 0).toBe(events < least);
      if (taken > 0) expect(taken).toBeGreaterThanOrEqual(least);
    }),
  );
});

test("drained to the end, no rest that could close is left", () => {
  fc.assert(
    fc.property(fc.nat(5_000), (events) => {
      let left = events;
      for (let taken = sizeWindow(fresh(left), over); taken > 0; left -= taken) {
        taken = sizeWindow(fresh(left), over);
      }
      expect(left).toBeLessThan(REST_EVENTS_MIN);
    }),
  );
});

test("a sample keeps the order, the first, the last, and even gaps", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 2, max: 120 }), (size, max) => {
      const items = Array.from({ length: size }, (_, index) => index);
      const sample = sampleEvenly(items, max);
      expect(sample).toHaveLength(Math.min(size, max));
      expect([sample[0], sample.at(-1)]).toEqual([0, size - 1]);
      const gaps = sample.slice(1).map((item, index) => item - (sample[index] ?? 0));
      expect(Math.min(1, ...gaps)).toBe(1);
      expect(Math.max(0, ...gaps) - Math.min(size, ...gaps)).toBeLessThanOrEqual(1);
    }),
  );
});

test("a window knows the moments of its own time", () => {
  const db = openDatabase(":memory:");
  const startMs = 1_700_000_000_000;
  const raid = db.prepare(
    "INSERT INTO moments (channel, kind, user_id, amount, at) VALUES ('a', 'raid', '9', 1, ?)",
  );
  for (const late of [-1, 0, CHAT.length - 1, CHAT.length]) raid.run(startMs + late);
  const events = CHAT.map(([who, text], late) => ({
    ...{ id: late + 1, userId: who, login: who, displayName: who, text, atMs: startMs + late },
    ...{ isAction: false, isReply: false, isStreamer: false, isModerator: false, isKnown: false },
  }));
  const { moments } = new EpisodeStore(db, () => startMs).readContext("a", events);
  expect(moments.map(({ atMs }) => atMs - startMs)).toEqual([CHAT.length - 1, 0]);
  db.close();
});
