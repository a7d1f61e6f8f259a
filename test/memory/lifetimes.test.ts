import { expect, test } from "vitest";
import { NOTE_KIND_NAMES } from "../../src/catalogue/note-kinds.ts";
import { formatLocalDay } from "../../src/config/local-time.ts";
import { parseExport, readExport, sealExport } from "../../src/memory/export-store.ts";
import { importContent } from "../../src/memory/import-store.ts";
import { LIFETIMES } from "../../src/memory/note-prompt.ts";
import { NoteReview, readNoteNews } from "../../src/memory/note-review-store.ts";
import { calculateExpiry } from "../../src/memory/note-settings.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { countStored } from "../../src/telemetry/report-store.ts";
import { learningRig } from "./learning-rig.ts";
import { ANN, CHANNEL, operatorRig } from "./operator-rig.ts";
import { asking } from "./recall/memories.ts";

const DAY_MS = 86_400_000;

type Rig = ReturnType<typeof operatorRig>;

interface LifeRow {
  readonly fact: string;
  readonly status: string;
  readonly lifetime: string | null;
  readonly confidence: number;
  readonly expires: number | null;
  readonly evidence: number;
}

const LIVES = `SELECT fact, status, lifetime, confidence, expires_at AS expires,
  (SELECT count(*) FROM note_evidence v WHERE v.note_id = n.id) AS evidence FROM semantic_notes n ORDER BY id`;

function livesIn({ all }: Rig): readonly LifeRow[] {
  return all<LifeRow>(LIVES);
}

/** Days until each note runs out; null is never. */
function daysLeft(rig: Rig): readonly (number | null)[] {
  const left = (expires: number) => (expires - rig.clock.nowMs) / DAY_MS;
  return livesIn(rig).map(({ expires }) => (expires === null ? null : left(expires)));
}

/** What one memory exports, another one, or the same, takes over. */
function carryOver(from: Rig, into: Rig): void {
  const exported = readExport(
    { db: from.db, isOptedOut: () => false, now: () => from.clock.nowMs },
    null,
  );
  const parsed = parseExport(sealExport(exported), into.clock.nowMs);
  if (!parsed.ok) throw new Error(parsed.problem);
  const parts = {
    ...{ db: into.db, writer: into.writer, channels: [CHANNEL] },
    ...{ settings: () => into.live.settings, forgottenAtMs: () => null, isOptedOut: () => false },
    now: () => into.clock.nowMs,
  };
  importContent(parts, parsed.content, false);
}

test("a note of one day that is approved lives one day from then on", () => {
  const rig = operatorRig({ mode: "manual" });
  const { noteId } = rig.learn("is packing for a trip", { kind: "event", lifetime: "1d" });
  rig.clock.nowMs += DAY_MS / 2;
  rig.operator.approve([noteId ?? 0]);
  expect(livesIn(rig)).toMatchObject([{ status: "active", lifetime: "1d" }]);
  expect(daysLeft(rig)).toEqual([1]);
});

test.each([["permanent"], [null]])(
  "a note without an end, its lifetime %s, that is said again for one day keeps none",
  async (lifetime) => {
    const rig = learningRig((claims) =>
      claims.map(({ n }) => ({ claims: [n], kind: "profile", lifetime })),
    );
    await rig.learn("comes from Porto");
    rig.sortBy((claims) => claims.map(({ n }) => ({ claims: [n], kind: "state", lifetime: "1d" })));
    await rig.learn("comes from Porto");
    rig.clock.nowMs += 100 * DAY_MS;
    await rig.memory.run();
    expect(rig.notes()).toMatchObject([{ status: "active", lifetime, expires: null }]);
    expect(rig.rows("SELECT count(*) AS n FROM note_evidence")).toEqual([{ n: 2 }]);
  },
);

