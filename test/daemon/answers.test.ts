import { expect, test } from "vitest";
import { trailSchema } from "../../src/reply/trail.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { type House, openHouse } from "../stand-ins/house.ts";
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
  house.model.enqueue(geminiSays({ text: "Amber suits the shelf." }));
  const id = house.say({ text: "@automark which lamp today?" });
  const [row] = await house.ended(1);
  expect(house.said).toEqual([{ text: "Amber suits the shelf.", replyTo: id, via: "helix" }]);
  expect(row).toMatchObject({ state: "sent", reason: null, userId: "501" });
  expect(row?.messageId).not.toBeNull();
});

test("the same by chat itself, where the token may not send by Helix", async () => {
  const house = await openHouse({ scopes: [] });
  house.model.enqueue(geminiSays({ text: "Amber suits the shelf." }));
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
    house.model.enqueue(geminiSays({ text: "Amber suits the shelf." }));
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
  house.model.enqueue(geminiSays({ text: "Amber suits the shelf." }));
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

test("a channel that is offline gets an answer only where the streamer wants one", async () => {
  const house = await openHouse({ live: false });
  house.say({ text: "@automark are you there?" });
  const [row] = await house.ended(1);
  expect(row).toMatchObject({ state: "refused", reason: "offline" });
  expect(house.said).toEqual([]);
});

test("a channel that is offline is answered with replies.whenOffline", async () => {
  const replies = { whenOffline: true };
  const house = await openHouse({ live: false, config: { replies } });
  house.say({ text: "@automark are you there?" });
  expect((await house.ended(1))[0]).toMatchObject({ state: "sent" });
});

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
