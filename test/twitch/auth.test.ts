import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { findOrCreateHashKey, saveTokens } from "../../src/config/secrets.ts";
import { openLog } from "../../src/log.ts";
import { type AuthOptions, TwitchAuth } from "../../src/twitch/auth.ts";
import { type ApplicationTokens, refreshTokens } from "../../src/twitch/tokens.ts";
import { type HelixServer, startHelixServer } from "../stand-ins/helix-server.ts";
import { NO_ENVIRONMENT } from "../stand-ins/no-environment.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const OWNER = {
  userId: "77",
  login: "automark",
  clientId: "client-a",
  scopes: ["chat:read", "chat:edit"],
};
const HOUR_MS = 3_600_000;

let nowMs: number;
let server: HelixServer;
let auth: TwitchAuth | null;
let saved: ApplicationTokens[];
let notices: Map<string, string>;
let logLines: string[];
/** Waits of the hourly check, each with what ends it. */
let waits: { ms: number; end: () => void }[];

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  server = await startHelixServer({ now: () => nowMs });
  useHelixStandIn(server.port);
  [auth, saved, notices, logLines, waits] = [null, [], new Map(), [], []];
});
afterEach(async () => {
  await auth?.close();
  await server.close();
});

function open(
  tokens: Partial<ApplicationTokens> = {},
  more: Partial<AuthOptions> = {},
): TwitchAuth {
  auth = new TwitchAuth({
    tokens: { accessToken: "access-1", refreshToken: null, clientId: "", ...tokens },
    saveTokens: (rotated) => void saved.push(rotated),
    notices: {
      raise: (kind, _severity, message) => void notices.set(kind, message),
      clear: (kind) => void notices.delete(kind),
    },
    now: () => nowMs,
    log: openLog("debug", (line) => void logLines.push(line)),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        waits.push({ ms, end: resolve });
        signal.addEventListener("abort", () => resolve());
      }),
    ...more,
  });
  return auth;
}

const callsTo = (path: string) => server.requests.filter((request) => request.path === path).length;
const grant = (n: number, expiresInSeconds: number | null = 14_400) => ({
  accessToken: `access-${n}`,
  refreshToken: `refresh-${n}`,
  token: { ...OWNER, expiresInSeconds },
});

test("a valid token has an account, scopes and an expiry", async () => {
  server.setToken("access-1", { ...OWNER, expiresInSeconds: 5_184_000 });
  const outcome = await open().check();
  expect(outcome).toMatchObject({ kind: "ok", identity: OWNER });
  const endMs = auth?.identity()?.expiresAtMs ?? 0;
  expect(Math.abs(endMs - (nowMs + 5_184_000_000))).toBeLessThan(2_000);
  expect(await auth?.credentials()).toEqual({
    kind: "ok",
    accessToken: "access-1",
    clientId: "client-a",
    userId: "77",
  });
  expect(callsTo("/auth/validate")).toBe(1);
  expect(notices.size).toBe(0);
});

test("the password is there before Twitch was asked", async () => {
  server.failNext("/auth/validate", { kind: "hang" });
  expect(await open().password()).toBe("oauth:access-1");
});

test("the token is asked about again every hour", async () => {
  server.setToken("access-1", { ...OWNER, expiresInSeconds: 5_184_000 });
  open();
  await until(() => waits.length === 1);
  expect(waits[0]?.ms).toBe(HOUR_MS);
  waits[0]?.end();
  await until(() => waits.length === 2);
  expect(callsTo("/auth/validate")).toBe(2);
});

test("a refused token raises one notice and is never tried again", async () => {
  expect(await open().check()).toEqual({ kind: "refused", reason: "token_invalid" });
  expect(await auth?.check()).toEqual({ kind: "refused", reason: "token_invalid" });
  expect(await auth?.credentials()).toEqual({ kind: "refused", reason: "token_invalid" });
  expect(await auth?.password()).toBe("");
  expect(callsTo("/auth/validate")).toBe(1);
  expect(notices.get("twitch_login")).toContain("refused the access token");
  expect(waits).toHaveLength(0);
});

