import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type LevelledLog, openLog } from "../../src/log.ts";
import { openAuth } from "../../src/twitch/auth.ts";
import { pollLive } from "../../src/twitch/live-poll.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, openHouse } from "../stand-ins/house.ts";
import { BOT, BOT_ID, CHANNEL, MODEL_KEY, STREAMER_ID, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { bench } from "../twitch/outbox-bench.ts";

/**
 * All that a line of the log is made of, as it stands in the source. Whoever adds to it says here that no word of chat,
 * no login, no id of a person, no key and no token can be in it.
 */
const FIELDS: ReadonlySet<string> = new Set([
  // Numbers.
  "count",
  "reply: id",
  "wishes",
  "episode: id",
  "events: events.length",
  "claims: check.summary.claims.length",
  "episodes: batch.episodes.length",
  "offered: value.notes.length",
  "failures",
  // One of a few words that stand in the source.
  "purpose",
  "outcome",
  "action: named",
  "decision: kind",
  "reason",
  "where",
  "kind: end.kind",
  "reason: end.reason",
  "reason: result.reason",
  "trigger: ticket.trigger",
  "state",
  "notice: kind",
  // A pseudonym.
  "who",
  // The name of an error's class, and a place in the source.
  "...describeBug(thrown)",
  "...describeBug(error)",
  "...describeBug(cause)",
  "error: nameOf(error)",
  "bug",
  "at",
  "...bug",
  // As the configuration names it.
  "model",
  "model: call.model",
  // Driven below.
  "detail",
]);

interface Call {
  readonly file: string;
  readonly fields: readonly string[];
  readonly message: string;
}

/** What stands between the parenthesis at `from` and the one that closes it. */
function argumentsAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return text.slice(from + 1, at);
  }
  return text.slice(from);
}

function callsIn(file: string): readonly Call[] {
  const text = readFileSync(file, "utf8");
  const heads = [
    ...text.matchAll(/\b(?<!clack\.)log(?:\.(?:debug|info|warn|error)|\[[^;]*?\])\(/g),
  ];
  return heads.map((head) => {
    const given = argumentsAt(text, head.index + head[0].length - 1);
    const end = given.lastIndexOf("}");
    const fields = given
      .slice(given.indexOf("{") + 1, end)
      .split(/,(?![^(]*\))/)
      .map((field) => field.trim())
      .filter((field) => field !== "");
    const message = given.slice(end + 1).replace(/^,|,\s*$/g, "");
    return { file, fields, message: message.trim() };
  });
}

const CALLS = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .flatMap((name) => callsIn(join("src", name)));

test("every line of the log is made of what was looked through: ids, counts, codes and pseudonyms", () => {
  expect(CALLS.length).toBeGreaterThan(20);
  const unknown = CALLS.flatMap(({ file, fields }) =>
    fields.filter((field) => !FIELDS.has(field)).map((field) => `${file}: ${field}`),
  );
  expect(unknown).toEqual([]);
  const used = new Set(CALLS.flatMap(({ fields }) => fields));
  expect([...FIELDS].filter((field) => !used.has(field))).toEqual([]);
});

test("what a line says stands in the source, word for word; only a notice brings its own", () => {
  const composed = CALLS.filter(({ message }) => !/^"[^"]*"$/.test(message));
  expect(composed.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    "src/platform/database/notices-store.ts: message",
  ]);
});

const SECRET = "the marble heron sleeps at noon";

test.each([400, 403, 404, 429, 500])(
  "a model's refusal (%i) that quotes the prompt, the key and the people puts none of it into the log",
  async (status) => {
    const house = await openHouse();
    const said = `${SECRET}; rosa 501; key=${MODEL_KEY}; Bearer ${TWITCH_TOKEN}`;
    const error = { code: status, status: said, message: said, details: [{ reason: said }] };
    for (let n = 0; n < 4; n += 1)
      house.model.enqueue({ kind: "answer", status, body: JSON.stringify({ error }) });
    house.say({ text: `@automark ${SECRET}?` });
    await until(() => house.logged.some((line) => line.includes("turn ended")));
    expectClean(house.logged);
  },
);

test("an answer that is no JSON, one that is cut off and one that is blocked put nothing into the log", async () => {
  const house = await openHouse();
  for (const body of [
    SECRET,
    `{"candidates":[{"content":"${SECRET}"`,
    `{"promptFeedback":{"blockReason":"${SECRET}"}}`,
  ]) {
    house.model.enqueue({ kind: "answer", status: 200, body });
    house.say({ text: `@automark ${SECRET}?` });
    const before = house.logged.length;
    await until(() => house.logged.slice(before).some((line) => line.includes("turn ended")));
  }
  expectClean(house.logged);
});

