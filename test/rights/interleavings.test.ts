import fc from "fast-check";
import { expect, test } from "vitest";
import { runSeeker, storedTexts } from "../memory/brute-force.ts";
import { CHANNEL } from "../memory/memory-rig.ts";
import {
  type Body,
  deleteLine,
  forget,
  newName,
  openWorld,
  optIn,
  optOut,
  renew,
  say,
  unwant,
  type World,
} from "./person-world.ts";

const PEOPLE = 3;
const which = fc.nat(10_000);

type Act =
  | { readonly do: "delete"; readonly which: number }
  | { readonly do: "forget"; readonly who: number }
  | { readonly do: "optout"; readonly who: number }
  | { readonly do: "rename"; readonly who: number };

type Step =
  | Act
  | { readonly do: "chat"; readonly lines: number; readonly naming: number | null }
  | { readonly do: "optin"; readonly who: number }
  | { readonly do: "timeout"; readonly who: number }
  | { readonly do: "unwant"; readonly who: number; readonly which: number }
  | { readonly do: "remember"; readonly who: number; readonly which: number }
  | { readonly do: "compact"; readonly meanwhile: Act | null }
  | { readonly do: "restart" };

const who = fc.nat(PEOPLE - 1);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant("delete" as const), which }),
  fc.record({ do: fc.constant("forget" as const), who }),
  fc.record({ do: fc.constant("optout" as const), who }),
  fc.record({ do: fc.constant("rename" as const), who }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("chat" as const),
      lines: fc.integer({ min: 6, max: 12 }),
      naming: fc.option(who),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("compact" as const), meanwhile: fc.option(act) }),
  },
  { weight: 4, arbitrary: act },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("optin" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("timeout" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unwant" as const), who, which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remember" as const), who, which }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
);

function bodyOf({ bodies }: World, index: number): Body {
  const body = bodies[index];
  if (body === undefined) throw new Error("there is nobody of that number");
  return body;
}

function perform(world: World, one: Act): void {
  switch (one.do) {
    case "delete":
      return deleteLine(world, one.which);
    case "forget":
      return forget(world, bodyOf(world, one.who));
    case "optout":
      return optOut(world, bodyOf(world, one.who));
    case "rename": {
      Object.assign(bodyOf(world, one.who), newName(world.next));
    }
  }
}

async function take(world: World, one: Step): Promise<void> {
  const { rig, said, removed, meanwhile } = world;
  switch (one.do) {
    case "chat":
      for (let n = 0; n < one.lines; n += 1) {
        const named = one.naming === null || n !== 1 ? null : bodyOf(world, one.naming);
        say(world, bodyOf(world, n % PEOPLE), named);
      }
      return;
    case "optin":
      return optIn(world, bodyOf(world, one.who));
    case "timeout": {
      const body = bodyOf(world, one.who);
      for (const [id, line] of said) if (line.body === body) removed.add(id);
      return rig.events.removeTextsOf(CHANNEL, body.userId);
    }
    case "unwant":
      return unwant(world, bodyOf(world, one.who), one.which);
    case "remember": {
      const body = bodyOf(world, one.who);
      const kept = rig.memory.requests.remember(CHANNEL, body.userId, `keeps seashell ${one.which}`);
      if (kept.kind === "done") body.isGone = false;
      return;
    }
    case "compact": {
      const during = one.meanwhile;
      meanwhile.act = during === null ? null : () => perform(world, during);
      rig.clock.nowMs += 61_000;
      return rig.memory.run();
    }
    case "restart":
      return rig.restart();
    default:
      return perform(world, one);
  }
}

/** What must be so after every step. Says how much there was to look at. */
function judge(world: World): { readonly notes: number; readonly gone: number } {
  const { rig, bodies, said, removed } = world;
  const notes = rig.rows<{ who: string; fact: string }>(
    "SELECT subject_id AS who, fact FROM semantic_notes WHERE subject_id IS NOT NULL",
  );
  const lines = rig.rows<{ text: string }>("SELECT text FROM events WHERE text IS NOT NULL");
  const stored = storedTexts(rig.db).map(({ text }) => text);
  const everything = [...stored, ...lines.map(({ text }) => text)].join("\n");
  const people = rig.rows<{ id: string | null }>("SELECT user_id AS id FROM events");
  for (const body of bodies) {
    const own = notes.filter(({ who }) => who === body.userId);
    for (const { fact } of own) {
      expect(fact.match(/\{u:\w+\}/g)).toEqual([`{u:${body.userId}}`]);
      expect([...body.unwanted].filter((topic) => fact.includes(topic))).toEqual([]);
    }
    if (body.isOut) {
      expect(own).toEqual([]);
      expect(stored.filter((text) => text.includes(`{u:${body.userId}}`))).toEqual([]);
    }
    if (!body.isGone || body.isOut) continue;
    expect(everything).not.toContain(body.userId);
    expect(people.filter(({ id }) => id === body.userId)).toEqual([]);
    expect(everything.toLowerCase()).not.toContain(body.login);
  }
  for (const { text } of lines) {
    const [id = ""] = /m-\d+/.exec(text) ?? [];
    expect(removed.has(id) || said.get(id)?.body.isOut).toBe(false);
  }
  expect([...removed].filter((id) => everything.includes(`line ${id} says`))).toEqual([]);
  const unfounded = `SELECT id FROM semantic_notes n
    WHERE NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = n.id)`;
  expect(rig.rows(unfounded)).toEqual([]);
  return { notes: notes.length, gone: bodies.filter(({ isGone }) => isGone).length };
}

/** The law's own words, tried at every place: slow, so it is asked at the end. */
function judgeRuns({ rig, said, removed }: World): void {
  const holdsRun = runSeeker(storedTexts(rig.db).map(({ text }) => text));
  expect([...removed].filter((id) => holdsRun(said.get(id)?.text ?? ""))).toEqual([]);
}

/** Worlds that serve for some interleavings each; after one that failed comes a new one. */
function worlds(): { take(): World; giveBack(world: World): void } {
  let free: World | null = null;
  let used = 0;
  return {
    take: () => {
      const world = free ?? openWorld(PEOPLE);
      used = free === null ? 1 : used + 1;
      free = null;
      return world;
    },
    giveBack: (world) => {
      renew(world);
      free = used < INTERLEAVINGS_EACH ? world : null;
    },
  };
}

const INTERLEAVINGS_EACH = 20;

test("however chat, removals, compaction, wishes, renames and restarts interleave, the laws hold after each", async () => {
  const seen = { notes: 0, gone: 0 };
  const pool = worlds();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 7 }), async (steps) => {
      const world = pool.take();
      for (const one of steps) {
        await take(world, one);
        const { notes, gone } = judge(world);
        seen.notes += notes;
        seen.gone += gone;
      }
      judgeRuns(world);
      pool.giveBack(world);
    }),
    { numRuns: Number(process.env["RUNS"] ?? 1_000) },
  );
  expect(seen.notes).toBeGreaterThan(100);
  expect(seen.gone).toBeGreaterThan(100);
}, 120_000);
