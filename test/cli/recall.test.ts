import { expect, test } from "vitest";
import type { Db } from "../../src/platform/database/open-database.ts";
import { openBotFolder, remember } from "./bot-folder.ts";

test("memory recall shows the notes in order, with terms that add up, and what strict topics leave out", async () => {
  const { db, run } = openBotFolder();
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
  expect(json.notes[1]).toMatchObject({ id: 1, shown: true, terms: { topic: 0.3 } });
});

test("memory recall follows the configuration: weights, and a ceiling that some notes do not fit under", async () => {
  const { db, run } = openBotFolder({ memory: { topics: "strict", recall: { loreTokens: 100 } } });
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

test("memory recall gives the places that a reply gives: where nothing is asked for, what was told last is among the ten shown", async () => {
  const { db, run } = openBotFolder();
  for (let id = 2; id <= 20; id += 1) {
    remember(db, `walked along the river, time ${id}`, "", { id, kind: `kind${id}` });
  }
  remember(db, "dropped a plate", "", { id: 1, kind: "event" });
  db.exec("UPDATE semantic_notes SET last_confirmed_at = last_confirmed_at - 1000 * id");
  const asked = ["memory", "recall", "--viewer", "ann", "--message", "hello!"];
  const { notes } = JSON.parse((await run(...asked, "--json")).output);
  const shown = notes.filter((note: { readonly shown: boolean }) => note.shown);
  expect(shown).toHaveLength(10);
  expect(shown).toContainEqual(expect.objectContaining({ id: 1, fact: "dropped a plate" }));
  const { output } = await run(...asked);
  expect(output.match(/^ +\d+ .* newest .*/gm)).toEqual([
    expect.stringMatching(/^ +1 .* newest +event +dropped a plate$/),
  ]);
});

test("memory recall of somebody unknown is wrong usage, and so is a missing message", async () => {
  const { run } = openBotFolder();
  expect(await run("memory", "recall", "--viewer", "x", "--message", "m")).toMatchObject({
    exit: 2,
  });
  expect(await run("memory", "recall", "--viewer", "ann")).toMatchObject({ exit: 2 });
  const elsewhere = ["--viewer", "ann", "--message", "m", "--channel", "there"];
  expect(await run("memory", "recall", ...elsewhere)).toMatchObject({ exit: 2 });
});

test("memory recall shows nothing about somebody who opted out, as a reply would, and names people in topics", async () => {
  const { db, run } = openBotFolder();
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

test("memory recall shows as many notes as a prompt does at the pace that is given, and says how many", async () => {
  const { db, run } = openBotFolder();
  for (let id = 1; id <= 15; id += 1) {
    remember(db, `walked along river ${id}`, "", { id, kind: `kind${id}` });
  }
  const asked = ["memory", "recall", "--viewer", "ann", "--message", "hello!"];
  const shownAt = async (...pace: string[]) => {
    const json = JSON.parse((await run(...asked, ...pace, "--json")).output);
    const shown = json.notes.filter((note: { readonly shown: boolean }) => note.shown);
    expect(json.shownMax).toBe(shown.length);
    return [json.pace, shown.length];
  };
  expect(await shownAt()).toEqual(["normal", 10]);
  expect(await shownAt("--pace", "quiet")).toEqual(["quiet", 12]);
  expect(await shownAt("--pace", "busy")).toEqual(["busy", 10]);
  expect(await shownAt("--pace", "raid")).toEqual(["raid", 8]);
  const { output } = await run(...asked, "--pace", "raid");
  expect(output).toContain("At a raid pace a prompt shows up to 8 notes.");
  expect((await run(...asked)).output).toContain("At a normal pace a prompt shows up to 10 notes.");
  expect(await run(...asked, "--pace", "brisk")).toMatchObject({ exit: 2 });
});

test.each([
  ["off", false],
  ["shadow", false],
  ["on", true],
])(
  "memory recall with memory.recall.rerank %s tells whether a model may reorder: %s",
  async (rerank, isTold) => {
    const { run } = openBotFolder({ memory: { recall: { rerank } } });
    const asked = ["memory", "recall", "--viewer", "ann", "--message", "bees"];
    const { output } = await run(...asked);
    expect(output.includes("a model may put the first 30 in another order")).toBe(isTold);
    expect(JSON.parse((await run(...asked, "--json")).output)).toMatchObject({
      rerank: isTold ? "on" : "off",
    });
  },
);

test("memory recall takes a viewer by Twitch user id as by login, and an id that was never seen is wrong usage", async () => {
  const { db, run } = openBotFolder();
  remember(db, "keeps bees", "bees", { id: 1, kind: "preference" });
  const by = (viewer: string) =>
    run("memory", "recall", "--viewer", viewer, "--message", "bees", "--json");
  expect(JSON.parse((await by("id:7")).output)).toMatchObject({
    viewer: "Ann",
    notes: [{ id: 1 }],
  });
  expect(JSON.parse((await by("ID:9")).output)).toMatchObject({ viewer: "Bob", notes: [] });
  expect(await by("id:404")).toMatchObject({ exit: 2, output: "" });
});

test("memory recall calls all accounts of the viewer by the name of the one that writes, as a prompt does", async () => {
  const { db, run } = openBotFolder();
  remember(db, "{u:9} keeps bees", "", { id: 1, kind: "preference" });
  const fact = async () => {
    const asked = ["memory", "recall", "--viewer", "ann", "--message", "bees", "--json"];
    return JSON.parse((await run(...asked)).output).notes[0].fact;
  };
  expect(await fact()).toBe("Bob keeps bees");
  db.exec("INSERT INTO identity_aliases VALUES ('9', '7', 1)");
  expect(await fact()).toBe("Ann keeps bees");
});

test("memory recall holds the last three lines of the viewer's against the notes, and says so without their words", async () => {
  const { db, run } = openBotFolder();
  const words = ["lamp", "crab", "harp", "kelp"];
  for (const [at, word] of words.entries()) {
    remember(db, `owns one ${word}`, "", { id: at + 1, kind: "event" });
  }
  const recall = (message: string) => ["memory", "recall", "--viewer", "ann", "--message", message];
  expect((await run(...recall(""))).output).not.toContain("Taken into account");
  expect(await lexicalOf(run, recall(""))).toEqual({ 1: 0, 2: 0, 3: 0, 4: 0 });
  for (const word of words) say(db, "7", `xylophone ${word}`);
  say(db, "9", "lamp");
  const { 1: first, ...last } = await lexicalOf(run, recall(""));
  expect(first).toBe(0);
  for (const lexical of Object.values(last)) expect(lexical).toBeGreaterThan(0.1);
  const { output } = await run(...recall(""));
  expect(output).toContain("Taken into account beside the message: their last 3 lines in chat.");
  expect(output).not.toContain("xylophone");
  db.exec("DELETE FROM events WHERE id <> 4");
  expect((await run(...recall(""))).output).toContain("their last line in chat.");
});

test("memory recall counts the stream's category among the topics", async () => {
  const { db, run } = openBotFolder({ memory: { recall: { topicWeight: 2 } } });
  remember(db, "won a cup", "chess", { id: 1, kind: "event" });
  const topic = async () => {
    const asked = ["memory", "recall", "--viewer", "ann", "--message", "hello there", "--json"];
    return JSON.parse((await run(...asked)).output).notes[0].terms.topic;
  };
  expect(await topic()).toBe(0);
  db.exec("UPDATE channel_state SET category = 'Chess'");
  expect(await topic()).toBe(1);
});

test("memory recall leaves out what strict topics leave out, unless somebody else talks of it", async () => {
  const { db, run } = openBotFolder({ memory: { topics: "strict" } });
  remember(db, "keeps a hive", "bees", { id: 1, kind: "preference" });
  remember(db, "won a cup", "chess", { id: 2, kind: "event" });
  remember(db, "is a nurse", "", { id: 3, kind: "event" });
  const asked = ["memory", "recall", "--viewer", "ann", "--message", "are the bees awake?"];
  const idsNow = async () => {
    const { notes, strictLeavesOut } = JSON.parse((await run(...asked, "--json")).output);
    return [notes.map(({ id }: { readonly id: number }) => id).sort(), strictLeavesOut];
  };
  expect(await idsNow()).toEqual([[1, 3], [2]]);
  expect((await run(...asked)).output).not.toContain("won a cup");
  say(db, "9", "chess, anyone?");
  expect(await idsNow()).toEqual([[1, 2, 3], []]);
});

type Run = ReturnType<typeof openBotFolder>["run"];

async function lexicalOf(run: Run, asked: readonly string[]): Promise<Record<number, number>> {
  const { notes } = JSON.parse((await run(...asked, "--json")).output);
  return Object.fromEntries(
    notes.map((note: { readonly id: number; readonly terms: { readonly lexical: number } }) => [
      note.id,
      note.terms.lexical,
    ]),
  );
}

function say(db: Db, userId: string, text: string): void {
  db.prepare(
    `INSERT INTO events (channel, kind, user_id, text, memorable, created_at, expires_at)
     VALUES ('here', 'message', ?, ?, 1, 1, ?)`,
  ).run(userId, text, Number.MAX_SAFE_INTEGER);
}