test("what Twitch refuses with its reasons in words puts nothing into the log", async () => {
  const house = await openHouse();
  house.irc.faults.refuseMessage = () => "msg_rejected";
  house.helix.failNext("/mock/chat/messages", { kind: "status", status: 403 }, 1);
  house.model.enqueue(geminiSays({ text: `${SECRET} indeed` }));
  house.say({ text: `@automark ${SECRET}?` });
  await house.ended(1);
  house.irc.inject(`@msg-id=${TWITCH_TOKEN} :tmi.twitch.tv NOTICE #lanternroom :${SECRET}`);
  house.irc.cutAll();
  await until(() => house.logged.some((line) => line.includes("connection ended")));
  expectClean(house.logged);
});

const TRIES = 8;
const TRY_MS = 4_000;
/** What whoever throws says: as much as an error's message could quote. */
const QUOTED = `${SECRET}; rosa 501; key=${MODEL_KEY}; Bearer ${TWITCH_TOKEN}`;
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
/** Somebody new asks each time: nobody is taken for a bot, and no answer is one that was just given. */
function asks(house: House): string {
  const userId = String(60_000 + house.model.requests.length);
  house.model.enqueue(geminiSays({ text: `That makes ${userId}.` }));
  return house.say({ ...ROSA, userId, text: `@automark ${SECRET}?` });
}
const GRANT = {
  accessToken: "an0ther",
  refreshToken: "refresh-2",
  token: {
    userId: BOT_ID,
    login: BOT,
    clientId: "client",
    scopes: ["chat:read", "chat:edit", "user:write:chat", "clips:edit"],
    expiresInSeconds: null,
  },
};
const WARDEN = { userId: "20", login: "warden", displayName: "Warden", badges: "moderator/1" };

/** Does what has the log say something until it does: a line that is said while nobody is joined is heard by nobody. */
function driver(...logs: readonly (readonly string[])[]) {
  const driven = new Set<string>();
  const isSaid = (message: string) => logs.flat().some((line) => JSON.parse(line).msg === message);
  return {
    driven,
    drive: async (message: string, work: () => unknown): Promise<void> => {
      for (let tries = 0; tries < TRIES && !isSaid(message); tries += 1) {
        await work();
        await until(() => isSaid(message), TRY_MS).catch(() => undefined);
      }
      expect(isSaid(message), message).toBe(true);
      driven.add(message);
    },
  };
}

test("every line that the log can say was driven by words of chat, and says none of them", async () => {
  const house = await openHouse({
    ...fastTime(30),
    isWorkingModel: true,
    watched: true,
    scopes: ["user:write:chat", "clips:edit"],
    environment: { twitchRefreshToken: "refresh-1" },
    config: {
      memory: { compactionSeconds: 1, noteSeconds: 1 },
      actions: { classes: { stream: "live" } },
      dashboard: { port: 0 },
      log: { level: "debug" },
    },
  });
  const { logged, db, helix, irc } = house;
  const bugs: string[] = [];
  const { drive, driven } = driver(logged, bugs);
  const ask = () => asks(house);
  await drive("turn ended", ask);
  await drive("action judged", () => house.say({ ...WARDEN, text: "@automark clip" }));
  await drive("an episode was made", () => {
    for (let n = 0; n < 40; n += 1)
      house.say({ ...ROSA, text: `I live in Norway, ${SECRET} ${n}` });
  });
  await drive("notes were made", () => undefined);
  await drive("the configuration was taken over", () => {
    const file = JSON.parse(readFileSync(house.configFile, "utf8"));
    writeFileSync(
      house.configFile,
      JSON.stringify({ ...file, memory: { ...file.memory, staleDays: 200 } }),
    );
  });
  await drive("model call failed", () => {
    for (let n = 0; n < 3; n += 1)
      house.model.enqueue({ kind: "answer", status: 500, body: QUOTED });
    ask();
  });
  house.model.drain();
  await drive("twitch: Helix did not send, trying IRC", () => {
    helix.failNext("/mock/chat/messages", { kind: "status", status: 403 });
    ask();
  });
  await drive("chat: connection ended", () => irc.cutAll());
  await drive("twitch: renewed the access token", () => {
    helix.setRefreshToken("refresh-1", GRANT);
    helix.revokeToken(TWITCH_TOKEN);
    ask();
  });
  const page = await signIn(house);
  await drive("the page failed at something", () =>
    without(house, "semantic_notes", () => page("/api/notes")),
  );
  await drivenByRefusals(house, drive);
  await drivenByTroubles(house, drive);
  await drivenByBugs(
    drive,
    openLog("debug", (line) => void bugs.push(line)),
  );
  await drive("bug: something could not be closed", () => {
    db.exec("ALTER TABLE runtime RENAME TO runtime_gone");
    return house.close();
  });
  const messages = CALLS.flatMap(({ message }) => /^"(.*)"$/.exec(message)?.[1] ?? []);
  expect([...driven].sort()).toEqual(messages.sort());
  expectClean([...logged, ...bugs]);
}, 240_000);

