import fc from "fast-check";
import { expect, test } from "vitest";
import type { LlmRequest } from "../../src/llm/port.ts";
import { recallStore } from "../../src/recall/store.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { runSeeker, storedTexts } from "./brute-force.ts";
import { CHANNEL, digestJson, memoryRig } from "./memory-rig.ts";

type Rig = ReturnType<typeof memoryRig>;

const CLAIMS = `SELECT n, scope, subject_id AS who, event_ids_json AS ids, withdrawn_at IS NOT NULL AS withdrawn
  FROM episode_claims ORDER BY episode_id, n`;
const SUMMARIES = "SELECT topic, summary FROM episodes ORDER BY id";

/** A model that notes who speaks of which drawer, and that any two lines in a row make a queue at a pier. */
function drawerModel(onAsk: (request: LlmRequest) => void = () => undefined) {
  return scriptedLlm((request: LlmRequest) => {
    onAsk(request);
    if (request.tail.includes("notes on the stream")) {
      const drawers = [...request.tail.matchAll(/drawer \d+/g)].map(([drawer]) => `There was talk of ${drawer}.`);
      return JSON.stringify({ recap: drawers.slice(0, 5).join(" ") });
    }
    const lines = [...request.tail.matchAll(/^\[(\d+)\] (P\d+).*? drawer (\d+)/gm)];
    const own = lines.slice(0, 12).map(([, n, label, drawer]) => ({
      subject: label ?? "",
      event_numbers: [Number(n)],
      statement: `${label} stores shells in ${drawer}`,
    }));
    const shared = lines.slice(1, 5).map(([, n, , drawer]) => ({
      subject: "channel",
      event_numbers: [Number(n) - 1, Number(n)],
      statement: `The queue at pier ${drawer} is long`,
    }));
    const said = lines.slice(0, 8).map(([, , , drawer]) => `Talk turned to drawer ${drawer}.`);
    return digestJson([...own, ...shared], said.join(" "));
  });
}

function sayDrawer(rig: Rig, person: number, drawer: number): string {
  return rig.say(person, `honestly I put all of my painted shells away in drawer ${drawer}`);
}

/** Nine lines of three people, about the drawers 100 to 108, in one finished episode. */
async function nineLines(): Promise<{ rig: Rig; ids: readonly string[] }> {
  const rig = memoryRig(drawerModel());
  rig.setLive(false);
  const ids = Array.from({ length: 9 }, (_, n) => sayDrawer(rig, 1 + (n % 3), 100 + n));
  await rig.memory.run();
  expect(rig.rows(CLAIMS)).toHaveLength(13);
  return { rig, ids };
}

test("a deleted message takes its claim, and the summary becomes what the channel's claims say", async () => {
  const { rig, ids } = await nineLines();
  rig.events.removeText(ids[0] ?? "");
  expect(rig.rows(CLAIMS)).toMatchObject([
    { n: 1, ids: "[]", withdrawn: 1 },
    ...Array.from({ length: 8 }, (_, n) => ({ n: n + 2, ids: `[${n + 2}]`, withdrawn: 0 })),
    { n: 10, scope: "channel", ids: "[2]", withdrawn: 0 },
    { n: 11, ids: "[2,3]" },
    { n: 12 },
    { n: 13 },
  ]);
  expect(rig.rows(SUMMARIES)).toEqual([
    {
      topic: "",
      summary: [101, 102, 103, 104].map((pier) => `The queue at pier ${pier} is long`).join(" "),
    },
  ]);
  expect(rig.counters.read("memory")).toEqual({ "memory.claims_withdrawn": 1 });
});

test("a timeout takes a person's claims in every episode", async () => {
  const { rig } = await nineLines();
  for (let n = 0; n < 9; n += 1) sayDrawer(rig, 2 + (n % 3), 200 + n);
  await rig.memory.run();
  rig.events.removeTextsOf(CHANNEL, "1002");
  const left = "SELECT count(*) AS n FROM episode_claims WHERE subject_id = '1002' AND withdrawn_at IS NULL";
  expect(rig.rows(left)).toEqual([{ n: 0 }]);
  const others = "SELECT count(*) AS n FROM episode_claims WHERE subject_id <> '1002' AND withdrawn_at IS NULL";
  expect(rig.rows(others)).toEqual([{ n: 12 }]);
  for (const { summary } of rig.rows<{ summary: string }>(SUMMARIES)) expect(summary).not.toContain("drawer");
});

