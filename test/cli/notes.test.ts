import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { localDay } from "../../src/platform/config/local-time.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CHANNEL = "lanternroom";

/** A configuration in a folder of its own, and `memory` commands on it. */
function emptyDesk(channel: string | readonly string[] = CHANNEL) {
  const folder = temporaryFolder();
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ channel, dataDir: "data" }));
  const file = join(folder, "data", "forgetmenot.db");
  const run = async (...args: string[]) => {
    const output: string[] = [];
    const errors: string[] = [];
    const exit = await runProgram(["memory", ...args, "--config", config], {
      print: (line) => void output.push(line),
      complain: (line) => void errors.push(line),
      write: () => undefined,
      isTerminal: false,
      columns: () => 80,
      stop: new AbortController().signal,
    });
    return { exit, output: output.join("\n"), errors: errors.join("\n") };
  };
  return { file, run };
}

/** The same over a database with three viewers, one of whom has two accounts. */
function openBot(channel?: readonly string[]) {
  const { file, run } = emptyDesk(channel);
  mkdirSync(dirname(file));
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  db.exec(`
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES
      ('501', 'rosa', 'Rosa', 1, 1), ('502', 'bertie', 'Bertie', 1, 1), ('503', 'rosa_alt', 'Rosa_Alt', 1, 1);
    INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at) VALUES
      ('${CHANNEL}', '501', 1, 1), ('${CHANNEL}', '502', 1, 1)`);
  const said = async (...args: string[]): Promise<string> => {
    const { exit, output, errors } = await run(...args);
    expect(errors).toBe("");
    expect(exit).toBe(0);
    return output;
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { exit, errors } = await run(...args);
    expect(exit).toBe(2);
    return errors;
  };
  const statuses = () =>
    db
      .prepare<[], string>("SELECT id || ' ' || status FROM semantic_notes ORDER BY id")
      .pluck()
      .all();
  return { db, said, refused, statuses };
}

test("a fact is added, corrected, brought back and forgotten, one line each", async () => {
  const { said, statuses, db } = openBot();
  expect(await said("add", "plays the bass with @Bertie", "--viewer", "@rosa")).toBe(
    "note 1: Rosa plays the bass with Bertie",
  );
  expect(await said("edit", "1", "plays the drums")).toBe(
    "note 2: Rosa plays the drums; note 1 is superseded",
  );
  expect(await said("undo", "1")).toBe("note 1 is active again; note 2 is superseded");
  expect(statuses()).toEqual(["1 active", "2 superseded"]);
  expect(await said("add", "plays the bass with @bertie", "--viewer", "id:501")).toBe(
    "note 1 said so already and is confirmed: Rosa plays the bass with Bertie",
  );
  expect(await said("forget", "1", "2", "--yes")).toBe(
    "note 1 is forgotten; 2 claims withdrawn; 0 summaries rewritten\nnote 2 is forgotten; 1 claim withdrawn; 0 summaries rewritten",
  );
  expect(statuses()).toEqual([]);
  expect(db.prepare("SELECT group_concat(statement, '') FROM episode_claims").pluck().get()).toBe(
    "",
  );
});

test("facts about the channel and its jokes are added without a viewer", async () => {
  const { said } = openBot();
  await said("add", "The soup spoon is called Excalispoon");
  await said("add", "Nobody ever sees Gerald move", "--scope", "bit");
  await said("add", "The boat race is in May", "--kind", "event");
  expect(JSON.parse(await said("list", "--json"))).toMatchObject([
    { scope: "channel", kind: "event" },
    { scope: "bit", kind: "running_bit" },
    {
      scope: "channel",
      kind: "profile",
      about: null,
      source: "operator",
      pinned: false,
      persona: null,
    },
  ]);
});

test("notes are pinned, approved, rejected and put behind one another, several at a time", async () => {
  const { said, db, statuses } = openBot();
  for (const fact of ["likes tea", "collects stamps", "mends clocks"])
    await said("add", fact, "--viewer", "rosa");
  expect(await said("pin", "1", "2")).toBe(
    "note 1 is pinned: it stays until it is unpinned\nnote 2 is pinned: it stays until it is unpinned",
  );
  expect(await said("list")).toMatch(/ 2 {2}profile +Rosa +Rosa collects stamps \[pinned\]$/m);
  expect(await said("unpin", "2")).toBe("note 2 is no longer pinned");
  db.exec("UPDATE semantic_notes SET status = 'pending' WHERE id = 3");
  expect(await said("approve", "3")).toBe("note 3 is approved and in force");
  expect(await said("reject", "3", "2")).toBe(
    "note 3 is rejected, and is not learned again\nnote 2 is rejected, and is not learned again",
  );
  expect(await said("undo", "2")).toBe("note 2 is active again");
  expect(await said("supersede", "2", "1")).toBe(
    "note 2 stands behind note 1 now; `forgetmenot memory undo 2` brings it back",
  );
  expect(statuses()).toEqual(["1 active", "2 superseded", "3 rejected"]);
  expect(JSON.parse(await said("undo", "2", "--keep", "--json"))).toEqual({
    id: 2,
    status: "active",
    restored: [2],
    superseded: [],
    evicted: [],
  });
});

