import { expect, test } from "vitest";
import type { openDatabase } from "../../src/database/open-database.ts";
import { ANN, BOB, operatorRig, refusal } from "./operator-rig.ts";

const FACT = `{u:${ANN}} keeps a talking parrot`;

/** Every text that memory holds, in one. */
function remembered(db: ReturnType<typeof openDatabase>): string {
  const texts = [
    "SELECT fact || topics || words AS t FROM semantic_notes",
    "SELECT statement AS t FROM episode_claims",
    "SELECT topic || summary AS t FROM episodes",
    "SELECT coalesce(fact, '') || coalesce(offer_json, '') AS t FROM note_candidates",
    "SELECT coalesce(recap, '') AS t FROM stream_sessions",
  ];
  return texts.flatMap((sql) => db.prepare<[], string>(sql).pluck().all()).join("\n");
}

test("a forgotten note is gone with its evidence, its claims and what was told of its candidates", () => {
  const rig = operatorRig();
  const id = rig.learned("keeps a talking parrot", { topics: ["parrot"] });
  rig.learn("Keeps a talking parrot!");
  rig.add("collects stamps");
  expect(rig.operator.forget([id])).toEqual([
    { notes: [id], claimsWithdrawn: 2, summariesRewritten: 0 },
  ]);
  expect(remembered(rig.db)).not.toContain("parrot");
  expect(rig.all("SELECT count(*) AS n FROM note_evidence")).toEqual([{ n: 1 }]);
  expect(rig.rows()).toMatchObject([{ fact: `{u:${ANN}} collects stamps` }]);
});

test("claims that were not made into notes yet go, too, so that extraction does not bring it back", () => {
  const rig = operatorRig();
  const id = rig.learned("keeps a talking parrot");
  rig.db.exec(`INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, stage, status, created_at)
      VALUES (900, 'brambleway', 'window', 25, 1, 1, 'summarised', 'pending', 1);
    INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
      VALUES (900, 1, 'viewer', '${ANN}', '${FACT}', '[1]'), (900, 2, 'viewer', '${ANN}', '{u:${ANN}} knits', '[2]'),
             (900, 3, 'viewer', '${BOB}', '{u:${BOB}} keeps a talking parrot', '[3]')`);
  rig.operator.forget([id]);
  expect(
    rig.all(
      "SELECT n, withdrawn_at IS NOT NULL AS gone FROM episode_claims WHERE episode_id = 900",
    ),
  ).toEqual([
    { n: 1, gone: 1 },
    { n: 2, gone: 0 },
    { n: 3, gone: 0 },
  ]);
});

test("older notes of a chain that say the same go with it, others stay aside or behind what comes next", () => {
  const rig = operatorRig();
  const typo = rig.add("keeps a talking parot");
  const id = rig.operator.edit(typo, "keeps a talking parrot").id;
  const young = rig.operator.edit(id, "keeps two cats").id;
  const old = rig.add("likes tea");
  rig.operator.supersede(old, young);
  expect(rig.operator.forget([young])).toMatchObject([{ notes: [young] }]);
  expect(rig.row(old)).toMatchObject({ status: "stale", by: null });
  expect(rig.row(id)).toMatchObject({ status: "stale", by: null });
  expect(rig.row(typo)).toMatchObject({ status: "superseded", by: id });
  expect(rig.operator.forget([id, typo])[0]?.notes).toContain(id);
  expect(rig.rows().map((row) => row.id)).toEqual([old]);
});

test("a summary or a recap that states it says only what is left of it, and one that does not is kept", () => {
  const rig = operatorRig();
  rig.db.exec(
    "INSERT INTO stream_sessions (id, channel, started_at, ended_at, recap) VALUES (1, 'brambleway', 1, 2, 'Ann told of a parrot that keeps talking.')",
  );
  const first = rig.learn("keeps a talking parrot");
  const second = rig.learn("keeps a talking parrot");
  rig.db.exec(
    `UPDATE episodes SET session_id = 1, topic = 'parrots', summary = 'The talking parrot of {u:${ANN}} was the topic. Then boats.' WHERE id = ${first.episodeId}`,
  );
  rig.db.exec(
    `INSERT INTO episode_claims (episode_id, n, scope, statement, event_ids_json)
       VALUES (${first.episodeId}, 2, 'channel', 'The boat race is on Friday.', '[1]')`,
  );
  expect(rig.operator.forget([first.noteId ?? 0])).toMatchObject([{ summariesRewritten: 1 }]);
  expect(rig.all("SELECT id, topic, summary FROM episodes ORDER BY id")).toEqual([
    { id: first.episodeId, topic: "", summary: "The boat race is on Friday." },
    { id: second.episodeId, topic: "boats", summary: "The crew talked of boats." },
  ]);
  expect(remembered(rig.db)).not.toContain("parrot");
});

test("a claim that another note rests on says only what that note says", () => {
  const rig = operatorRig();
  const { noteId, episodeId } = rig.learn("keeps a talking parrot");
  rig.db.exec(
    `UPDATE episode_claims SET statement = '{u:${ANN}} keeps a talking parrot and knits socks'`,
  );
  const other = rig.add("knits socks");
  rig.db.exec(
    `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, created_at) VALUES (${other}, ${episodeId}, 1, 'extracted', 1, 1)`,
  );
  rig.operator.forget([noteId ?? 0]);
  expect(remembered(rig.db)).not.toContain("parrot");
  expect(
    rig.all(
      `SELECT statement, withdrawn_at AS gone FROM episode_claims WHERE episode_id = ${episodeId}`,
    ),
  ).toEqual([{ statement: `{u:${ANN}} knits socks`, gone: null }]);
  expect(rig.row(other)).toMatchObject({ status: "active" });
});

test("a note of the channel goes from the summaries that it came from", () => {
  const rig = operatorRig();
  const { noteId } = rig.learn("The soup spoon is called Excalispoon", { subjectId: null });
  expect(rig.operator.forget([noteId ?? 0])).toMatchObject([{ summariesRewritten: 1 }]);
  expect(rig.all("SELECT summary FROM episodes")).toEqual([{ summary: "" }]);
});

test("what was forgotten may be learned again: only a rejection keeps it out", () => {
  const rig = operatorRig();
  rig.operator.forget([rig.learned("keeps a talking parrot")]);
  expect(rig.learn("keeps a talking parrot").verdict).toMatchObject({ kind: "write" });
});

test("an unknown number forgets nothing, also where others are named with it", () => {
  const rig = operatorRig();
  const id = rig.add("knits socks");
  expect(refusal(() => rig.operator.forget([id, 99]))).toContain("there is no note 99");
  expect(rig.rows()).toHaveLength(1);
});
