import { expect, onTestFinished, test } from "vitest";
import { openLog } from "../../src/log.ts";
import { LivePoll } from "../../src/twitch/channel-watch.ts";
import { FirstJoins } from "../../src/twitch/joins.ts";

const INFO = {
  twitchId: "1",
  title: "tea",
  category: "Crafts",
  isLive: true,
  startedAtMs: 1,
  language: null,
};
const NOT_FOUND = {
  ok: false,
  reason: "not_found",
  mayHaveActed: false,
} as const;
const failed = (channel: string) =>
  ({ kind: "join_failed", channel, reason: "msg_banned", retryInMs: 1 }) as const;
const joined = (channel: string) => ({ kind: "joined", channel }) as const;

/** A board that keeps what was told, and what it was told. */
function board() {
  const holds = new Map<string, string>();
  const told: string[] = [];
  return {
    holds,
    told,
    raise: (kind: string, _severity: string, message: string) => {
      if (holds.get(kind) !== message) told.push(message);
      holds.set(kind, message);
    },
    clear: (kind: string) => void holds.delete(kind),
  };
}

/** Polls channels; `answers` says for each what Twitch answers. `round` ends when all were asked once more. */
function openPoll(answers: Record<string, typeof NOT_FOUND | null>) {
  const notices = board();
  let next: () => void = () => undefined;
  const poll = new LivePoll({
    ask: async (channel) => answers[channel] ?? { ok: true, value: INFO },
    channels: Object.keys(answers),
    onInfo: () => undefined,
    notices,
    wait: () =>
      new Promise((resolve) => {
        next = resolve;
      }),
    log: openLog("error"),
  });
  onTestFinished(() => poll.close());
  const round = async () => {
    next();
    await new Promise((turn) => setImmediate(turn));
  };
  return { notices, round };
}

test("a misspelt channel is announced once, however often the others answer", async () => {
  const { notices, round } = openPoll({ lanternroom: null, misspelt: NOT_FOUND, teastream: null });
  for (let n = 0; n < 4; n += 1) await round();
  expect(notices.told).toEqual([
    "Twitch does not say who is live: #misspelt (not_found). The bot asks again by itself. If it lasts, type `forgetmenot doctor`.",
  ]);
});

test("the notice about live states is cleared with the last problem", async () => {
  const answers: Record<string, typeof NOT_FOUND | null> = { a: NOT_FOUND, b: NOT_FOUND };
  const { notices, round } = openPoll(answers);
  await round();
  expect(notices.holds.get("helix")).toMatch(/#a \(not_found\), #b \(not_found\)\./);
  answers["a"] = null;
  await round();
  expect(notices.holds.get("helix")).toMatch(/: #b \(not_found\)\./);
  answers["b"] = null;
  await round();
  expect(notices.holds.size).toBe(0);
});

test("one channel that is not tried yet is waited for, and so is the first one that works", async () => {
  const ready = new FirstJoins(2);
  let isReady = false;
  void ready.joined.then(() => {
    isReady = true;
  });
  const settled = async () => {
    await new Promise((turn) => setImmediate(turn));
    return isReady;
  };
  ready.settle(failed("b"));
  ready.settle(failed("b"));
  expect(await settled()).toBe(false);
  ready.settle(failed("a"));
  expect(await settled()).toBe(false);
  ready.settle(joined("a"));
  expect(await settled()).toBe(true);
});
