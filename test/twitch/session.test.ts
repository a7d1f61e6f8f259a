import { expect, onTestFinished, test } from "vitest";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { openLog } from "../../src/log.ts";
import { wait } from "../../src/twitch/bounded-call.ts";
import { TwitchSession } from "../../src/twitch/session.ts";
import { startTwitchServer } from "../stand-ins/twitch-server.ts";
import { until } from "../stand-ins/until.ts";

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
