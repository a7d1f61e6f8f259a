import fc from "fast-check";
import { expect, test } from "vitest";
import { NOTE_KIND_NAMES } from "../../src/catalogue/note-kinds.ts";
import { IdentityStore } from "../../src/chat/viewer-store.ts";
import { Fault } from "../../src/errors.ts";
import { EpisodeStore } from "../../src/memory/episode-store.ts";
import { makeFactKey } from "../../src/memory/fact-key.ts";
import { LIFETIMES, RELATIONS } from "../../src/memory/note-prompt.ts";
import { keepCaps } from "../../src/memory/note-settings.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { createPrefixSnapshots } from "../../src/memory/recall/snapshot.ts";
import { RemovalStore } from "../../src/memory/removal-store.ts";
import { MemoryRequests } from "../../src/memory/viewer-requests.ts";
import { ANN, BOB, CHANNEL, operatorRig } from "./operator-rig.ts";
import { asking } from "./recall/memories.ts";

const DAY_MS = 86_400_000;
const FACTS = [
  "is rank 400",
  "is rank 500",
  "plays Valorant",
  "no longer plays Valorant",
  "lives in Bergen",
  "is from Canada",
  "drinks coffee",
  "drinks tea",
  "was diagnosed with asthma",
  "is a mod now",
];

type Step = (at: Bench) => unknown;
type Bench = ReturnType<typeof openBench>;

function openBench() {
  const rig = operatorRig({ viewerNotes: 3 });
  const now = () => rig.clock.nowMs;
  const requests = new MemoryRequests({
    db: rig.db,
    writer: rig.writer,
    episodes: new EpisodeStore(rig.db, now),
    botNames: () => ["automark"],
    readOnly: () => false,
    suppressions: rig.suppressions,
    now,
  });
  const recall = new RecallStore(rig.db);
  return {
    ...rig,
    recall,
    snapshots: createPrefixSnapshots(recall, now),
    requests,
    keepCaps: () => keepCaps(rig.notes, CHANNEL, rig.live.settings),
    identities: new IdentityStore(rig.db, now),
    removals: new RemovalStore(rig.db, now),
    /** One of the notes there are, or a number that none has. */
    pick(at: number): number {
      const ids = rig.rows().map(({ id }) => id);
      return ids[at % (ids.length + 1)] ?? 4_711;
    },
  };
}

const fact = fc.constantFrom(...FACTS);
const person = fc.constantFrom(ANN, ANN, ANN, BOB);
const at = fc.nat({ max: 5_000 });

const learned: fc.Arbitrary<Step> = fc
  .record({
    fact,
    about: fc.oneof({ weight: 3, arbitrary: person }, { weight: 1, arbitrary: fc.constant(null) }),
    scope: fc.constantFrom("channel" as const, "bit" as const),
    kind: fc.constantFrom(...NOTE_KIND_NAMES),
    importance: fc.constantFrom("low" as const, "medium" as const, "high" as const),
    relation: fc.constantFrom(...RELATIONS),
    lifetime: fc.constantFrom(null, ...LIFETIMES),
    at,
  })
  .map(({ about, scope, at: note, fact: text, ...rest }) => (bench: Bench) => {
    const over = about === null ? { subjectId: null, scope } : { subjectId: about };
    const [before, sure] = [livesOf(bench), confidences(bench)];
    const { verdict } = bench.learn(text, { ...rest, ...over, noteId: bench.pick(note) });
    const after = livesOf(bench);
    for (const [id, { endsAtMs }] of before) {
      expect(after.get(id)?.endsAtMs ?? FOREVER, JSON.stringify(verdict)).toBeGreaterThanOrEqual(
        endsAtMs,
      );
    }
    if (rest.relation !== "replaces" || verdict.kind !== "confirm") return;
    expect(verdict).toMatchObject({ reason: "model_replaces", replacesId: expect.any(Number) });
    expect(confidences(bench).get(verdict.noteId)).toBe(sure.get(verdict.noteId));
    expect(after.has(verdict.replacesId ?? 0)).toBe(false);
  });

