import { expect, onTestFinished, test } from "vitest";
import { startDaemon } from "../../src/daemon/daemon.ts";
import { Fault } from "../../src/errors.ts";
import { offlineModel } from "../../src/lab/offline/offline-model.ts";
import { startHelixServer } from "../../src/lab/rehearsal/helix-server.ts";
import { openLog } from "../../src/log.ts";
import { useHelixStandIn } from "../../src/platform/config/environment.ts";
import { toConfig } from "../../src/platform/config/load.ts";
import { boundedCall, TooLarge } from "../../src/twitch/bounded-call.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, openHouse, openTown } from "../stand-ins/house.ts";
import { openModelServer } from "../stand-ins/model-server.ts";
import { NO_ENVIRONMENT } from "../stand-ins/no-environment.ts";
import { configFileOf, type Town, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { open, openJoined, SHORT_JOIN, until as soon } from "../twitch/chat-rig.ts";

/** Twitch's chat refuses the log-in this often, whatever the token is. */
function refuseLogIns(town: Town, times: number): { left: number } {
  const refusals = { left: times };
  town.irc.faults.refuseLogIn = () => {
    refusals.left -= 1;
    return refusals.left >= 0;
  };
  return refusals;
}

test("a good token that chat refuses once at the start is tried again, and the bot answers", async () => {
  const town = await openTown();
  const refusals = refuseLogIns(town, 1);
  const house = await enter(town);
  expect(refusals.left).toBeLessThan(0);
  house.model.enqueue(geminiSays({ text: "still here" }));
  house.say({ text: "@automark there?" });
  expect((await house.ended(1))[0]).toMatchObject({ state: "sent", text: "still here" });
  expect(house.daemon.status().notices).toEqual([]);
});

test("a good token that chat refuses again and again is tried until it is taken; the notice says what is true", async () => {
  const house = await openHouse();
  refuseLogIns(house, 2);
  house.irc.cutAll();
  await until(() => house.logged.some((line) => line.includes("although the token is good")));
  house.model.enqueue(geminiSays({ text: "back" }));
  await until(() => house.irc.listeners("lanternroom") === 1);
  house.say({ text: "@automark back?" });
  expect((await house.ended(1))[0]).toMatchObject({ state: "sent", text: "back" });
  await until(() => house.daemon.status().notices.length === 0);
  const past = house.daemon.status().pastNotices.map(({ kind }) => kind);
  expect(past).toContain("chat_connection");
});

test("a token that Twitch's validation refuses, too, ends the start with what to do", async () => {
  const town = await openTown();
  refuseLogIns(town, 1_000);
  town.helix.revokeToken(TWITCH_TOKEN);
  useHelixStandIn(town.helix.port);
  const daemon = await startDaemon({
    offlineModel: offlineModel(),
    config: toConfig(configFileOf(town), town.dataDir),
    environment: {
      ...NO_ENVIRONMENT,
      twitchAccessToken: TWITCH_TOKEN,
      geminiApiKey: "k3y",
      hasHelixStandIn: true,
    },
    now: Date.now,
    random: () => 0.5,
    log: openLog("silent"),
  });
  onTestFinished(async () => void (await daemon.close()));
  const fault = await daemon.ready.catch((thrown: unknown) => thrown);
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ code: "secret" });
});

test("while Twitch cannot be asked about a token, a refused log-in is tried again", async () => {
  const house = await openHouse();
  house.helix.failNext("/auth/validate", { kind: "status", status: 503 }, 3);
  refuseLogIns(house, 1);
  house.irc.cutAll();
  await until(() => house.irc.listeners("lanternroom") === 1);
});

test("a request to Twitch that hangs ends by its time limit", async () => {
  const helix = await startHelixServer({ now: Date.now });
  onTestFinished(helix.close);
  useHelixStandIn(helix.port);
  helix.failNext("/auth/token", { kind: "hang" });
  const request = { type: "auth", url: "token", method: "POST" } as const;
  await expect(boundedCall(request, {}, { timeoutMs: 50 })).rejects.toBe("timeout");
});

test("an answer of Twitch's that does not end is not read to its end", async () => {
  const server = await openModelServer({ kind: "endless" });
  onTestFinished(server.close);
  useHelixStandIn(Number(new URL(server.url).port));
  const request = { type: "helix", url: "users" } as const;
  const before = process.memoryUsage().arrayBuffers;
  const answer = boundedCall(request, { accessToken: "t", clientId: "c" }, { timeoutMs: 20_000 });
  await expect(answer).rejects.toBeInstanceOf(TooLarge);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
});

test("a JOIN that Twitch repeats without the channel's state is no join, and is sent again", async () => {
  const { server, chat, states } = await open({
    chat: { timings: SHORT_JOIN },
    faults: { ignoreJoins: true },
  });
  await soon(() => states.some(({ kind }) => kind === "connected"));
  server.inject(":markbot!markbot@markbot.tmi.twitch.tv JOIN #lanternroom");
  await soon(() => states.some((one) => one.kind === "join_failed" && one.reason === "no_state"));
  expect(chat.joined()).toEqual([]);
  server.faults.ignoreJoins = false;
  await soon(() => chat.joined().length === 1);
});

test("a connection that is cut a hundred times leaves nothing behind and is there in the end", async () => {
  const { server, chat } = await openJoined();
  for (let times = 0; times < 100; times += 1) {
    server.cutAll();
    await soon(() => chat.joined().length === 0 || server.connections() > times + 1);
  }
  await soon(() => chat.joined().length === 1);
  expect(server.listeners("lanternroom")).toBe(1);
});
