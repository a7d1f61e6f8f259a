import { expect, test } from "vitest";
import { NoteReview } from "../../src/memory/note-review-store.ts";
import { ANN, BOB, operatorRig, refusal } from "./operator-rig.ts";

/** What somebody has one of at a time. */
const rank = (value: string) => ({ property: { name: "rank", value, game: null } }) as const;

test("approval puts a waiting note in force, and what it was meant to replace goes only then", () => {
  const rig = operatorRig();
  const old = rig.learn("is rank 400", rank("400")).noteId ?? 0;
  rig.live.settings = { ...rig.live.settings, mode: "manual" };
  const waiting = rig.learn("is rank 500", rank("500")).noteId ?? 0;
  expect(rig.rows()).toMatchObject([{ status: "active" }, { status: "pending" }]);
  expect(rig.operator.approve([waiting])).toMatchObject([{ status: "active", superseded: [old] }]);
  expect(rig.row(old)).toMatchObject({ status: "superseded", by: waiting });
  expect(refusal(() => rig.operator.approve([waiting]))).toContain("active already");
  rig.operator.undo(waiting, false);
  expect(rig.rows()).toMatchObject([{ status: "active", by: null }, { status: "pending" }]);
});

test.each([
  ["manual", "pending"],
  ["shadow", "shadow"],
  ["auto", "active"],
] as const)(
  "in mode %s a rejected %s note is not learned again, until the rejection is undone",
  (mode, status) => {
    const rig = operatorRig({ mode });
    const id = rig.learn("plays the bass").noteId ?? 0;
    rig.operator.reject([id]);
    expect(rig.learn("plays the bass").verdict).toMatchObject({ reason: "rejected_before" });
    expect(rig.row(id)).toMatchObject({ status: "rejected" });
    rig.operator.undo(id, false);
    expect(rig.row(id)).toMatchObject({ status });
    expect(rig.learn("plays the bass").verdict).toMatchObject({ kind: "confirm" });
  },
);

test("what the streamer adds although it was rejected before is confirmed by what is learned later", () => {
  const rig = operatorRig();
  rig.operator.reject([rig.learn("plays the bass").noteId ?? 0]);
  const id = rig.add("plays the bass");
  expect(rig.learn("plays the bass")).toMatchObject({ noteId: id, verdict: { kind: "confirm" } });
});

test("one note can be put behind another of the same owner, and no chain ever bites its tail", () => {
  const rig = operatorRig();
  const [a, b, c] = [rig.add("likes tea"), rig.add("collects stamps"), rig.add("sings", BOB)];
  rig.operator.supersede(a, b);
  expect(rig.row(a)).toMatchObject({ status: "superseded", by: b });
  expect(refusal(() => rig.operator.supersede(b, a))).toContain("only an active one");
  expect(refusal(() => rig.operator.supersede(b, b))).toContain("cannot replace itself");
  expect(refusal(() => rig.operator.supersede(b, c))).toContain("not about the same");
});

test("undo brings a superseded note back and puts what had taken its place behind it, both ways", () => {
  const rig = operatorRig();
  const old = rig.add("plays the bass");
  const { id } = rig.operator.edit(old, "plays the drums");
  rig.operator.undo(old, false);
  expect(rig.row(old)).toMatchObject({ status: "active", by: null });
  expect(rig.row(id)).toMatchObject({ status: "superseded", by: old });
  rig.operator.undo(id, false);
  expect(rig.row(old)).toMatchObject({ status: "superseded", by: id });
  expect(rig.row(id)).toMatchObject({ status: "active", by: null });
});

test("undo with both kept leaves the two in force", () => {
  const rig = operatorRig();
  const old = rig.learn("drinks tea").noteId ?? 0;
  const young = rig.learn("drinks coffee", { relation: "replaces", noteId: old }).noteId ?? 0;
  expect(rig.row(old)).toMatchObject({ status: "superseded" });
  rig.operator.undo(old, true);
  expect([rig.row(old)?.status, rig.row(young)?.status]).toEqual(["active", "active"]);
});

test("undo is refused where nothing was decided, and where another note says the same by now", () => {
  const rig = operatorRig();
  const id = rig.add("plays the bass");
  expect(refusal(() => rig.operator.undo(id, false))).toContain("nothing to undo");
  rig.operator.reject([id]);
  const again = rig.add("plays the bass");
  expect(refusal(() => rig.operator.undo(id, false))).toContain(`note ${again} says the same`);
  expect(rig.row(id)).toMatchObject({ status: "rejected" });
});