const FOREVER = Number.MAX_SAFE_INTEGER;

/** When each active note runs out. */
function livesOf(bench: Bench) {
  const rows = bench.all<{ id: number; endsAtMs: number }>(
    `SELECT id, coalesce(expires_at, ${FOREVER}) AS endsAtMs FROM semantic_notes WHERE status = 'active'`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Of every note: one that waited may come into force by what confirms it. */
function confidences(bench: Bench) {
  const rows = bench.all<{ id: number; confidence: number }>(
    "SELECT id, confidence FROM semantic_notes",
  );
  return new Map(rows.map(({ id, confidence }) => [id, confidence]));
}

const asked: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(person, fact).map(
    ([who, text]) =>
      (bench: Bench) =>
        bench.requests.remember(CHANNEL, who, text),
  ),
  fc.tuple(person, fact, at).map(
    ([who, text, note]) =>
      (bench: Bench) =>
        bench.requests.correct(CHANNEL, who, bench.pick(note), text),
  ),
  fc.tuple(person, at).map(
    ([who, note]) =>
      (bench: Bench) =>
        bench.requests.forget(CHANNEL, who, bench.pick(note)),
  ),
);

const decided: fc.Arbitrary<Step> = fc
  .record({
    fact,
    about: fc.oneof(person, fc.constant(null)),
    one: at,
    other: at,
    flag: fc.boolean(),
  })
  .chain(({ fact: text, about, one, other, flag }) =>
    fc.constantFrom<Step>(
      ({ add }) => add(text, about),
      ({ operator, pick }) => operator.edit(pick(one), text),
      ({ operator, pick }) => operator.approve([pick(one)]),
      ({ operator, pick }) => operator.reject([pick(one)]),
      ({ operator, pick }) => operator.supersede(pick(one), pick(other)),
      ({ operator, pick }) => operator.undo(pick(one)),
      ({ operator, pick }) => operator.pin([pick(one)], flag),
      ({ operator, pick }) => operator.forget([pick(one), pick(other)]),
    ),
  );

const passing: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(1, 8, 40, 200).map((days) => ({ clock, notes }: Bench) => {
    clock.nowMs += days * DAY_MS;
    notes.expire();
    notes.makeStale();
  }),
  // No sweep comes by: what ran out is still in its row.
  fc.constantFrom(1, 8, 40).map((days) => ({ clock }: Bench) => {
    clock.nowMs += days * DAY_MS;
  }),
  fc.integer({ min: 1, max: 4 }).map((max) => (bench: Bench) => {
    const { settings } = bench.live;
    const caps = { ...settings.caps, viewerNotes: max, channelNotes: max };
    bench.live.settings = { ...settings, caps };
    bench.keepCaps();
  }),
  fc
    .constantFrom("auto" as const, "shadow" as const, "manual" as const)
    .map((mode) => ({ live }: Bench) => {
      live.settings = { ...live.settings, mode };
    }),
  at.map((nth) => (bench: Bench) => removeChat(bench, nth)),
  fc.boolean().map(
    (isMerge) =>
      ({ identities }: Bench) =>
        isMerge ? identities.merge(ANN, BOB) : identities.separate(ANN, BOB),
  ),
);

/** A moderator removes the message behind a claim. */
function removeChat({ db, removals, clock }: Bench, nth: number): void {
  const claims = db
    .prepare<[], { id: number }>("SELECT id FROM episodes WHERE kind = 'window' ORDER BY id")
    .all();
  const episode = claims[nth % Math.max(1, claims.length)];
  if (episode === undefined) return;
  db.prepare(
    "INSERT INTO removed_support (event_id, episode_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
  ).run(clock.nowMs, episode.id);
  removals.settle();
}

/** What is refused changes nothing; anything else that is thrown is a bug. */
function attempt(bench: Bench, step: Step): void {
  const before = JSON.stringify(bench.rows());
  try {
    step(bench);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    expect(JSON.stringify(bench.rows())).toBe(before);
  }
}

