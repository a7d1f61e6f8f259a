import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { PolicyHistory } from "../../src/memory/memory-policy-store.ts";
import { makeBotFolder } from "./bot-folder.ts";

const FILE = `{
    "channel": "den",
    "bot": { "login": "automark" },
    "memory": { "caps": { "viewerNotes": 30 } },
    "mode": "shadow"
}
`;

/** A folder with a configuration and, unless it never ran, a database beside it. */
function openStudy(hasRun = true) {
  const { folder, file: config, openDb, run } = makeBotFolder(FILE);
  if (hasRun) openDb();
  const written = (): unknown => JSON.parse(readFileSync(config, "utf8"));
  const runMemory = (...args: string[]) => run("memory", ...args);
  return { folder, config, openDb, run: runMemory, written };
}

test("set changes the keys it is told, keeps all else in place, and the indent", async () => {
  const { run, written, config } = openStudy();
  const { exit, output } = await run(
    "policy",
    "set",
    "mode=shadow",
    "memory.caps.channelNotes=80",
    "kinds=profile, preference",
    'approvalKinds=["event"]',
  );
  expect(exit).toBe(0);
  expect(output).toContain("memory.mode: auto → shadow");
  expect(written()).toEqual({
    channel: "den",
    bot: { login: "automark" },
    memory: {
      caps: { viewerNotes: 30, channelNotes: 80 },
      mode: "shadow",
      kinds: ["profile", "preference"],
      approvalKinds: ["event"],
    },
    mode: "shadow",
  });
  const text = readFileSync(config, "utf8");
  expect(Object.keys(Object(written()))).toEqual(["channel", "bot", "memory", "mode"]);
  expect(text.startsWith('{\n    "channel"')).toBe(true);
  expect(existsSync(`${config}.new`)).toBe(false);
});

test.each([
  [["mod=shadow"], "memory.mod is not a key; did you mean mode?"],
  [["mode=quick"], 'memory.mode is "quick", should be one of "auto", "shadow", "manual"'],
  [["caps.viewerNotes=many"], "memory.caps.viewerNotes is"],
  [["caps=3"], "memory.caps is 3, should be an object in braces"],
  [["mode=manual", "nothing"], "nothing: is not KEY=VALUE"],
  [["caps.viewrNotes=3"], "memory.caps.viewrNotes is not a key; did you mean viewerNotes?"],
  [[], "missing required argument 'settings'"],
  [["--shadow", "mode=auto"], "unknown option '--shadow'"],
])("set %j is refused, says why, and changes nothing", async (words, wrong) => {
  const { run, config, openDb } = openStudy();
  const { exit, errors } = await run("policy", "set", ...words);
  expect(exit).toBe(2);
  expect(errors).toContain(wrong);
  expect(readFileSync(config, "utf8")).toBe(FILE);
  expect(new PolicyHistory(openDb(), Date.now).list(5)).toEqual([]);
});

test("before the bot ever ran, set changes the file and makes no database", async () => {
  const { run, written, folder } = openStudy(false);
  expect((await run("policy", "set", "mode=manual")).exit).toBe(0);
  expect(written()).toMatchObject({ memory: { mode: "manual" } });
  expect(existsSync(join(folder, "data"))).toBe(false);
});

test("each set is a numbered policy in the history, with what it changed", async () => {
  const { openDb, run } = openStudy();
  await run("policy", "set", "mode=manual", "noteSeconds=90");
  expect((await run("policy", "set", "caps.viewerNotes=7")).output).toContain("this is policy 2:");
  expect(new PolicyHistory(openDb(), Date.now).list(1)).toMatchObject([
    {
      number: 2,
      source: "cli set",
      changes: [{ key: "memory.caps.viewerNotes", from: 30, to: 7 }],
    },
  ]);
});

test("set first shows what the change decides about recorded candidates", async () => {
  const { run, openDb } = openStudy();
  const offer = {
    ...{ version: 2, scope: "viewer", subjectId: "1", kind: "preference", property: null },
    ...{ topics: [], confidence: 0.9, importance: "medium", lifetime: null, sensitive: false },
    ...{ aboutBot: false, claims: [{ episodeId: 1, n: 1 }], isWeak: false, carriers: 1 },
    ...{ relation: "new", noteId: null, source: "extracted", model: null },
  };
  const db = openDb();
  db.exec(
    `INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, created_at)
     VALUES (1, 'den', 'window', 1, 1, 1, 1)`,
  );
  db.prepare(
    `INSERT INTO note_candidates (episode_id, fact, decision, reason, created_at, offer_json)
       VALUES (1, '{u:1} mends clocks for a museum', 'write', 'new', 1, ?)`,
  ).run(JSON.stringify(offer));
  const { output } = await run("policy", "set", "kinds=profile");
  const lines = output.split("\n");
  expect(lines).toContain("Replayed 1 candidate of the last 30 days.");
  expect(lines).toContain("  someone mends clocks for a museum: write.new → drop.kind_off");
  expect(lines.indexOf("1 would be decided differently:")).toBeLessThan(
    lines.indexOf("Set; this is policy 1:"),
  );
  const { tried } = JSON.parse((await run("policy", "set", "kinds=preference", "--json")).output);
  expect(tried).toMatchObject({
    candidates: 1,
    now: { "drop.kind_off": 1 },
    tried: { "write.new": 1 },
  });
});

test("memory readonly flips the switch", async () => {
  const { run, openDb } = openStudy();
  const switches = new SwitchStore(openDb(), Date.now);
  expect((await run("readonly", "on")).output).toContain("the bot learns nothing until");
  expect(switches.read().readOnly).toBe(true);
  await run("readonly", "off");
  expect(switches.read().readOnly).toBe(false);
  expect((await run("readonly", "maybe")).exit).toBe(2);
});
