import { expect, test } from "vitest";
import { openChannelStore } from "../../src/chat/channel-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";

const FACTS = { twitchId: "7", title: "quiet night", category: "Chess", startedAtMs: null };

test("what was true when the program ended is not taken for true at the next start", () => {
  const db = openDatabase(":memory:");
  const before = openChannelStore(db, () => 1_000);
  before.ensure("here");
  before.refresh("here", { ...FACTS, isLive: false });
  expect(before.isLive("here")).toBe(false);
  const after = openChannelStore(db, () => 2_000);
  after.ensure("here");
  expect(after.isLive("here")).toBeNull();
});

test("chat alone begins a stream only once Twitch had time to say whether there is one", () => {
  const db = openDatabase(":memory:");
  let nowMs = 0;
  const store = openChannelStore(db, () => nowMs, 180_000);
  store.ensure("here");
  nowMs = 179_000;
  store.noteActivity("here");
  expect(store.openSession("here")).toBeNull();
  nowMs = 180_000;
  store.noteActivity("here");
  expect(store.openSession("here")).toBe(1);
});
