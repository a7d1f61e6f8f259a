import { expect, test } from "vitest";
import { ActionReview, type LedgerLine } from "../../src/actions/ledger-store.ts";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { ACTION_NAMES } from "../../src/config/names.ts";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { trailSchema } from "../../src/reply/trail.ts";
import { fastTime, type House, type HouseGiven, handTime, openHouse } from "../stand-ins/house.ts";
import { systemPrompt } from "../stand-ins/prompt-seen.ts";
import { CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const LIVE = { memory: "live", chat: "live", stream: "live", moderation: "live" };
const SCOPES = ["user:write:chat", ...ACTION_NAMES.flatMap((name) => ACTIONS[name].scope ?? [])];
const MODERATOR = { userId: "20", login: "moss", displayName: "Moss", badges: "moderator/1" };
const VIEWER = { userId: "30", login: "wren", displayName: "Wren" };
const BOB = { userId: "31", login: "bob", displayName: "Bob" };
const REQUEST = "@automark give bob a minute off for spoilers";
const TIMEOUT = '[action timeout user=bob seconds=60 reason="spoilers"]';

interface Den extends House {
  /** The model answers the next line with `answer`. */
  ask(who: Partial<typeof MODERATOR>, text: string, answer: string): void;
  /** What Twitch was asked to do, besides saying something. */
  acts(): House["helix"]["requests"];
  judged(count: number): Promise<LedgerLine[]>;
  /** Somebody takes a second to read the question. */
  readQuestion(): Promise<void>;
}

async function openDen(classes: Partial<typeof LIVE> = {}, given: HouseGiven = {}): Promise<Den> {
  const house = await openHouse({
    ...fastTime(30),
    scopes: SCOPES,
    ...given,
    config: {
      replies: { channelCooldownSeconds: 0 },
      actions: { classes: { ...LIVE, ...classes } },
    },
  });
  house.say({ ...BOB, text: "the ending is that the lamp did it" });
  const review = new ActionReview(house.db, house.now);
  const all = () => review.list({ limit: 5_000 }).reverse();
  return {
    ...house,
    ask: (who, text, answer) => {
      house.think(answer);
      house.say({ ...who, text });
    },
    acts: () =>
      house.helix.requests.filter(
        ({ method, path }) =>
          method !== "GET" && !path.startsWith("/auth") && path !== "/mock/chat/messages",
      ),
    readQuestion: async () => {
      const fromMs = house.now();
      await until(() => house.now() - fromMs >= 1_000);
    },
    judged: async (count) => {
      await until(() => all().filter(isSettled).length >= count);
      return all();
    },
  };
}

function isSettled({ decision, outcome }: { decision: string; outcome: string | null }): boolean {
  return decision !== "run" || outcome !== null;
}

test("a moderator is asked in place of the reply, and on their yes bob is silenced for a minute", async () => {
  const den = await openDen();
  den.ask(MODERATOR, REQUEST, `On it. ${TIMEOUT}`);
  const [reply] = await den.ended(1);
  expect(den.said.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Time out bob .*!yes$/),
  ]);
  expect(reply).toMatchObject({ state: "sent" });
  expect(den.acts()).toEqual([]);
  const events = () =>
    den.db
      .prepare("SELECT count(*) FROM events WHERE text LIKE '%!yes' AND kind = 'message'")
      .pluck()
      .get();
  await den.readQuestion();
  den.say({ ...MODERATOR, text: "!yes" });
  await until(() => den.acts().length === 1);
  expect(den.acts()).toMatchObject([
    {
      method: "POST",
      path: "/mock/moderation/bans",
      query: { broadcaster_id: STREAMER_ID },
      body: { data: { user_id: BOB.userId, duration: 60 } },
    },
  ]);
  const [row] = await den.judged(1);
  expect(row).toMatchObject({ targetLogin: "bob", reason: "confirmed", endedAs: "yes" });
  expect(events()).toBe(0);
  expect(den.model.requests).toHaveLength(1);
  const trail = trailSchema.parse(JSON.parse(den.replies()[0]?.trail ?? ""));
  expect(trail.actions).toEqual([
    { action: "timeout", decision: "hold", reason: "needs_yes", outcome: null },
  ]);
  expect(systemPrompt(den)).toContain(ACTIONS.timeout.line);
  expect(systemPrompt(den)).not.toContain("You cannot moderate");
});

