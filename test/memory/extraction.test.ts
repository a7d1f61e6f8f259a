import { expect, test } from "vitest";
import { accountStore } from "../../src/chat/account-store.ts";
import { offlineModel } from "../../src/lab/offline/offline-model.ts";
import { noteReviewStore } from "../../src/memory/note-review-store.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import type { LlmRequest } from "../../src/platform/models/model-port.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { digestJson, memoryRig, spoken } from "./memory-rig.ts";

interface NoteRow {
  readonly id: number;
  readonly who: string | null;
  readonly fact: string;
  readonly status: string;
  readonly by: number | null;
  readonly confidence: number;
}

const NOTES = `SELECT id, subject_id AS who, fact, status, superseded_by AS "by", confidence
  FROM semantic_notes ORDER BY id`;

/** A memory whose model turns what sailor 1 says last into the one claim of a window, and relates facts by rules. */
function learningRig() {
  const offline = offlineModel();
  const llm = scriptedLlm((request: LlmRequest) => {
    const lines = [...request.tail.matchAll(/^\[(\d+)\] (P\d+): I say: (.*)$/gm)];
    const [, n = "0", label = "", said = ""] = lines.at(-1) ?? [];
    return digestJson(
      said === ""
        ? []
        : [{ subject: label, event_numbers: [Number(n)], statement: `${label} ${said}` }],
    );
  });
  let extractions = 0;
  const counting = {
    ask: <T>(request: LlmRequest<T>) => {
      if (request.purpose === "extract") extractions += 1;
      return (request.purpose === "extract" ? offline : llm).ask(request);
    },
  };
  const rig = memoryRig(counting, openDatabase(":memory:"), { notes: true });
  return {
    ...rig,
    summaries: llm.requests,
    extractions: () => extractions,
    async learn(fact: string | null): Promise<void> {
      rig.sayMany(25);
      if (fact !== null) rig.say(1, `I say: ${fact}`);
      rig.clock.nowMs += 31 * 60_000;
      await rig.memory.run();
    },
    notes: () => rig.rows<NoteRow>(NOTES),
  };
}

test("a fact that is known already is one note with one piece of evidence an episode, at two calls each", async () => {
  const rig = learningRig();
  for (let window = 0; window < 20; window += 1) await rig.learn("plays Valorant");
  expect(rig.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 20 }]);
  expect(rig.notes()).toMatchObject([
    { who: "1001", fact: "{u:1001} plays Valorant", status: "active" },
  ]);
  expect(rig.rows("SELECT count(*) AS n FROM note_evidence")).toEqual([{ n: 20 }]);
  expect(rig.summaries).toHaveLength(20);
  expect(rig.extractions()).toBe(20);
});

test("episodes without facts are never asked about again", async () => {
  const rig = learningRig();
  for (let window = 0; window < 5; window += 1) await rig.learn(null);
  for (let look = 0; look < 5; look += 1) await rig.memory.run();
  expect(rig.summaries).toHaveLength(5);
  expect(rig.extractions()).toBe(0);
});

test.each([
  ["plays Valorant", "no longer plays Valorant"],
  ["is rank 400", "is rank 500"],
  ["is from Canada", "moved to Japan"],
  ["играет в Valorant", "больше не играет в Valorant"],
  ["имеет ранг 400", "имеет ранг 500"],
  ["из Канады", "переехала в Японию"],
  ["はValorantをプレイしている", "はもうValorantをプレイしていない"],
  ["のランクは400", "のランクは500"],
  ["はカナダ出身", "は日本に引っ越した"],
])("%s, then %s: one note counts, and the other points at it", async (before, after) => {
  const rig = learningRig();
  await rig.learn(before);
  await rig.learn(after);
  const [old, fresh] = rig.notes();
  expect(rig.notes()).toHaveLength(2);
  expect(old).toMatchObject({ status: "superseded", by: fresh?.id });
  expect(fresh).toMatchObject({ status: "active", by: null });
});

test("drinks coffee and drinks tea stay two", async () => {
  const rig = learningRig();
  await rig.learn("drinks coffee");
  await rig.learn("drinks tea");
  expect(rig.notes().map(({ status }) => status)).toEqual(["active", "active"]);
});

