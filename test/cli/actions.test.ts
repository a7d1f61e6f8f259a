import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Ledger } from "../../src/actions/ledger-store.ts";
import { lockFolder } from "../../src/database/lock.ts";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { makeBotFolder } from "./bot-folder.ts";

const LIVE = { memory: "live", chat: "live", stream: "live", moderation: "live" };
const PEOPLE = `
  INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
    VALUES ('20', 'moss', 'Moss', 1, 1), ('31', 'bob', 'Bob', 1, 1);
  INSERT INTO viewer_channels (channel, user_id, is_moderator, first_seen_at, last_seen_at)
    VALUES ('den', '20', 1, 1, 1), ('den', '31', 0, 1, 1);`;

/** A folder in which every class of actions is live. */
function openBotFolder() {
  const actions = { classes: LIVE };
  return makeBotFolder({ channel: "den", bot: { login: "automark" }, actions });
}

function entry(more: Partial<Parameters<Ledger["record"]>[0]>) {
  return {
    replyId: null,
    channel: "den",
    action: "timeout",
    class: "moderation",
    targetId: "31",
    argsJson: '{"user":"bob","seconds":60}',
    decision: "refuse",
    reason: "not_allowed",
    requestedBy: "31",
    messageId: null,
    waitsFor: null,
    expiresAtMs: null,
    key: String(Math.random()),
    ...more,
  } as const;
}