test("a server that fails, cuts or hangs leaves the token in use, and is asked again soon", async () => {
  server.setToken("access-1", { ...OWNER, expiresInSeconds: 5_184_000 });
  server.failNext("/auth/validate", { kind: "status", status: 500 });
  server.failNext("/auth/validate", { kind: "cut" });
  server.failNext("/auth/validate", { kind: "hang" });
  open({}, { timeoutMs: 100 });
  for (const failures of [1, 2, 3]) {
    await until(() => waits.length === failures);
    expect(waits.at(-1)?.ms).toBeLessThan(HOUR_MS);
    expect(await auth?.password()).toBe("oauth:access-1");
    waits.at(-1)?.end();
  }
  await until(() => {
    waits.at(-1)?.end();
    return auth?.identity()?.userId === OWNER.userId;
  });
  expect(notices.size).toBe(0);
});

test("without a refresh token a notice comes a day before expiry", async () => {
  server.setToken("access-1", { ...OWNER, expiresInSeconds: 86_500 });
  await open().check();
  expect(notices.has("twitch_login:expiry")).toBe(false);
  nowMs += 200_000;
  await auth?.check();
  expect(notices.get("twitch_login:expiry")).toContain("cannot be renewed");
  await until(() => waits.length === 1);
  nowMs += 86_300_000;
  expect(await auth?.password()).toBe("");
  // That it would end is no news any more.
  expect([...notices.keys()]).toEqual(["twitch_login"]);
});

test("a token that ran out is renewed, and the new one saved before anybody gets it", async () => {
  server.setRefreshToken("refresh-1", grant(2));
  let release = () => {};
  const disk = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tokens = { refreshToken: "refresh-1", clientId: "client-a" };
  open(tokens, {
    saveTokens: async (rotated) => {
      await disk;
      saved.push(rotated);
    },
  });
  await until(() => callsTo("/auth/token") === 1);
  const password = auth?.password().then((value) => ({ value, savedBefore: saved.length }));
  release();
  expect(await password).toEqual({ value: "oauth:access-2", savedBefore: 1 });
  expect(saved).toEqual([
    { accessToken: "access-2", refreshToken: "refresh-2", clientId: "client-a" },
  ]);
  expect(await auth?.check()).toMatchObject({ kind: "ok", identity: OWNER });
});

test("a token near its end is renewed while it still serves", async () => {
  server.setToken("access-1", { ...OWNER, expiresInSeconds: 14_400 });
  server.setRefreshToken("refresh-1", grant(2));
  open({ refreshToken: "refresh-1" });
  await until(() => waits.length === 1);
  for (let hour = 1; saved.length === 0 && hour <= 5; hour++) {
    nowMs += waits.at(-1)?.ms ?? 0;
    waits.at(-1)?.end();
    await until(() => waits.length === hour + 1);
  }
  expect(nowMs).toBeLessThan(1_700_000_000_000 + 4 * HOUR_MS);
  expect(await auth?.password()).toBe("oauth:access-2");
  expect(auth?.identity()?.expiresAtMs).toBe(nowMs + 14_400_000);
});

test.each([{ kind: "status", status: 503 } as const, { kind: "cut" } as const])(
  "a renewal that fails by $kind is tried again with the same refresh token",
  async (fault) => {
    server.setRefreshToken("refresh-1", grant(2));
    server.failNext("/auth/token", fault);
    open({ refreshToken: "refresh-1", clientId: "client-a" });
    await until(() => waits.length === 1);
    expect(notices.size).toBe(0);
    await expect(auth?.password()).resolves.toBe("oauth:access-2");
    expect(saved).toHaveLength(1);
  },
);

test("a refresh token that Twitch refuses is final, and is not sent twice", async () => {
  open({ refreshToken: "refresh-x", clientId: "client-a" });
  expect(await auth?.check()).toEqual({ kind: "refused", reason: "refresh_refused" });
  expect(await auth?.check()).toEqual({ kind: "refused", reason: "refresh_refused" });
  expect(callsTo("/auth/token")).toBe(1);
  expect(notices.get("twitch_login")).toContain("Log the bot in again");
});