test("a note without evidence goes, one with evidence elsewhere stays, and what it superseded stays out of prompts", async () => {
  const { rig, ids } = await nineLines();
  for (let n = 0; n < 9; n += 1) sayDrawer(rig, 1 + (n % 3), 300 + n);
  await rig.memory.run();
  addNote(rig, { id: 1, evidence: [[1, 4]], supersededBy: null });
  addNote(rig, { id: 2, evidence: [[1, 1]], supersededBy: null });
  addNote(rig, { id: 3, evidence: [[1, 1], [2, 1]], supersededBy: null });
  rig.db.prepare("UPDATE semantic_notes SET status = 'superseded', superseded_by = 2 WHERE id = 1").run();
  rig.db
    .prepare(
      "INSERT INTO note_candidates (episode_id, fact, decision, reason, note_id, created_at) VALUES (1, 'stores shells', 'new', 'new', 2, 1)",
    )
    .run();
  rig.events.removeText(ids[0] ?? "");
  expect(rig.rows("SELECT id, status, superseded_by AS by FROM semantic_notes ORDER BY id")).toEqual([
    { id: 1, status: "stale", by: null },
    { id: 3, status: "active", by: null },
  ]);
  expect(rig.rows("SELECT note_id AS note, episode_id AS episode FROM note_evidence ORDER BY 1")).toEqual([
    { note: 1, episode: 1 },
    { note: 3, episode: 2 },
  ]);
  expect(rig.rows("SELECT fact, note_id AS note FROM note_candidates")).toEqual([{ fact: null, note: null }]);
  expect(rig.counters.read("memory")["memory.notes_removed"]).toBe(1);
});

test("chat removed before it was summarised is in no question, and its window is made of the rest", async () => {
  const llm = drawerModel();
  const rig = memoryRig(llm);
  rig.setLive(false);
  const ids = Array.from({ length: 12 }, (_, n) => sayDrawer(rig, n % 3, 400 + n));
  rig.events.removeText(ids[5] ?? "");
  rig.events.removeText("unknown");
  await rig.memory.run();
  expect(llm.requests[0]?.tail).not.toContain("drawer 405");
  expect(rig.rows("SELECT event_count AS n FROM episodes")).toEqual([{ n: 11 }]);
});

test("what a crash left between the removal and the forgetting is forgotten at the next start", async () => {
  const { rig, ids } = await nineLines();
  rig.events.flush();
  rig.db.prepare("UPDATE events SET text = NULL, memorable = 0, removed_at = 5 WHERE message_id = ?").run(ids[0]);
  await rig.restart();
  expect(rig.rows(CLAIMS)[0]).toMatchObject({ n: 1, ids: "[]", withdrawn: 1 });
  expect(rig.rows("SELECT event_id FROM removed_support")).toEqual([]);
});

test("a removal while another process holds the database is forgotten at the next look", async () => {
  const { rig, ids } = await nineLines();
  rig.events.flush();
  // The commit went through, and memory's own transaction did not.
  rig.db.exec("CREATE TEMP TRIGGER busy BEFORE UPDATE ON episode_claims BEGIN SELECT RAISE(ABORT, 'busy'); END");
  rig.events.removeText(ids[0] ?? "");
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
  rig.events.removeText(ids[5] ?? "");
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
  const recap = () => recallStore(rig.db).state(CHANNEL).recap;
  expect(recap()).toContain("drawer 600");
  rig.events.removeText(ids[0] ?? "");
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
  atRecap = () => rig.events.removeText(ids[0] ?? "");
  rig.setLive(false);
  await rig.memory.run();
  expect(recallStore(rig.db).state(CHANNEL).recap ?? "").not.toContain("drawer");
});

interface NoteSeed {
  readonly id: number;
  /** Episode and claim. */
  readonly evidence: readonly (readonly [number, number])[];
  readonly supersededBy: number | null;
}

function addNote(rig: Rig, { id, evidence, supersededBy }: NoteSeed): void {
  rig.db
    .prepare(
      `INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, confidence, status, superseded_by,
         source_kind, created_at, last_confirmed_at)
       VALUES (?, ?, 'viewer', '1001', 'profile', 'stores shells', .8, 'active', ?, 'extracted', 1, 1)`,
    )
    .run(id, CHANNEL, supersededBy);
  const link = rig.db.prepare(
    `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, created_at)
     VALUES (?, ?, ?, 'extracted', .8, 1)`,
  );
  for (const [episode, claim] of evidence) link.run(id, episode, claim);
}

type Step =
  | { readonly do: "chat"; readonly lines: number; readonly people: number }
  | { readonly do: "delete"; readonly which: number }
  | { readonly do: "timeout"; readonly person: number }
  | { readonly do: "compact"; readonly deleteMeanwhile: number | null; readonly fails: boolean }
  | { readonly do: "learn"; readonly claim: number }
  | { readonly do: "restart" }
  | { readonly do: "stream"; readonly live: boolean };

const which = fc.nat(10_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("chat" as const), lines: fc.integer({ min: 4, max: 20 }), people: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("delete" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("timeout" as const), person: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("compact" as const),
      deleteMeanwhile: fc.option(which),
      fails: fc.boolean().map((fails) => fails),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("learn" as const), claim: which }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stream" as const), live: fc.boolean() }) },
);

interface World {
  readonly rig: Rig;
  readonly said: Map<string, { readonly drawer: number; readonly person: number; readonly text: string }>;
  readonly removed: Set<string>;
  /** Removed messages that stood in a question afterwards. */
  readonly shownAfterRemoval: readonly string[];
  readonly next: { drawer: number; note: number; deleteMeanwhile: number | null; fails: boolean };
}

