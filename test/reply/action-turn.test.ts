import { expect, test } from "vitest";
import { makeActionTurn } from "../../src/reply/turn.ts";
import { EMPTY_TAIL } from "./prompt/prompt-parts.ts";

const tail = {
  ...EMPTY_TAIL,
  own: [{ id: 4, userId: "20", name: "Moss", text: "an earlier line" }],
  chat: [{ id: 5, userId: "31", name: "Bob", text: "a line of bob" }],
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

test("a turn's words are the requester's own lines, and beside them stands what was shown", () => {
  expect(makeActionTurn(ticket, 9, tail)).toEqual({
    channel: "den",
    replyId: 9,
    requesterId: "20",
    isAsked: true,
    words: ["the request"],
    messageId: "m7",
    eventId: 7,
    repliesTo: null,
    others: ["a line of bob"],
    shown: ["a line of bob", "an earlier line"],
  });
});

test("a question that was put together from lines keeps them apart", () => {
  const pieces = ["bob is loud", "do something"];
  expect(makeActionTurn({ ...ticket, trigger: "bare", pieces }, 9, tail).words).toEqual(pieces);
});

test("nobody asked where the bot joined in by chance", () => {
  expect(makeActionTurn({ ...ticket, trigger: "chance" }, 9, tail).isAsked).toBe(false);
  const repliesTo = { messageId: "m5", userId: "31" };
  expect(makeActionTurn({ ...ticket, repliesTo }, 9, tail).repliesTo).toEqual(repliesTo);
});
