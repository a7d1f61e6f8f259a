import { expect, test } from "vitest";
import { layOutTimeline, loadScenario, SHIPPED } from "../../src/evaluation/scenario.ts";
import { smallScenario } from "./small-scenario.ts";

test("each shipped scenario holds together", () => {
  for (const name of SHIPPED) {
    const scenario = loadScenario(name);
    expect(scenario.name).toBe(name);
    expect(scenario.questions.length).toBeGreaterThan(0);
  }
});

test("every viewer who asks has at least thirty other facts", () => {
  for (const name of SHIPPED) {
    const { facts, questions } = loadScenario(name);
    for (const { by, needs, sessions } of questions) {
      const told = facts.filter(
        ({ about, session }) => about === by && session <= Math.min(...sessions),
      );
      const others = told.filter(({ id }) => !needs.flat().includes(id));
      expect(others.length, `${name}: ${by}`).toBeGreaterThanOrEqual(30);
    }
  }
});

test("a scenario that is not there names the one that was meant", () => {
  expect(() => loadScenario("correction")).toThrow('there is no scenario "correction"');
  try {
    loadScenario("correction");
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: "usage", fix: expect.stringContaining("corrections") });
  }
});

test.each([
  [{ questions: [{ by: "nobody", text: "hm?", needs: ["home"], sessions: [0] }] }, "nobody"],
  [{ questions: [{ by: "marlow", text: "hm?", needs: ["fog"], sessions: [0] }] }, "a fact that is"],
  [
    { questions: [{ by: "marlow", text: "hm?", needs: ["home"], sessions: [7] }] },
    "a session that",
  ],
  [
    { questions: [{ by: "marlow", text: "hm?", needs: ["moved"], sessions: [0] }] },
    "is asked before",
  ],
  [
    {
      people: [
        { login: "marlow", name: "a" },
        { login: "marlow", name: "b" },
      ],
    },
    "stands there twice",
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