test("a note of three days that a change took the place of has three days when it comes back", () => {
  const rig = operatorRig();
  const old = rig.learned("is rank 400", { kind: "event", lifetime: "3d" });
  rig.learn("is rank 500", { kind: "event", relation: "replaces", noteId: old });
  rig.clock.nowMs += 10 * DAY_MS;
  rig.operator.undo(old);
  expect(livesIn(rig)).toMatchObject([
    { status: "active", lifetime: "3d" },
    { status: "superseded" },
  ]);
  expect(daysLeft(rig)[0]).toBe(3);
});

test("an expired fact that is said again in place of another is active again", () => {
  const rig = operatorRig();
  rig.learn("drinks tea", { lifetime: "1d" });
  rig.clock.nowMs += 2 * DAY_MS;
  rig.notes.expire();
  const other = rig.learn("drinks coffee").noteId;
  rig.learn("drinks tea", { relation: "replaces", noteId: other });
  const active = rig.rows().filter(({ status }) => status === "active");
  expect(active.map(({ fact }) => fact)).toEqual([`{u:${ANN}} drinks tea`]);
});

test("a longer life that the streamer gave holds through approval, undo, export and import", () => {
  const rig = operatorRig({ mode: "manual" });
  const { noteId } = rig.learn("is fond of kites", { kind: "preference" });
  const id = noteId ?? 0;
  rig.operator.adjust(id, { importance: undefined, lifetime: "permanent" });
  rig.operator.approve([id]);
  expect(daysLeft(rig)).toEqual([null]);
  rig.operator.undo(id);
  rig.operator.approve([id]);
  expect(daysLeft(rig)).toEqual([null]);
  const other = operatorRig();
  carryOver(rig, other);
  expect(livesIn(other)).toMatchObject([{ lifetime: "permanent", expires: null }]);
});

test("export and import keep a lifetime and what is left of it, and a confirmation renews it by that lifetime", () => {
  const rig = operatorRig({ mode: "manual" });
  const { noteId } = rig.learn("is packing for a trip", { kind: "event", lifetime: "3d" });
  rig.operator.approve([noteId ?? 0]);
  const other = operatorRig();
  other.clock.nowMs = rig.clock.nowMs + 2 * DAY_MS;
  carryOver(rig, other);
  expect(livesIn(other)).toMatchObject([{ status: "active", lifetime: "3d" }]);
  expect(daysLeft(other)).toEqual([1]);
  other.learn("is packing for a trip", { kind: "event" });
  expect(daysLeft(other)).toEqual([3]);
});

test("nothing that ran out is read anywhere, whether or not a sweep came by; what is pinned does not run out", () => {
  const rig = operatorRig();
  const [gone, pinned] = ["is packing for a trip", "is back on Monday"].map((fact) =>
    rig.learned(fact, { kind: "event", lifetime: "1d" }),
  );
  rig.learn("hums in elevators", { proves: false, kind: "event", lifetime: "1d" });
  rig.operator.pin([pinned ?? 0], true);
  rig.clock.nowMs += 2 * DAY_MS;
  const now = () => rig.clock.nowMs;
  const recall = new RecallStore(rig.db);
  const asked = asking("what about Monday", { channel: CHANNEL, userId: ANN, nowMs: now() });
  const review = new NoteReview(rig.db, now);
  const listed = (status = "") => ids(review.list({ status }, { limit: 10 }).items);
  const span = {
    channels: JSON.stringify([CHANNEL]),
    fromMs: 0,
    lateMs: now(),
    nowMs: now(),
    countMax: 9,
  };
  const ids = (rows: readonly { readonly id: number }[]): readonly number[] =>
    rows.map(({ id }) => id);
  expect(livesIn(rig).map(({ status }) => status)).toEqual(["active", "active", "shadow"]);
  expect(ids(recall.lore(asked))).toEqual([pinned]);
  expect(listed()).toEqual([pinned]);
  expect(listed("active")).toEqual([pinned]);
  expect(listed("expired")).toEqual([3, gone]);
  expect(review.note(gone ?? 0)?.status).toBe("expired");
  expect(review.countsByScope("")).toEqual({ viewer: 1 });
  expect(review.waiting(10)).toEqual([]);
  expect(review.countToReview()).toBe(0);
  expect(countStored(rig.db, now).notes).toBe(1);
  const news = readNoteNews(rig.db, span);
  expect(news).toMatchObject({ learned: [{ id: pinned }] });
  expect(ids(news.faded)).toEqual([gone, 3]);
  const exported = readExport({ db: rig.db, isOptedOut: () => false, now }, null);
  expect(exported.notes.map(({ fact }) => fact)).toEqual([`{u:${ANN}} is back on Monday`]);
});