test("a viewer who is renamed keeps the notes, and who takes the old login gets none", async () => {
  const rig = learningRig();
  await rig.learn("plays Valorant");
  const renamed = spoken(1, "new name, same me", "r-1");
  rig.events.add({
    ...renamed,
    person: { ...renamed.person, login: "captain", displayName: "Captain" },
  });
  const heir = spoken(99, "nice login", "r-2");
  rig.events.add({
    ...heir,
    person: { ...heir.person, login: "sailor_1", displayName: "Sailor_1" },
  });
  rig.events.flush();
  expect(rig.notes().map(({ who }) => who)).toEqual(["1001"]);
  const filter = { channel: null, status: null, words: "", limit: 9 };
  const review = noteReviewStore(rig.db);
  expect(
    review.notes({ ...filter, accounts: [accountStore(rig.db).named("captain").userId] }),
  ).toMatchObject([{ about: "Captain", fact: "Captain plays Valorant" }]);
  expect(
    review.notes({ ...filter, accounts: [accountStore(rig.db).named("sailor_1").userId] }),
  ).toEqual([]);
});

test("twenty looks at one episode leave a note as sure as one does", async () => {
  const rig = learningRig();
  await rig.learn("plays Valorant");
  await rig.learn("plays Valorant");
  const once = rig.notes()[0]?.confidence;
  for (let look = 0; look < 20; look += 1) {
    rig.db.exec(
      "UPDATE episodes SET stage = 'summarised', status = 'pending', next_attempt_at = 0 WHERE id = 2",
    );
    await rig.memory.run();
  }
  expect(rig.notes()[0]?.confidence).toBe(once);
  expect(rig.rows("SELECT count(*) AS n FROM note_evidence")).toEqual([{ n: 2 }]);
});

test("what the policy drops is kept as a candidate with its reason, without a fact that must not be kept", async () => {
  const rig = learningRig();
  await rig.learn("plays Valorant");
  expect(rig.rows("SELECT fact, decision, reason FROM note_candidates")).toEqual([
    { fact: "{u:1001} plays Valorant", decision: "write", reason: "new" },
  ]);
});

test("what cannot even be judged is written down too, without a word of it", async () => {
  const llm = scriptedLlm((request: LlmRequest) => {
    if (request.purpose !== "extract")
      return digestJson([{ subject: "P1", event_numbers: [1], statement: "P1 sails at dawn" }]);
    const note = {
      scope: "viewer",
      subject: "P1",
      claim_numbers: [1],
      fact: "P1 sails at dawn",
      kind: "preference",
      basis: "stated",
      sensitive: false,
      confidence: 0.8,
      importance: "low",
      lifetime: "permanent",
      topics: ["sailing"],
      relation: "new",
      note: null,
    };
    const notes = [note, { ...note, subject: "P77" }, { ...note, claim_numbers: [9] }];
    return JSON.stringify({ notes });
  });
  const rig = memoryRig(llm, openDatabase(":memory:"), { notes: true });
  rig.say(1, "I always go out sailing at dawn");
  rig.sayMany(24);
  await rig.memory.run();
  expect(
    rig.rows("SELECT fact, offer_json IS NULL AS bare, decision, reason FROM note_candidates"),
  ).toEqual([
    { fact: "{u:1001} sails at dawn", bare: 0, decision: "write", reason: "new" },
    { fact: null, bare: 1, decision: "drop", reason: "unknown_subject" },
    { fact: null, bare: 1, decision: "drop", reason: "unknown_claim" },
  ]);
});

test("an extraction that fails waits, is given up after five useless answers, and is told", async () => {
  const llm = scriptedLlm((request: LlmRequest) =>
    request.purpose === "extract"
      ? { failure: "invalid_json" }
      : digestJson([{ subject: "P1", event_numbers: [1], statement: "P1 sails at dawn" }]),
  );
  const rig = memoryRig(llm, openDatabase(":memory:"), { notes: true });
  rig.say(1, "I always go out sailing at dawn");
  rig.sayMany(24);
  for (let look = 0; look < 8; look += 1) {
    await rig.memory.run();
    rig.clock.nowMs += 31 * 60_000;
  }
  expect(llm.requests.filter(({ purpose }) => purpose === "extract")).toHaveLength(5);
  expect(rig.rows("SELECT stage, status, attempts FROM episodes")).toMatchObject([
    { stage: "summarised", status: "failed" },
  ]);
});
