import { setImmediate as macrotask } from "node:timers/promises";
import { expect, test } from "vitest";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { addNote, CLAIMS, drawerLine, drawerModel, SHARED } from "./drawers.ts";
import { ALL_NEW, learningRig } from "./learning-rig.ts";
import { CHANNEL, type MemoryRig, memoryRig } from "./memory-rig.ts";

const SUMMARIES = "SELECT topic, summary FROM episodes ORDER BY id";

function sayDrawer(rig: MemoryRig, person: number, drawer: number): string {
  return rig.say(person, drawerLine(drawer));
}

/** Nine lines of three people, about the drawers 100 to 108, in one finished episode. */
async function nineLines(): Promise<{ rig: MemoryRig; ids: readonly string[] }> {
  const rig = memoryRig(drawerModel());
  rig.setLive(false);
  const ids = Array.from({ length: 9 }, (_, n) => sayDrawer(rig, 1 + (n % 3), 100 + n));
  await rig.memory.run();
  expect(rig.rows(CLAIMS)).toHaveLength(13);
  return { rig, ids };
}

test("a deleted message takes its claim, and the summary becomes what the channel's claims say", async () => {
  const { rig, ids } = await nineLines();
  rig.events.remove({ by: "message", messageId: ids[0] ?? "" });
  expect(rig.rows(CLAIMS)).toMatchObject([
    { n: 1, ids: "[]", withdrawn: 1 },
    ...Array.from({ length: 8 }, (_, n) => ({ n: n + 2, ids: `[${n + 2}]`, withdrawn: 0 })),
    { n: 10, scope: "channel", ids: "[2]", withdrawn: 0 },
    { n: 11, ids: "[2,3]" },
    { n: 12 },
    { n: 13 },
  ]);
  expect(rig.rows(SUMMARIES)).toEqual([{ topic: "", summary: SHARED.join(" ") }]);
  expect(rig.counters.read("memory")).toEqual({ "memory.claims_withdrawn": 1 });
  const said = "SELECT n FROM episode_claims WHERE statement = ''";
  expect(rig.rows(said)).toEqual([{ n: 1 }]);
});

test("a timeout takes a person's claims in every episode", async () => {
  const { rig } = await nineLines();
  for (let n = 0; n < 9; n += 1) sayDrawer(rig, 2 + (n % 3), 200 + n);
  rig.clock.nowMs += 31 * 60_000; // a silence closes them
  await rig.memory.run();
  rig.events.remove({ by: "person", channel: CHANNEL, userId: "1002", login: "" });
  const left =
    "SELECT count(*) AS n FROM episode_claims WHERE subject_id = '1002' AND withdrawn_at IS NULL";
  expect(rig.rows(left)).toEqual([{ n: 0 }]);
  const others =
    "SELECT count(*) AS n FROM episode_claims WHERE subject_id <> '1002' AND withdrawn_at IS NULL";
  expect(rig.rows(others)).toEqual([{ n: 12 }]);
  for (const { summary } of rig.rows<{ summary: string }>(SUMMARIES))
    expect(summary).not.toContain("Talk turned");
});

test("a note without evidence goes, one with evidence elsewhere stays, and what it superseded stays out of prompts", async () => {
  const { rig, ids } = await nineLines();
  for (let n = 0; n < 9; n += 1) sayDrawer(rig, 1 + (n % 3), 300 + n);
  rig.clock.nowMs += 31 * 60_000; // a silence closes them
  await rig.memory.run();
  addNote(rig, { id: 1, evidence: [[1, 4]], supersededBy: null });
  addNote(rig, { id: 2, evidence: [[1, 1]], supersededBy: null });
  addNote(rig, {
    id: 3,
    evidence: [
      [1, 1],
      [2, 1],
    ],
    supersededBy: null,
  });
  rig.db
    .prepare("UPDATE semantic_notes SET status = 'superseded', superseded_by = 2 WHERE id = 1")
    .run();
  rig.db
    .prepare(
      "INSERT INTO note_candidates (episode_id, fact, decision, reason, note_id, created_at) VALUES (1, 'stores shells', 'new', 'new', 2, 1)",
    )
    .run();
  rig.events.remove({ by: "message", messageId: ids[0] ?? "" });
  expect(
    rig.rows("SELECT id, status, superseded_by AS by FROM semantic_notes ORDER BY id"),
  ).toEqual([
    { id: 1, status: "stale", by: null },
    { id: 3, status: "active", by: null },
  ]);
  expect(
    rig.rows("SELECT note_id AS note, episode_id AS episode FROM note_evidence ORDER BY 1"),
  ).toEqual([
    { note: 1, episode: 1 },
    { note: 3, episode: 2 },
  ]);
  expect(rig.rows("SELECT fact, note_id AS note FROM note_candidates")).toEqual([
    { fact: null, note: null },
  ]);
  expect(rig.counters.read("memory")["memory.notes_removed"]).toBe(1);
});

test("chat removed before it was summarised is in no question, and its window is made of the rest", async () => {
  const llm = drawerModel();
  const rig = memoryRig(llm);
  rig.setLive(false);
  const ids = Array.from({ length: 12 }, (_, n) => sayDrawer(rig, n % 3, 400 + n));
  rig.events.remove({ by: "message", messageId: ids[5] ?? "" });
  rig.events.remove({ by: "message", messageId: "unknown" });
  await rig.memory.run();
  expect(llm.requests[0]?.tail).not.toContain("drawer 405");
  expect(rig.rows("SELECT event_count AS n FROM episodes")).toEqual([{ n: 11 }]);
});

