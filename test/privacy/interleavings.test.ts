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
/** So long a pause closes a window. */
const QUIET_MS = 31 * 60_000;
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
  { weight: 2, arbitrary: fc.record({ do: fc.constant("unwant" as const), who, which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remember" as const), who, which }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
);

function bodyOf({ bodies }: Pick<World, "bodies">, index: number): Body {
  const body = bodies[index];
  if (body === undefined) throw new Error("there is nobody of that number");
  return body;
}

function perform(world: World, one: Act): void {
  if (one.do === "delete") deleteLine(world, one.which);
  else if (one.do === "forget") forget(world, bodyOf(world, one.who));
  else if (one.do === "optout") optOut(world, bodyOf(world, one.who));
  else Object.assign(bodyOf(world, one.who), newName(world.next));
}

function chat(world: World, lines: number, naming: number | null): void {
  const named = naming === null ? null : bodyOf(world, naming);
  const speakers = world.bodies.filter((body) => body !== named);
  for (let n = 0; n < lines; n += 1) {
    say(world, bodyOf({ bodies: speakers }, n % speakers.length), n === 1 ? named : null);
  }
}

function timeOut({ rig, said, removed }: World, body: Body): void {
  for (const [id, line] of said) if (line.body === body) removed.add(id);
  rig.events.remove({ by: "person", channel: CHANNEL, userId: body.userId, login: "" });
}

function remember({ rig }: World, body: Body, number: number): void {
  const fact = `keeps seashell ${number}`;
  if (rig.memory.requests.remember(CHANNEL, body.userId, fact).kind === "done") body.isGone = false;
}

async function compact({ rig, meanwhile }: World, act: (() => void) | null): Promise<void> {
  meanwhile.act = act;
  rig.clock.nowMs += QUIET_MS;
  await rig.memory.run();
  meanwhile.act = null;
}

async function take(world: World, one: Step): Promise<void> {
  switch (one.do) {
    case "chat":
      chat(world, one.lines, one.naming);
      break;
    case "optin":
      optIn(world, bodyOf(world, one.who));
      break;
    case "timeout":
      timeOut(world, bodyOf(world, one.who));
      break;
    case "unwant":
      unwant(world, bodyOf(world, one.who), one.which);
      break;
    case "remember":
      remember(world, bodyOf(world, one.who), one.which);
      break;
    case "compact": {
      const { meanwhile } = one;
      await compact(world, meanwhile === null ? null : () => perform(world, meanwhile));
      break;
    }
    case "restart":
      await world.rig.restart();
      break;
    default:
      perform(world, one);
  }
}

/** What must be so after every step. Says how much there was to look at. */
function judge(world: World): { readonly notes: number; readonly gone: number } {
  const { rig, bodies } = world;
  const notes = rig.rows<OwnNote>(
    "SELECT subject_id AS who, fact FROM semantic_notes WHERE subject_id IS NOT NULL",
  );
  const claims = rig.rows<OwnClaim>(CLAIMS);
  expect(claims.filter(({ isWithdrawn }) => isWithdrawn === 1)).toEqual([]);
  const lines = rig.rows<{ text: string }>("SELECT text FROM events WHERE text IS NOT NULL");
  const stored = storedTexts(rig.db).map(({ text }) => text);
  const everything = [...stored, ...lines.map(({ text }) => text)].join("\n");
  const lower = everything.toLowerCase();
  for (const body of bodies) {
    judgeNotes(
      body,
      notes.filter(({ who }) => who === body.userId),
    );
    const told = claims.filter(({ who }) => who === body.userId).map(({ fact }) => fact);
    expect([...body.unwanted].filter((topic) => told.join("\n").includes(topic))).toEqual([]);
    if (body.isOut) expect(everything).not.toContain(`{u:${body.userId}}`);
    else if (body.isGone) judgeGone(world, body, lower);
  }
  judgeLines(world, lines, everything);
  const unfounded = `SELECT id FROM semantic_notes n
    WHERE NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = n.id)`;
  expect(rig.rows(unfounded)).toEqual([]);
  return { notes: notes.length, gone: bodies.filter(({ isGone }) => isGone).length };
}

/** With words: a claim that is withdrawn has none. */
const CLAIMS = `SELECT subject_id AS who, statement AS fact, withdrawn_at IS NOT NULL AS isWithdrawn
  FROM episode_claims WHERE statement <> ''`;

interface OwnClaim {
  readonly who: string | null;
  readonly fact: string;
  readonly isWithdrawn: number;
}

interface OwnNote {
  readonly who: string;
  readonly fact: string;
}

function judgeNotes({ userId, isOut, unwanted }: Body, own: readonly OwnNote[]): void {
  if (isOut) expect(own).toEqual([]);
  for (const { fact } of own) {
    expect(fact.match(/\{u:\w+\}/g)).toEqual([`{u:${userId}}`]);
    expect([...unwanted].filter((topic) => fact.includes(topic))).toEqual([]);
  }
}

function judgeGone({ rig }: World, { userId, login }: Body, everything: string): void {
  expect(everything).not.toContain(userId);
  expect(everything).not.toContain(login);
  expect(rig.rows(`SELECT id FROM events WHERE user_id = '${userId}'`)).toEqual([]);
}

/** No removed line has its words, and none of whoever opted out. */
function judgeLines(
  { said, removed }: World,
  lines: readonly { readonly text: string }[],
  everything: string,
): void {
  for (const { text } of lines) {
    const [id = ""] = /m-\d+/.exec(text) ?? [];
    expect(removed.has(id) || said.get(id)?.body.isOut).toBe(false);
  }
  expect([...removed].filter((id) => everything.includes(`line ${id} says`))).toEqual([]);
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
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), async (steps) => {
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
    { numRuns: 1_000 },
  );
  expect(seen.notes).toBeGreaterThan(100);
  expect(seen.gone).toBeGreaterThan(100);
}, 300_000);
