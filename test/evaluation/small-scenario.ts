import type { Scenario } from "../../src/evaluation/scenario.ts";
import { toScenario } from "../../src/evaluation/scenario.ts";

const CHATTER = [
  "that ledge again",
  "who left the gate open",
  "nice colours in this cave",
  "the drums are back",
  "someone feed the goat",
  "what a jump",
  "left, not right",
  "it is getting dark",
  "the boat leaks",
  "good evening all",
];

/** Two sessions, one viewer who tells where they live, moves, and asks; and what a test wants otherwise. */
export function smallScenario(over: Readonly<Record<string, unknown>> = {}): Scenario {
  return toScenario(
    {
      name: "small",
      about: "for tests",
      channel: "lanternroom",
      notes: "made",
      people: [{ login: "marlow", name: "Marlow" }],
      chatter: CHATTER,
      sessions: [
        {
          day: 0,
          lines: [{ second: 30, by: "marlow", text: "i live in Ghent" }],
          crowds: [{ from: 0, to: 300, perMinute: 8, people: 6 }],
        },
        {
          day: 3,
          lines: [{ second: 30, by: "marlow", text: "i moved to Porto!" }],
          crowds: [{ from: 0, to: 300, perMinute: 8, people: 6 }],
        },
        { day: 6, crowds: [{ from: 0, to: 300, perMinute: 8, people: 6 }] },
      ],
      facts: [
        { id: "home", about: "marlow", session: 0, fact: "lives in Ghent", words: [["ghent"]] },
        {
          id: "moved",
          about: "marlow",
          session: 1,
          fact: "moved to Porto",
          words: [["porto"]],
          replaces: "home",
        },
      ],
      questions: [
        { by: "marlow", text: "where do i live?", needs: ["home"], sessions: [0] },
        { by: "marlow", text: "where do i live these days?", needs: ["moved"], sessions: [2] },
      ],
      ...over,
    },
    "test",
  );
}
