import { expect, test } from "vitest";
import { CHANNEL } from "../stand-ins/town.ts";
import { examine, freePort, openPatient, withClock } from "./examined.ts";

test("a clock that agrees with Twitch's is right, with the time of this machine", async () => {
  const { of } = await examine(await openPatient());
  expect(of("clock")).toEqual([
    {
      state: "ok",
      found: expect.stringMatching(
        /^right by Twitch's; here it is \d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d$/,
      ),
      mend: null,
    },
  ]);
});

test.each([
  ["behind", 90_000, "warning", /^\d+ s behind Twitch's/],
  ["ahead", -3_600_000, "problem", /^\d+ min ahead of Twitch's/],
] as const)("a clock that is %s is told, and how to set it", async (_, aheadMs, state, found) => {
  const patient = await openPatient();
  const { of, exit } = await examine(patient, {}, await withClock(patient, aheadMs));
  expect(of("clock")).toEqual([
    { state, found: expect.stringMatching(found), mend: expect.stringContaining("set the clock") },
  ]);
  expect(exit).toBe(state === "problem" ? 1 : 0);
});

test("a channel that Twitch does not know is a problem; one that is not live is told", async () => {
  const patient = await openPatient({ live: false });
  const { of, exit } = await examine(patient, { channel: [CHANNEL, "lanternroon"] });
  expect(of("channel")).toEqual([
    {
      state: "ok",
      found: `#${CHANNEL} is on Twitch, not live now: the bot is silent until then`,
      mend: null,
    },
    {
      state: "problem",
      found: "there is no channel called lanternroon on Twitch",
      mend: expect.stringContaining("set channel"),
    },
  ]);
  expect(exit).toBe(1);
  const shadow = await examine(patient, { mode: "shadow" });
  expect(shadow.of("channel")[0]?.found).toBe(`#${CHANNEL} is on Twitch, not live now`);
});

test("servers of Twitch that nobody reaches are told, each once", async () => {
  const port = await freePort();
  const twitch = { chatUrl: `ws://127.0.0.1:${port}` };
  const nowhere = { TWURPLE_MOCK_API_PORT: String(port) };
  const { of } = await examine(await openPatient(), { twitch }, nowhere);
  expect(of("clock")[0]?.state).toBe("not_checked");
  expect(of("bot_token")).toEqual([
    {
      state: "problem",
      found: "Twitch's log-in server does not answer",
      mend: expect.stringContaining("online"),
    },
  ]);
  expect(of("channel")[0]?.state).toBe("not_checked");
  expect(of("chat_server")).toEqual([
    {
      state: "problem",
      found: `127.0.0.1:${port} cannot be connected to (ECONNREFUSED)`,
      mend: expect.stringContaining("firewall"),
    },
  ]);
});

test("what answers in place of the chat server, and is none, is told", async () => {
  const patient = await openPatient();
  const twitch = { chatUrl: patient.town.model.url.replace("http", "ws") };
  const { of } = await examine(patient, { twitch });
  expect(of("chat_server")).toEqual([
    {
      state: "problem",
      found: expect.stringMatching(/ is not a chat server: it answers with HTTP 200$/),
      mend: expect.stringContaining("twitch.chatUrl"),
    },
  ]);
});

test("a chat server on this machine gets no company from the real Twitch", async () => {
  const { of, exit } = await examine(await openPatient(), {}, { TWURPLE_MOCK_API_PORT: "" });
  const why = "chat is on this machine, so the bot does not ask Twitch";
  for (const check of ["clock", "bot_token", "channel"] as const)
    expect(of(check)).toEqual([{ state: "not_checked", found: why, mend: null }]);
  expect(of("chat_server")[0]?.state).toBe("ok");
  expect(exit).toBe(0);
});
