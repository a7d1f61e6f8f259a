import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../src/errors.ts";
import { openLog } from "../../src/log.ts";
import { readiness } from "../../src/twitch/joins.ts";
import { pollLive, troubleTeller } from "../../src/twitch/live-poll.ts";
import { until } from "../stand-ins/until.ts";

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
  retryAtMs: null,
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

test("a misspelt channel is told once, however often the others answer", async () => {
  const notices = board();
  let rounds = 0;
  const poll = pollLive({
    helix: {
      channelInfo: async (login) => (login === "misspelt" ? NOT_FOUND : { ok: true, value: INFO }),
    },
    channels: ["lanternroom", "misspelt", "teastream"],
    onInfo: () => undefined,
    onTrouble: troubleTeller(notices),
    wait: async () => {
      rounds += 1;
      await new Promise((turn) => setImmediate(turn));
    },
    log: openLog("error"),
  });
  onTestFinished(poll.close);
  await until(() => rounds > 3);
  expect(notices.told).toEqual([
    "Twitch does not say who is live: #misspelt (not_found). The bot asks again by itself. If it lasts, type `forgetmenot doctor`.",
  ]);
});

test("the notice about live states goes when the last trouble does", () => {
  const notices = board();
  const tell = troubleTeller(notices);
  tell("a", "network");
  tell("b", "network");
  expect(notices.holds.get("helix")).toMatch(/#a \(network\), #b \(network\)\./);
  tell("a", null);
  expect(notices.holds.get("helix")).toMatch(/: #b \(network\)\./);
  tell("b", null);
  expect(notices.holds.size).toBe(0);
});

test("a channel that cannot be joined does not keep the others waiting", async () => {
  const ready = readiness(2);
  ready.settle(joined("a"));
  ready.settle(failed("b"));
  await ready.joined;
});

test("one channel that is not tried yet is waited for, and so is the first one that works", async () => {
  const ready = readiness(2);
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

test("what makes it pointless to wait is told", async () => {
  const ready = readiness(1);
  ready.fail(new Fault("no", { code: "secret", mend: "yes" }));
  await expect(ready.joined).rejects.toThrow("no");
});