test("what a crash left between the removal and the forgetting is forgotten at the next start", async () => {
  const { rig, ids } = await nineLines();
  rig.events.flush();
  rig.db
    .prepare("UPDATE events SET text = NULL, memorable = 0, removed_at = 5 WHERE message_id = ?")
    .run(ids[0]);
  await rig.restart();
  expect(rig.rows(CLAIMS)[0]).toMatchObject({ n: 1, ids: "[]", withdrawn: 1 });
  expect(rig.rows("SELECT event_id FROM removed_support")).toEqual([]);
});

test("a removal while another process holds the database is forgotten at the next look", async () => {
  const { rig, ids } = await nineLines();
  rig.events.flush();
  // The commit went through, and memory's own transaction did not.
  rig.db.exec(
    "CREATE TEMP TRIGGER busy BEFORE UPDATE ON episode_claims BEGIN SELECT RAISE(ABORT, 'busy'); END",
  );
  rig.events.remove({ by: "message", messageId: ids[0] ?? "" });
  expect(rig.rows(CLAIMS)[0]).toMatchObject({ withdrawn: 0 });
  rig.db.exec("DROP TRIGGER busy");
  await rig.memory.run();
  expect(rig.rows(CLAIMS)[0]).toMatchObject({ withdrawn: 1 });
});

test("a text that was removed while its window waited does not cost the summary made without it", async () => {
  const llm = drawerModel();
  const rig = memoryRig(llm);
  rig.setLive(false);
  llm.enqueue({ failure: "network" });
  const ids = Array.from({ length: 12 }, (_, n) => sayDrawer(rig, n % 3, 500 + n));
  await rig.memory.run();
  rig.events.remove({ by: "message", messageId: ids[5] ?? "" });
  rig.clock.nowMs += 60_000;
  await rig.memory.run();
  await rig.restart();
  const [{ summary } = { summary: "" }] = rig.rows<{ summary: string }>(SUMMARIES);
  expect(summary).toContain("drawer 504");
  expect(summary).not.toContain("drawer 505");
});

test("the recap of the stream is written anew without what was removed", async () => {
  const rig = memoryRig(drawerModel());
  rig.setLive(true);
  const ids = Array.from({ length: 12 }, (_, n) => sayDrawer(rig, n % 3, 600 + n));
  rig.setLive(false);
  await rig.memory.run();
  const recap = () => new RecallStore(rig.db).state(CHANNEL).recap;
  expect(recap()).toContain("drawer 600");
  rig.events.remove({ by: "message", messageId: ids[0] ?? "" });
  expect(recap()).toBeNull();
  await rig.memory.run();
  expect(recap() ?? "").not.toContain("drawer 600");
});

test("a removal while the recap is written keeps that recap out", async () => {
  let atRecap = (): void => undefined;
  const rig = memoryRig(
    drawerModel((request) => {
      if (request.tail.includes("notes on the stream")) atRecap();
    }),
  );
  rig.setLive(true);
  const ids = Array.from({ length: 12 }, (_, n) => sayDrawer(rig, n % 3, 700 + n));
  atRecap = () => rig.events.remove({ by: "message", messageId: ids[0] ?? "" });
  rig.setLive(false);
  await rig.memory.run();
  expect(new RecallStore(rig.db).state(CHANNEL).recap ?? "").not.toContain("drawer");
});

/** A memory in which something happens once, at a breath it takes after its second window was summarised. */
async function meanwhile(breath: number, act: (rig: ReturnType<typeof learningRig>) => unknown) {
  let left = Number.POSITIVE_INFINITY;
  const rig = learningRig(ALL_NEW, async () => {
    const isSorting = rig.rows("SELECT 1 FROM episodes WHERE stage = 'summarised'").length > 0;
    if (isSorting) left -= 1;
    if (left === 0) act(rig);
    await macrotask();
  });
  await rig.learn("owns three kites", [2, "keeps bees"]);
  const before = rig.sorted.length;
  left = breath;
  await rig.learn("rows at dawn", [2, "fears geese"]);
  expect(left).toBeLessThanOrEqual(0);
  return rig.sorted.slice(before).map(({ tail }) => tail);
}

const BREATHS = [1, 2, 3, 4, 5, 6];

test.each(BREATHS)(
  "who is forgotten at breath %s is in no question to the model",
  async (breath) => {
    const questions = await meanwhile(breath, ({ db }) =>
      db.exec(`DELETE FROM episode_claims WHERE subject_id = '1002';
      INSERT INTO forgets (who, forgotten_at) VALUES ('them', 1)`),
    );
    expect(questions.filter((tail) => tail.includes("rows at dawn"))).not.toEqual([]);
    expect(questions.filter((tail) => tail.includes("fears geese"))).toEqual([]);
  },
);

test.each(BREATHS)("after a pause at breath %s the model is asked nothing", async (breath) => {
  expect(await meanwhile(breath, ({ switches }) => switches.set("paused", true, "test"))).toEqual(
    [],
  );
});