test("a command is done without the model, and starts no turn", async () => {
  const den = await openDen();
  den.say({ ...MODERATOR, text: "@automark timeout bob 90" });
  expect(await den.judged(1)).toMatchObject([{ reason: "allowed", outcome: "done" }]);
  expect(den.acts()).toMatchObject([{ body: { data: { user_id: BOB.userId, duration: 90 } } }]);
  expect(den.model.requests).toEqual([]);
  expect(den.said).toEqual([]);
});

test("the same line of a viewer is refused, logged and answered all the same", async () => {
  const den = await openDen();
  den.ask(VIEWER, REQUEST, `On it. ${TIMEOUT}`);
  expect(await den.judged(1)).toMatchObject([
    { decision: "refuse", reason: "not_allowed", requesterLogin: "wren", targetLogin: "bob" },
  ]);
  await den.ended(1);
  expect(den.acts()).toEqual([]);
  expect(den.said.map(({ text }) => text)).toEqual(["On it."]);
});

test("safe mode switched on by another process refuses the next one", async () => {
  const den = await openDen();
  den.say({ ...MODERATOR, text: "@automark timeout bob" });
  await den.judged(1);
  new SwitchStore(den.db, den.now).set("safe_mode", true, "cli");
  den.say({ ...MODERATOR, userId: "21", login: "fern", text: "@automark clip" });
  expect((await den.judged(2))[1]).toMatchObject({ decision: "refuse", reason: "safe_mode" });
  expect(den.acts()).toHaveLength(1);
});

test("a viewer gets a clip, and an answer that is nothing but a proposal says nothing", async () => {
  const den = await openDen();
  den.ask(VIEWER, "@automark what a save, keep that one", "[action clip]");
  expect(await den.judged(1)).toMatchObject([{ action: "clip", outcome: "done" }]);
  expect(den.acts()).toMatchObject([
    { path: "/mock/clips", query: { broadcaster_id: STREAMER_ID } },
  ]);
  expect(await den.ended(1)).toMatchObject([{ state: "silent", reason: "guard_empty" }]);
});

test("an action that hangs at Twitch delays no answer, and is recorded as unknown", async () => {
  const den = await openDen();
  den.helix.failNext("/mock/clips", { kind: "hang" });
  den.helix.failNext("/mock/moderation/bans", { kind: "hang" });
  den.ask(VIEWER, "@automark what a save, keep that one", "Kept. [action clip]");
  await until(() => den.acts().length === 1);
  den.say({ ...MODERATOR, text: "@automark timeout bob" });
  await until(() => den.acts().length === 2);
  den.ask({ ...VIEWER, userId: "33", login: "iris" }, "@automark which lamp?", "The amber one.");
  await den.ended(2);
  expect(den.said.map(({ text }) => text)).toEqual(["Kept.", "The amber one."]);
  const open = den.db.prepare("SELECT count(*) FROM action_log WHERE outcome IS NULL").pluck();
  expect(open.get()).toBe(2);
  den.helix.cutHanging();
  expect(await den.judged(2)).toMatchObject([{ outcome: "unknown" }, { outcome: "unknown" }]);
  const trail = trailSchema.parse(JSON.parse(den.replies()[0]?.trail ?? ""));
  expect(trail.actions).toMatchObject([{ action: "clip", outcome: "unknown" }]);
});

test("what waits is done once another process approved it, and not before", async () => {
  const den = await openDen({ moderation: "approve" });
  den.ask(MODERATOR, REQUEST, TIMEOUT);
  const [held] = await den.judged(1);
  expect(held).toMatchObject({ decision: "hold", reason: "needs_approval" });
  expect(den.acts()).toEqual([]);
  expect(new ActionReview(den.db, den.now).answer(held?.id ?? 0, "approve")).toBe(true);
  await until(() => den.acts().length === 1);
  expect(await den.judged(1)).toMatchObject([{ reason: "approved", outcome: "done" }]);
});

test.each([
  ["whom it is about", BOB],
  ["who asked for it", MODERATOR],
])("a time-out of %s withdraws what waits, its words too", async (_name, who) => {
  const den = await openDen({ moderation: "approve" });
  den.ask(MODERATOR, REQUEST, TIMEOUT);
  expect(await den.judged(1)).toMatchObject([{ decision: "hold" }]);
  den.irc.timeout(CHANNEL, who, 60);
  const withdrawn = den.db
    .prepare("SELECT count(*) FROM action_log WHERE reason = 'withdrawn' AND args_json IS NULL")
    .pluck();
  await until(() => withdrawn.get() === 1);
  expect(den.acts()).toEqual([]);
});

