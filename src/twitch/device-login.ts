import { z } from "zod";
import { callBounded, type Wait } from "./bounded-call.ts";
import type { ApplicationTokens } from "./tokens.ts";

/**
 * Why nobody logged in. `client_refused`: Twitch knows no such application. `refused`: Twitch rejected the request for
 * another reason. `denied`: the user said no. `expired`: the code is too old, or was used before.
 */
export type DeviceFailure =
  | "client_refused"
  | "refused"
  | "denied"
  | "expired"
  | "unreachable"
  | "aborted";

interface Failed {
  readonly kind: DeviceFailure;
}

type DeviceOutcome =
  | {
      readonly kind: "approved";
      readonly tokens: Pick<ApplicationTokens, "accessToken" | "refreshToken">;
    }
  | Failed;

const REQUEST_MS_MAX = 10_000;
const INTERVAL_SECONDS_DEFAULT = 5;
const INTERVAL_SECONDS_MAX = 60;
const CODE_SECONDS_MAX = 86_400;
/** RFC 8628: added to the interval if the client polled too fast. */
const SLOWER_MS = 5_000;
/** Twitch sometimes rejects a good code (twitchdev/issues 971), and networks fail for moments. */
const FAILURES_IN_A_ROW_MAX = 3;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const FINAL: ReadonlySet<string> = new Set(["denied", "client_refused", "aborted"]);

const code = z.string().regex(/^[\x21-\x7e]{1,1000}$/);
/** The user reads the code and opens the address: no control characters, and only https. */
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

interface DeviceLoginOptions {
  /** Of an application that is registered with Twitch, client type Public. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly now: () => number;
  readonly wait: Wait;
  /** Ends the polling as `aborted`. */
  readonly signal: AbortSignal;
}

/**
 * Logs a user in on a page of Twitch, without a client secret. Asks for a code, then polls at Twitch's pace. Never
 * rejects. No error holds a token or a device code.
 */
export async function startDeviceLogin(options: DeviceLoginOptions) {
  const { clientId, now, signal } = options;
  const request = { client_id: clientId, scopes: options.scopes.join(" ") };
  const started = await ask(startedSchema, "device", request, signal);
  if (started.kind === "pending") return { kind: "unreachable" } as const;
  if (started.kind !== "ok") return started;
  const { device_code, user_code, verification_uri, expires_in, interval } = started.value;
  const expiresAtMs = now() + expires_in * 1_000;
  const exchange = { ...request, grant_type: GRANT_TYPE, device_code };
  return {
    kind: "started",
    userCode: user_code,
    /** Address of the page that asks for the code; it has the code filled in. */
    address: verification_uri,
    outcome: poll(options, exchange, interval * 1_000, expiresAtMs),
  } as const;
}

/** Asks for the tokens until the user has entered the code. Never rejects. */
async function poll(
  { now, wait, signal }: DeviceLoginOptions,
  query: Readonly<Record<string, string>>,
  everyMs: number,
  expiresAtMs: number,
): Promise<DeviceOutcome> {
  let pauseMs = everyMs;
  let failures = 0;
  for (;;) {
    await wait(pauseMs, signal);
    if (signal.aborted) return { kind: "aborted" };
    const answer = await ask(tokensSchema, "token", query, signal);
    if (answer.kind === "ok") {
      const { access_token, refresh_token } = answer.value;
      const tokens = { accessToken: access_token, refreshToken: refresh_token ?? null };
      return { kind: "approved", tokens };
    }
    failures = answer.kind === "pending" ? 0 : failures + 1;
    if (answer.kind === "pending") pauseMs += answer.slowerMs;
    else if (FINAL.has(answer.kind) || failures === FAILURES_IN_A_ROW_MAX) return answer;
    if (now() >= expiresAtMs) return { kind: "expired" };
  }
}

type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "pending"; readonly slowerMs: number }
  | Failed;

/** Asks the log-in server. An answer that cannot be read counts as unreachable. */
async function ask<T>(
  shape: z.ZodType<T>,
  url: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer<T>> {
  try {
    const question = { type: "auth", method: "POST", url, query } as const;
    const { status, text } = await callBounded(question, {}, { timeoutMs: REQUEST_MS_MAX, signal });
    if (status === 200) return { kind: "ok", value: shape.parse(JSON.parse(text)) };
    // These cases differ only in the words of Twitch's message.
    if (status === 429 || /slow_down/i.test(text)) return { kind: "pending", slowerMs: SLOWER_MS };
    if (status < 400 || status >= 500) return { kind: "unreachable" };
    if (/authorization_pending/i.test(text)) return { kind: "pending", slowerMs: 0 };
    if (/denied|declined/i.test(text)) return { kind: "denied" };
    if (/expired|invalid device code/i.test(text)) return { kind: "expired" };
    return { kind: /client/i.test(text) ? "client_refused" : "refused" };
  } catch {
    return { kind: signal.aborted ? "aborted" : "unreachable" };
  }
}
