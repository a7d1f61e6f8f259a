import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SentReply } from "../../src/telemetry/outcome.ts";
import { followUp, listSanctionOutcomes, OUTCOME_WINDOW_MS } from "../../src/telemetry/outcome.ts";

const SENT_MS = 1_000_000;
type HeardMessage = Parameters<typeof followUp>[1];

describe("a follow-up", () => {
  test("is a reply to the bot's message, by the viewer or by others", () => {
    const thread = { parent: { messageId: "m1", isBots: true } };
    expect(followUp([reply()], message(thread))?.kind).toBe("viewer_answered");
    expect(followUp([reply()], message({ ...thread, userId: "8" }))?.kind).toBe("others_answered");
  });

  test("counts for the reply in whose thread it is, not for the newest", () => {
    const replies = [reply(), reply({ replyId: 2, messageId: "m2", userId: "8" })];
    const found = followUp(replies, message({ parent: { messageId: "m1", isBots: true } }));
    expect(found?.replyId).toBe(1);
  });

  test("that names the bot counts for the viewer's own reply; others ask something of their own", () => {
    const replies = [reply(), reply({ replyId: 2, messageId: "m2", userId: "8" })];
    const named = { toBot: true, atMs: SENT_MS + OUTCOME_WINDOW_MS };
    expect(followUp(replies, message(named))?.replyId).toBe(1);
    expect(followUp(replies, message({ ...named, userId: "9" }))).toBeNull();
  });

  test("is the viewer's next message for half a minute, unless it is for somebody else", () => {
    const kind = (over: Partial<HeardMessage>) => followUp([reply()], message(over))?.kind ?? null;
    expect(kind({ atMs: SENT_MS + 30_000 })).toBe("viewer_answered");
    expect(kind({ atMs: SENT_MS + 30_001 })).toBeNull();
    expect(kind({ text: "@otto look at that" })).toBeNull();
    expect(kind({ text: "!deaths" })).toBeNull();
    expect(kind({ parent: { messageId: "x", isBots: false } })).toBeNull();
    expect(kind({ userId: "8" })).toBeNull();
  });

  test("comes within two minutes", () => {
    const atMs = SENT_MS + OUTCOME_WINDOW_MS;
    expect(followUp([reply()], message({ toBot: true, atMs }))).not.toBeNull();
    expect(followUp([reply()], message({ toBot: true, atMs: atMs + 1 }))).toBeNull();
  });

  test("depends on no word, only on how the message begins", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const isForOther = /^[@＠!！]/u.test(text);
        expect(followUp([reply()], message({ text })) === null).toBe(isForOther);
        expect(followUp([reply()], message({ text, toBot: true }))?.kind).toBe("viewer_answered");
      }),
    );
  });
});

test("a timeout counts for the answered viewer's reply; one of the bot deletes its messages", () => {
  const replies = [reply(), reply({ replyId: 2, userId: "8" })];
  const at = { atMs: SENT_MS + 5_000 };
  expect(listSanctionOutcomes(replies, { ...at, userId: "8", isBots: false })).toEqual([
    { replyId: 2, kind: "timed_out" },
  ]);
  expect(listSanctionOutcomes(replies, { ...at, userId: "9", isBots: false })).toEqual([]);
  expect(
    listSanctionOutcomes(replies, { ...at, userId: "1", isBots: true }).map(({ kind }) => kind),
  ).toEqual(["deleted", "deleted"]);
});

function reply(over: Partial<SentReply> = {}): SentReply {
  return { replyId: 1, channel: "here", userId: "7", messageId: "m1", sentAtMs: SENT_MS, ...over };
}

function message(over: Partial<HeardMessage> = {}): HeardMessage {
  return {
    userId: "7",
    parent: null,
    toBot: false,
    text: "and then",
    atMs: SENT_MS + 9_000,
    ...over,
  };
}
