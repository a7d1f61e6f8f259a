import { expect, onTestFinished, test } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { openLog } from "../../src/log.ts";
import { TwitchAuth } from "../../src/twitch/auth.ts";
import { deliver, IrcSender } from "../../src/twitch/delivery.ts";
import { Helix } from "../../src/twitch/helix.ts";
import { Speech } from "../../src/twitch/speech.ts";
import { parseWireLine } from "../../src/twitch/wire.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";

/** Codes with which Twitch drops messages, by Helix and by chat, and the cause that the notice names. */
const DROPS: readonly (readonly [code: string, cause: RegExp])[] = [
  ["user_timed_out", /timed the bot out.*\/untimeout automark/],
  ["msg_timedout", /timed the bot out/],
  ["user_warned", /warned the bot.*acknowledge the warning/],
  ["user_banned", /banned.*\/unban automark/],
  ["msg_banned", /banned/],
  ["msg_rejected", /AutoMod or a blocked term/],
  ["msg_rejected_mandatory", /AutoMod or a blocked term/],
  ["automod_held", /AutoMod/],
  ["channel_settings", /settings keep the bot out.*\/mod automark/],
  ["followers_only_mode", /followers-only/],
  ["msg_followersonly_zero", /followers-only/],
  ["subs_only_mode", /subscribers-only/],
  ["emote_only_mode", /emote-only/],
  ["slow_mode", /slow mode/],
  ["msg_r9k", /unique mode/],
  ["msg_requires_verified_phone_number", /verified phone/],
  ["msg_duplicate", /same text within 30 seconds/],
  ["msg_ratelimit", /more than Twitch allows/],
  ["msg_channel_suspended", /suspended/],
  ["moon_phase", /Twitch says “(?:Your message was dropped|Not tonight)\.”/],
];

test("the notice names why Helix dropped a message", async () => {
  const { notices, learn } = board();
  const server = await startHelixServer({ now: () => 1 });
  useHelixStandIn(server.port);
  server.setToken("access-1", {
    ...{ userId: "77", login: "automark", clientId: "client-a", expiresInSeconds: 14_400 },
    scopes: ["user:write:chat"],
  });
  const tokens = { accessToken: "access-1", refreshToken: null, clientId: "" };
  const log = openLog("silent");
  const auth = new TwitchAuth({ tokens, saveTokens: () => undefined, notices, now: () => 1, log });
  const helix = new Helix(auth);
  for (const [code, cause] of DROPS) {
    server.dropNextMessage(code);
    const send = () => helix.sendMessage({ broadcasterId: "11", text: "tea", replyTo: null });
    expect(await learn(send), code).toMatch(cause);
  }
  helix.close();
  await auth.close();
  await server.close();
});

test.each(DROPS.filter(([code]) => code.startsWith("msg_")))(
  "the notice names why chat dropped a message: %s",
  async (code, cause) => {
    const { learn } = board();
    const verdicts = new IrcSender(
      () => ({ kind: "sent", messageId: null }),
      (_ms, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    );
    const outcome = await learn(null, async (message) => {
      const sending = verdicts.send(message);
      const line = `@msg-id=${code} :tmi.twitch.tv NOTICE #lanternroom :Not tonight.`;
      const notice = parseWireLine(line);
      if (notice !== null) verdicts.receive(notice);
      return await sending;
    });
    expect(outcome).toMatch(cause);
  },
);

type Ways = Parameters<typeof deliver>[0];

function board() {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  const log = openLog("silent");
  const notices = new NoticeBoard(db, () => 1, log);
  const speech = new Speech({ now: () => 1, notices, botLogin: "automark" });
  const offer = { channel: "lanternroom", text: "tea", replyTo: null, expiresAtMs: 9_000 };
  return {
    notices,
    /** Sends one message, and returns the notice about it. */
    learn: async (
      sendHelix: Ways["sendHelix"],
      sendIrc: Ways["sendIrc"] = () => ({ kind: "sent", messageId: null }),
    ) => {
      const ways = { sendHelix, sendIrc, now: () => 1, log };
      speech.recordOutcome("lanternroom", await deliver(ways, { ...offer, onSending: () => true }));
      return notices.list().find(({ cause }) => cause === "refused")?.message;
    },
  };
}
