import { expect, test } from "vitest";
import type { SendResult } from "../../src/twitch/delivery.ts";
import type { OutgoingMessage } from "../../src/twitch/wire.ts";
import { bench, START_MS } from "./outbox-bench.ts";

const helixGiving = (result: SendResult) => {
  const seen: OutgoingMessage[] = [];
  const sendHelix = async (message: OutgoingMessage) => {
    seen.push(message);
    return result;
  };
  return { seen, sendHelix };
};

test("Helix sends a message at once, in its thread, and returns its id", async () => {
  const { seen, sendHelix } = helixGiving({ kind: "sent", messageId: "m-1" });
  const { clock, offer, outcomes, arrivals } = bench({ sendHelix });
  offer("the kettle is on", { replyTo: "parent-1" });
  await clock.advance(0);
  expect(outcomes).toEqual([{ kind: "sent", messageId: "m-1", via: "helix" }]);
  expect(seen).toEqual([{ channel: "teastream", text: "the kettle is on", replyTo: "parent-1" }]);
  expect(arrivals).toEqual([]);
});

test("without Helix a message is sent by IRC, without an id", async () => {
  const { clock, offer, outcomes } = bench();
  offer("the kettle is on");
  await clock.advance(0);
  expect(outcomes).toEqual([{ kind: "sent", messageId: null, via: "irc" }]);
});

test("a message is withdrawn when its sender says so right before, and takes no slot", async () => {
  const { clock, offer, outcomes, arrivals } = bench();
  offer("paused meanwhile", { onSending: () => false });
  offer("goes on");
  await clock.advance(0);
  expect(outcomes).toMatchObject([{ kind: "withdrawn" }, { kind: "sent" }]);
  expect(arrivals).toMatchObject([{ text: "goes on", atMs: 0 }]);
});

test("a message that cannot be marked is not sent", async () => {
  const { clock, offer, outcomes, logLines } = bench();
  const onSending = () => {
    throw new Error("database is locked: scones at nine");
  };
  offer("scones at nine", { onSending });
  await clock.advance(0);
  expect(outcomes).toEqual([{ kind: "withdrawn" }]);
  expect(logLines).toHaveLength(1);
  expect(logLines.join()).not.toContain("scones");
});

test.each([
  "unauthorised",
  "missing_scope",
  "forbidden",
  "not_found",
  "rate_limited",
  "network",
] as const)("IRC takes over when Helix surely did not send (%s)", async (reason) => {
  let asked = 0;
  const { sendHelix } = helixGiving({ kind: "failed", reason });
  const { clock, offer, outcomes, arrivals } = bench({ sendHelix });
  offer("over here", { onSending: () => ++asked > 0 });
  await clock.advance(0);
  expect(outcomes).toEqual([{ kind: "sent", messageId: null, via: "irc" }]);
  expect(arrivals).toHaveLength(1);
  expect(asked).toBe(2);
});

test("IRC does not take over what was withdrawn or ran out while Helix failed", async () => {
  const bench1 = bench({
    sendHelix: async () => {
      await bench1.clock.wait(4_000, new AbortController().signal);
      return { kind: "failed", reason: "network" };
    },
  });
  let asked = 0;
  bench1.offer("withdrawn", { onSending: () => ++asked === 1 });
  await bench1.clock.advance(4_000);
  bench1.offer("ran out", { expiresAtMs: START_MS + 7_000 });
  await bench1.clock.advance(10_000);
  expect(bench1.outcomes).toEqual([{ kind: "withdrawn" }, { kind: "expired" }]);
  expect(bench1.arrivals).toEqual([]);
});

test.each<SendResult>([
  { kind: "unknown" },
  { kind: "refused", reason: "msg_ratelimit" },
  { kind: "failed", reason: "timeout" },
])(
  "IRC never repeats what may have arrived, nor what Twitch refused: $kind $reason",
  async (result) => {
    const { clock, offer, outcomes, arrivals } = bench(helixGiving(result));
    offer("only once");
    await clock.advance(60_000);
    expect(outcomes).toEqual([result]);
    expect(arrivals).toEqual([]);
  },
);

test("a sender that throws leaves the message unknown, and the outbox working", async () => {
  const { clock, offer, outcomes, logLines } = bench({
    sendHelix: () => Promise.reject(new Error("bug near: only once")),
  });
  offer("only once");
  offer("the next");
  await clock.advance(2_000);
  expect(outcomes).toEqual([{ kind: "unknown" }, { kind: "unknown" }]);
  expect(logLines.join()).not.toContain("only once");
});
