import { expect, test } from "vitest";
import { actionRoom } from "../../src/actions/room.ts";
import { MOD, openRig, START_MS, STREAMER, VIEWER } from "./rig.ts";

const LIMITED = { kind: "rate_limit", resetAtMs: START_MS + 30_000 } as const;
const TIMEOUT = "[action timeout user=bob]";
const COMMAND = "@automark timeout bob 5";
const heldBack = { decision: "refuse", reason: "rate_limited", outcome: null };

test("until the time that Twitch said, nothing else goes out, and nothing else counts", async () => {
  const rig = await openRig();
  rig.server.failNext("/mock/clips", LIMITED);
  expect(await rig.order(MOD, "@automark clip")).toMatchObject({ outcome: "failed" });
  expect(await rig.order(MOD, COMMAND)).toMatchObject(heldBack);
  rig.clock.nowMs += 29_999;
  expect(await rig.order(MOD, COMMAND)).toMatchObject(heldBack);
  expect(rig.acts()).toHaveLength(1);
  rig.clock.nowMs += 1;
  expect(await rig.order(MOD, COMMAND)).toMatchObject({ outcome: "done" });
});

test("memory needs no leave of Twitch's", async () => {
  const rig = await openRig();
  rig.server.failNext("/mock/clips", LIMITED);
  await rig.ask(VIEWER, "clip that", "[action clip]");
  const span = '[action remember fact="plays the cello" quote="I play the cello"]';
  expect(await rig.ask(VIEWER, "remember I play the cello", span)).toMatchObject([
    { outcome: "done" },
  ]);
});

test.each([
  ["an hour ahead of ours", START_MS + 3_600_000, 60_000],
  ["an hour behind ours", START_MS - 3_600_000, 0],
])(
  "a clock of Twitch's that is %s holds nothing back for longer than a minute",
  async (...given) => {
    const [, resetAtMs, waitMs] = given;
    const rig = await openRig();
    rig.server.failNext("/mock/clips", { kind: "rate_limit", resetAtMs });
    await rig.ask(MOD, "clip that", "[action clip]");
    rig.clock.nowMs += waitMs;
    expect(await rig.order(MOD, COMMAND)).toMatchObject({ outcome: "done" });
  },
);

test("a clock that was set back holds nothing back", async () => {
  const rig = await openRig();
  rig.server.failNext("/mock/clips", LIMITED);
  await rig.ask(MOD, "clip that", "[action clip]");
  rig.clock.nowMs -= 3_600_000;
  expect(await rig.order(MOD, COMMAND)).toMatchObject({ outcome: "done" });
});

test("what was approved meanwhile is refused, and each log-in waits for itself", async () => {
  const classes = { memory: "live", chat: "live", stream: "live", moderation: "approve" } as const;
  const rig = await openRig({ policy: { classes } });
  const { bot } = rig.parts.logins;
  const scopes = ["channel:manage:broadcast"];
  const streamer = () => ({ caller: bot.caller, identity: () => ({ userId: STREAMER, scopes }) });
  const room = actionRoom({ ...rig.parts, logins: { bot, streamer } });
  const ask = (words: string, span: string) => rig.judge(rig.turnOf(MOD, words), [span], room);
  await ask("bob off", TIMEOUT);
  rig.server.failNext("/mock/clips", LIMITED);
  rig.clock.nowMs += 1;
  await ask("clip that", "[action clip]");
  rig.review.answer(rig.review.list({ decision: "hold", limit: 1 })[0]?.id ?? 0, "approve");
  expect(await room.settleHeld()).toMatchObject([heldBack]);
  rig.clock.nowMs += 1;
  expect(await ask("mark this", "[action marker]")).toMatchObject([{ outcome: "done" }]);
});
