import { expect, onTestFinished, test } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { type DeviceFailure, startDeviceLogin } from "../../src/twitch/tokens.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { type ModelScript, openModelServer } from "../stand-ins/model-server.ts";

const SCOPES = ["chat:read", "chat:edit"];

function says(status: number, body: unknown): ModelScript {
  return { kind: "answer", status, body: JSON.stringify(body) };
}

const START = {
  device_code: "secret-device",
  user_code: "ABCD",
  verification_uri: "https://www.twitch.tv/activate?device-code=ABCD",
  expires_in: 1_800,
  interval: 5,
};
const STARTED = says(200, START);
const PENDING = says(400, { status: 400, message: "authorization_pending" });
const GRANTED = says(200, {
  access_token: "access",
  refresh_token: "refresh",
  expires_in: 14_000,
  scope: SCOPES,
});

function starts(over: Readonly<Record<string, unknown>>): ModelScript {
  return says(200, { ...START, ...over });
}

/** A log-in server that says this, in order, and a clock that only waiting moves. */
async function logIn(...answers: readonly ModelScript[]) {
  const server = await openModelServer(PENDING);
  onTestFinished(server.close);
  server.enqueue(...answers);
  const { port } = new URL(server.url);
  useHelixStandIn(Number(port));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const clock = { ms: 0 };
  const pauses: number[] = [];
  const started = await startDeviceLogin({
    clientId: "client",
    scopes: SCOPES,
    now: () => clock.ms,
    wait: async (ms) => {
      pauses.push(ms);
      clock.ms += ms;
    },
    signal: stop.signal,
  });
  return { started, stop, pauses, server };
}

async function outcomeOf(...answers: readonly ModelScript[]) {
  const { started, pauses } = await logIn(STARTED, ...answers);
  if (started.kind !== "started") throw new Error(`not started: ${started.kind}`);
  return { started, outcome: await started.outcome, pauses };
}

test("a code is shown, asked about at Twitch's pace, and becomes tokens", async () => {
  const { started, outcome, pauses } = await outcomeOf(PENDING, PENDING, GRANTED);
  expect(started).toMatchObject({
    kind: "started",
    userCode: "ABCD",
    address: "https://www.twitch.tv/activate?device-code=ABCD",
  });
  expect(outcome).toEqual({
    kind: "approved",
    tokens: { accessToken: "access", refreshToken: "refresh" },
  });
  expect(pauses).toEqual([5_000, 5_000, 5_000]);
});

test("who asks too fast asks more slowly from then on", async () => {
  const slowDown = says(400, { message: "slow_down" });
  const { pauses } = await outcomeOf(PENDING, slowDown, PENDING, says(429, {}), GRANTED);
  expect(pauses).toEqual([5_000, 5_000, 10_000, 10_000, 15_000]);
});

test.for([
  ["denied", [says(400, { message: "access_denied" })]],
  ["client_refused", [PENDING, says(400, { message: "invalid client" })]],
  ["expired", Array<ModelScript>(3).fill(says(400, { message: "invalid device code" }))],
  ["unreachable", Array<ModelScript>(3).fill(says(503, {}))],
  ["unreachable", Array<ModelScript>(3).fill({ kind: "drop" })],
  ["refused", Array<ModelScript>(3).fill(says(400, { message: "something else" }))],
] as const satisfies readonly (readonly [DeviceFailure, readonly ModelScript[]])[])(
  "it ends as %s",
  async ([kind, answers]) => {
    expect((await outcomeOf(...answers)).outcome).toEqual({ kind });
  },
);

test("a hiccup or two are borne, also of Twitch's calling a good code invalid", async () => {
  const odd = says(400, { message: "invalid device code" });
  const { outcome } = await outcomeOf(odd, { kind: "drop" }, PENDING, odd, says(500, {}), GRANTED);
  expect(outcome.kind).toBe("approved");
});

test("a code that is not entered expires by the clock", async () => {
  const { outcome, pauses } = await outcomeOf();
  expect(outcome).toEqual({ kind: "expired" });
  expect(pauses).toHaveLength(360);
});

test.for([
  ["client_refused", says(400, { status: 400, message: "invalid client" })],
  ["refused", says(400, { status: 400, message: "invalid scope requested" })],
  ["unreachable", says(500, {})],
  ["unreachable", { kind: "drop" }],
  ["unreachable", says(200, null)],
  ["unreachable", { kind: "endless" }],
] as const satisfies readonly (readonly [DeviceFailure, ModelScript])[])(
  "without a code it is %s",
  async ([kind, answer]) => {
    expect((await logIn(answer)).started).toEqual({ kind });
  },
);

test.for([
  { user_code: "AB\u001b[31mCD" },
  { user_code: "A".repeat(41) },
  { user_code: undefined },
  { verification_uri: "http://www.twitch.tv/activate" },
  { verification_uri: "https://www.twitch.tv/\u001b]0;a\u0007" },
  { device_code: "" },
  { expires_in: undefined },
  { expires_in: 1e12 },
])("an unsafe code is refused: %j", async (over) => {
  expect((await logIn(starts(over))).started).toEqual({ kind: "unreachable" });
});

test("it speaks with the log-in server of a rehearsal, too", async () => {
  const helix = await startHelixServer({ now: Date.now });
  onTestFinished(helix.close);
  useHelixStandIn(helix.port);
  const { signal } = new AbortController();
  const given = { clientId: "client", scopes: SCOPES, now: Date.now, signal };
  const started = await startDeviceLogin({
    ...given,
    wait: async () => {
      const token = { userId: "7", login: "a", clientId: "client", scopes: SCOPES };
      const grant = { ...token, expiresInSeconds: null };
      helix.approveDevice("device-1", { accessToken: "a", refreshToken: "r", token: grant });
    },
  });
  expect(started.kind === "started" && (await started.outcome)).toMatchObject({
    kind: "approved",
    tokens: { accessToken: "a", refreshToken: "r" },
  });
});
