import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { openLog } from "../../src/log.ts";
import { TwitchAuth } from "../../src/twitch/auth.ts";
import { Helix } from "../../src/twitch/helix.ts";
import { type HelixServer, startHelixServer } from "../stand-ins/helix-server.ts";
import { until } from "../stand-ins/until.ts";

const SCOPES = ["chat:read", "chat:edit", "user:write:chat"];
const BOT = { userId: "77", login: "automark", clientId: "client-a", expiresInSeconds: 14_400 };
const START_MS = 1_700_000_000_000;
const LIMIT_MS = 10_000;
const CHAT = "/mock/chat/messages";
const MESSAGE = { broadcasterId: "11", text: "fresh scones at nine", replyTo: null };

let server: HelixServer;
let auth: TwitchAuth;
let helix: Helix;

beforeEach(async () => {
  server = await startHelixServer({ now: () => START_MS });
  useHelixStandIn(server.port);
  server.setUser({ id: "11", login: "teastream", displayName: "TeaStream" });
  server.setToken("access-1", { ...BOT, scopes: SCOPES });
  open();
});
afterEach(async () => {
  helix.close();
  await auth.close();
  await server.close();
});

function open(refreshToken: string | null = null): void {
  auth = new TwitchAuth({
    tokens: { accessToken: "access-1", refreshToken, clientId: "" },
    saveTokens: () => {},
    notices: { raise: () => {}, clear: () => {} },
    now: () => START_MS,
    log: openLog("silent"),
  });
  helix = new Helix(auth, LIMIT_MS);
}

const callsTo = (path: string) => server.requests.filter((request) => request.path === path).length;

/** Asks for what hangs, on a clock that only the test moves: the request is surely there before its time limit is. */
async function hang<T>(path: string, ask: () => Promise<T>) {
  await auth.check();
  server.failNext(path, { kind: "hang", acted: true });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const hanging = ask();
  await until(() => callsTo(path) === 1);
  return { hanging, endTime: () => vi.advanceTimersByTime(LIMIT_MS) };
}

test("a live channel is described by its id, title, category and when it began", async () => {
  const startedAtMs = START_MS - 60_000;
  server.setStream("11", { isLive: true, title: "Kettles", category: "Cooking", startedAtMs });
  expect(await helix.channelInfo("teastream")).toEqual({
    ok: true,
    value: {
      twitchId: "11",
      language: "en",
      title: "Kettles",
      category: "Cooking",
      isLive: true,
      startedAtMs,
    },
  });
});

test("a user is found by login, and an unknown one is not found", async () => {
  expect(await helix.userByLogin("teastream")).toEqual({
    ok: true,
    value: { userId: "11", login: "teastream", displayName: "TeaStream" },
  });
  expect(await helix.userByLogin("nobody")).toMatchObject({ ok: false, reason: "not_found" });
  expect(await helix.channelInfo("nobody")).toMatchObject({ ok: false, reason: "not_found" });
});

test.each([
  [400, "request"],
  [403, "forbidden"],
  [404, "not_found"],
  [500, "server"],
  [503, "server"],
] as const)("status %i of a read is the failure %s, after one request", async (status, reason) => {
  server.failNext("/mock/users", { kind: "status", status });
  expect(await helix.userByLogin("teastream")).toMatchObject({ ok: false, reason });
  expect(callsTo("/mock/users")).toBe(1);
});

test("a rate limit is a failure, and nothing waits for its end", async () => {
  server.failNext("/mock/users", { kind: "rate_limit", resetAtMs: START_MS + 60_000 });
  expect(await helix.userByLogin("teastream")).toEqual({
    ok: false,
    reason: "rate_limited",
    mayHaveActed: false,
  });
});

test("a read that hangs ends in time and holds up no other call", async () => {
  const { hanging, endTime } = await hang("/mock/users", () => helix.userByLogin("teastream"));
  let hasEnded = false;
  void hanging.then(() => {
    hasEnded = true;
  });
  expect(await helix.sendMessage(MESSAGE)).toMatchObject({ kind: "sent" });
  expect(await helix.userByLogin("teastream")).toMatchObject({ ok: true });
  expect(hasEnded).toBe(false);
  endTime();
  expect(await hanging).toMatchObject({ ok: false, reason: "timeout" });
});

