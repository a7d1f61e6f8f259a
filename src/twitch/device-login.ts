import { z } from "zod";
import type { Wait } from "./bounded-call.ts";
import { boundedCall } from "./bounded-call.ts";

export interface DeviceLoginOptions {
  /** Of an application that is registered with Twitch, client type Public. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly now: () => number;
  readonly wait: Wait;
  /** Ends the waiting: `aborted`. */
  readonly signal: AbortSignal;
}

/**
 * Why nobody logged in. `client_refused`: Twitch knows no such application. `refused`: Twitch did not take the request
 * for another reason. `denied`: the person said no. `expired`: the code is too old, or was used already.
 */
export type DeviceFailure =
  | "client_refused"
  | "refused"
  | "denied"
  | "expired"
  | "unreachable"
  | "aborted";

type DeviceOutcome =
  | {
      readonly kind: "approved";
      readonly tokens: { readonly accessToken: string; readonly refreshToken: string | null };
    }
  | { readonly kind: DeviceFailure };

/** A code that waits to be entered at Twitch. */
interface DeviceLogin {
  readonly kind: "started";
  readonly userCode: string;
  /** Where it is entered; the address carries the code already. */
  readonly address: string;
  /** What came of it. Never rejects. */
  readonly outcome: Promise<DeviceOutcome>;
}

const REQUEST_MS_MAX = 10_000;
const INTERVAL_SECONDS_DEFAULT = 5;
/** What RFC 8628 asks of whoever polled too fast. */
const SLOWER_MS = 5_000;
/** Twitch says "invalid device code" now and then of a code that is good (twitchdev/issues 971), and networks blink. */
const FAILURES_IN_A_ROW_MAX = 3;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

const INTERVAL_SECONDS_MAX = 60;
const CODE_SECONDS_MAX = 86_400;
const code = z.string().regex(/^[\x21-\x7e]{1,1000}$/);
/** What people read and open: nothing that a terminal obeys, and no address that is not encrypted. */
const startedSchema = z.object({
  device_code: code,
  user_code: z.string().regex(/^[\w-]{1,40}$/),
  verification_uri: code.startsWith("https://"),
  expires_in: z.number().positive().max(CODE_SECONDS_MAX),
  interval: z
    .number()
    .positive()
    .catch(INTERVAL_SECONDS_DEFAULT)
    .transform((seconds) => Math.min(seconds, INTERVAL_SECONDS_MAX)),
});
const tokensSchema = z.object({ access_token: code, refresh_token: code.nullish() });

/**
 * Logs somebody in on a page of Twitch's, without a client secret: asks for a code, then asks at Twitch's pace whether
 * it was entered. Never rejects; no token and no device code gets into any error.
 */
export async function startDeviceLogin(
  options: DeviceLoginOptions,
): Promise<DeviceLogin | { readonly kind: DeviceFailure }> {
  const { clientId, scopes, now } = options;
  const query = { client_id: clientId, scopes: scopes.join(" ") };
  const started = await ask(startedSchema, { url: "device", query }, options.signal);
  if (started.kind === "pending") return { kind: "unreachable" };
  if (started.kind !== "ok") return started;
  const { device_code, user_code, verification_uri, expires_in, interval } = started.value;
  const expiresAtMs = now() + expires_in * 1_000;
  const outcome = poll({
    ...options,
    deviceCode: device_code,
    everyMs: interval * 1_000,
    expiresAtMs,
  });
  return { kind: "started", userCode: user_code, address: verification_uri, outcome };
}

interface Poll extends DeviceLoginOptions {
  readonly deviceCode: string;
  readonly everyMs: number;
  readonly expiresAtMs: number;
}

async function poll(options: Poll): Promise<DeviceOutcome> {
  const { now, wait, signal, expiresAtMs } = options;
  let pauseMs = options.everyMs;
  let failures = 0;
  for (;;) {
    await wait(pauseMs, signal);
    if (signal.aborted) return { kind: "aborted" };
    const answer = await exchange(options);
    failures = answer.kind === "pending" ? 0 : failures + 1;
    if (isOver(answer, failures)) return answer;
    if (now() >= expiresAtMs) return { kind: "expired" };
    pauseMs += isTooFast(answer) ? SLOWER_MS : 0;
  }
}

type Polled = DeviceOutcome | Pending;
const FINAL: ReadonlySet<string> = new Set(["approved", "denied", "client_refused", "aborted"]);

function isOver(answer: Polled, failures: number): answer is DeviceOutcome {
  return FINAL.has(answer.kind) || failures === FAILURES_IN_A_ROW_MAX;
}

function isTooFast(answer: Polled): boolean {
  return answer.kind === "pending" && answer.tooFast;
}

async function exchange({ clientId, deviceCode, scopes, signal }: Poll): Promise<Polled> {
  const query = {
    grant_type: GRANT_TYPE,
    client_id: clientId,
    device_code: deviceCode,
    scopes: scopes.join(" "),
  };
  const answer = await ask(tokensSchema, { url: "token", query }, signal);
  if (answer.kind !== "ok") return answer;
  const { access_token, refresh_token } = answer.value;
  const tokens = { accessToken: access_token, refreshToken: refresh_token ?? null };
  return { kind: "approved", tokens };
}

interface Pending {
  readonly kind: "pending";
  readonly tooFast: boolean;
}

type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | Pending
  | { readonly kind: DeviceFailure };

/** One question to the log-in server. What it cannot read counts as unreachable. */
async function ask<T>(
  shape: z.ZodType<T>,
  question: { readonly url: string; readonly query: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Answer<T>> {
  try {
    const { status, text } = await boundedCall(
      { type: "auth", method: "POST", ...question },
      {},
      { timeoutMs: REQUEST_MS_MAX, signal },
    );
    return status === 200
      ? { kind: "ok", value: shape.parse(JSON.parse(text)) }
      : verdictOn(status, text);
  } catch {
    return { kind: signal.aborted ? "aborted" : "unreachable" };
  }
}

/** Twitch tells them apart by the words of its message only. */
function verdictOn(status: number, text: string): Pending | { readonly kind: DeviceFailure } {
  if (status === 429 || /slow_down/i.test(text)) return { kind: "pending", tooFast: true };
  if (status < 400 || status >= 500) return { kind: "unreachable" };
  if (/authorization_pending/i.test(text)) return { kind: "pending", tooFast: false };
  if (/denied|declined/i.test(text)) return { kind: "denied" };
  if (/expired|invalid device code/i.test(text)) return { kind: "expired" };
  return { kind: /client/i.test(text) ? "client_refused" : "refused" };
}
