import { afterEach, beforeEach, expect, test } from "vitest";
import { refusal } from "./helix-routes.ts";
import { type HelixServer, startHelixServer } from "./helix-server.ts";

const BOT = { userId: "77", login: "automark", clientId: "client-a", scopes: ["user:write:chat"] };
let nowMs = 1_700_000_000_000;
let server: HelixServer;

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  server = await startHelixServer({
    now: () => nowMs,
    routes: {
      "POST /mock/clips": {
        scopes: ["clips:edit"],
        handle: (request) =>
          request.query["broadcaster_id"] === "11"
            ? { status: 202, body: { data: [{ id: "clip-1" }] } }
            : refusal(404, "no such channel"),
      },
    },
  });
  server.setUser({ id: "11", login: "teastream", displayName: "TeaStream" });
  server.setStream("11", {
    isLive: true,
    title: "Kettles",
    category: "Cooking",
    startedAtMs: nowMs,
  });
  server.setToken("token-a", { ...BOT, expiresInSeconds: 3_600 });
});
afterEach(() => server.close());

const AUTHORISED = { authorization: "Bearer token-a", "client-id": "client-a" };
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`http://localhost:${server.port}${path}`, { headers: AUTHORISED, ...init });
const sendTo = (query: string, text: string) =>
  ask(`/mock/chat/messages?${query}`, {
    method: "POST",
    headers: { ...AUTHORISED, "content-type": "application/json" },
    body: JSON.stringify({ message: text }),
  });

test("it answers on 127.0.0.1 and on localhost", async () => {
  const direct = await fetch(`http://127.0.0.1:${server.port}/mock/users?login=teastream`, {
    headers: AUTHORISED,
  });
  expect(direct.status).toBe(200);
  expect((await ask("/mock/users?login=teastream")).status).toBe(200);
});

test("users are found by login and by id, and nobody else is", async () => {
  for (const query of ["login=teastream", "id=11"]) {
    const body = await (await ask(`/mock/users?${query}`)).json();
    expect(body).toMatchObject({ data: [{ id: "11", login: "teastream" }] });
  }
  expect(await (await ask("/mock/users?login=nobody")).json()).toMatchObject({ data: [] });
});

test("a stream is listed only while it is live, its channel always", async () => {
  expect(await (await ask("/mock/streams?user_id=11")).json()).toMatchObject({
    data: [{ type: "live", game_name: "Cooking", started_at: new Date(nowMs).toISOString() }],
  });
  server.setStream("11", { isLive: false, title: "Later", category: "Music", startedAtMs: null });
  expect(await (await ask("/mock/streams?user_id=11")).json()).toMatchObject({ data: [] });
  expect(await (await ask("/mock/channels?broadcaster_id=11")).json()).toMatchObject({
    data: [{ title: "Later", game_name: "Music" }],
  });
});

test("a token is refused when unknown, run out, of another application, or without the scope", async () => {
  const withToken = (token: string, clientId = "client-a", path = "/mock/users?id=11") =>
    ask(path, { headers: { authorization: `Bearer ${token}`, "client-id": clientId } });
  expect((await withToken("token-a")).status).toBe(200);
  expect((await withToken("token-x")).status).toBe(401);
  expect((await withToken("token-a", "client-b")).status).toBe(401);
  const clip = await ask("/mock/clips?broadcaster_id=11", { method: "POST" });
  expect(await clip.json()).toMatchObject({ status: 401, message: "Missing scope: clips:edit" });
  nowMs += 3_600_000;
  expect((await withToken("token-a")).status).toBe(401);
});

test("a path added by a table of handlers answers like a built-in one", async () => {
  server.setToken("token-a", { ...BOT, scopes: ["clips:edit"], expiresInSeconds: null });
  expect((await ask("/mock/clips?broadcaster_id=11", { method: "POST" })).status).toBe(202);
  expect((await ask("/mock/clips?broadcaster_id=12", { method: "POST" })).status).toBe(404);
  expect((await ask("/mock/nowhere", { method: "POST" })).status).toBe(404);
});

test("validation tells whose token it is and how long it lives", async () => {
  nowMs += 600_000;
  const validate = () => ask("/auth/validate", { headers: { authorization: "OAuth token-a" } });
  expect(await (await validate()).json()).toEqual({
    client_id: "client-a",
    login: "automark",
    user_id: "77",
    scopes: ["user:write:chat"],
    expires_in: 3_000,
  });
  const form = new URLSearchParams({ client_id: "client-a", token: "token-a" });
  expect((await ask("/auth/revoke", { method: "POST", body: form })).status).toBe(200);
  expect((await validate()).status).toBe(401);
});

