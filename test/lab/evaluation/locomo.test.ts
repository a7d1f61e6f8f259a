import { expect, test } from "vitest";
import { evaluate } from "../../../src/lab/evaluation/evaluate.ts";
import { fromLocomo } from "../../../src/lab/evaluation/locomo.ts";
import { offlineModel } from "../../../src/lab/offline/offline-model.ts";

/** Of that format, and about nobody. */
const SAMPLE = {
  sample_id: "conv/7",
  conversation: {
    speaker_a: "Odile",
    speaker_b: "Bram",
    session_1_date_time: "1:56 pm on 8 May, 2023",
    session_1: [
      { speaker: "Odile", dia_id: "D1:1", text: "I finally restored grandma's loom." },
      { speaker: "Bram", dia_id: "D1:2", text: "Great! I started keeping bees on the roof." },
    ],
    session_2_date_time: "12:05 am on 1 June, 2023",
    session_2: [
      { speaker: "Bram", dia_id: "D2:1", text: "Look!", img_url: ["x"], blip_caption: "a beehive" },
      { speaker: "Odile", dia_id: "D2:2", text: "Nice. I am off to Bergen." },
    ],
  },
  observation: {
    session_1_observation: {
      Odile: [["Odile restored her grandmother's loom.", "D1:1"]],
      Bram: [["Bram keeps bees on the roof.", ["D1:2"]]],
    },
    session_2_observation: { Odile: [["Odile travels to Bergen.", "D2:2"]] },
  },
  session_summary: { session_1_summary: "ignored" },
  event_summary: {},
  qa: [
    { question: "What did Odile restore?", answer: "a loom", evidence: ["D1:1"], category: 4 },
    { question: "What does Bram keep?", answer: "bees", evidence: ["D1:2; D2:1"], category: 1 },
    { question: "Who is the mayor?", adversarial_answer: "?", evidence: ["D1:1"], category: 5 },
    { question: "What was shown?", answer: "a hive", evidence: ["D2:1"], category: 4 },
  ],
};

test("a conversation becomes a scenario with its observations as notes", () => {
  const [converted] = fromLocomo([SAMPLE], "file");
  const scenario = converted?.scenario;
  expect(converted?.left).toEqual({ unanswerable: 1, withoutNote: 1 });
  expect(scenario).toMatchObject({
    name: "locomo-conv-7",
    notes: "given",
    startsAt: "2023-05-08T13:56:00.000Z",
    people: [
      { login: "speaker_a", name: "Odile" },
      { login: "speaker_b", name: "Bram" },
    ],
  });
  expect(scenario?.sessions.map(({ day }) => day)).toEqual([0, (23 * 24 + 10 + 9 / 60) / 24]);
  expect(scenario?.sessions[1]?.lines[0]?.text).toBe("Look! (shares a picture: a beehive)");
  expect(scenario?.facts.map(({ id, about, session }) => [id, about, session])).toEqual([
    ["speaker_a-s1-0", "speaker_a", 0],
    ["speaker_b-s1-0", "speaker_b", 0],
    ["speaker_a-s2-0", "speaker_a", 1],
  ]);
  expect(scenario?.questions).toMatchObject([
    { by: "speaker_a", needs: [["speaker_a-s1-0"]], sessions: [1] },
    { by: "speaker_b", needs: [["speaker_b-s1-0"]], sessions: [1] },
  ]);
});

test("what was converted can be replayed", async () => {
  const scenarios = fromLocomo(SAMPLE, "file").map(({ scenario }) => scenario);
  const llmFor = () => offlineModel();
  const { recall } = await evaluate({
    scenarios,
    strategies: ["shipped"],
    llmFor,
    model: "offline",
  });
  expect(recall[0]?.ranking).toMatchObject({ hits: 2, of: 2 });
});

const withConversation = (over: Readonly<Record<string, unknown>>) => ({
  ...SAMPLE,
  conversation: { ...SAMPLE.conversation, ...over },
});

test.each([
  [null, "my.json"],
  [[], "my.json"],
  [{ conversation: {} }, "my.json"],
  [withConversation({ session_1_date_time: "yesterday" }), "is no date such as"],
  [withConversation({ session_3: [] }), "is no date such as"],
  [{ ...SAMPLE, conversation: { speaker_a: "A", speaker_b: "B" } }, "has no session"],
  [{ ...SAMPLE, qa: [{ question: "", evidence: [] }] }, "my.json"],
  [
    withConversation({
      session_1: [{ speaker: "Odile", dia_id: "D1:1", text: "x".repeat(30_000) }],
    }),
    "my.json",
  ],
])("what is not of that format is refused (%#)", (raw, problem) => {
  try {
    fromLocomo(raw, "my.json");
    expect.unreachable();
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: "Fault", code: "usage" });
    expect(String(thrown)).toContain(problem);
  }
});