test("show tells why a note is there, what it took the place of, and what took its place", async () => {
  const { said } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa");
  await said("edit", "1", "plays the drums");
  await said("edit", "2", "plays the cello");
  const first = await said("show", "1");
  expect(first).toContain("Note 1 in #lanternroom: Rosa plays the bass");
  expect(first).toContain("Its place was taken by note 2, then by note 3.");
  expect(first).toMatch(/episode 1 \(operator\), operator: Rosa plays the bass$/m);
  const last = await said("show", "3");
  expect(last).toContain("rests on 1 episode · not used yet · shared by all personas");
  expect(last).toContain("It took the place of note 2.");
});

test("candidates are listed with what became of them, and counted by reason", async () => {
  const { said, db } = openBot();
  await said("add", "likes tea", "--viewer", "rosa");
  db.exec(`INSERT INTO note_candidates (episode_id, fact, decision, reason, created_at) VALUES
    (1, NULL, 'drop', 'sensitive', 5), (1, '{u:501} is a mod now', 'drop', 'role', 6)`);
  const all = await said("candidates");
  expect(all).toMatch(/drop \(role\) +Rosa is a mod now {2}\[episode 1\]/);
  expect(all).toMatch(/drop \(sensitive\) +\(not kept\)/);
  expect(all).toMatch(/by reason: drop role 1, drop sensitive 1, write new 1$/);
  expect(JSON.parse(await said("candidates", "--reason", "role", "--json"))).toMatchObject({
    candidates: [{ reason: "role", fact: "Rosa is a mod now" }],
    byReason: [{ count: 1 }, { count: 1 }, { count: 1 }],
  });
});

test("two accounts become one person and are told apart again; no note moves", async () => {
  const { said, refused, db } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa_alt");
  expect(await said("merges")).toBe("No accounts are merged.");
  expect(await said("merge", "rosa_alt", "@Rosa")).toBe(
    "rosa_alt and rosa are one person now: rosa, rosa_alt; `forgetmenot memory separate rosa_alt` undoes it",
  );
  expect(await said("merge", "rosa", "rosa_alt")).toMatch(/were one person already/);
  expect(await said("merges")).toMatch(/^rosa_alt → rosa {2}\d{4}-\d\d-\d\d$/);
  expect(await refused("separate", "rosa")).toContain("was not merged into another account");
  expect(await said("separate", "rosa_alt")).toMatch(/^rosa_alt stands alone again/);
  expect(JSON.parse(await said("merges", "--json"))).toEqual([]);
  expect(db.prepare("SELECT subject_id FROM semantic_notes").pluck().all()).toEqual(["503"]);
});

test("importance and lifetime of a note are changed, and show tells them with its property and topics", async () => {
  const { said, refused, db } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa");
  await said("add", "the cup is on sunday");
  db.exec(
    "UPDATE semantic_notes SET property = 'home', property_value = 'Bergen', topics = 'music', last_confirmed_at = 1 WHERE id = 1",
  );
  expect(await said("edit", "1", "--importance", "high", "--lifetime", "3d")).toBe(
    "note 1 has importance high and lifetime 3d now",
  );
  const shown = await said("show", "1");
  expect(shown).toMatch(
    /runs out \d{4}-.* \(lifetime 3d\) · importance high · home: Bergen · topics: music/,
  );
  await said("edit", "1", "--lifetime", "permanent");
  expect(await said("show", "1")).toContain("stays for good (lifetime permanent)");
  expect(await refused("edit", "1")).toContain("nothing to change");
  expect(await refused("edit", "99", "--importance", "low")).toContain("99");
  const ids = async (...filter: string[]) =>
    JSON.parse(await said("list", ...filter, "--json")).map(({ id }: { id: number }) => id);
  expect(await ids("--scope", "channel")).toEqual([2]);
  expect(await ids("--property", "home")).toEqual([1]);
  expect(await ids("--older", "30")).toEqual([1]);
  expect(await ids("--kind", "constraint")).toEqual([]);
  expect(await said("list")).toContain(
    "In force: 1 about viewers, 1 about the channel, 0 running jokes.",
  );
});