test("a refresh token works once, for its own application, and its token works then", async () => {
  const grant = {
    accessToken: "token-b",
    refreshToken: "refresh-b",
    token: { ...BOT, expiresInSeconds: 14_400 },
  };
  server.setRefreshToken("refresh-a", grant);
  const refresh = (clientId: string) =>
    ask(`/auth/token?grant_type=refresh_token&client_id=${clientId}&refresh_token=refresh-a`, {
      method: "POST",
    });
  expect((await refresh("client-b")).status).toBe(400);
  expect(await (await refresh("client-a")).json()).toMatchObject({
    access_token: "token-b",
    refresh_token: "refresh-b",
    expires_in: 14_400,
  });
  expect(await (await refresh("client-a")).json()).toMatchObject({
    message: "Invalid refresh token",
  });
  const headers = { ...AUTHORISED, authorization: "Bearer token-b" };
  expect((await ask("/mock/users?id=11", { headers })).status).toBe(200);
});

test("a device waits for its approval and then gets its token once", async () => {
  const device = await (await ask("/auth/device?client_id=client-a", { method: "POST" })).json();
  expect(device).toMatchObject({ device_code: "device-1", interval: 5 });
  const poll = async () =>
    (await ask("/auth/token?grant_type=device&device_code=device-1", { method: "POST" })).json();
  expect(await poll()).toMatchObject({ status: 400, message: "authorization_pending" });
  server.approveDevice("device-1", {
    accessToken: "token-d",
    refreshToken: "refresh-d",
    token: { ...BOT, expiresInSeconds: 100 },
  });
  expect(await poll()).toMatchObject({ access_token: "token-d" });
  expect(await poll()).toMatchObject({ message: "invalid device code" });
});

test("a chat message is kept with its sender and thread, and dropped when told to", async () => {
  const query = "broadcaster_id=11&sender_id=77&reply_parent_message_id=m1";
  expect(await (await sendTo(query, "the kettle sings")).json()).toMatchObject({
    data: [{ is_sent: true, message_id: "message-1" }],
  });
  server.dropNextMessage("msg_duplicate");
  expect(await (await sendTo(query, "the kettle sings")).json()).toMatchObject({
    data: [{ is_sent: false, drop_reason: { code: "msg_duplicate" } }],
  });
  expect(server.messages).toEqual([
    { broadcasterId: "11", senderId: "77", text: "the kettle sings", replyTo: "m1", atMs: nowMs },
  ]);
  expect((await sendTo("broadcaster_id=11&sender_id=78", "not me")).status).toBe(401);
  expect((await sendTo(query, "x".repeat(501))).status).toBe(422);
});

test("faults come as often as asked, then answers again; every request is recorded", async () => {
  server.failNext("/mock/users", { kind: "status", status: 503 }, 2);
  server.failNext("/mock/users", { kind: "cut" });
  server.failNext("/mock/users", { kind: "rate_limit", resetAtMs: nowMs + 4_000 });
  expect((await ask("/mock/users?id=11")).status).toBe(503);
  expect((await ask("/mock/users?id=11")).status).toBe(503);
  await expect(ask("/mock/users?id=11")).rejects.toThrow();
  const limited = await ask("/mock/users?id=11");
  expect(limited.status).toBe(429);
  expect(limited.headers.get("ratelimit-reset")).toBe(String((nowMs + 4_000) / 1_000));
  expect((await ask("/mock/users?id=11")).status).toBe(200);
  expect(server.requests).toHaveLength(5);
  expect(server.requests[0]).toMatchObject({
    method: "GET",
    path: "/mock/users",
    query: { id: "11" },
    scopes: ["user:write:chat"],
    userId: "77",
  });
});

test("a message can arrive although its answer is an error", async () => {
  server.failNext("/mock/chat/messages", { kind: "status", status: 500, acted: true });
  server.failNext("/mock/chat/messages", { kind: "status", status: 500 });
  expect((await sendTo("broadcaster_id=11&sender_id=77", "heard")).status).toBe(500);
  expect((await sendTo("broadcaster_id=11&sender_id=77", "unheard")).status).toBe(500);
  expect(server.messages.map(({ text }) => text)).toEqual(["heard"]);
});

test("closing cuts a request that hangs", async () => {
  server.failNext("/mock/users", { kind: "hang" });
  const hanging = ask("/mock/users?id=11");
  const failed = expect(hanging).rejects.toThrow();
  while (server.requests.length === 0) await new Promise(setImmediate);
  await server.close();
  await failed;
});
