import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { openLog } from "../../src/log.ts";
import { StreamerLogin } from "../../src/twitch/auth.ts";
import { wait } from "../../src/twitch/bounded-call.ts";
import { TwitchSession } from "../../src/twitch/session.ts";
import { Speech } from "../../src/twitch/speech.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { startTwitchServer } from "../stand-ins/twitch-server.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a session is ready with one channel joined; a notice names the other", async () => {
  const server = await startTwitchServer({ now: Date.now });
  onTestFinished(server.close);
  server.faults.ignoreJoins = true;
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  const log = openLog("error", () => undefined);
  const notices = new NoticeBoard(db, Date.now, log);
  let isLoggedIn = false;
  const session = new TwitchSession({
    chatUrl: server.url,
    channels: ["lanternroom", "closedroom"],
    botLogin: null,
    tokens: null,
    useHelix: false,
    saveTokens: () => undefined,
    broadcasterId: () => null,
    notices,
    now: Date.now,
    wait,
    random: () => 0.5,
    log,
  });
  onTestFinished(() => session.close());
  session.connect({
    onMessage: ({ command }) => {
      isLoggedIn ||= command === "376";
    },
    onInfo: () => undefined,
  });
  await until(() => isLoggedIn);
  server.inject(":tmi.twitch.tv ROOMSTATE #lanternroom");
  server.inject("@msg-id=msg_channel_suspended :tmi.twitch.tv NOTICE #closedroom :gone");
  await session.ready;
  expect(session.chat.joined()).toEqual(["lanternroom"]);
  expect(notices.list().map(({ cause }) => cause)).toEqual(["join #closedroom"]);
});

const LOG = openLog("silent");

async function openLogin() {
  const server = await startHelixServer({ now: Date.now });
  useHelixStandIn(server.port);
  server.setToken("own-access", {
    userId: "11",
    login: "teastream",
    clientId: "client",
    scopes: ["channel:manage:polls"],
    expiresInSeconds: null,
  });
  const db = openDatabase(":memory:");
  const notices = new NoticeBoard(db, Date.now, LOG);
  onTestFinished(async () => {
    await server.close();
    db.close();
  });
  const open = (channels: readonly string[]) => {
    const login = new StreamerLogin({
      tokens: { accessToken: "own-access", refreshToken: null, clientId: "client" },
      saveTokens: () => undefined,
      channels,
      notices,
      now: Date.now,
      log: LOG,
      timeoutMs: 1_000,
    });
    onTestFinished(() => login.close());
    return login;
  };
  return { server, notices, open };
}

test("the streamer's own log-in says whose it is and what it may do", async () => {
  const { open, notices } = await openLogin();
  const login = open(["teastream"]);
  await until(() => login.identity() !== null);
  expect(login.identity()).toMatchObject({ userId: "11", scopes: ["channel:manage:polls"] });
  expect(notices.list()).toEqual([]);
});

test("notices name a token of another account, and a refused token of the streamer", async () => {
  const { open, notices, server } = await openLogin();
  open(["den"]);
  await until(() => notices.list().length > 0);
  expect(notices.list()).toMatchObject([
    { kind: "streamer_login", cause: "account", message: expect.stringContaining("teastream") },
  ]);
  server.revokeToken("own-access");
  open(["teastream"]);
  await until(() => notices.list().length > 1);
  expect(notices.list()).toContainEqual(
    expect.objectContaining({
      kind: "streamer_login",
      message: expect.stringContaining("TWITCH_STREAMER_ACCESS_TOKEN"),
    }),
  );
});

function keeper() {
  const db = openDatabase(join(temporaryFolder(), "forgetmenot.db"));
  onTestFinished(() => void db.close());
  const notices = new NoticeBoard(db, () => 1, openLog("silent"));
  return { notices, speech: new Speech({ now: () => 1, notices, botLogin: "automark" }) };
}

test("a connection that is lost five times does not shut the channel", () => {
  const { speech, notices } = keeper();
  for (let times = 0; times < 5; times += 1) {
    speech.recordOutcome("lanternroom", { kind: "failed", reason: "not_connected" });
  }
  expect(speech.isShut("lanternroom")).toBe(false);
  expect(notices.list().map(({ cause }) => cause)).toEqual(["refused"]);
  speech.recordOutcome("lanternroom", { kind: "sent", messageId: null, via: "irc" });
  expect(notices.list()).toEqual([]);
});

test("what Twitch refused three times in a row shuts that channel, and no other", () => {
  const { speech } = keeper();
  for (let times = 0; times < 3; times += 1) {
    speech.recordOutcome("lanternroom", { kind: "refused", reason: "msg_banned" });
  }
  expect(speech.isShut("lanternroom")).toBe(true);
  expect(speech.isShut("another")).toBe(false);
});

test("when one channel works again, the notice names the other one", () => {
  const { speech, notices } = keeper();
  speech.recordOutcome("lanternroom", { kind: "refused", reason: "msg_subsonly" });
  speech.recordOutcome("another", { kind: "refused", reason: "msg_banned" });
  speech.recordOutcome("another", { kind: "sent", messageId: null, via: "irc" });
  expect(notices.list()[0]?.message).toContain("#lanternroom (msg_subsonly)");
  speech.recordOutcome("lanternroom", { kind: "sent", messageId: null, via: "irc" });
  expect(notices.list()).toEqual([]);
});

test("the notice about slow mode names the fix", () => {
  const { speech, notices } = keeper();
  speech.recordOutcome("lanternroom", { kind: "refused", reason: "msg_slowmode" });
  expect(notices.list()[0]?.message).toContain("/mod automark");
});