test("a pinned note has no end, and one that is unpinned begins its life anew", () => {
  const rig = operatorRig();
  const id = rig.learned("is back on Monday", { kind: "event", lifetime: "3d" });
  rig.operator.pin([id], true);
  expect(daysLeft(rig)).toEqual([null]);
  rig.clock.nowMs += 90 * DAY_MS;
  rig.operator.pin([id], false);
  expect(daysLeft(rig)).toEqual([3]);
  rig.clock.nowMs += DAY_MS;
  rig.operator.pin([id], false);
  expect(daysLeft(rig)).toEqual([2]);
});

test("a confirmation with another day renews the day, and the life until then", () => {
  const rig = operatorRig();
  const day = (days: number) => formatLocalDay(rig.clock.nowMs + days * DAY_MS);
  const exam = { kind: "event", lifetime: null } as const;
  const { noteId } = rig.learn("has an exam", { ...exam, happensOn: day(2) });
  const later = { ...exam, happensOn: day(20) };
  expect(rig.learn("has an exam", later)).toMatchObject({ verdict: { kind: "confirm" }, noteId });
  rig.learn("has an exam", exam);
  const [note] = rig.all<{ day: string; expires: number }>(
    "SELECT happens_on AS day, expires_at AS expires FROM semantic_notes",
  );
  expect(note?.day).toBe(day(20));
  expect((note?.expires ?? 0) - rig.clock.nowMs).toBeGreaterThan(20 * DAY_MS);
});

const NOW = 1_700_000_000_000;
const LEARNED = { source: "extracted" } as const;

test("a fact about a day ahead runs out a week after it, a birthday does not", () => {
  const exam = { ...LEARNED, kind: "state", lifetime: null, happensOn: "2023-12-01" } as const;
  const weekAfter = new Date(2023, 11, 9).getTime();
  expect(calculateExpiry(exam, NOW)).toBe(weekAfter);
  expect(calculateExpiry({ ...exam, happensOn: "2023-11-01" }, NOW)).toBe(NOW + 7 * DAY_MS);
  const property = { name: "birthday", value: "1 December", game: null } as const;
  const birthday = { ...exam, kind: "profile", property } as const;
  expect(calculateExpiry(birthday, NOW)).toBeNull();
});

test("the model's lifetime shortens and never lengthens", () => {
  expect(calculateExpiry({ ...LEARNED, kind: "profile", lifetime: "3d" }, NOW)).toBe(
    NOW + 3 * DAY_MS,
  );
  expect(calculateExpiry({ ...LEARNED, kind: "state", lifetime: "permanent" }, NOW)).toBe(
    NOW + 7 * DAY_MS,
  );
  for (const kind of NOTE_KIND_NAMES.filter((one) => one !== "preference")) {
    for (const lifetime of LIFETIMES) {
      const own =
        calculateExpiry({ ...LEARNED, kind, lifetime: null }, NOW) ?? Number.POSITIVE_INFINITY;
      expect(
        calculateExpiry({ ...LEARNED, kind, lifetime }, NOW) ?? Number.POSITIVE_INFINITY,
      ).toBeLessThanOrEqual(own);
    }
  }
});

test("what a viewer asked to keep stays until they say otherwise", () => {
  for (const kind of NOTE_KIND_NAMES) {
    for (const lifetime of [null, ...LIFETIMES]) {
      expect(calculateExpiry({ kind, lifetime, source: "viewer_request" }, NOW)).toBeNull();
    }
  }
});