/** What stands before Twitch says this, with any status, to whatever it is asked. */
async function openProxy(status: number, body: string): Promise<void> {
  const proxy = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => proxy.listen(0, resolve));
  onTestFinished(() => void proxy.close());
  useHelixStandIn((proxy.address() as AddressInfo).port);
}

test.each([
  [401, "<html>log in to this network</html>"],
  [403, "<html>blocked</html>"],
  [400, ""],
  [200, "{}"],
  [200, "null"],
])(
  "a page that is not Twitch's (%i, %s) says nothing of a token: it is asked about again",
  async (status, body) => {
    await openProxy(status, body);
    const tokens = { refreshToken: "refresh-1", clientId: "client-a" };
    expect(await open(tokens).check()).toEqual({ kind: "unreachable" });
    expect(await auth?.password()).toBe("oauth:access-1");
    expect(await refreshTokens("client-a", "refresh-1", () => nowMs)).toEqual({
      kind: "unreachable",
    });
    expect(notices.size).toBe(0);
    server.setRefreshToken("refresh-1", grant(2));
    useHelixStandIn(server.port);
    expect(await auth?.check()).toMatchObject({ kind: "ok" });
    expect(await auth?.password()).toBe("oauth:access-2");
  },
);

test.each([
  ["half of it is gone", (file: string) => writeFileSync(file, '{"hashKey": "'), "or the file"],
  ["others can read it", (file: string) => chmodSync(file, 0o644), "chmod 600"],
  [
    "a folder has its name",
    (file: string) => {
      rmSync(file);
      mkdirSync(file, { mode: 0o700 });
    },
    "make it a file",
  ],
] as const)(
  "renewed tokens that the secrets file cannot take since %s are told with what fixes just that",
  async (_, harm, fix) => {
    const folder = temporaryFolder();
    findOrCreateHashKey(folder);
    harm(join(folder, "secrets.json"));
    server.setRefreshToken("refresh-1", grant(2));
    open(
      { refreshToken: "refresh-1", clientId: "client-a" },
      { saveTokens: (tokens) => saveTokens(folder, NO_ENVIRONMENT, tokens) },
    );
    await auth?.check();
    expect(notices.get("twitch_login:unsaved")).toContain(fix);
    expect(await auth?.password()).toBe("oauth:access-2");
    rmSync(join(folder, "secrets.json"), { recursive: true });
    await auth?.check();
    expect(notices.has("twitch_login:unsaved")).toBe(false);
  },
);

test("a refused renewal before expiry keeps the access token and raises a notice", async () => {
  server.setToken("access-1", { ...OWNER, expiresInSeconds: 300 });
  expect(await open({ refreshToken: "refresh-x" }).check()).toMatchObject({ kind: "ok" });
  expect(await auth?.password()).toBe("oauth:access-1");
  expect(notices.has("twitch_login:expiry")).toBe(true);
});

test("without a client id a token that ran out cannot be renewed, and that is said", async () => {
  expect(await open({ refreshToken: "refresh-1" }).check()).toEqual({
    kind: "refused",
    reason: "client_id_missing",
  });
  expect(notices.get("twitch_login")).toContain("twitch.clientId");
});

test("tokens that could not be saved are saved at the end", async () => {
  server.setRefreshToken("refresh-1", grant(2));
  let isFull = true;
  const login = open(
    { refreshToken: "refresh-1", clientId: "client-a" },
    {
      saveTokens: (rotated) => {
        if (isFull) throw new Error("disk full");
        saved.push(rotated);
      },
    },
  );
  await login.check();
  expect(saved).toEqual([]);
  isFull = false;
  await login.close();
  expect(saved).toMatchObject([{ refreshToken: "refresh-2" }]);
});

test("no log line or notice has a token", async () => {
  server.failNext("/auth/token", { kind: "status", status: 503 });
  server.setRefreshToken("refresh-1", grant(2));
  open({ refreshToken: "refresh-1", clientId: "client-a" });
  await auth?.check();
  await auth?.check();
  server.revokeToken("access-2");
  await auth?.check();
  expect(await auth?.password()).toBe("");
  expect(logLines.length).toBeGreaterThan(0);
  const shown = [...logLines, ...notices.values()];
  expect(shown.join("\n")).not.toMatch(/access-\d|refresh-\d/);
});
