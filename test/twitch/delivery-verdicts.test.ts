import { expect, test } from "vitest";
import { IrcSender, type SendResult } from "../../src/twitch/delivery.ts";
import { parseWireLine } from "../../src/twitch/wire.ts";
import { bench } from "./outbox-bench.ts";

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