test("what comes back lives for as long as its kind does, from now on", () => {
  const rig = operatorRig();
  const old = rig.learn("is rank 400", { kind: "state" }).noteId ?? 0;
  rig.operator.edit(old, "is rank 500");
  rig.clock.nowMs += 400 * 86_400_000;
  rig.operator.undo(old, false);
  rig.notes.expire();
  rig.notes.retire(rig.clock.nowMs - 180 * 86_400_000);
  expect(rig.row(old)).toMatchObject({ status: "active" });
});

test("at a full viewer approval, undo and the streamer's word make room by the rule, and never go themselves", () => {
  const rig = operatorRig({ viewerNotes: 2 });
  const a = rig.learn("likes tea").noteId ?? 0;
  rig.clock.nowMs += 1_000;
  const b = rig.learn("collects stamps").noteId ?? 0;
  rig.live.settings = { ...rig.live.settings, mode: "manual" };
  const waiting = rig.learn("swims in rivers").noteId ?? 0;
  expect(rig.operator.approve([waiting])).toMatchObject([{ status: "active", evicted: [a] }]);
  rig.clock.nowMs += 1_000;
  const c = rig.add("mends clocks");
  expect(
    rig
      .rows()
      .filter(({ status }) => status === "active")
      .map(({ id }) => id),
  ).toEqual([waiting, c]);
  rig.operator.reject([waiting]);
  rig.live.settings = { ...rig.live.settings, mode: "auto" };
  rig.learn("knits");
  rig.clock.nowMs += 1_000;
  rig.operator.undo(waiting, false);
  expect(
    rig
      .rows()
      .filter(({ status }) => status === "active")
      .map(({ id }) => id),
  ).toEqual([waiting, c]);
  expect(rig.row(b)).toMatchObject({ status: "expired" });
});

test("where all is pinned nothing comes in, and it is said so", () => {
  const rig = operatorRig({ viewerNotes: 1 });
  const id = rig.add("likes tea");
  rig.operator.pin([id], true);
  expect(refusal(() => rig.add("collects stamps"))).toContain(
    "all of them were pinned or asked for",
  );
  expect(rig.learn("collects stamps").noteId).not.toBeNull();
  expect(rig.rows()).toMatchObject([{ status: "active" }, { status: "expired" }]);
});

test("of several decisions all are done, or none", () => {
  const rig = operatorRig();
  const id = rig.add("likes tea");
  expect(refusal(() => rig.operator.reject([id, 99]))).toContain("there is no note 99");
  expect(rig.row(id)).toMatchObject({ status: "active" });
});

test("a replaced name is deleted with its claim, whoever replaces it", () => {
  const rig = operatorRig();
  const learnName = (value: string) =>
    rig.learn(`wants to be called ${value}`, {
      ...{ kind: "profile", property: { name: "name", value, game: null } },
    }).noteId ?? 0;
  learnName("Cinder");
  const second = learnName("Bramble");
  expect(rig.rows()).toMatchObject([{ id: second, status: "active" }]);
  const edited = rig.operator.edit(second, "wants to be called Thistle");
  expect(edited.superseded).toEqual([second]);
  expect(rig.rows()).toMatchObject([{ id: edited.id, kind: "profile" }]);
  expect(rig.all("SELECT statement FROM episode_claims WHERE statement <> ''")).toEqual([
    { statement: `{u:${ANN}} wants to be called Thistle` },
  ]);
});

test("a note that came back was not in force in between", () => {
  const rig = operatorRig();
  const dayMs = 86_400_000;
  const id = rig.add("plays the bass");
  const startMs = rig.clock.nowMs;
  const countAt = (atMs: number) =>
    new NoteReview(rig.db, () => rig.clock.nowMs).list({ atMs }, { limit: 9 }).items.length;
  rig.clock.nowMs = startMs + dayMs;
  rig.operator.reject([id]);
  expect(countAt(startMs)).toBe(1);
  rig.clock.nowMs = startMs + 3 * dayMs;
  rig.operator.undo(id, false);
  expect([2, 3].map((day) => countAt(startMs + day * dayMs))).toEqual([0, 1]);
});