test("a note that ran out is listed as expired and not counted in force, before any sweep", async () => {
  const { said, db } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa");
  await said("add", "paints boats", "--viewer", "rosa");
  db.exec("UPDATE semantic_notes SET expires_at = 5 WHERE id = 1");
  const listed = await said("list");
  expect(listed).not.toContain("plays the bass");
  expect(await said("list", "--status", "active")).not.toContain("plays the bass");
  expect(await said("list", "--status", "expired")).toMatch(/plays the bass \[expired\]$/m);
  expect(listed).toContain("In force: 1 about viewers");
  expect(await said("show", "1")).toMatch(/^ran out 1970-/m);
});

test("of an account merged into two, the streamer says which merge to undo; the other stays", async () => {
  const { said, refused } = openBot();
  await said("merge", "rosa_alt", "rosa");
  await said("merge", "rosa_alt", "bertie");
  expect(await refused("separate", "rosa_alt")).toMatch(
    /was merged into (rosa and bertie|bertie and rosa)/,
  );
  expect(await refused("separate", "rosa_alt", "rosa_alt")).toContain(
    "was not merged into rosa_alt",
  );
  expect(await said("separate", "rosa_alt", "rosa")).toBe(
    "rosa_alt is apart from rosa; one person still: bertie, rosa_alt",
  );
  expect(await said("merges")).toMatch(/^rosa_alt → bertie/);
});

test("a merge tells which notes of the two accounts cannot both be true", async () => {
  const { said, db } = openBot();
  await said("add", "lives in Bergen", "--viewer", "rosa");
  await said("add", "lives in Lisbon", "--viewer", "rosa_alt");
  await said("add", "plays the bass", "--viewer", "rosa_alt");
  const homes = db.prepare(
    "UPDATE semantic_notes SET property = 'home', property_value = ? WHERE id = ?",
  );
  homes.run("Bergen", 1);
  homes.run("Lisbon", 2);
  const told = await said("merge", "rosa_alt", "rosa");
  expect(told.split("\n").slice(1)).toEqual([
    "  note 1 (rosa lives in Bergen) and note 2 (rosa_alt lives in Lisbon) cannot both be true: `forgetmenot memory reject 1` lets the older one go",
  ]);
  const conflicts = JSON.parse(await said("merge", "rosa", "rosa_alt", "--json")).conflicts;
  expect(conflicts).toMatchObject([{ older: { id: 1 }, newer: { id: 2 } }]);
  db.exec("UPDATE semantic_notes SET status = 'rejected' WHERE id = 1");
  expect(await said("merge", "rosa", "rosa_alt")).not.toContain("cannot both");
});

test("who opted out is put together with nobody, and a merge with somebody forgotten is listed by id and can be undone", async () => {
  const { said, refused, db } = openBot();
  await said("merge", "rosa_alt", "rosa");
  db.exec("DELETE FROM viewers WHERE user_id = '501'");
  expect(await said("merges")).toMatch(/^rosa_alt → id:501/);
  await said("separate", "rosa_alt");
  db.exec("UPDATE viewers SET opted_out = 1 WHERE user_id = '503'");
  expect(await refused("merge", "rosa_alt", "bertie")).toMatch(/^rosa_alt opted out/);
  expect(await refused("merge", "bertie", "rosa_alt")).toMatch(/^rosa_alt opted out/);
});

test("a login that two accounts had is ambiguous: each may be named by its id", async () => {
  const { said, refused, db } = openBot();
  db.exec("UPDATE viewers SET login = 'rosa', last_seen_at = 86400000 WHERE user_id = '503'");
  const told = await refused("add", "plays the bass", "--viewer", "rosa");
  expect(told).toContain("rosa was the login of 2 accounts");
  expect(told).toContain(`id:503 (seen ${localDay(86_400_000)}) or id:501 (seen ${localDay(1)})`);
  await said("add", "plays the bass", "--viewer", "id:503");
  expect(JSON.parse(await said("list", "--viewer", "id:503", "--json"))).toHaveLength(1);
  expect(JSON.parse(await said("list", "--viewer", "id:501", "--json"))).toHaveLength(0);
});

