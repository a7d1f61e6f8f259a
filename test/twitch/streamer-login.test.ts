import { expect, onTestFinished, test } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { openLog } from "../../src/log.ts";
import { StreamerLogin } from "../../src/twitch/auth.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { until } from "../stand-ins/until.ts";

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
