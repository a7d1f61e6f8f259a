import { beforeAll, expect, test } from "vitest";
import {
  AGES,
  type Evaluation,
  evaluate,
  openFactsModel,
  openScriptedModel,
  replay,
} from "../../src/evaluation/replay.ts";
import { giveNotes, ReplayRoom, type StrategyName } from "../../src/evaluation/replay-room.ts";
import {
  getSpeakers,
  layOutTimeline,
  loadScenario,
  type Scenario,
  SHIPPED,
} from "../../src/evaluation/scenario.ts";
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
  const given = CROWDED.facts.map((fact) => ({ fact, subjectId }));
  giveNotes(room, given);
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

const run = (names: readonly string[]): Promise<Evaluation> =>
  evaluate({
    scenarios: names.map(loadScenario),
    strategies: ["seed", "shipped"],
    llmFor: openFactsModel,
    model: "offline",
  });

let whole: Evaluation;
// The dearest thing that the tests do: once, for all of them.
beforeAll(async () => {
  whole = await run(SHIPPED);
}, 120_000);

test("the shipped scenarios tell the strategies apart, and the shipped order holds its bars", () => {
  const { recall, scenarios, survival } = whole;
  const of = (name: StrategyName) => {
    const found = recall.find(({ strategy }) => strategy === name);
    if (found === undefined) throw new Error("not measured");
    return found;
  };
  for (const { strategy, byAge } of recall) {
    const cells = AGES.map((age) => `${age}: ${byAge[age].share.toFixed(2)} of ${byAge[age].of}`);
    process.stdout.write(`${strategy.padEnd(11)} ${cells.join(", ")}\n`);
  }
  const [shipped, seed] = [of("shipped"), of("seed")];
  for (const age of AGES) {
    expect(shipped.byAge[age].of, age).toBeGreaterThanOrEqual(age === "0" ? 9 : 50);
    // What was just told is all that the seed shows; what is asked for outranks it.
    const atLeast = age === "0" ? 0.95 : seed.byAge[age].share;
    expect(shipped.byAge[age].share, age).toBeGreaterThanOrEqual(atLeast);
  }
  expect(seed.byAge["10+"].share).toBeLessThanOrEqual(0.3);
  for (const age of AGES) expect(shipped.byAge[age].share, age).toBeGreaterThanOrEqual(0.9);
  // In scenarios whose notes are made too, a corrected fact is not shown any more.
  expect(shipped.stale).toBe(0);
  expect(survival.note / survival.told).toBeGreaterThanOrEqual(0.9);
  for (const { scenario, audit, prompts } of scenarios) {
    expect(audit, scenario).toMatchObject({ duplicates: 0, orphans: 0 });
    expect(audit.activeNotes, scenario).toBeGreaterThanOrEqual(60);
    expect(prompts.overBudget, scenario).toBe(0);
  }
});

test("the same scenario twice gives the same figures to the last digit, whatever ran before it", async () => {
  const [one, other] = [await run(["corrections"]), await run(["corrections"])];
  expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  const among = whole.scenarios.find(({ scenario }) => scenario === "corrections");
  expect(JSON.stringify(one.scenarios[0])).toBe(JSON.stringify(among));
}, 60_000);

test("a scenario that is not there names the one that was meant", () => {
  expect(() => loadScenario("correction")).toThrow('there is no scenario "correction"');
  try {
    loadScenario("correction");
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: "usage", fix: expect.stringContaining("corrections") });
  }
});

test.each([
  [
    { questions: [{ by: "nobody", text: "hm?", needs: ["home"], sessions: [0] }] },
    "an unknown login",
  ],
  [
    { questions: [{ by: "marlow", text: "hm?", needs: ["fog"], sessions: [0] }] },
    "an unknown fact",
  ],
  [
    { questions: [{ by: "marlow", text: "hm?", needs: ["home"], sessions: [7] }] },
    "an unknown session",
  ],
  [
    { questions: [{ by: "marlow", text: "hm?", needs: ["moved"], sessions: [0] }] },
    "comes before a fact",
  ],
  [
    {
      people: [
        { login: "marlow", name: "a" },
        { login: "marlow", name: "b" },
      ],
    },
    "appears twice",
  ],
  [{ chatter: [] }, "a crowd has nothing to say"],
  [{ sessions: [] }, "sessions"],
  [{ colour: "red" }, "the file: Unrecognized key"],
])("an error names the problem of a scenario: %j", (over, problem) => {
  expect(() => smallScenario(over)).toThrow(problem);
});

test("the same scenario has the same moments every time, in the order of their times", () => {
  const crowds = [{ from: 0, to: 300, perMinute: 400, people: 60 }];
  const scenario = smallScenario({ sessions: [0, 3, 6].map((day) => ({ day, crowds })) });
  const sessions = layOutTimeline(scenario);
  expect(layOutTimeline(scenario)).toEqual(sessions);
  for (const { moments } of sessions) {
    const times = moments.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }
  const perMinute = sessions.map(
    ({ moments }) =>
      moments.filter(({ kind, atMs }) => kind === "line" && atMs >= 180_000 && atMs < 240_000)
        .length,
  );
  expect(Math.max(...perMinute)).toBeGreaterThanOrEqual(400);
});
