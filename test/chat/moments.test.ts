import { expect, test } from "vitest";
import { MomentStore } from "../../src/chat/moment-store.ts";
import { openStore } from "./open-store.ts";
import { deletion, say, timeout } from "./say.ts";
import { spoken } from "./wire-lines.ts";

const DAY_MS = 86_400_000;

function stage({ streamId = 1 as number | null, optedOut = "" } = {}) {
  const stream = { id: streamId };
  const { db, store } = openStore({
    streamOf: () => stream.id,
    isOptedOut: (userId) => userId === optedOut,
  });
  db.exec(
    "INSERT INTO stream_sessions (id, channel, started_at) VALUES (1, 'den', 1), (2, 'den', 2)",
  );
  const moments = () =>
    db
      .prepare<[], [kind: string, userId: string, ...rest: unknown[]]>(
        "SELECT kind, user_id, amount, session_id, at FROM moments ORDER BY id",
      )
      .raw()
      .all();
  const inChannel = (userId: string) => {
    store.close();
    return db
      .prepare(
        "SELECT earlier_messages, stream_messages, is_founder, moderated_on FROM viewer_channels WHERE user_id = ?",
      )
      .raw()
      .get(userId);
  };
  return { db, store, stream, moments, inChannel };
}

test.each([
  ["raid", { "msg-id": "raid", "msg-param-viewerCount": "87" }, 87],
  ["sub", { "msg-id": "sub", "msg-param-cumulative-months": "1" }, 1],
  ["resub", { "msg-id": "resub", "msg-param-cumulative-months": "14" }, 14],
  ["gift", { "msg-id": "subgift", "msg-param-gift-months": "1" }, 1],
  ["mystery_gift", { "msg-id": "submysterygift", "msg-param-mass-gift-count": "5" }, 5],
  ["streak", { "msg-id": "viewermilestone", "msg-param-value": "10" }, 10],
  ["announcement", { "msg-id": "announcement" }, null],
])("a %s becomes a moment without its words", (kind, tags, amount) => {
  const { store, moments } = stage();
  store.add(spoken("my own words", { tags, command: "USERNOTICE" }));
  store.flush();
  expect(moments()).toEqual([[kind, "42", amount, 1, 1_000]]);
});

test("a cheer is a moment; a message is none", () => {
  const { store, moments } = stage({ streamId: null });
  store.add(spoken("cheer100 nice", { tags: { bits: "100" } }));
  store.add(spoken("nice", { tags: { id: "m-2" } }));
  store.flush();
  expect(moments()).toEqual([["cheer", "42", 100, null, 1_000]]);
});

test("five subs given together are one moment", () => {
  const { store, moments } = stage();
  const tags = { "msg-id": "submysterygift", "msg-param-mass-gift-count": "5" };
  store.add(spoken(null, { tags, command: "USERNOTICE" }));
  for (let n = 0; n < 5; n += 1) {
    const each = { "msg-id": "subgift", "msg-param-community-gift-id": "9", id: `g-${n}` };
    store.add(spoken(null, { tags: each, command: "USERNOTICE" }));
  }
  store.flush();
  expect(moments().map(([kind]) => kind)).toEqual(["mystery_gift"]);
});

test("an anonymous gifter and an opted-out viewer leave no moment", () => {
  const { store, moments } = stage({ optedOut: "42" });
  const tags = { "msg-id": "subgift" };
  store.add(spoken(null, { tags, command: "USERNOTICE" }));
  store.add(spoken(null, { tags: { ...tags, "user-id": "274598607" }, command: "USERNOTICE" }));
  store.flush();
  expect(moments()).toEqual([]);
});

test("a ban removes the moments of that viewer, a timeout keeps them", () => {
  const { store, moments } = stage();
  store.add(say("", { by: "ann", kind: "raid" }));
  store.add(say("", { by: "bob", kind: "raid" }));
  store.add(timeout("bob", "bob", 600));
  store.flush();
  expect(moments()).toHaveLength(2);
  store.add(timeout("ann", "ann", null));
  store.flush();
  expect(moments().map(([, userId]) => userId)).toEqual(["bob"]);
});

test("a moment lives a year", () => {
  const { db, store } = stage();
  store.add(say("", { by: "ann", kind: "raid" }));
  store.flush();
  const stored = new MomentStore(db);
  expect(stored.expire(1_000 + 365 * DAY_MS - 1, 10)).toBe(0);
  expect(stored.expire(1_000 + 365 * DAY_MS, 10)).toBe(1);
});

test("moments are read by viewer and by stream, newest first", () => {
  const { db, store } = stage();
  for (const by of ["ann", "bob", "ann"]) store.add(say("", { by, kind: "raid", amount: 3 }));
  store.flush();
  const stored = new MomentStore(db);
  expect(stored.ofViewer("den", "ann", 5).map(({ id }) => id)).toEqual([3, 1]);
  expect(stored.ofStream(1, 2).map(({ id }) => id)).toEqual([3, 2]);
});

test("a night of gifts hides no raid of the year, and a time span ends", () => {
  const { db, store } = stage();
  store.add(say("", { by: "ann", kind: "raid", amount: 3 }));
  for (let n = 0; n < 30; n += 1) store.add(say("", { by: "bob", kind: "gift" }));
  store.flush();
  db.exec("UPDATE moments SET at = id");
  const stored = new MomentStore(db);
  expect(stored.latest("den", 2).map(({ id }) => id)).toEqual([31, 30, 1]);
  expect(stored.between("den", 2, 4, 9).map(({ id }) => id)).toEqual([4, 3, 2]);
});

test("messages of earlier streams are counted apart from those of this one", () => {
  const { store, stream, inChannel } = stage({ streamId: null });
  store.add(say("before any stream", { by: "ann" }));
  store.flush();
  stream.id = 1;
  for (let n = 0; n < 4; n += 1) store.add(say("first stream", { by: "ann" }));
  store.flush();
  stream.id = 2;
  for (let n = 0; n < 2; n += 1) store.add(say("second stream", { by: "ann" }));
  store.flush();
  expect(inChannel("ann")).toEqual([4, 2, 0, null]);
});

test("a timeout, a ban and a deletion leave their day", () => {
  const days = [timeout("ann", "ann"), timeout("ann", "ann", null), deletion("m-1")].map(
    (event) => {
      const { store, inChannel } = stage();
      store.add(say("rude words", { by: "ann", messageId: "m-1" }));
      store.flush();
      store.add(event);
      store.flush();
      return inChannel("ann");
    },
  );
  for (const row of days) expect(row).toEqual([0, 1, 0, "1970-01-01"]);
});
