import { expect, onTestFinished, test } from "vitest";
import { EventStore } from "../../src/chat/event-store.ts";
import { openViewerStore } from "../../src/chat/viewer-store.ts";
import { toConfig } from "../../src/config/load.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { Counters } from "../../src/database/runtime-store.ts";
import { makeFence } from "../../src/language/fence.ts";
import { openLog } from "../../src/log.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { type Llm, NO_USAGE } from "../../src/models/model-port.ts";
import { prepareGuard } from "../../src/reply/guard.ts";
import { ReplyStore } from "../../src/reply/reply-store.ts";
import { trailSchema } from "../../src/reply/trail.ts";
import { TurnTaker } from "../../src/reply/turn.ts";
import type { DeliveryOutcome } from "../../src/twitch/delivery.ts";
import { addChannel, addNote, NOW_MS } from "../memory/recall/memories.ts";
import { makeTicket } from "./queue-rig.ts";

const SENT: DeliveryOutcome = { kind: "sent", messageId: "m1", via: "helix" };
/** Of the fourteen notes the even ones share a word with the message; the last ones share a line. */
const USED = [2, 4, 6, 8, 10, 12, 14];

test("notes with a line of their own and a word of the message count as used, no others", async () => {
  const { take, uses, version } = openRoom({});
  const before = version();
  expect(await take()).toBe("sent");
  expect(uses()).toEqual(USED);
  expect(version()).toBe(before);
});

test.each<[string, Room, string]>([
  ["thought and not said", { mode: "shadow" }, "shadow"],
  ["refused by Twitch", { outcome: { kind: "refused", reason: "msg_duplicate" } }, "silent"],
  ["of which unknown whether it arrived", { outcome: { kind: "unknown" } }, "unknown"],
  ["too late", { outcome: { kind: "expired" } }, "silent"],
  ["stopped by the guard", { says: "[id:3] /ban you" }, "silent"],
])("of a reply that was %s nothing counts as used", async (_, made, state) => {
  const { take, uses } = openRoom(made);
  expect(await take()).toBe(state);
  expect(uses()).toEqual([]);
});

test("a turn whose snapshot could not be read goes on with the last one, and its trail says so", async () => {
  const { take, trails, lose } = openRoom({});
  expect(await take()).toBe("sent");
  lose();
  expect(await take()).toBe("sent");
  const [before, after] = trails();
  expect([before?.fresh, after?.fresh]).toEqual([true, false]);
  expect(after?.hash).toBe(before?.hash);
});

interface Room {
  readonly mode?: "mentions" | "shadow";
  readonly outcome?: DeliveryOutcome;
  readonly says?: string;
}

/** A viewer with more notes than have a line of their own, and a note of the channel. */
function openRoom({ mode = "mentions", outcome = SENT, says = "hello there" }: Room) {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  addChannel(db);
  addNote(db, { id: 90 });
  for (let id = 1; id <= 14; id += 1) {
    const fact = id % 2 === 0 ? `lamp number ${id}` : `door number ${id}`;
    addNote(db, { id, scope: "viewer", subjectId: "7", kind: `kind${id}`, ageDays: id, fact });
  }
  const now = () => NOW_MS;
  const replies = new ReplyStore(db, now);
  const recall = new RecallStore(db);
  const events = new EventStore(db, { now, expiryMs: 1_000 });
  const turns = new TurnTaker(
    {
      ...{ now, replies, recall, events },
      config: toConfig({ channel: "here", bot: { login: "mark" }, mode }, "."),
      viewers: openViewerStore(db, events.flush),
      fence: makeFence("0123456789ab"),
      paceOf: () => "quiet",
      llm: saying(says),
      calls: { correction: () => 1 },
      guard: prepareGuard(NO_RULES),
      actions: {
        handle: () => Promise.resolve({ instead: null, outcomes: Promise.resolve([]) }),
        endQuestionTo: () => undefined,
        listOffered: () => [],
      },
      outbox: {
        offer: async ({ onSending }) => (onSending() ? outcome : { kind: "withdrawn" }),
      },
      switches: () => ({ paused: false, safeMode: false, readOnly: false }),
      isShut: () => false,
      counters: new Counters(db),
      onSaid: () => undefined,
      log: openLog("silent"),
    },
    () => undefined,
  );
  return {
    take: async () => {
      const ticket = makeTicket({ question: "my lamp", atMs: NOW_MS });
      await turns.take(ticket, new AbortController().signal);
      replies.writeUses();
      return db.prepare("SELECT state FROM replies ORDER BY id DESC").pluck().get();
    },
    uses: () =>
      db
        .prepare(
          "SELECT id FROM semantic_notes WHERE use_count = 1 AND last_used_at = ? ORDER BY id",
        )
        .pluck()
        .all(NOW_MS),
    version: () => recall.prefixVersion("here"),
    /** What the trail of each reply says of its prefix. */
    trails: () =>
      db
        .prepare<[], string>("SELECT token_usage_json FROM replies ORDER BY id")
        .pluck()
        .all()
        .map((trail) => trailSchema.parse(JSON.parse(trail)).prefix),
    /** Makes what a snapshot is taken from unreadable. */
    lose: () => void db.exec("ALTER TABLE channel_state RENAME TO lost"),
  };
}

const NO_RULES = {
  allowedHosts: [],
  bannedWords: [],
  secretTexts: [],
  voiceTexts: [],
  markers: [],
  ownNames: [],
};

function saying(text: string): Llm {
  return {
    ask: async () => ({
      ...{ ok: true, text, value: null, model: "scripted", finish: "stop" },
      usage: NO_USAGE,
      latencyMs: 0,
    }),
  };
}
