import { expect, test } from "vitest";
import { addRow, addViewer } from "../stand-ins/rows.ts";
import { CHANNEL, openPageRig, ROSA } from "./page-rig.ts";

test.each([
  { q: "", order: "those seen last first" },
  { q: "ro", order: "by login" },
])("people are paged through once each and to the end, $order", async ({ q }) => {
  const rig = await openPageRig();
  for (let n = 0; n < 7; n += 1) {
    addViewer(rig.db, `60${n}`, `Roamer_${n}`, null);
    // Most were seen at one time: a page may end among them.
    const seen = { channel: CHANNEL, user_id: `60${n}`, last_seen_at: n < 5 ? 10 : 20 };
    addRow(rig.db, "viewer_channels", seen);
  }
  const found: string[] = [];
  let after = "";
  for (let page = 0; page < 9; page += 1) {
    const from = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const { items, next } = (await rig.ask(`viewers?limit=2&q=${q}${from}`)).json;
    found.push(...items.map(({ login }: { login: string }) => login));
    if (next === null) break;
    after = next;
  }
  const all = ["rosa", ...Array.from({ length: 7 }, (_, n) => `roamer_${n}`)];
  expect(found.toSorted()).toEqual(all.toSorted());
  if (q !== "") expect(found).toEqual(all.toSorted());
  else expect(found.slice(0, 3)).toEqual(["rosa", "roamer_6", "roamer_5"]);
  expect((await rig.ask("viewers?after=0")).status).toBe(400);
});

test("a list of notes reaches a rare one behind sixty thousand", async () => {
  const rig = await openPageRig();
  rig.db.exec(`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 60000)
    INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, topics, words, confidence, status, source_kind,
      created_at, last_confirmed_at)
    SELECT CASE n WHEN 7 THEN 'elsewhere' ELSE '${CHANNEL}' END, CASE WHEN n IN (7, 9) THEN 'channel' ELSE 'viewer' END,
      CASE WHEN n IN (7, 9) THEN NULL ELSE '${ROSA}' END, CASE n WHEN 8 THEN 'event' ELSE 'preference' END, 'lamp ' || n,
      '', 'lamp', 0.8, 'active', 'extracted', 1, 1 FROM s`);
  const found = async (filter: string): Promise<number[]> => {
    const ids: number[] = [];
    let after = "";
    do {
      const { items, next } = (await rig.ask(`notes?${filter}&limit=1${after}`)).json;
      ids.push(...items.map(({ id }: { id: number }) => id));
      after = next === null ? "" : `&after=${next}`;
    } while (after !== "");
    return ids;
  };
  expect(await found("scope=channel")).toEqual([9, 7]);
  expect(await found("scope=channel&channel=elsewhere")).toEqual([7]);
  expect(await found("kind=event")).toEqual([8]);
  expect(await found("kind=event&q=8")).toEqual([8]);
  const last = (await rig.ask("notes?after=999999999999&limit=1")).json;
  expect(last.items).toMatchObject([{ id: 60000 }]);
});

test("the review of an older stream counts memory's work until its end", async () => {
  const rig = await openPageRig();
  const { db } = rig;
  const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000;
  db.exec("DELETE FROM stream_sessions");
  const stream = (from: number, to: number) =>
    addRow(db, "stream_sessions", {
      ...{ channel: CHANNEL, started_at: hoursAgo(from), ended_at: hoursAgo(to) },
    });
  const older = stream(30, 28);
  stream(3, 1);
  /** A note that was learned so long ago, for which another made room. */
  const learnt = (hours: number) => {
    const at = { started_at: hoursAgo(hours), ended_at: hoursAgo(hours) };
    const episode = addRow(db, "episodes", { channel: CHANNEL, summary: "talk", ...at });
    const fact = { channel: CHANNEL, subject_id: ROSA, fact: `enjoys hour ${hours}` };
    const rests = { note_id: addRow(db, "semantic_notes", fact), episode_id: episode };
    addRow(db, "note_evidence", { ...rests, created_at: hoursAgo(hours) });
    addRow(db, "note_candidates", { episode_id: episode });
    addRow(db, "note_candidates", { episode_id: episode, decision: "evict", reason: "cap" });
  };
  learnt(29);
  learnt(2);
  learnt(2.5);
  const { cookie } = await rig.login();
  const figures = async (path: string) => {
    const { text } = await rig.send(path, { headers: { cookie, accept: "text/html" } });
    const found = [...text.matchAll(/<b>(\d+)<\/b><span>(\w+)<\/span>/g)];
    return Object.fromEntries(found.map(([, value, label]) => [label, Number(value)]));
  };
  expect(await figures(`/review?session=${older}`)).toMatchObject({ learned: 1, forgot: 1 });
  expect(await figures("/review")).toMatchObject({ learned: 2, forgot: 2 });
});