type Drive = ReturnType<typeof driver>["drive"];

/** Gives what asks the page as somebody who came by its link. */
async function signIn({ daemon }: House): Promise<(path: string) => Promise<Response>> {
  const link = new URL((await daemon.pageLink()) ?? "");
  const entered = await fetch(link, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  return (path) => fetch(new URL(path, link), { headers: { cookie } });
}

/** Does something while a table is not there. */
async function without({ db }: House, table: string, work: () => unknown): Promise<void> {
  db.exec(`ALTER TABLE ${table} RENAME TO ${table}_elsewhere`);
  await work();
  db.exec(`ALTER TABLE ${table}_elsewhere RENAME TO ${table}`);
}

async function drivenByRefusals(house: House, drive: Drive): Promise<void> {
  const refusals: readonly (readonly [table: string, message: string, work: () => unknown])[] = [
    ["llm_calls", "model call not recorded", () => asks(house)],
    ["replies", "a reply goes on though its row could not be written", () => asks(house)],
    [
      "semantic_notes",
      "bug: a wish could not be granted",
      () => house.say({ ...ROSA, text: `!remember I saw how ${SECRET}` }),
    ],
    [
      "channel_state",
      "bug: a handler of chat threw",
      () => house.irc.inject(`@room-id=9 :tmi.twitch.tv ROOMSTATE #${CHANNEL}`),
    ],
    [
      "channel_state",
      "what Twitch said of the channel was not taken in; it is asked again",
      () => undefined,
    ],
  ];
  for (const [table, message, work] of refusals) {
    const names = ["INSERT", "UPDATE"].map((write) => {
      const name = `${write}_${table}_refused`;
      const refuse = `SELECT RAISE(ABORT, '${QUOTED}')`;
      house.db.exec(`CREATE TRIGGER ${name} BEFORE ${write} ON ${table} BEGIN ${refuse}; END`);
      return name;
    });
    await drive(message, work);
    for (const name of names) house.db.exec(`DROP TRIGGER ${name}`);
  }
}

async function drivenByTroubles(house: House, drive: Drive): Promise<void> {
  const { daemon, helix } = house;
  await without(house, "removed_support", () =>
    drive("what was learned from removed chat is still there", () => undefined),
  );
  await without(house, "viewers", async () => {
    await drive("a turn failed", () => asks(house));
  });
  await without(house, "episodes", async () => {
    await drive("bug: a look at memory failed", () =>
      helix.setStream(STREAMER_ID, { isLive: false, title: "", category: "", startedAtMs: 1 }),
    );
    await drive("bug: a regular task failed", () => undefined);
  });
  await drive("the bot ends: an error that nobody caught", () => daemon.crashed(new Error(QUOTED)));
}

/** What only a bug in this program could bring about, so that the rooms stand alone. */
async function drivenByBugs(drive: Drive, log: LevelledLog): Promise<void> {
  const fails = () => Promise.reject(new Error(QUOTED));
  const throws = () => {
    throw new Error(QUOTED);
  };
  const nothing = () => undefined;
  await drive("twitch: token check ended", () => {
    const tokens = { accessToken: GRANT.accessToken, refreshToken: null, clientId: "" };
    const notices = { raise: nothing, clear: nothing };
    const auth = openAuth({
      tokens,
      saveTokens: nothing,
      notices,
      now: Date.now,
      log,
      wait: fails,
    });
    onTestFinished(auth.close);
  });
  await drive("live poll ended", () => {
    const helix = { channelInfo: fails };
    pollLive({ helix, channels: [CHANNEL], onInfo: nothing, onTrouble: nothing, wait: fails, log });
  });
  await drive("twitch: sending failed unexpectedly", () => {
    const { offer, clock } = bench({ log, sendHelix: fails });
    offer(SECRET);
    return clock.advance(1);
  });
  await drive("twitch: a message could not be marked, not sent", () => {
    const { offer, clock } = bench({ log });
    offer(SECRET, { onSending: throws });
    return clock.advance(1);
  });
}

function expectClean(logged: readonly string[]): void {
  const log = logged.join("");
  expect(log).not.toContain("heron");
  expect(log).not.toMatch(/\brosa\b|"501"|\b501;/i);
  expect(log).not.toContain(MODEL_KEY);
  expect(log).not.toContain(TWITCH_TOKEN);
  expect(log).not.toContain(GRANT.accessToken);
}
