import fc from "fast-check";
import { expect, test } from "vitest";
import { runSeeker, storedTexts } from "./brute-force.ts";
import { addNote, CLAIMS, drawerLine, drawerModel } from "./drawers.ts";
import { CHANNEL, type MemoryRig, memoryRig } from "./memory-rig.ts";

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
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("chat" as const),
      lines: fc.integer({ min: 4, max: 20 }),
      people: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("delete" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("timeout" as const), person: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("compact" as const),
      deleteMeanwhile: fc.option(which),
      fails: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("learn" as const), claim: which }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stream" as const), live: fc.boolean() }) },
);

interface World {
  readonly rig: MemoryRig;
  readonly said: Map<
    string,
    { readonly drawer: number; readonly person: number; readonly text: string }
  >;
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
    const drawers = new Set(
      [...request.tail.matchAll(/drawer (\d+)/g)].map(([, drawer]) => Number(drawer)),
    );
    for (const id of removed)
      if (drawers.has(said.get(id)?.drawer ?? 0)) shownAfterRemoval.push(id);
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
  rig.events.remove({ by: "message", messageId: id });
}

async function take(world: World, one: Step): Promise<void> {
  const { rig, said, removed, next } = world;
  switch (one.do) {
    case "chat":
      for (let n = 0; n < one.lines; n += 1) {
        const drawer = next.drawer++;
        const person = n % one.people;
        const text = drawerLine(drawer);
        said.set(rig.say(person, text), { drawer, person, text });
      }
      return;
    case "delete":
      return deleteOne(world, one.which);
    case "timeout":
      for (const [id, { person }] of said) if (person === one.person) removed.add(id);
      return rig.events.remove({
        by: "person",
        channel: CHANNEL,
        userId: String(1_000 + one.person),
        login: "",
      });
    case "compact":
      next.deleteMeanwhile = one.deleteMeanwhile;
      next.fails = one.fails;
      rig.clock.nowMs += 61_000;
      return rig.memory.run();
    case "learn": {
      const claims = rig.rows<{ e: number; n: number }>(
        "SELECT episode_id AS e, n FROM episode_claims WHERE withdrawn_at IS NULL",
      );
      const claim = claims[one.claim % Math.max(1, claims.length)];
      if (claim === undefined) return;
      addNote(rig, { id: next.note, evidence: [[claim.e, claim.n]], supersededBy: null });
      const older = 1 + (one.claim % next.note);
      if (older < next.note)
        rig.db
          .prepare(
            "UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?",
          )
          .run(next.note, older);
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
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 18 }), async (steps) => {
      const world = openWorld();
      for (const one of steps) await take(world, one);
      world.rig.clock.nowMs += 31 * 60_000;
      await world.rig.memory.run();
      withdrawn += judge(world);
    }),
    { numRuns: 60 },
  );
  expect(withdrawn).toBeGreaterThan(0);
}, 60_000);

/** Gives how many claims were withdrawn. */
function judge({ rig, said, removed, shownAfterRemoval }: World): number {
  expect(shownAfterRemoval).toEqual([]);
  const gone = new Set(
    rig
      .rows<{ id: number }>("SELECT id FROM events WHERE removed_at IS NOT NULL")
      .map(({ id }) => id),
  );
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
  const shown = texts
    .filter(({ place }) => /summary|topic|recap/.test(place))
    .map(({ text }) => text)
    .join("\n");
  const holdsRun = runSeeker(texts.map(({ text }) => text));
  const left = [...removed].filter((id) => {
    const { text, drawer } = said.get(id) ?? { text: "", drawer: 0 };
    return shown.includes(`drawer ${drawer}`) || holdsRun(text);
  });
  expect(left).toEqual([]);
  return claims.filter(({ withdrawn }) => withdrawn === 1).length;
}
