import { expect, test } from "vitest";
import { reachChat } from "../../src/twitch/connection.ts";
import { openTown } from "../stand-ins/house.ts";

const NEVER = new AbortController().signal;

test("a chat server is reached without anybody logging in", async () => {
  const { irc } = await openTown();
  const reached = await reachChat(irc.url, 60_000, NEVER);
  expect(reached).toEqual({ kind: "answered", tookMs: expect.any(Number) });
});

test("an address may be written in capitals, as the configuration allows", async () => {
  const { irc } = await openTown();
  const reached = await reachChat(irc.url.replace("ws:", "WS:"), 60_000, NEVER);
  expect(reached.kind).toBe("answered");
  const away = await reachChat("WSS://127.0.0.1:1", 60_000, NEVER);
  expect(away).toEqual({ kind: "error", detail: "ECONNREFUSED" });
});

test("one that takes the connection and says nothing times out", async () => {
  const { irc } = await openTown();
  irc.faults.hangUpgrade = true;
  expect(await reachChat(irc.url, 50, NEVER)).toEqual({ kind: "timeout" });
});

test("another server is reported by its status", async () => {
  const { model } = await openTown();
  const url = model.url.replace("http", "ws");
  expect(await reachChat(url, 60_000, NEVER)).toEqual({ kind: "status", detail: "200" });
});

test("it ends with the signal", async () => {
  const { irc } = await openTown();
  irc.faults.hangUpgrade = true;
  const stop = new AbortController();
  const reached = reachChat(irc.url, 60_000, stop.signal);
  stop.abort();
  expect(await reached).toMatchObject({ kind: "error" });
});
