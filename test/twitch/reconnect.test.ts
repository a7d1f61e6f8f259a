import { expect, test } from "vitest";
import { until } from "../stand-ins/until.ts";
import { FAST, kinds, open, openJoined, ROSA, SHORT_CONNECT, texts, WATCHFUL } from "./chat-rig.ts";

test("a half-open socket is replaced, and its channels are joined again", async () => {
  const { server, states, messages } = await openJoined({
    chat: { timings: { ...WATCHFUL, pongMs: 250 } },
  });
  server.freeze();
  // Said until it is heard: a machine that stands still makes the new connection look half-open, too.
  await until(() => {
    server.say("lanternroom", { ...ROSA, text: "back again" });
    return texts(messages).includes("back again");
  });
  expect(states).toContainEqual(
    expect.objectContaining({ kind: "disconnected", reason: "no_pong" }),
  );
  expect(kinds(states).lastIndexOf("joined")).toBeGreaterThan(
    kinds(states).indexOf("disconnected"),
  );
});

test("RECONNECT opens a new connection at once, even with the old socket frozen", async () => {
  const { server, states, messages } = await openJoined({
    chat: { timings: { ...FAST, backoff: { baseMs: 60_000, capMs: 60_000 } } },
  });
  server.reconnectAll();
  await Promise.resolve();
  server.freeze();
  await until(() => server.listeners("lanternroom") === 1);
  expect(states).toContainEqual({ kind: "disconnected", reason: "reconnect", retryInMs: 0 });
  server.say("lanternroom", { ...ROSA, text: "not deaf" });
  await until(() => texts(messages).includes("not deaf"));
});

test("a server that asks for a reconnect over and over is not called in a tight loop", async () => {
  const { server, chat, states } = await openJoined();
  server.reconnectAll();
  await until(() => chat.joined().length === 1 && server.connections() === 2);
  server.reconnectAll();
  await until(() => kinds(states).filter((kind) => kind === "disconnected").length === 2);
  const waits = states.flatMap((state) => (state.kind === "disconnected" ? [state.retryInMs] : []));
  expect(waits).toEqual([0, 30]);
});

test.each([
  ["TCP that never becomes a WebSocket", "hangUpgrade"],
  ["a log-in that never ends", "omitReady"],
] as const)("%s is replaced", async (_, fault) => {
  const { server, chat, states } = await open({
    chat: { timings: SHORT_CONNECT },
    faults: { [fault]: true },
  });
  await until(() => kinds(states).includes("disconnected"));
  expect(states).toContainEqual(expect.objectContaining({ reason: "connect_timeout" }));
  server.faults[fault] = false;
  await until(() => chat.joined().length === 1);
});

test("a missing server is tried with growing waits", async () => {
  const { server, chat, states } = await openJoined();
  await server.close();
  await until(() => kinds(states).filter((kind) => kind === "disconnected").length >= 5);
  const ends = states.flatMap((state) => (state.kind === "disconnected" ? [state] : []));
  expect(ends.slice(0, 5).map(({ retryInMs }) => retryInMs)).toEqual([15, 30, 60, 60, 60]);
  expect(chat.joined()).toEqual([]);
  expect(ends.slice(0, 2).map(({ reason }) => reason)).toEqual(["closed", "econnrefused"]);
});

test("a connection that lived long resets the waits", async () => {
  let nowMs = 1_000_000;
  const { server, chat, states } = await openJoined({ chat: { now: () => nowMs } });
  for (const connections of [2, 3]) {
    nowMs += FAST.stableMs;
    server.cutAll();
    await until(() => chat.joined().length === 1 && server.connections() === connections);
  }
  const waits = states.flatMap((state) => (state.kind === "disconnected" ? [state.retryInMs] : []));
  expect(waits).toEqual([15, 15]);
});

test("a refused token is final, and the next one is tried", async () => {
  const tried: string[] = [];
  let token = "stale";
  let asked = 0;
  const { chat, states, logged } = await open({
    server: {
      acceptPassword(password) {
        tried.push(password);
        return password === "oauth:fresh";
      },
    },
    chat: {
      password() {
        asked++;
        return Promise.resolve(token);
      },
    },
  });
  await until(() => asked >= 4);
  expect(tried).toEqual(["oauth:stale"]);
  expect(states).toMatchObject([
    { kind: "connecting" },
    { kind: "refused", reason: "login_failed" },
  ]);
  token = "fresh";
  await until(() => chat.joined().length === 1);
  expect(tried).toEqual(["oauth:stale", "oauth:fresh"]);
  expect(logged.join()).not.toMatch(/stale|fresh|markbot/);
});

test("a password that cannot be had is asked for again, without a connection", async () => {
  let asked = 0;
  let openedBefore = -1;
  const { server, chat, states } = await open({
    chat: {
      timings: { ...FAST, connectMs: 500 },
      password() {
        asked++;
        if (asked === 3) openedBefore = server.connections();
        if (asked === 1) return Promise.reject(new Error("no network"));
        if (asked === 2) return new Promise(() => undefined);
        return Promise.resolve("secret");
      },
    },
  });
  await until(() => chat.joined().length === 1);
  expect(states.slice(0, 2)).toMatchObject([
    { kind: "disconnected", reason: "no_token" },
    { kind: "disconnected", reason: "no_token" },
  ]);
  expect(openedBefore).toBe(0);
});