/** The notes that a prompt, `!memory` or the prefix would show now. */
function shownIn({ recall, snapshots, clock }: Bench): number[] {
  const of = { channel: CHANNEL, nowMs: clock.nowMs };
  const asked = { ...of, limit: 50 };
  return [
    ...[ANN, BOB].flatMap((userId) => recall.lore(asking("", { ...of, userId }))),
    ...recall.channelNotes({ ...asked, scope: "channel" }),
    ...recall.channelNotes({ ...asked, scope: "bit" }),
    ...snapshots(CHANNEL).snapshot.notes,
  ].map(({ id }) => id);
}

/** Gives how many notes have run out that no sweep has taken yet. */
function checkLives(bench: Bench): number {
  const over = bench.all<{ id: number }>(
    `SELECT id FROM semantic_notes WHERE status = 'active' AND expires_at <= ${bench.clock.nowMs}`,
  );
  const shown = new Set(shownIn(bench));
  expect(over.filter(({ id }) => shown.has(id))).toEqual([]);
  const endless = `SELECT id FROM semantic_notes WHERE status = 'active' AND pinned = 0
    AND lifetime IN ('1d', '3d', '7d', '30d') AND expires_at IS NULL`;
  expect(bench.all(endless)).toEqual([]);
  return over.length;
}

function checkLaws(bench: Bench): void {
  const rows = bench.rows();
  const bare = bench.all(
    "SELECT id FROM semantic_notes WHERE id NOT IN (SELECT note_id FROM note_evidence)",
  );
  expect(bare).toEqual([]);
  // What ran out is not in force, though no sweep has said so yet.
  const over = new Set(
    bench
      .all<{ id: number }>(
        `SELECT id FROM semantic_notes WHERE pinned = 0 AND expires_at <= ${bench.clock.nowMs}`,
      )
      .map(({ id }) => id),
  );
  const active = rows.filter(({ id, status }) => status === "active" && !over.has(id));
  const keys = active.map(({ who, fact: text }) => `${who} ${makeFactKey(text)}`);
  expect(new Set(keys).size, JSON.stringify(active)).toBe(keys.length);
  const next = new Map(rows.map(({ id, by }) => [id, by]));
  for (const { id, by, status } of rows) {
    if (by !== null) expect(status).toBe("superseded");
    let end: number | null = id;
    for (let hop = 0; end !== null && hop <= rows.length; hop += 1) end = next.get(end) ?? null;
    expect(end, `a cycle behind note ${id}`).toBeNull();
  }
  const { viewerNotes, channelNotes } = bench.live.settings.caps;
  for (const who of [ANN, BOB, null]) {
    // Facts that the streamer writes about the channel do not count.
    const own = active.filter(
      (row) => row.who === who && !(who === null && row.source === "operator"),
    );
    const kept = own.filter((row) => row.pinned === 1 || row.source === "viewer_request").length;
    const max = who === null ? channelNotes : viewerNotes;
    expect(own.length).toBeLessThanOrEqual(Math.max(max, kept));
  }
}

test("no sequence of writes makes a note without evidence, two active notes with one key, a cycle, a count above a cap, a shorter life, or shows what ran out", () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: learned },
      { weight: 1, arbitrary: asked },
      { weight: 4, arbitrary: decided },
      { weight: 2, arbitrary: passing },
    ),
    {
      minLength: 60,
      maxLength: 90,
    },
  );
  let [changed, ranOut] = [0, 0];
  fc.assert(
    fc.property(steps, (sequence) => {
      const bench = openBench();
      try {
        for (const step of sequence) {
          attempt(bench, step);
          checkLaws(bench);
          ranOut += checkLives(bench);
        }
        changed += bench.rows().filter(({ status }) => status !== "active").length;
      } finally {
        bench.db.close();
      }
    }),
    { numRuns: 12 },
  );
  expect(changed).toBeGreaterThan(25);
  expect(ranOut).toBeGreaterThan(5);
});
