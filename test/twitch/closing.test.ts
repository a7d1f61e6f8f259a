import { expect, test } from "vitest";
import { waitAtMost } from "../../src/twitch/bounded-call.ts";
import { until } from "../stand-ins/until.ts";
import { FAST, kinds, open, openJoined } from "./chat-rig.ts";

test("closed during back-off stays closed", async () => {
  const timings = { ...FAST, backoff: { baseMs: 400, capMs: 400 } };
  const { server, chat, states } = await openJoined({ chat: { timings } });
  server.cutAll();
  await until(() => kinds(states).includes("disconnected"));
  await chat.close();
  const before = states.length;
  const later = await openJoined({ chat: { timings, url: server.url } });
  server.cutAll();
  await until(() => kinds(later.states).filter((kind) => kind === "joined").length === 2);
  expect(server.connections()).toBe(3);
  expect(states.length).toBe(before);
});

test("closing takes no longer than its limit when the server is frozen", async () => {
  const { server, chat } = await openJoined();
  server.freeze();
  // Of two timers of one process the shorter one ends first, however slow it is.
  expect(
    await waitAtMost(
      chat.close().then(() => "closed"),
      1_000,
      "late",
    ),
  ).toBe("closed");
});

test("what was sent just before closing arrives", async () => {
  const { server, chat } = await openJoined();
  chat.send({ channel: "lanternroom", text: "goodbye all", replyTo: null });
  await chat.close();
  await until(() => server.received.length === 1);
  expect(chat.joined()).toEqual([]);
  expect(chat.send({ channel: "lanternroom", text: "still here", replyTo: null })).toEqual({
    kind: "failed",
    reason: "not_connected",
  });
});

test("closed while the password is awaited opens nothing", async () => {
  let answer: (token: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const { server, chat, states } = await open({ chat: { password: () => late } });
  await chat.close();
  answer("secret");
  await late;
  await new Promise(setImmediate);
  expect(states).toEqual([]);
  expect(server.connections()).toBe(0);
});

test("nothing of a closed chat keeps the program running", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const patient = { ...FAST, backoff: { baseMs: 60_000, capMs: 60_000 } };
  const before = timers();
  for (let n = 0; n < 30; n++) {
    const { server, chat, states } = await openJoined({ chat: { timings: patient } });
    if (n % 2 === 0) server.cutAll();
    await until(() => n % 2 === 1 || kinds(states).includes("disconnected"));
    await chat.close();
    await server.close();
  }
  await until(() => timers() < before + 4);
});
