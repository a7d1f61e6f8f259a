import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openLog } from "../../src/log.ts";
import { trailSchema } from "../../src/reply/trail.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, openHouse } from "../stand-ins/house.ts";
import { systemPrompt } from "../stand-ins/prompt-seen.ts";
import { BOT, BOT_ID, CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

interface EventRow {
  readonly kind: string;
  readonly text: string | null;
  readonly userId: string | null;
  readonly memorable: number;
  readonly toBot: number;
}

function events({ db, daemon }: House): EventRow[] {
  daemon.status(); // writes what is buffered
  return db
    .prepare<[], EventRow>(
      `SELECT kind, text, user_id AS userId, memorable, to_bot AS toBot FROM events
       WHERE kind NOT IN ('room_state', 'room_notice') ORDER BY id`,
    )
    .all();
}

test("a mention is answered by Helix, as a threaded reply, where the token may", async () => {
  const house = await openHouse();
  house.think("Amber suits the shelf.");
  const id = house.say({ text: "@automark which lamp today?" });
  const [row] = await house.ended(1);
  expect(house.said).toEqual([{ text: "Amber suits the shelf.", replyTo: id, via: "helix" }]);
  expect(row).toMatchObject({ state: "sent", reason: null, userId: "501" });
  expect(row?.messageId).not.toBeNull();
});

test("the same by chat itself, where the token may not send by Helix", async () => {
  const house = await openHouse({ scopes: [] });
  house.think("Amber suits the shelf.");
  const id = house.say({ text: "mark, which lamp today?" });
  const [row] = await house.ended(1);
  await until(() => house.said.length > 0);
  expect(house.said).toEqual([{ text: "Amber suits the shelf.", replyTo: id, via: "irc" }]);
  expect(row).toMatchObject({ state: "sent", messageId: null });
});

test.for(["helix", "irc"])(
  "what the bot says by %s is one event that never becomes memory",
  async (via) => {
    const house = await openHouse(via === "irc" ? { scopes: [] } : {});
    house.think("Amber suits the shelf.");
    house.say({ text: "@automark which lamp today?" });
    await house.ended(1);
    house.say({ text: "a line after it", login: "iris", userId: "502" });
    await until(() => events(house).some(({ userId }) => userId === "502"));
    const own = events(house).filter(({ userId }) => userId === BOT_ID);
    // Chat may tell of it before Helix does, and puts whom it answers in front.
    const text = expect.stringMatching(/^(?:@Rosa )?Amber suits the shelf\.$/);
    expect(own).toEqual([{ kind: "bot", text, userId: BOT_ID, memorable: 0, toBot: 0 }]);
  },
);

test("an anonymous listener in shadow mode thinks, records and sends nothing", async () => {
  const house = await openHouse({
    config: { bot: { login: null, aliases: ["mark"] }, mode: "shadow" },
    environment: { twitchAccessToken: null },
  });
  house.think("Amber suits the shelf.");
  house.say({ text: "mark, which lamp today?" });
  const [row] = await house.ended(1);
  expect(row).toMatchObject({ state: "shadow", reason: "shadow", text: "Amber suits the shelf." });
  expect(house.said).toEqual([]);
});

test("whispers and the other channels of a shared chat are not stored", async () => {
  const house = await openHouse();
  house.irc.inject(
    `@user-id=503;id=w1 :nell!nell@nell.tmi.twitch.tv WHISPER ${BOT} :@automark a quiet word`,
  );
  house.say({ text: "@automark from another room", tags: { "source-room-id": "31337" } });
  house.say({ text: "from this room", tags: { "source-room-id": STREAMER_ID } });
  await until(() => events(house).length > 0);
  expect(events(house).map(({ text }) => text)).toEqual(["from this room"]);
  expect(house.model.requests).toHaveLength(0);
});

test("known bots are stored, and neither answered nor remembered", async () => {
  const house = await openHouse();
  house.say({ text: "@automark !points", login: "nightbot", userId: "19264788" });
  house.say({ text: "@automark and you?" });
  await house.ended(1);
  expect(events(house)[0]).toMatchObject({ userId: "19264788", memorable: 0 });
  expect(house.replies().map(({ userId }) => userId)).toEqual(["501"]);
});

test.each([
  [false, { state: "refused", reason: "offline" }, 0],
  [true, { state: "sent" }, 1],
])(
  "a channel that is offline is answered only with replies.whenOffline: %s",
  async (whenOffline, ended, said) => {
    const house = await openHouse({ live: false, config: { replies: { whenOffline } } });
    house.say({ text: "@automark are you there?" });
    expect((await house.ended(1))[0]).toMatchObject(ended);
    expect(house.said).toHaveLength(said);
  },
);

const CHANGES = {
  "the title": "UPDATE channel_state SET title = 'brass polishing'",
  "an episode": `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, topic, summary, stage,
       status, created_at)
     VALUES ('${CHANNEL}', 'operator', 0, 1, 1, 'lamps', 'The blue lamp fell and nobody minded.', 'extracted',
       'done', 1)`,
  "a channel note": `INSERT INTO semantic_notes (channel, scope, kind, fact, confidence, status, source_kind,
       created_at, last_confirmed_at)
     VALUES ('${CHANNEL}', 'channel', 'lore', 'The shelf is called Harbour.', 0.9, 'active', 'operator',
       ${Date.now()}, ${Date.now()})`,
};

test.for(Object.entries(CHANGES))(
  "prefixes are the same to the byte until %s changes",
  async ([, change]) => {
    const house = await openHouse();
    let asked = 0;
    const ask = async (): Promise<string> => {
      asked += 1;
      house.say({
        text: `@automark question ${asked}`,
        userId: String(600 + asked),
        login: `v${asked}`,
      });
      await house.ended(asked);
      return systemPrompt(house);
    };
    const first = await ask();
    expect(first.length).toBeGreaterThan(500);
    expect(await ask()).toBe(first);
    house.db.exec(change);
    const changed = await ask();
    expect(changed).not.toBe(first);
    expect(await ask()).toBe(changed);
  },
);

test("every answer leaves a trail of ids and numbers that keeps its schema", async () => {
  const house = await openHouse();
  house.model.enqueue(
    geminiSays({ text: "Amber suits the shelf.", promptTokens: 420, outputTokens: 6 }),
  );
  house.say({ text: "@automark which lamp today?" });
  const [row] = await house.ended(1);
  const trail = trailSchema.parse(JSON.parse(row?.trail ?? ""));
  expect(trail).toMatchObject({
    promptTokens: 420,
    outputTokens: 6,
    finish: "stop",
    messageKind: "mention",
  });
  expect(row?.trail).not.toMatch(/lamp|shelf|rosa/i);
});

test.for([
  ["the channel's state", "channel_state", { fresh: false }],
  ["its notes", "semantic_notes", { fresh: true }],
  ["who is the same person", "identity_aliases", { fresh: true }],
] as const)(
  "an answer is given from the last snapshot where %s cannot be read",
  async ([, table, read]) => {
    const { db, model, say, ended, replies } = await openHouse(fastTime(20));
    const ask = async (userId: string) => {
      model.enqueue(geminiSays({ text: `yes, ${userId}` }));
      say({
        userId,
        login: `asker${userId}`,
        displayName: `Asker${userId}`,
        text: "@automark hm?",
      });
      const row = (await ended(replies().length + 1)).at(-1);
      expect(row).toMatchObject({ state: "sent" });
      return trailSchema.parse(JSON.parse(row?.trail ?? "")).prefix;
    };
    const before = await ask("6001");
    db.exec(`ALTER TABLE ${table} RENAME TO lost`);
    expect(await ask("6002")).toEqual({ ...before, ...read });
  },
);

const WORDS = "the old mill by the weir";
const ROSA = { userId: "501", login: "rosa" };
const IRIS = { userId: "502", login: "iris", displayName: "Iris" };

/** Everything that the database holds of those words. */
function kept(house: House): number {
  house.daemon.status();
  const count = (table: string) =>
    Number(
      house.db.prepare(`SELECT count(*) FROM ${table} WHERE text LIKE '%${WORDS}%'`).pluck().get(),
    );
  return count("events") + count("replies");
}

async function houseThatRepeated(
  scopes?: readonly string[],
): Promise<{ house: House; id: string }> {
  const house = await openHouse(scopes === undefined ? {} : { scopes });
  house.think(`So you meet at ${WORDS}.`);
  const id = house.say({ text: `@automark we meet at ${WORDS}` });
  await house.ended(1);
  await until(() => kept(house) === 3);
  return { house, id };
}

async function nextPromptLacksIt(house: House): Promise<void> {
  house.think("Nothing of note.");
  house.say({ ...IRIS, text: "@automark what was said before?" });
  await house.ended(2);
  expect(JSON.stringify(house.model.requests[1])).not.toContain(WORDS);
}

test.for([
  ["timeout", undefined],
  ["timeout", []],
  ["deletion", undefined],
  ["deletion", []],
  ["clear", undefined],
  ["clear", []],
] as const)("after a %s nothing of what the bot repeated is left", async ([act, scopes]) => {
  const { house, id } = await houseThatRepeated(scopes);
  if (act === "timeout") house.irc.timeout(CHANNEL, ROSA, 60);
  else if (act === "clear") house.irc.clear(CHANNEL);
  else house.irc.deleteMessage(CHANNEL, { id, login: "rosa", text: "" });
  await until(() => kept(house) === 0);
  await nextPromptLacksIt(house);
});

test.for(["helix", "irc"])("a deletion of what the bot said by %s takes it", async (via) => {
  const { house } = await houseThatRepeated(via === "helix" ? undefined : []);
  const [row] = house.replies();
  const id = row?.messageId ?? house.irc.received.at(-1)?.id ?? "";
  house.irc.deleteMessage(CHANNEL, { id, login: BOT, text: `@Rosa So you meet at ${WORDS}.` });
  await until(() => kept(house) === 1);
  expect(house.replies()[0]).toMatchObject({ state: "sent", text: null, messageId: id });
});

test("what another viewer was answered stays", async () => {
  const { house } = await houseThatRepeated();
  house.irc.timeout(CHANNEL, IRIS, 60);
  house.irc.say(CHANNEL, { ...IRIS, text: "back" });
  await until(
    () => house.db.prepare("SELECT 1 FROM events WHERE kind = 'timeout'").get() !== undefined,
  );
  expect(kept(house)).toBe(3);
});

const GOES_ON = "a reply goes on though its row could not be written";

/** What no disk takes any more, as a trigger that refuses it. */
const REFUSALS = {
  "when it begins": "BEFORE INSERT ON replies",
  "just before it is sent": "BEFORE UPDATE OF state ON replies WHEN new.state = 'sending'",
  "when it ends": "BEFORE UPDATE OF state ON replies WHEN new.state = 'sent'",
  "at any time": "BEFORE UPDATE ON replies",
};

function refuse({ db }: House, when: string): void {
  db.exec(`CREATE TRIGGER no_room ${when} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
}

test.each(Object.entries(REFUSALS))(
  "a reply whose row cannot be written %s is given, once, and the log says so",
  async (_, when) => {
    const house = await openHouse();
    refuse(house, when);
    house.think("the amber one, I think");
    house.say({ text: "@automark which lamp?" });
    await until(() => house.said.length === 1 && house.logged.join("").includes(GOES_ON));
    expect(house.said.map(({ text }) => text)).toEqual(["the amber one, I think"]);
    expect(house.logged.join("")).not.toMatch(/amber|which lamp|a turn failed/);
    house.db.exec("DROP TRIGGER no_room");
    house.think("the blue one today");
    house.say({ text: "@automark and today?" });
    await until(() => house.replies().some(({ text }) => text === "the blue one today"));
    expect(house.said.map(({ text }) => text)).toEqual([
      "the amber one, I think",
      "the blue one today",
    ]);
  },
);

test("what a reply without a row proposes is not done", async () => {
  const house = await openHouse();
  refuse(house, REFUSALS["when it begins"]);
  house.model.enqueue(
    geminiSays({
      text: 'noted! [action remember fact="Rosa collects brass lamps" quote="I collect brass lamps"]',
    }),
  );
  house.say({ text: "@automark remember that I collect brass lamps" });
  await until(() => house.said.length === 1);
  expect(house.said[0]?.text).toBe("noted!");
  expect(house.db.prepare("SELECT count(*) FROM action_log").pluck().get()).toBe(0);
});

test("a dropped answer has Twitch's code as its reason, and one notice", async () => {
  const house = await openHouse({ scopes: [] });
  await botSaysElsewhere(house, "The amber one.");
  house.think("The amber one.");
  house.say({ text: "@automark which lamp?" });
  const [row] = await house.ended(1);
  expect(house.irc.received.at(-1)).toMatchObject({ dropped: "msg_duplicate" });
  expect(row).toMatchObject({ state: "silent", reason: "send_msg_duplicate", text: null });
  expect(refusals(house)).toMatchObject([{ severity: "warning", count: 1 }]);
  house.think("The blue one.");
  house.say({ text: "@automark and today?", userId: "502", login: "iris" });
  const [, next] = await house.ended(2);
  expect(next).toMatchObject({ state: "sent" });
  expect(refusals(house)).toEqual([]);
});

/** The same account says something from another program: Twitch will drop it a second time. */
async function botSaysElsewhere({ irc }: House, text: string): Promise<void> {
  const socket = new WebSocket(irc.url);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  socket.send(`PASS oauth:other\r\nNICK ${BOT}\r\nPRIVMSG #${CHANNEL} :${text}\r\n`);
  await until(() => irc.received.length === 1);
  socket.close();
}

function refusals({ db }: House) {
  const board = new NoticeBoard(
    db,
    () => 0,
    openLog("error", () => undefined),
  );
  return board.list().filter(({ cause }) => cause === "refused");
}
