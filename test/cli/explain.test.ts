import { expect, test } from "vitest";
import { formatLocalTime } from "../../src/config/local-time.ts";
import { addReply, openBotFolder, remember } from "./bot-folder.ts";

test("explain tells what a reply saw, cost, did and came to", async () => {
  const { db, run } = openBotFolder();
  addReply(db, JSON.stringify(TRAIL));
  db.exec(`INSERT INTO reply_outcomes VALUES (1, 'good', 1);
    INSERT INTO action_log (id, reply_id, channel, action, class, decision, reason, created_at, outcome, idempotency_key)
      VALUES (8, 1, 'here', 'clip', 'stream', 'run', 'allowed', 1, 'done', 'k')`);
  const { exit, output } = await run("explain", "1");
  expect(exit).toBe(0);
  expect(output).toContain(`Reply 1 in #here, to Ann (mention), ${formatLocalTime(1_000)}`);
  expect(output).toContain("What came of it: good");
  expect(output).toContain("900 tokens by estimate (× 1.10), 880 by the provider, 500 cached");
  // 380 tokens at 0.30, 500 at 0.03 and 20 at 2.50 dollars a million.
  expect(output).toContain("Cost: $0.000179");
  expect(output).toMatch(/ {2}lore +40 {2}7\n/);
  expect(output).toMatch(/episodes +3 → 1, saved 300 tokens: 5 6/);
  expect(output).toMatch(/ 7 {2}1\.200 = [\d.+ ]+ {2}shown/);
  expect(output).toMatch(/ 9 {2}0\.300 = [\d.+ ]+ {2}not among the first/);
  expect(output).toContain("8  clip: run (allowed), done");
  expect(output).not.toContain("SECRET");
});

test.each([
  ["no trail", null, "It has no trail"],
  ["a damaged one", "{", "Its trail is damaged"],
  ["one of another shape", '{"version":1}', "Its trail is damaged"],
  ["one of a later version", '{"version":99}', "Its trail is damaged"],
])("explain of a reply with %s says so", async (_, trail, told) => {
  const { db, run } = openBotFolder();
  addReply(db, trail);
  const { exit, output } = await run("explain", "1");
  expect([exit, output]).toEqual([0, expect.stringContaining(told)]);
  expect(JSON.parse((await run("explain", "1", "--json")).output)).toMatchObject({ dollars: null });
});

test("explain tells channel notes, bits and episodes that were not shown as what they are", async () => {
  const { db, run } = openBotFolder();
  const terms = [0.5, 0, 0, 0, 1];
  const given = (ids: readonly number[], about: string) =>
    ids.map((id) => ({ id, score: 0.5, terms, about }));
  const trail = {
    ...TRAIL,
    ids: { lore: [7], channelNotes: [1, 2, 11] },
    notes: {
      candidates: [
        ...given([1, 2, 3, 4, 5, 6], "channel"),
        ...given([11, 12, 13], "bit"),
        ...given([7], "lore"),
      ],
      kept: [1, 2, 7, 11],
      dropped: [],
    },
    episodes: { kept: [4], dropped: [5], candidates: [5, 4, 3] },
  };
  addReply(db, JSON.stringify(trail));
  const { output } = await run("explain", "1");
  const groups = [
    ...output.matchAll(/^ {2}(of the channel|running bits|about).*\n((?: {3,}\d.*\n?)+)/gm),
  ];
  expect(groups.map(([, title, rows]) => [title, rows?.match(/^ +\d+/gm)?.map(Number)])).toEqual([
    ["of the channel", [1, 2, 3, 4, 5, 6]],
    ["running bits", [11, 12, 13]],
    ["about", [7]],
  ]);
  expect(output).toContain("Episodes that were candidates and not shown: 5 3\n");
});

test("explain of a number that no reply has is wrong usage", async () => {
  const { run } = openBotFolder();
  expect(await run("explain", "77")).toMatchObject({ exit: 2, output: "" });
});

test("explain tells what each candidate says now, with names, and which are gone", async () => {
  const { db, run } = openBotFolder();
  remember(db, "keeps {u:9}'s bees", "bees", { id: 7, kind: "preference" });
  remember(db, "lives in Oslo", "", { id: 8, kind: "profile" });
  db.exec("UPDATE semantic_notes SET status = 'superseded' WHERE id = 8");
  const ids = [7, 8, 9];
  addReply(
    db,
    trailWith(ids.map((id) => ({ id, score: 1.2, terms: [0.51, 0.12, 0.23, 0.34, 0] }))),
  );
  const { output } = await run("explain", "1");
  expect(output).toMatch(/^ +7 {2}1\.200 .*kept +keeps Bob's bees$/m);
  expect(output).toMatch(/^ +8 .* lives in Oslo \[superseded\]$/m);
  expect(output).toMatch(/^ +9 .* gone$/m);
  const { facts } = JSON.parse((await run("explain", "1", "--json")).output);
  expect(facts).toEqual({
    7: { fact: "keeps Bob's bees", status: "active" },
    8: { fact: "lives in Oslo", status: "superseded" },
    9: null,
  });
});

test.each([
  [null, null, "(× 1.10), not counted by the provider, of a budget of 4000"],
  [880, null, "(× 1.10), 880 by the provider, of a budget of 4000"],
  [880, 500, "(× 1.10), 880 by the provider, 500 cached, of a budget of 4000"],
])(
  "explain tells what the provider counted: %s, %s cached",
  async (promptTokens, cachedTokens, told) => {
    const { db, run } = openBotFolder();
    addReply(db, JSON.stringify({ ...TRAIL, promptTokens, cachedTokens }));
    expect((await run("explain", "1")).output).toContain(told);
  },
);

interface CandidateGiven {
  readonly id: number;
  readonly score: number;
  readonly terms: readonly number[];
}

function trailWith(given: readonly CandidateGiven[]): string {
  const candidates = given.map((one) => ({ ...one, about: "lore" }));
  return JSON.stringify({ ...TRAIL, notes: { candidates, kept: [7], dropped: [] } });
}

const TRAIL = {
  version: 2,
  limitTokens: 3_800,
  ids: { lore: [7] },
  loreRead: true,
  rulesVersion: "3",
  messageKind: "mention",
  pace: "normal",
  budgetTokens: 4_000,
  estimatedTokens: 900,
  correction: 1.1,
  promptTokens: 880,
  cachedTokens: 500,
  outputTokens: 20,
  sections: { persona: 400, lore: 40 },
  prefix: { version: 3, hash: "abc", bytes: 2_000, tokens: 450, fresh: true },
  ladder: [{ section: "episodes", from: 3, to: 1, savedTokens: 300, droppedIds: [5, 6] }],
  notes: {
    candidates: [
      { id: 7, score: 1.2, terms: [1, 0.2, 0, 0, 1], about: "lore" },
      { id: 9, score: 0.3, terms: [0.3, 0, 0, 0, 1], about: "lore" },
    ],
    kept: [7],
    dropped: [],
  },
  episodes: { kept: [4], dropped: [5, 6] },
  model: "gemini-3.5-flash-lite",
  finish: "stop",
  overBudget: false,
  guard: { removed: [], rule: null },
  actions: [],
};