test.each([
  ["a ban", (den: Den) => den.irc.ban(CHANNEL, BOB)],
  ["a time-out", (den: Den) => den.irc.timeout(CHANNEL, BOB, 60)],
  ["a cleared chat", (den: Den) => den.irc.clear(CHANNEL)],
])("after %s between a question and its yes bob gets nothing more", async (_name, silence) => {
  const den = await openDen();
  den.ask(MODERATOR, REQUEST, TIMEOUT);
  await den.ended(1);
  expect(den.said.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Time out bob .*!yes$/),
  ]);
  await den.readQuestion();
  silence(den);
  den.say({ ...MODERATOR, text: "!yes" });
  den.say({ ...MODERATOR, text: "@automark clip" });
  await until(() => den.acts().length > 0);
  expect(den.acts().map(({ path }) => path)).toEqual(["/mock/clips"]);
  const [question] = await den.judged(2);
  expect(question).toMatchObject({ decision: "refuse", reason: "withdrawn" });
  expect(question).toMatchObject({ waitsFor: "requester", endedAs: "withdrawn" });
});

test.each([
  ["5 s", 5_000, "yes"],
  ["61 s", 61_000, "unanswered"],
])(
  "a question that is open when the clock is set back by an hour is over after its minute: at %s",
  async (_at, ms, endedAs) => {
    const { now, pass, wait } = handTime();
    let setMs = 0;
    const town = { now: () => now() + setMs, wait };
    const den = await openDen({}, { ...town, monotonicNow: now });
    den.ask(MODERATOR, REQUEST, TIMEOUT);
    await den.ended(1);
    setMs = -3_600_000;
    pass(ms);
    den.say({ ...MODERATOR, text: "!yes" });
    const ends = den.db.prepare("SELECT ended_as FROM action_log").pluck();
    await until(() => ends.get() === endedAs);
    await until(() => den.acts().length === (endedAs === "yes" ? 1 : 0));
  },
);

test("without the ledger every action is refused, and the bot still answers", async () => {
  const den = await openDen();
  den.db.exec("DROP TABLE action_log");
  den.ask(MODERATOR, REQUEST, `On it. ${TIMEOUT}`);
  await den.ended(1);
  den.ask(VIEWER, "@automark which lamp today?", "Amber suits the shelf.");
  await den.ended(2);
  expect(den.said.map(({ text }) => text)).toEqual([
    "Not done: something that I must know first is not known",
    "Amber suits the shelf.",
  ]);
  expect(den.acts()).toEqual([]);
  expect(den.daemon.status().notices.map(({ cause }) => cause)).toContain("actions");
});

test("a time-out of who asked takes the words out of the ledger, and leaves the decision", async () => {
  const den = await openDen();
  den.ask(VIEWER, REQUEST, TIMEOUT);
  expect((await den.judged(1))[0]?.argsJson).toContain("spoilers");
  den.irc.timeout(CHANNEL, VIEWER, 60);
  const argsLeft = den.db.prepare("SELECT count(args_json) FROM action_log").pluck();
  await until(() => argsLeft.get() === 0);
  expect(await den.judged(1)).toMatchObject([{ argsJson: null, reason: "not_allowed" }]);
});

test("what no configuration or scope allows is not offered", async () => {
  const den = await openDen({ moderation: "off" }, { scopes: ["user:write:chat", "clips:edit"] });
  den.ask(VIEWER, "@automark hello", "hello");
  await den.ended(1);
  const prompt = systemPrompt(den);
  expect(prompt).toContain(ACTIONS.clip.line);
  for (const name of ["timeout", "warn", "delete", "announce", "poll"] as const)
    expect(prompt).not.toContain(ACTIONS[name].line);
});

test("a shadow judges and does nothing", async () => {
  const den = await openHouse({
    scopes: SCOPES,
    config: { mode: "shadow", actions: { classes: LIVE } },
  });
  den.think("Done. [action clip]");
  den.say({ text: "@automark keep that one for later" });
  expect(await den.ended(1)).toMatchObject([{ state: "shadow", text: "Done." }]);
  expect(den.db.prepare("SELECT count(*) FROM action_log").pluck().get()).toBe(0);
});