test.for([
  [["add", "plays the bass", "--viewer", "nobody"], "nobody called nobody was seen"],
  [["add", "is a moderator now", "--viewer", "rosa"], "role or power"],
  [["add", "plays the bass", "--viewer", "rosa", "--scope", "bit"], "do not go together"],
  [["add", "plays the bass", "--kind", "rumour"], "Allowed choices"],
  [["edit", "77", "plays the drums"], "there is no note 77"],
  [["approve", "77"], "see `forgetmenot memory list`"],
  [["undo", "77"], "there is no note 77"],
  [["forget", "77", "--yes"], "there is no note 77"],
  [["pin", "one"], "a whole number"],
  [["supersede", "1"], "missing required argument"],
] as const)("memory %j is refused, with what mends it", async ([args, told]) => {
  const { refused, statuses } = openBot();
  expect(await refused(...args)).toContain(told);
  expect(statuses()).toEqual([]);
});

test("with several channels the one that is meant has to be named", async () => {
  const { said, refused, db } = openBot(["lanternroom", "secondroom"]);
  expect(await refused("add", "The race is in May")).toContain("lanternroom, secondroom");
  expect(await refused("add", "The race is in May", "--channel", "elsewhere")).toContain(
    "not in #elsewhere",
  );
  await said("add", "The race is in May", "--channel", "#SecondRoom");
  expect(db.prepare("SELECT channel FROM semantic_notes").pluck().all()).toEqual(["secondroom"]);
});

test("before the first run there is nothing to change, and nothing is created", async () => {
  const { run, file } = emptyDesk();
  for (const args of [["add", "likes tea"], ["approve", "1"], ["merges"], ["candidates"]]) {
    const { exit, errors } = await run(...args);
    expect(exit).toBe(2);
    expect(errors).toContain("start the bot once");
  }
  expect(existsSync(dirname(file))).toBe(false);
});

test("a list is refused for a person nobody saw and for a status there is none of", async () => {
  const { refused } = openBot();
  expect(await refused("list", "--viewer", "nobodyhere")).toContain("nobody called nobodyhere");
  expect(await refused("list", "--status", "activ")).toContain("Allowed choices are active");
  expect(await refused("search", "")).toContain("nothing to look for");
});

test("a list of one person shows the notes of all their accounts", async () => {
  const { said } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa");
  await said("add", "paints boats", "--viewer", "rosa_alt");
  await said("merge", "rosa_alt", "rosa");
  for (const login of ["rosa", "rosa_alt"])
    expect(JSON.parse(await said("list", "--viewer", login, "--json"))).toHaveLength(2);
});

test("a search finds words in any form and people by part of their name, and not every note by a small word", async () => {
  const { said } = openBot();
  await said("add", "paints the boats", "--viewer", "rosa");
  await said("add", "plays the bass", "--viewer", "bertie");
  expect(await said("search", "boat")).toContain("Rosa paints the boats");
  expect(await said("search", "berti")).toContain("Bertie plays the bass");
  expect(await said("search", "berti")).not.toContain("Rosa");
  expect(await said("search", "the")).toBe("No notes.");
});

test("undoing what a note replaced tells of each note once", async () => {
  const { said } = openBot();
  await said("add", "lives in Porto", "--viewer", "rosa");
  await said("add", "lives in Lima", "--viewer", "rosa");
  await said("supersede", "1", "2");
  expect(await said("undo", "2")).toBe("note 2 stands behind note 1 now; note 1 is in force again");
});

test("what became of candidates stands in columns", async () => {
  const { db, said } = openBot();
  db.exec(`INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, created_at) VALUES (1, '${CHANNEL}', 'window', 1, 1, 1, 1);
    INSERT INTO note_candidates (episode_id, fact, decision, reason, created_at) VALUES
      (1, 'one', 'supersede', 'model_contradicts', 1), (1, 'two', 'drop', 'mood', 1)`);
  const [first = "", second = ""] = (await said("candidates")).split("\n");
  expect(first.indexOf("two")).toBe(second.indexOf("one"));
});

test("a list that is cut says so, and a persona's own note whose it is", async () => {
  const { db, said } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa");
  await said("add", "paints boats", "--viewer", "rosa");
  expect(await said("list", "--limit", "1")).toMatch(/There are more: --limit 2$/);
  expect(JSON.parse(await said("list", "--limit", "1", "--json"))).toHaveLength(1);
  db.exec("UPDATE semantic_notes SET persona = 'Wick' WHERE id = 1");
  const listed = await said("list", "--limit", "2");
  expect(listed).not.toContain("There are more");
  expect(listed).toContain("Rosa plays the bass [of Wick only]");
});
