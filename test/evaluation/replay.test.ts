import { expect, test } from "vitest";
import { openFactsModel, openScriptedModel, replay } from "../../src/evaluation/replay.ts";
import { openGivenNotes, ReplayRoom } from "../../src/evaluation/replay-room.ts";
import { getSpeakers, layOutTimeline, type Scenario } from "../../src/evaluation/scenario.ts";
import type { Trail } from "../../src/reply/trail.ts";
import { smallScenario } from "./small-scenario.ts";

const strategy = "shipped";

/** Replays with a model that knows the scenario's facts. */
const replayFacts = (scenario: Scenario, more: Partial<Parameters<typeof replay>[0]> = {}) =>
  replay({ strategy, llm: openFactsModel(scenario), scenario, ...more });

test("a fact from chat becomes an episode and a note, and is in the prompt of a question", async () => {
  const settings = { memory: { noteSeconds: 0 } };
  const replayed = await replayFacts(smallScenario(), { settings });
  expect(replayed.fates).toEqual([
    { fact: "home", event: true, episode: true, note: true, prompt: false },
    { fact: "moved", event: true, episode: true, note: true, prompt: true },
  ]);
  expect(replayed.needs).toEqual([
    // Asked in the same stream, before the window closed.
    { age: 0, hasNote: false, isShown: false },
    { age: 1, hasNote: true, isShown: true },
  ]);
  expect(replayed.stale).toBe(0);
  expect(replayed.prompts.prompts).toBe(2);
});

test("the seed shows what was confirmed last, the bot what was asked for", async () => {
  const asked = { by: "marlow", text: "what about that glacier?", needs: ["home"], sessions: [2] };
  const facts = CROWDED.facts.map((fact, n) => ({ ...fact, session: n === 0 ? 0 : 1 }));
  const scenario = { ...CROWDED, facts, questions: [{ ...asked }] };
  const shownBy = async (by: "seed" | "shipped") =>
    (await replayFacts(scenario, { strategy: by })).needs;
  expect(await shownBy("seed")).toEqual([{ age: 2, hasNote: true, isShown: false }]);
  expect(await shownBy("shipped")).toEqual([{ age: 2, hasNote: true, isShown: true }]);
});

test("a scenario may carry the model's answers", async () => {
  const scenario = smallScenario({
    answers: [
      {
        purpose: "summarise",
        when: "i live in Ghent",
        json: {
          topic: "homes",
          summary: "People talked about a cave.",
          claims: [{ subject: "P1", statement: "P1 has a boat in Ghent", event_numbers: [1] }],
        },
      },
      { purpose: "reply", text: "No idea.", again: true },
    ],
  });
  const llm = openScriptedModel(scenario.answers);
  const replayed = await replay({ strategy, scenario, llm });
  expect(replayed.fates[1]).toMatchObject({ fact: "moved", episode: false, note: false });
  expect(replayed.prompts.prompts).toBe(2);
});

/** Fourteen notes, of which the oldest, the least important one, is no match for the others. */
const CROWDED = smallScenario({
  notes: "given",
  facts: [
    { id: "home", about: "marlow", session: 0, fact: "once stood on a glacier" },
    ...Array.from({ length: 13 }, (_, n) => ({
      id: `other-${n}`,
      about: "marlow",
      session: 0,
      fact: `owns kite number ${n + 20}`,
    })),
  ].map((fact, n) => ({
    ...fact,
    note: { kind: n % 2 === 0 ? "event" : "state", importance: n === 0 ? "low" : "high" },
  })),
  questions: [{ by: "marlow", text: "and, what now?", needs: ["home"], sessions: [2] }],
});

test("a model's order decides once it is on", async () => {
  const shownWith = async (rerank: string, ids: readonly number[]) => {
    const llm = openScriptedModel([
      { purpose: "rerank", json: { ids }, again: true },
      { purpose: "reply", text: "Right.", again: true },
    ]);
    const room = new ReplayRoom({
      scenario: CROWDED,
      strategy,
      llm,
      settings: { memory: { recall: { rerank } } },
    });
    try {
      return await lastTrail(room);
    } finally {
      await room.close();
    }
  };
  const off = await shownWith("off", [1]);
  const on = await shownWith("on", [1]);
  const unknown = await shownWith("on", [1, 999]);
  expect(off.rerank).toBeUndefined();
  expect(on.rerank).toMatchObject({ mode: "on", outcome: "ordered" });
  expect(on.rerank?.database[0]).not.toBe(1);
  expect(on.ids["lore"]?.[0]).toBe(1);
  expect(unknown.rerank).toMatchObject({ outcome: "unknown_ids", model: null });
  expect(unknown.ids["lore"]).toEqual(off.ids["lore"]);
});

/** Gives every note in the first session, asks in the last, and reads what the reply's trail says. */
async function lastTrail(room: ReplayRoom): Promise<Trail> {
  let trail: Trail | null = null;
  const subjectId = getSpeakers(CROWDED).get("marlow")?.userId ?? null;
  const given = CROWDED.facts.flatMap((fact) =>
    fact.note === undefined ? [] : [{ fact, note: fact.note, subjectId }],
  );
  openGivenNotes(room.db, room.channel, () => room.clock.nowMs).give(given);
  for (const session of layOutTimeline(CROWDED)) {
    await room.begin(session);
    for (const moment of session.moments) {
      room.clock.nowMs = session.startsAtMs + moment.atMs;
      if (moment.kind !== "ask") continue;
      trail = await room.ask(moment.by, moment.asked.text);
    }
    room.end();
  }
  if (trail === null) throw new Error("there was no prompt");
  return trail;
}
