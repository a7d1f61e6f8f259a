import { writeFileSync } from "node:fs";

import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { localTime } from "../../src/config/local-time.ts";
import { type Db, openDatabase } from "../../src/db/open.ts";
import { normalWords } from "../../src/text/words.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("memory recall shows the notes in order, with terms that add up, and what strict topics leave out", async () => {
  const { db, run } = openDesk();
  remember(db, "keeps {u:9}'s bees", "bees", { id: 1, kind: "preference" });
  remember(db, "is a nurse", "work", { id: 2, kind: "profile" });
  remember(db, "won a chess cup", "chess", { id: 3, kind: "event" });
  const asked = ["memory", "recall", "--viewer", "@Ann", "--message", "are the bees awake?"];
  const { exit, output } = await run(...asked);
  expect(exit).toBe(0);
  const lines = output.split("\n").filter((line) => /^ +\d+ {2}\d/.test(line));
  expect(lines.map((line) => Number.parseInt(line, 10))).toEqual([2, 1, 3]);
  for (const line of lines) {
    const [score = 0, ...terms] = (line.match(/\d\.\d{3}/g) ?? []).map(Number);
    expect(terms.reduce((sum, term) => sum + term, 0)).toBeCloseTo(score, 2);
  }
  expect(output).toContain("keeps Bob's bees (bees)");
  expect(output).toMatch(/\d+ of 800 tokens\./);
  expect(output).toContain("strict leaves out 2 3.");
  const json = JSON.parse((await run(...asked, "--json")).output);
  expect(json).toMatchObject({ viewer: "Ann", topics: "add", strictLeavesOut: [2, 3] });
  expect(json.notes[1]).toMatchObject({ id: 1, shown: true, place: 1, terms: { topic: 0.3 } });
});

test("memory recall follows the configuration: weights, and a ceiling that some notes do not fit under", async () => {
  const { db, run } = openDesk({ memory: { topics: "strict", recall: { loreTokens: 100 } } });
  for (const id of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    const fact =
      "tells at great length of bees and hives and meadows and the smoke that calms them";
    remember(db, fact, "bees", { id, kind: `kind${id}` });
  }
  const { output } = await run(
    "memory",
    "recall",
    "--viewer",
    "ann",
    "--message",
    "bees",
    "--json",
  );
  const { notes, tokens, strictLeavesOut } = JSON.parse(output);
  expect(tokens).toBeLessThanOrEqual(100);
  expect(notes.filter(({ shown }: { shown: boolean }) => shown).length).toBeLessThan(9);
  expect(strictLeavesOut).toEqual([]);
});

test("memory recall gives the places that a reply gives: what was told last is among the ten shown", async () => {
  const { db, run } = openDesk();
  for (let id = 2; id <= 20; id += 1) {
    remember(db, `walked along the river, time ${id}`, "", { id, kind: `kind${id}` });
  }
  remember(db, "dropped a plate", "", { id: 1, kind: "event" });
  db.exec("UPDATE semantic_notes SET last_confirmed_at = last_confirmed_at - 1000 * id");
  const asked = ["memory", "recall", "--viewer", "ann", "--message", "the river?", "--json"];
  const { notes } = JSON.parse((await run(...asked)).output);
  const shown = notes.filter((note: { readonly shown: boolean }) => note.shown);
  expect(shown).toHaveLength(10);
  expect(shown).toContainEqual(expect.objectContaining({ id: 1, fact: "dropped a plate" }));
});

test("memory recall of somebody unknown is wrong usage, and so is a missing message", async () => {
  const { run } = openDesk();
  expect(await run("memory", "recall", "--viewer", "x", "--message", "m")).toMatchObject({
    exit: 2,
  });
  expect(await run("memory", "recall", "--viewer", "ann")).toMatchObject({ exit: 2 });
  const elsewhere = ["--viewer", "ann", "--message", "m", "--channel", "there"];
  expect(await run("memory", "recall", ...elsewhere)).toMatchObject({ exit: 2 });
});

test("memory recall shows nothing about somebody who opted out, as a reply would, and names people in topics", async () => {
  const { db, run } = openDesk();
  remember(db, "keeps bees", "{u:9}, bees", { id: 1, kind: "preference" });
  const asked = ["memory", "recall", "--viewer", "ann", "--message", "bees", "--channel", "#Here"];
  expect((await run(...asked)).output).toContain("keeps bees (Bob, bees)");
  db.exec("UPDATE viewers SET opted_out = 1 WHERE user_id = '7'");
  const { exit, output } = await run(...asked);
  expect([exit, output]).toEqual([0, expect.stringContaining("Nothing: they opted out.")]);
  expect(output).not.toContain("bees (");
  const json = JSON.parse((await run(...asked, "--json")).output);
  expect(json).toMatchObject({ optedOut: true, notes: [], strictLeavesOut: [] });
});

test("explain tells what the ladder cut from what was beyond the ceiling of lore", async () => {
  const { db, run } = openDesk();
  const terms = [0.5, 0, 0, 0, 1];
  const trail = {
    ...FIRST_TRAIL,
    version: 2,
    limitTokens: 3_800,
    ids: { lore: [7] },
    ladder: [{ section: "lore", from: 2, to: 1, savedTokens: 20, droppedIds: [8] }],
    notes: {
      candidates: [7, 8, 9, 10].map((id) => ({ id, score: 0.5, terms })),
      kept: [7],
      dropped: [8, 9],
    },
    loreRead: true,
  };
  addReply(db, JSON.stringify(trail));
  const { output } = await run("explain", "1");
  const fates = [...output.matchAll(/^ +(\d+) {2}0\.500.* {2}(.+)$/gm)].map(([, id, fate]) => [
    id,
    fate,
  ]);
  expect(fates).toEqual([
    ["7", "shown"],
    ["8", "cut for the budget"],
    ["9", "beyond the ceiling of lore"],
    ["10", "not among the first"],
  ]);
});