test("a message is sent once, as the bot, in its thread, and gets its id", async () => {
  expect(await helix.sendMessage({ ...MESSAGE, replyTo: "parent-1" })).toEqual({
    kind: "sent",
    messageId: "message-1",
  });
  expect(server.messages).toMatchObject([
    { broadcasterId: "11", senderId: "77", text: MESSAGE.text, replyTo: "parent-1" },
  ]);
  expect(server.requests.at(-1)?.body).toEqual({
    broadcaster_id: "11",
    sender_id: "77",
    message: MESSAGE.text,
    reply_parent_message_id: "parent-1",
  });
});

test("a dropped message is refused with Twitch's code", async () => {
  server.dropNextMessage("msg_duplicate");
  expect(await helix.sendMessage(MESSAGE)).toMatchObject({
    kind: "refused",
    reason: "msg_duplicate",
  });
});

test.each([
  { kind: "status", status: 503, acted: true } as const,
  { kind: "cut", acted: true } as const,
])("a message that may have arrived is unknown and not repeated ($kind)", async (fault) => {
  server.failNext(CHAT, fault);
  expect(await helix.sendMessage(MESSAGE)).toEqual({ kind: "unknown" });
  expect(callsTo(CHAT)).toBe(1);
  expect(server.messages).toHaveLength(1);
});

test("a message whose answer never comes is unknown and not repeated", async () => {
  const { hanging, endTime } = await hang(CHAT, () => helix.sendMessage(MESSAGE));
  endTime();
  expect(await hanging).toEqual({ kind: "unknown" });
  expect(callsTo(CHAT)).toBe(1);
  expect(server.messages).toHaveLength(1);
});

test.each([
  [400, "request"],
  [403, "forbidden"],
  [422, "request"],
] as const)("status %i of a send is surely not sent: %s", async (status, reason) => {
  server.failNext(CHAT, { kind: "status", status });
  expect(await helix.sendMessage(MESSAGE)).toEqual({ kind: "failed", reason });
  expect(callsTo(CHAT)).toBe(1);
});

test("a send over the rate limit is not sent and not repeated", async () => {
  server.failNext(CHAT, { kind: "rate_limit", resetAtMs: START_MS + 1_000 });
  expect(await helix.sendMessage(MESSAGE)).toEqual({ kind: "failed", reason: "rate_limited" });
  expect(callsTo(CHAT)).toBe(1);
});

test("without the scope nothing is asked of Twitch", async () => {
  server.setToken("access-1", { ...BOT, scopes: ["chat:edit"] });
  expect(await helix.sendMessage(MESSAGE)).toEqual({ kind: "failed", reason: "missing_scope" });
  expect(callsTo(CHAT)).toBe(0);
});

test("a token that has expired since is renewed, and the message is sent once", async () => {
  await auth.close();
  open("refresh-1");
  await auth.check();
  server.revokeToken("access-1");
  server.setRefreshToken("refresh-1", {
    accessToken: "access-2",
    refreshToken: "refresh-2",
    token: { ...BOT, scopes: SCOPES },
  });
  expect(await helix.sendMessage(MESSAGE)).toMatchObject({ kind: "sent" });
  expect(server.messages).toHaveLength(1);
});

test("a revoked token is unauthorised, for reads and sends", async () => {
  await auth.check();
  server.revokeToken("access-1");
  expect(await helix.sendMessage(MESSAGE)).toEqual({ kind: "failed", reason: "unauthorised" });
  expect(await helix.userByLogin("teastream")).toMatchObject({ reason: "unauthorised" });
  expect(callsTo("/mock/users")).toBe(0);
});

test("a server that is not there is a network failure, and the message surely not sent", async () => {
  await auth.check();
  await server.close();
  expect(await helix.sendMessage(MESSAGE)).toEqual({ kind: "failed", reason: "network" });
  expect(await helix.userByLogin("teastream")).toMatchObject({ ok: false, reason: "network" });
});
