import { expect, test } from "vitest";
import type { EventStoreOptions } from "../../src/chat/event-store.ts";
import type { Spoken } from "../../src/chat/normalise.ts";
import { openViewerStore, prepareNameRead } from "../../src/chat/viewer-store.ts";
import { until } from "../stand-ins/until.ts";
import { openStore } from "./open-store.ts";
import { NO_ROLES, say } from "./say.ts";

function stage(options: Partial<EventStoreOptions> = {}) {
  let nowMs = 1_000;
  const { db, store } = openStore({ now: () => nowMs, ...options });
  return {
    db,
    store,
    viewers: openViewerStore(db, store.flush),
    at: (ms: number) => {
      nowMs = ms;
    },
  };
}

function person(
  userId: string,
  login: string,
  roles: Partial<typeof NO_ROLES> = {},
): Partial<Spoken> {
  const displayName = login.toUpperCase();
  return { person: { userId, login, displayName, roles: { ...NO_ROLES, ...roles } } };
}

test("who speaks is known at once, with first and last seen", () => {
  const { viewers, store, at } = stage();
  expect(viewers.get("1")).toBeNull();
  store.add(say("hi", person("1", "wren")));
  at(9_000);
  store.add(say("bye", person("1", "wren")));
  expect(viewers.get("1")).toEqual({
    userId: "1",
    login: "wren",
    displayName: "WREN",
    firstSeenAtMs: 1_000,
    lastSeenAtMs: 9_000,
    optedOut: false,
  });
});

test("messages are counted by channel, gifts and raids are not messages", () => {
  const { viewers, store } = stage();
  for (let n = 0; n < 3; n += 1) store.add(say("hi", person("1", "wren")));
  store.flush();
  store.add(say("hi", { ...person("1", "wren"), kind: "cheer" }));
  store.add(say("", { ...person("1", "wren"), kind: "raid" }));
  store.add(say("hi", { ...person("1", "wren"), channel: "attic" }));
  expect(viewers.inChannel("den", "1")?.messageCount).toBe(4);
  expect(viewers.inChannel("attic", "1")?.messageCount).toBe(1);
  expect(viewers.inChannel("cellar", "1")).toBeNull();
});

test("a stream counts once for whoever speaks in it, chat between streams not at all", () => {
  let streamId: number | null = null;
  const { viewers, store } = stage({ streamOf: () => streamId });
  const counts = () => viewers.inChannel("den", "1")?.streamCount;
  const speak = (id: number | null) => {
    streamId = id;
    store.add(say("hi", person("1", "wren")));
    return counts();
  };
  expect([null, 1, 1, null, 1, 2, 2, null, 3].map(speak)).toEqual([0, 1, 1, 1, 1, 2, 2, 2, 3]);
});

test("roles are those of the last message, by channel", () => {
  const { viewers, store } = stage();
  store.add(say("hi", person("1", "wren", { moderator: true, subscriber: true })));
  store.add(say("hi", { ...person("1", "wren", { vip: true }), channel: "attic" }));
  expect(viewers.inChannel("den", "1")?.roles).toEqual({
    ...NO_ROLES,
    moderator: true,
    subscriber: true,
  });
  expect(viewers.inChannel("attic", "1")?.roles).toEqual({ ...NO_ROLES, vip: true });
  store.add(say("hi", person("1", "wren", { subscriber: true })));
  expect(viewers.inChannel("den", "1")?.roles).toEqual({ ...NO_ROLES, subscriber: true });
});

test("a rename keeps the person, whoever takes the login", () => {
  const { db, viewers, store, at } = stage();
  store.add(say("hi", person("1", "wren")));
  at(2_000);
  store.add(say("hi", person("1", "jay")));
  expect(viewers.get("1")).toMatchObject({
    login: "jay",
    displayName: "JAY",
    firstSeenAtMs: 1_000,
  });
  at(3_000);
  store.add(say("hi", person("2", "jay")));
  at(4_000);
  store.add(say("hi", person("1", "lark")));
  expect(["1", "2"].map((userId) => viewers.get(userId)?.login)).toEqual(["lark", "jay"]);
  expect(["1", "2", "3"].map(prepareNameRead(db))).toEqual(["LARK", "JAY", null]);
});

test("the bot itself is no viewer, other bots are", () => {
  const { viewers, store } = stage();
  store.add(say("hello", { ...person("900", "automark"), kind: "bot", isBotItself: true }));
  store.add(say("beep", { ...person("8", "nightbot"), isKnownBot: true }));
  expect(viewers.get("900")).toBeNull();
  expect(viewers.get("8")?.login).toBe("nightbot");
});

test("counts wait in memory, are in every answer, and bring nobody back who was forgotten", () => {
  const { viewers, store, db } = stage();
  const written = db.prepare<[], number>("SELECT message_count FROM viewer_channels").pluck();
  const batch = (text: string): void => {
    store.add(say(text, person("7", "wren")));
    store.latestOfViewers("den", 1);
  };
  batch("one");
  batch("two");
  expect(written.all()).toEqual([1]);
  expect(viewers.inChannel("den", "7")?.messageCount).toBe(2);
  batch("three");
  db.exec("DELETE FROM viewers");
  store.flush();
  expect(written.all()).toEqual([]);
  batch("four");
  expect(written.all()).toEqual([1]);
});

test("whoever is new waits some seconds for the others, and a line is read with its speaker's name all the same", async () => {
  let batches = 0;
  const onFlushed = () => {
    batches += 1;
  };
  const { db, store, at } = stage({ flushMs: 0, onFlushed });
  const written = db.prepare<[], string>("SELECT login FROM viewers ORDER BY login").pluck();
  const batch = async (login: string): Promise<void> => {
    const before = batches;
    store.add(say(`it is ${login}`, person(login, login)));
    await until(() => batches > before);
  };
  await batch("wren");
  at(3_999);
  await batch("tarn");
  expect(db.prepare("SELECT count(*) FROM events").pluck().get()).toBe(2);
  expect(written.all()).toEqual([]);
  at(4_000);
  await batch("finch");
  expect(written.all()).toEqual(["finch", "tarn", "wren"]);
  await batch("rook");
  expect(store.latestOfViewers("den", 1)).toMatchObject([{ login: "rook", displayName: "ROOK" }]);
});
