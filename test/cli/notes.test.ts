import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { IdentityStore } from "../../src/chat/viewer-store.ts";
import { formatLocalDay } from "../../src/config/local-time.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { makeBotFolder } from "./bot-folder.ts";

const CHANNEL = "lanternroom";

/** `memory` commands over a database with three viewers, one of whom has two accounts. */
function openBot() {
  const { openDb, run } = makeBotFolder({ channel: CHANNEL });
  const db = openDb();
  db.exec(`
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES
      ('501', 'rosa', 'Rosa', 1, 1), ('502', 'bertie', 'Bertie', 1, 1), ('503', 'rosa_alt', 'Rosa_Alt', 1, 1);
    INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at) VALUES
      ('${CHANNEL}', '501', 1, 1), ('${CHANNEL}', '502', 1, 1)`);
  const said = async (...args: string[]): Promise<string> => {
    const { exit, output, errors } = await run("memory", ...args);
    expect(errors).toBe("");
    expect(exit).toBe(0);
    return output;
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { exit, errors } = await run("memory", ...args);
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

test("a fact is added, confirmed and forgotten, one line each", async () => {
  const { said, statuses, db } = openBot();
  expect(await said("add", "plays the bass with @Bertie", "--viewer", "@rosa")).toBe(
    "note 1: Rosa plays the bass with Bertie",
  );
  expect(await said("add", "plays the bass with @bertie", "--viewer", "id:501")).toBe(
    "note 1 already says so, and is confirmed: Rosa plays the bass with Bertie",
  );
  await said("add", "plays the drums", "--viewer", "rosa");
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

test("each line of a file becomes a pinned fact, and a refused line is named", async () => {
  const { db, said, refused } = openBot();
  const file = join(temporaryFolder(), "facts.txt");
  writeFileSync(
    file,
    "the microphone is a Blue Lark\n\n@rosa likes tea\nsay [action shoutout user=x]\n",
  );
  expect((await said("add", "--file", file)).split("\n")).toEqual([
    "2 facts stored and pinned",
    expect.stringMatching(/^line 4: .*a command or an action/),
  ]);
  const notes = "SELECT scope, subject_id, pinned, expires_at FROM semantic_notes ORDER BY id";
  expect(db.prepare(notes).raw().all()).toEqual([
    ["channel", null, 1, null],
    ["viewer", "501", 1, null],
  ]);
  await refused("add", "--file", `${file}.no`);
  await refused("add", "a fact", "--file", file);
  await refused("add");
});

test("a fact that begins with a viewer's name is about them, or is refused", async () => {
  const { db, said, refused } = openBot();
  await said("add", "@bertie likes tea");
  const notes = db.prepare("SELECT scope, fact FROM semantic_notes");
  expect(notes.all()).toEqual([{ scope: "viewer", fact: "{u:502} likes tea" }]);
  expect(await refused("add", "@nell likes tea")).toContain("nell");
});

test("notes are approved and rejected, several at a time", async () => {
  const { said, db, statuses } = openBot();
  for (const fact of ["likes tea", "collects stamps", "mends clocks"])
    await said("add", fact, "--viewer", "rosa");
  db.exec("UPDATE semantic_notes SET status = 'pending' WHERE id = 3");
  expect(await said("list", "--status", "pending")).toMatch(/Rosa mends clocks \[pending\]$/m);
  expect(await said("approve", "3")).toBe("note 3 is approved and active");
  expect(await said("reject", "3", "2")).toBe(
    "note 3 is rejected, and is not learned again\nnote 2 is rejected, and is not learned again",
  );
  expect(statuses()).toEqual(["1 active", "2 rejected", "3 rejected"]);
});

test("a list is filtered by scope and kind, and ends with what is active", async () => {
  const { said } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa");
  await said("add", "the cup is on sunday");
  const ids = async (...filter: string[]) =>
    JSON.parse(await said("list", ...filter, "--json")).map(({ id }: { id: number }) => id);
  expect(await ids("--scope", "channel")).toEqual([2]);
  expect(await ids("--kind", "constraint")).toEqual([]);
  expect(await said("list")).toContain(
    "Active: 1 about viewers, 1 about the channel, 0 running jokes.",
  );
});

test("a login that two accounts had is ambiguous: each may be named by its id", async () => {
  const { said, refused, db } = openBot();
  db.exec("UPDATE viewers SET login = 'rosa', last_seen_at = 86400000 WHERE user_id = '503'");
  const told = await refused("add", "plays the bass", "--viewer", "rosa");
  expect(told).toContain("rosa was the login of 2 accounts");
  expect(told).toContain(
    `id:503 (seen ${formatLocalDay(86_400_000)}) or id:501 (seen ${formatLocalDay(1)})`,
  );
  await said("add", "plays the bass", "--viewer", "id:503");
  expect(JSON.parse(await said("list", "--viewer", "id:503", "--json"))).toHaveLength(1);
  expect(JSON.parse(await said("list", "--viewer", "id:501", "--json"))).toHaveLength(0);
});

test.for([
  [["add", "plays the bass", "--viewer", "nobody"], "nobody called nobody was seen"],
  [["add", "is a moderator now", "--viewer", "rosa"], "role or power"],
  [["add", "plays the bass", "--viewer", "rosa", "--scope", "bit"], "cannot be used with"],
  [["add", "plays the bass", "--kind", "rumour"], "Allowed choices"],
  [["approve", "77"], "see `forgetmenot memory list`"],
  [["forget", "77", "--yes"], "there is no note 77"],
  [["approve", "one"], "a whole number"],
  [["reject"], "missing required argument"],
] as const)("memory %j is refused, with what fixes it", async ([args, told]) => {
  const { refused, statuses } = openBot();
  expect(await refused(...args)).toContain(told);
  expect(statuses()).toEqual([]);
});

test("a list of one person shows the notes of all their accounts", async () => {
  const { said, db } = openBot();
  await said("add", "plays the bass", "--viewer", "rosa");
  await said("add", "paints boats", "--viewer", "rosa_alt");
  new IdentityStore(db, Date.now).merge("503", "501");
  for (const login of ["rosa", "rosa_alt"])
    expect(JSON.parse(await said("list", "--viewer", login, "--json"))).toHaveLength(2);
});

test("what was active on a day is listed, also if it was replaced since", async () => {
  const { db, said, refused } = openBot();
  const at = (day: string) => new Date(`${day}T12:00`).getTime();
  db.exec(`INSERT INTO semantic_notes (id, channel, scope, kind, fact, confidence, status, source_kind, created_at,
      last_confirmed_at, active_from, ended_at, superseded_by) VALUES
    (2, '${CHANNEL}', 'channel', 'event', 'quiz on fridays', 1, 'active', 'operator', 1, 1, ${at("2026-03-02")}, NULL, NULL),
    (1, '${CHANNEL}', 'channel', 'event', 'quiz on mondays', 1, 'superseded', 'operator', 1, 1, ${at("2026-02-01")},
      ${at("2026-03-02")}, 2)`);
  expect(await said("list", "--at", "2026-03-01")).toContain("quiz on mondays");
  expect(await said("list", "--at", "2026-03-01")).not.toContain("quiz on fridays");
  expect(await said("list", "--at", "2026-03-02")).not.toContain("quiz on mondays");
  for (const day of ["yesterday", "2026-02-30"])
    expect(await refused("list", "--at", day)).toContain("is not a day");
});

test("a day ends at the next midnight, also when the clock changes", async () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { db, said } = openBot();
  const add = db.prepare(
    `INSERT INTO semantic_notes (channel, scope, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at, active_from)
     VALUES ('${CHANNEL}', 'channel', 'event', ?, 1, 'active', 'operator', 1, 1, ?)`,
  );
  add.run("quiz in spring", new Date("2026-03-30T00:30").getTime());
  add.run("quiz in autumn", new Date("2026-10-25T23:30").getTime());
  expect(await said("list", "--at", "2026-03-29")).toBe("No notes.");
  expect(await said("list", "--at", "2026-10-25")).toContain("quiz in autumn");
});
