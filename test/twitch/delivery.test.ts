import { expect, test } from "vitest";
import { IrcSender, OwnMessages, type SendResult } from "../../src/twitch/delivery.ts";
import { type OutgoingMessage, parseWireLine } from "../../src/twitch/wire.ts";
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

const SENT = { kind: "sent", messageId: null } as const;
const TAKEN = "@mod=0 :tmi.twitch.tv USERSTATE #teastream";
const notice = (code: string, channel = "teastream") =>
  `@msg-id=${code} :tmi.twitch.tv NOTICE #${channel} :Not this time.`;

test.each(["msg_followersonly", "msg_banned", "msg_slowmode", "msg_rejected", "no_permission"])(
  "a message that Twitch answers with %s is refused with that code",
  async (code) => {
    const { say, outcomes, clock } = world();
    say("the kettle is on", [notice(code)]);
    await clock.advance(10);
    expect(outcomes).toEqual([{ kind: "refused", reason: code, words: "Not this time." }]);
  },
);

test("a message that Twitch took is sent at once, without a wait", async () => {
  const { say, outcomes, verdicts, clock } = world();
  say("the kettle is on", [TAKEN]);
  verdicts.lost();
  await clock.advance(0);
  expect(outcomes).toEqual([SENT]);
});

test("a refusal that comes with the acknowledgement holds", async () => {
  const { say, outcomes, clock } = world();
  say("the kettle is on", [TAKEN, notice("msg_ratelimit")]);
  await clock.advance(0);
  expect(outcomes).toEqual([{ kind: "refused", reason: "msg_ratelimit", words: "Not this time." }]);
});

test("where a server says nothing of it, or of another channel, it counts as sent after a while", async () => {
  const { say, outcomes, clock } = world();
  say("the kettle is on", [notice("msg_banned", "elsewhere"), notice("slow_on")]);
  await clock.advance(1_400);
  expect(outcomes).toEqual([]);
  await clock.advance(100);
  expect(outcomes).toEqual([SENT]);
});

test("the outbox knows a refused message as refused, and may send the same text again", async () => {
  const answers: SendResult[] = [
    { kind: "refused", reason: "msg_slowmode", words: "" },
    { kind: "unknown" },
  ];
  const { offer, outcomes, clock } = bench({
    sendIrc: async () => answers.shift() ?? SENT,
  });
  offer("once more");
  offer("once more");
  offer("once more");
  await clock.advance(5_000);
  expect(outcomes).toEqual([
    { kind: "refused", reason: "msg_slowmode", words: "" },
    { kind: "unknown" },
    { kind: "duplicate" },
  ]);
});

function world(handed: SendResult = SENT) {
  const { clock } = bench();
  const outcomes: SendResult[] = [];
  const verdicts = new IrcSender(() => handed, clock.wait);
  const say = (text: string, lines: readonly string[]): void => {
    const sending = verdicts.send({ channel: "teastream", text, replyTo: null });
    void sending.then((outcome) => outcomes.push(outcome));
    for (const line of lines) {
      const message = parseWireLine(line);
      if (message !== null) verdicts.receive(message);
    }
  };
  return { clock, outcomes, verdicts, say };
}

const MESSAGE = { channel: "den", text: "Amber suits the shelf.", replyTo: null };
const sent = (messageId: string | null) => ({ kind: "sent", messageId }) as const;

function rig() {
  const clock = { nowMs: 1_700_000_000_000 };
  const waits: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => void waits.push(resolve));
  return { clock, waits, own: new OwnMessages(() => clock.nowMs, wait) };
}

test("a message with an id that we sent is ours, and another one of the account is not", async () => {
  const { own } = rig();
  await own.track(MESSAGE, () => sent("id-1"));
  expect(own.isOwn("id-1", "anything")).toBe(true);
  expect(own.isOwn("id-2", MESSAGE.text)).toBe(false);
  expect(own.settled()).toBeNull();
});

test("a message with an id that we sent stays ours, however late Twitch sends it", async () => {
  const { own, clock } = rig();
  await own.track(MESSAGE, () => sent("id-1"));
  clock.nowMs += 90_000;
  await own.track({ ...MESSAGE, text: "another" }, () => sent(null));
  expect(own.isOwn("id-1", MESSAGE.text)).toBe(true);
});

test("without an id the text counts, for a minute", async () => {
  const { own, clock } = rig();
  await own.track(MESSAGE, () => sent(null));
  expect(own.isOwn("id-1", `@wren ${MESSAGE.text}`)).toBe(true);
  expect(own.isOwn("id-1", "I typed this")).toBe(false);
  expect(own.isOwn("id-1", `I typed this, ${MESSAGE.text}`)).toBe(false);
  clock.nowMs += 60_001;
  await own.track({ ...MESSAGE, text: "another" }, () => sent(null));
  expect(own.isOwn("id-1", MESSAGE.text)).toBe(false);
});

test("a message that did not arrive is not ours", async () => {
  const { own } = rig();
  await own.track(MESSAGE, () => ({ kind: "failed", reason: "network" }));
  expect(own.isOwn("id-1", MESSAGE.text)).toBe(false);
});

test("while a send has no id yet, others wait for it, or for five seconds", async () => {
  const { own, waits } = rig();
  let answer: (result: SendResult) => void = () => undefined;
  const sending = own.track(MESSAGE, () => new Promise((end) => (answer = end)));
  const settled = own.settled();
  expect(settled).not.toBeNull();
  answer(sent("id-1"));
  await sending;
  await settled;
  expect(own.isOwn("id-1", "")).toBe(true);
  void own.track(MESSAGE, () => new Promise(() => undefined));
  const late = own.settled();
  waits.at(-1)?.();
  await late;
});