test("explain tells a reply of an older version, without terms", async () => {
  const { db, run } = openDesk();
  addReply(db, JSON.stringify(FIRST_TRAIL));
  db.exec(`INSERT INTO reply_outcomes VALUES (1, 'positive', 1);
    INSERT INTO action_log (id, reply_id, channel, action, class, decision, reason, created_at, outcome, idempotency_key)
      VALUES (8, 1, 'here', 'clip', 'stream', 'run', 'allowed', 1, 'done', 'k')`);
  const { exit, output } = await run("explain", "1");
  expect(exit).toBe(0);
  expect(output).toContain(`Reply 1 in #here, to Ann (mention), ${localTime(1_000)}`);
  expect(output).toContain("What came of it: positive");
  expect(output).toContain("900 tokens by estimate (× 1.10), 880 by the provider, 500 cached");
  // 380 tokens at 0.30, 500 at 0.03 and 20 at 2.50 dollars a million.
  expect(output).toContain("Cost: $0.000179");
  expect(output).toMatch(/ {2}lore +40\n/);
  expect(output).toMatch(/episodes +3 → 1, saved 300 tokens: 5 6/);
  expect(output).toMatch(/ 7 {2}1\.200 {2}shown/);
  expect(output).toMatch(/ 9 {2}0\.300 {2}not among the first/);
  expect(output).toContain("8  clip: run (allowed), done");
  expect(output).not.toContain("SECRET");
});

test.each([
  ["no trail", null, "It has no trail"],
  ["a damaged one", "{", "Its trail is damaged"],
  ["one of another shape", '{"version":1}', "Its trail is damaged"],
  ["one of a later version", '{"version":99}', "Its trail is damaged"],
])("explain of a reply with %s says so", async (_, trail, told) => {
  const { db, run } = openDesk();
  addReply(db, trail);
  const { exit, output } = await run("explain", "1");
  expect([exit, output]).toEqual([0, expect.stringContaining(told)]);
  expect(JSON.parse((await run("explain", "1", "--json")).output)).toMatchObject({ dollars: null });
});

test("explain tells both orders of a pool that a model was asked about, and whose notes were weighed", async () => {
  const { db, run } = openDesk();
  const terms = [0.5, 0, 0, 0, 1];
  const trail = {
    ...FIRST_TRAIL,
    version: 2,
    limitTokens: 3_800,
    ids: { lore: [7], channelNotes: [3] },
    notes: {
      candidates: [3, 7, 9].map((id) => ({ id, score: 0.5, terms })),
      kept: [3, 7],
      dropped: [],
    },
    loreRead: true,
    rerank: {
      mode: "shadow",
      outcome: "ordered",
      latencyMs: 420,
      database: [7, 9],
      model: [9, 7],
    },
  };
  addReply(db, JSON.stringify(trail));
  const { output } = await run("explain", "1");
  expect(output).toMatch(/of the channel.*\n +3 .*shown\n +about the speaker.*\n +7 .*shown\n +9 /);
  expect(output).toContain("(shadow): ordered, 420 ms; the database's was used");
  expect(output).toMatch(/by the database +7 9\n +by the model +9 7/);
});

test("explain of a number that no reply has is wrong usage", async () => {
  const { run } = openDesk();
  expect(await run("explain", "77")).toMatchObject({ exit: 2, output: "" });
});

const FIRST_TRAIL = {
  version: 1,
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
      { id: 7, score: 1.2 },
      { id: 9, score: 0.3 },
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

function openDesk(file: object = {}) {
  const folder = temporaryFolder();
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ channel: "here", bot: { login: "b" }, ...file }));
  const db = openDatabase(join(folder, "data", "forgetmenot.db"));
  onTestFinished(() => void db.close());
  db.exec(`INSERT INTO channel_state (channel) VALUES ('here');
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
      VALUES ('7', 'ann', 'Ann', 1, 1), ('9', 'bob', 'Bob', 1, 1)`);
  const run = async (...args: string[]) => {
    const printed: string[] = [];
    const exit = await runProgram([...args, "--config", config], {
      print: (text) => printed.push(text),
      complain: () => undefined,
      write: () => undefined,
      isTerminal: false,
      columns: () => 80,
      stop: new AbortController().signal,
    });
    return { exit, output: printed.join("\n") };
  };
  return { db, run };
}

function remember(
  db: Db,
  fact: string,
  topics: string,
  { id, kind }: { readonly id: number; readonly kind: string },
): void {
  db.prepare(
    `INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, topics, words, confidence, status,
       source_kind, created_at, last_confirmed_at)
     VALUES (?, 'here', 'viewer', '7', ?, ?, ?, ?, 0.8, 'active', 'extracted', 1, ?)`,
  ).run(id, kind, fact, topics, normalWords(`${fact} ${topics}`).join(" "), Date.now());
}

function addReply(db: Db, trail: string | null): void {
  db.prepare(
    `INSERT INTO replies (id, channel, user_id, "trigger", state, created_at, sent_at, latency_ms, token_usage_json, text)
     VALUES (1, 'here', '7', 'mention', 'sent', 1000, 2000, 300, ?, 'SECRET')`,
  ).run(trail);
}