function openWorld(): World {
  const removed = new Set<string>();
  const said: World["said"] = new Map();
  const next: World["next"] = { drawer: 1_000, note: 1, deleteMeanwhile: null, fails: false };
  const shownAfterRemoval: string[] = [];
  const copying = drawerModel((request) => {
    const drawers = new Set([...request.tail.matchAll(/drawer (\d+)/g)].map(([, drawer]) => Number(drawer)));
    for (const id of removed) if (drawers.has(said.get(id)?.drawer ?? 0)) shownAfterRemoval.push(id);
    if (next.deleteMeanwhile !== null) deleteOne(world, next.deleteMeanwhile);
    next.deleteMeanwhile = null;
  });
  const llm = {
    ...copying,
    ask: ((request) => {
      if (next.fails) copying.enqueue({ failure: "network" });
      next.fails = false;
      return copying.ask(request);
    }) as typeof copying.ask,
  };
  const rig = memoryRig(llm);
  const world = { rig, said, removed, next, shownAfterRemoval };
  rig.setLive(false);
  return world;
}

function deleteOne({ rig, said, removed }: World, index: number): void {
  const ids = [...said.keys()];
  const id = ids[index % Math.max(1, ids.length)];
  if (id === undefined) return;
  removed.add(id);
  rig.events.removeText(id);
}

async function take(world: World, one: Step): Promise<void> {
  const { rig, said, removed, next } = world;
  switch (one.do) {
    case "chat":
      for (let n = 0; n < one.lines; n += 1) {
        const drawer = next.drawer++;
        const person = n % one.people;
        const text = `honestly I put all of my painted shells away in drawer ${drawer}`;
        said.set(rig.say(person, text), { drawer, person, text });
      }
      return;
    case "delete":
      return deleteOne(world, one.which);
    case "timeout":
      for (const [id, { person }] of said) if (person === one.person) removed.add(id);
      return rig.events.removeTextsOf(CHANNEL, String(1_000 + one.person));
    case "compact":
      next.deleteMeanwhile = one.deleteMeanwhile;
      next.fails = one.fails;
      rig.clock.nowMs += 61_000;
      return rig.memory.run();
    case "learn": {
      const claims = rig.rows<{ e: number; n: number }>("SELECT episode_id AS e, n FROM episode_claims WHERE withdrawn_at IS NULL");
      const claim = claims[one.claim % Math.max(1, claims.length)];
      if (claim === undefined) return;
      addNote(rig, { id: next.note, evidence: [[claim.e, claim.n]], supersededBy: null });
      const older = 1 + (one.claim % next.note);
      if (older < next.note)
        rig.db.prepare("UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?").run(next.note, older);
      next.note += 1;
      return;
    }
    case "restart":
      return rig.restart();
    case "stream":
      rig.setLive(one.live);
  }
}

test("however chat, removals, compaction and restarts interleave, nothing rests on removed chat", async () => {
  let withdrawn = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 18 }), async (steps) => {
      const world = openWorld();
      for (const one of steps) await take(world, one);
      world.rig.clock.nowMs += 31 * 60_000;
      await world.rig.memory.run();
      withdrawn += judge(world);
    }),
    { numRuns: 200 },
  );
  expect(withdrawn).toBeGreaterThan(200);
}, 60_000);

/** Gives how many claims were withdrawn. */
function judge({ rig, said, removed, shownAfterRemoval }: World): number {
  expect(shownAfterRemoval).toEqual([]);
  const gone = new Set(rig.rows<{ id: number }>("SELECT id FROM events WHERE removed_at IS NOT NULL").map(({ id }) => id));
  const claims = rig.rows<{ ids: string; withdrawn: number }>(CLAIMS);
  for (const { ids, withdrawn } of claims) {
    const support: number[] = JSON.parse(ids);
    expect(support.filter((id) => gone.has(id))).toEqual([]);
    expect(support.length > 0).toBe(withdrawn === 0);
  }
  const unfounded = `SELECT id FROM semantic_notes n
    WHERE NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = n.id)`;
  expect(rig.rows(unfounded)).toEqual([]);
  const onWithdrawn = `SELECT v.note_id FROM note_evidence v
    JOIN episode_claims c ON c.episode_id = v.episode_id AND c.n = v.claim_n WHERE c.withdrawn_at IS NOT NULL`;
  expect(rig.rows(onWithdrawn)).toEqual([]);
  expect(rig.rows("SELECT event_id FROM removed_support")).toEqual([]);
  const texts = storedTexts(rig.db);
  const shown = texts.filter(({ place }) => /summary|topic|recap/.test(place)).map(({ text }) => text).join("\n");
  const holdsRun = runSeeker(texts.map(({ text }) => text));
  const left = [...removed].filter((id) => {
    const { text, drawer } = said.get(id) ?? { text: "", drawer: 0 };
    return shown.includes(`drawer ${drawer}`) || holdsRun(text);
  });
  expect(left).toEqual([]);
  return claims.filter(({ withdrawn }) => withdrawn === 1).length;
}
