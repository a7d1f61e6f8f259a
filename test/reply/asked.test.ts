import { expect, test } from "vitest";
import { actionTurn } from "../../src/reply/action-context.ts";

const NOTE = { kind: "lore", score: 1, createdAtMs: 0 };
const shown = {
  snapshot: {
    channel: "den",
    version: 1,
    pace: "quiet" as const,
    state: {
      title: "a title",
      category: "a category",
      isLive: true,
      prefixVersion: 1,
      sessionId: 1,
      recap: "a recap",
    },
    notes: [{ ...NOTE, id: 1, fact: "a channel note", topics: "its topics" }],
    episodes: [{ id: 2, topic: "a topic", summary: "a summary", endedAtMs: 1, sessionId: 1 }],
  },
  tail: {
    pace: "quiet" as const,
    thread: [
      { id: 8, userId: "32", name: "Quill", text: "the line replied to", isRepliedTo: true },
    ],
    speaker: { name: "Moss", standing: "moderator" as const },
    lore: [{ ...NOTE, id: 3, fact: "a note on moss", topics: "" }],
    own: [{ id: 4, userId: "20", name: "Moss", text: "an earlier line" }],
    chat: [{ id: 5, userId: "31", name: "Bob's long name", text: "a line of bob" }],
    replies: [{ id: 6, text: "what the bot said" }],
    current: { id: 7, name: "Moss", text: "the request" },
    continues: false,
  },
};
const ticket = {
  channel: "den",
  userId: "20",
  trigger: "mention" as const,
  question: "the request",
  eventId: 7,
  messageId: "m7",
  atMs: 1,
};

test("every word of the prompt that is not the program's own is untrusted, with its writer", () => {
  const { untrusted, ...turn } = actionTurn(ticket, 9, shown);
  const by = (userId: string | null) =>
    untrusted.filter((one) => one.userId === userId && one.text !== "").map(({ text }) => text);
  expect(by(null).sort()).toEqual([
    "Bob's long name",
    "Moss",
    "Quill",
    "a category",
    "a channel note",
    "a recap",
    "a summary",
    "a title",
    "a topic",
    "its topics",
    "what the bot said",
  ]);
  expect(by("20")).toEqual(["a note on moss", "an earlier line", "the request"]);
  expect(by("31")).toEqual(["a line of bob"]);
  expect(by("32")).toEqual(["the line replied to"]);
  expect(turn).toEqual({
    channel: "den",
    replyId: 9,
    requesterId: "20",
    isAsked: true,
    words: ["the request"],
    repliesToId: null,
  });
});

test("nobody asked where the bot joined in by chance", () => {
  expect(actionTurn({ ...ticket, trigger: "chance" }, 9, shown).isAsked).toBe(false);
  expect(actionTurn({ ...ticket, repliesToId: "31" }, 9, shown).repliesToId).toBe("31");
});