test("actions lists what was tried, with its reason, by reason and by who asked", async () => {
  const { openDb, run } = openBotFolder();
  const db = openDb();
  db.exec(PEOPLE);
  const ledger = new Ledger(db, Date.now);
  ledger.record(entry({ key: "a" }));
  ledger.record(entry({ key: "b", reason: "protected", targetId: "20", requestedBy: "20" }));
  const { exit, output } = await run("actions", "list");
  expect(exit).toBe(0);
  const [newest, oldest, , byReason, byRequester] = output.split("\n");
  expect(newest).toMatch(/^ +2 .*refuse \(protected\) {2}timeout on moss, asked by moss/);
  expect(oldest).toMatch(
    /^ +1 .*refuse \(not_allowed\) {2}timeout on bob, asked by bob {2}\{"user"/,
  );
  expect(byReason).toContain("refuse not_allowed 1, refuse protected 1");
  expect(byRequester).toContain("moss 1, bob 1");
  const ids = async (...args: string[]) =>
    JSON.parse((await run("actions", "list", ...args, "--json")).output).actions.map(
      ({ id }: { id: number }) => id,
    );
  expect(await ids("--reason", "protected")).toEqual([2]);
  expect(await ids("--requester", "@Bob")).toEqual([1]);
  expect(await ids("--limit", "1")).toEqual([2]);
});

test("a proposal that waits is answered once, and one that does not wait is not", async () => {
  const { openDb, run } = openBotFolder();
  const db = openDb();
  const held = entry({
    decision: "hold",
    reason: "needs_approval",
    waitsFor: "streamer",
    expiresAtMs: Date.now() + 60_000,
  });
  const ledger = new Ledger(db, Date.now);
  const [first, second] = [
    ledger.record({ ...held, key: "a" }),
    ledger.record({ ...held, key: "b" }),
  ];
  const approved = await run("actions", "approve", String(first));
  expect(approved.exit).toBe(0);
  expect(approved.output).toContain("nothing happens: no bot is running here");
  const refused = await run("actions", "refuse", String(second));
  expect(refused.exit).toBe(0);
  expect(refused.output).toContain("no bot is running here");
  expect([first, second].map((id) => ledger.readAnswer(id ?? 0))).toEqual(["approve", "refuse"]);
  const again = await run("actions", "approve", String(first));
  expect(again.exit).toBe(2);
  expect(again.errors).toContain("does not wait for an answer");
});

test("beside a running bot, an answer is said to be what it does", async () => {
  const { openDb, run, folder } = openBotFolder();
  const db = openDb();
  const lock = lockFolder(join(folder, "data"));
  onTestFinished(() => lock.release());
  const held = entry({
    decision: "hold",
    waitsFor: "streamer",
    expiresAtMs: Date.now() + 60_000,
  });
  const id = new Ledger(db, Date.now).record(held);
  const { output } = await run("actions", "approve", String(id));
  expect(output).toContain("the running bot judges it once more");
  expect(output).not.toContain("nothing happens");
});

test("safe on and off flips the switch that the daemon reads", async () => {
  const { openDb, run } = openBotFolder();
  const switches = new SwitchStore(openDb(), Date.now);
  expect((await run("safe", "on")).output).toContain("every action is refused");
  expect(switches.read().safeMode).toBe(true);
  await run("safe", "off");
  expect(switches.read().safeMode).toBe(false);
  expect((await run("safe", "maybe")).exit).toBe(2);
});

const LINE = "[action timeout user=bob seconds=9999]";

test.for([
  ["viewer", LINE, "requester", "refuse (not_allowed)"],
  ["moderator", LINE, null, "hold (needs_yes, waits for the requester): timeout"],
  ["moderator", "[action timeout user=den seconds=1]", "protected", "refuse (protected)"],
  ["streamer", "[action timeout user=moss seconds=1]", "protected", "refuse (protected)"],
  ["streamer", "[action timeout user=automark seconds=1]", "protected", "refuse (protected)"],
  ["streamer", "[action ban user=bob]", "known", "refuse (never)"],
  ["streamer", "[Action clip]", "grammar", "refuse (malformed)"],
  ["viewer", "[action clip]", null, "run (allowed): clip"],
  ["streamer", '[action announce text="!ban bob"]', "arguments", "refuse (guard)"],
  ["streamer", "[action timeout user=nobodyknown seconds=1]", null, "hold (needs_yes"],
] as const)("explain says as a %s what becomes of %s", async ([as, line, rule, verdict]) => {
  const { openDb, run } = openBotFolder();
  openDb().exec(PEOPLE);
  const { exit, output } = await run("actions", "explain", line, "--as", as);
  expect(exit).toBe(0);
  expect(output).toContain(`\n${verdict}`);
  const marked = output.split("\n").filter((text) => text.startsWith("→"));
  expect(marked.map((text) => text.split(/\s+/)[1])).toEqual(rule === null ? [] : [rule]);
});

test.for([
  [
    "moderator",
    "give bob two minutes off",
    null,
    'hold (needs_yes, waits for the requester): timeout {"user":"bob","seconds":"600"}',
  ],
  [
    "moderator",
    "@automark timeout bob 30",
    null,
    'run (allowed): timeout {"user":"bob","seconds":"30"}',
  ],
  ["moderator", "time out carl", "target", "refuse (not_named)"],
  ["moderator", "@automark timeout moss 30", "target", "refuse (not_named)"],
  ["viewer", "@automark timeout bob", "requester", "refuse (not_allowed)"],
] as const)(
  "explain holds the line against the words of a %s: %s",
  async ([as, words, rule, verdict]) => {
    const { openDb, run } = openBotFolder();
    openDb().exec(PEOPLE);
    const { output } = await run("actions", "explain", LINE, "--as", as, "--words", words);
    expect(output).toContain(`\n${verdict}`);
    const marked = output.split("\n").filter((text) => text.startsWith("→"));
    expect(marked.map((text) => text.split(/\s+/)[1])).toEqual(rule === null ? [] : [rule]);
    expect(output).not.toContain("they ask for it in words of their own");
  },
);

test("explain tells what it knows from what it only assumes", async () => {
  const { openDb, run } = openBotFolder();
  const db = openDb();
  db.exec(PEOPLE);
  new Ledger(db, Date.now).record(entry({ decision: "run", reason: "allowed" }));
  const rules = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { output } = await run("actions", "explain", ...args, "--as", "moderator", "--json");
    const { rules: all } = JSON.parse(output);
    return Object.fromEntries(all.map((one: { rule: string }) => [one.rule, one]));
  };
  const seen = await rules(LINE);
  expect(seen["cooldown"]).toMatchObject({ verdict: "cooldown_target", isDeciding: true });
  expect(seen["class"]).toMatchObject({
    verdict: "passes",
    assumed: expect.stringContaining("moderator:manage:banned_users"),
  });
  expect(seen["target"]).toMatchObject({ assumed: null });
  expect(seen["switches"]).toMatchObject({ assumed: null });
  expect(seen["requester"]).toMatchObject({ assumed: expect.stringContaining("--words") });
  const strange = await rules("[action timeout user=nobodyknown seconds=1]");
  expect(strange["target"]).toMatchObject({ assumed: expect.stringContaining("not asked") });
  expect(strange["protected"]).toMatchObject({ assumed: expect.stringContaining("never seen") });
});
