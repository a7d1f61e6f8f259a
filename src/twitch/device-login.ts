import { z } from "zod";
import { type Wait, within } from "./wait.ts";

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

const INTERVAL_SECONDS_MAX = 60;
const CODE_SECONDS_MAX = 86_400;
const code = z.string().regex(/^[\x21-\x7e]{1,1000}$/);
/** What people read and open: nothing that a terminal obeys, and no address that is not encrypted. */
const startedSchema = z.object({
  deviceCode: code,
  userCode: z.string().regex(/^[\w-]{1,40}$/),
  verificationUri: code.startsWith("https://"),
  expiresIn: z.number().positive().max(CODE_SECONDS_MAX),
  interval: z
    .number()
    .positive()
    .catch(INTERVAL_SECONDS_DEFAULT)
    .transform((seconds) => Math.min(seconds, INTERVAL_SECONDS_MAX)),
});
const tokensSchema = z.object({ accessToken: code, refreshToken: code.nullable() });

/**
 * Logs somebody in on a page of Twitch's, without a client secret: asks for a code, then asks at Twitch's pace whether
 * it was entered. Never rejects; no token and no device code gets into any error.
 */
export async function startDeviceLogin(
  options: DeviceLoginOptions,
): Promise<DeviceLogin | { readonly kind: DeviceFailure }> {
  const { clientId, scopes, now, signal } = options;
  const { startDeviceCodeFlow } = await import("@twurple/auth");
  const request = asked(startDeviceCodeFlow(clientId, [...scopes]));
  const started = await Promise.race([request, untilAborted(signal)]);
  if (started.kind === "pending") return { kind: "unreachable" };
  if (started.kind !== "ok") return started;
  const read = startedSchema.safeParse(started.value);
  if (!read.success) return { kind: "unreachable" };
  const { deviceCode, userCode, verificationUri, expiresIn, interval } = read.data;
  const expiresAtMs = now() + expiresIn * 1_000;
  const polled = poll({ ...options, deviceCode, everyMs: interval * 1_000, expiresAtMs });
  const outcome = Promise.race([polled, untilAborted(signal)]);
  return { kind: "started", userCode, address: verificationUri, outcome };
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
const FINAL: ReadonlySet<string> = new Set(["approved", "denied", "client_refused"]);

function isOver(answer: Polled, failures: number): answer is DeviceOutcome {
  return FINAL.has(answer.kind) || failures === FAILURES_IN_A_ROW_MAX;
}

function isTooFast(answer: Polled): boolean {
  return answer.kind === "pending" && answer.tooFast;
}

async function exchange({ clientId, deviceCode, scopes }: Poll): Promise<Polled> {
  const { exchangeDeviceCode } = await import("@twurple/auth");
  const answer = await asked(exchangeDeviceCode(clientId, deviceCode, [...scopes]));
  if (answer.kind !== "ok") return answer;
  const tokens = tokensSchema.safeParse(answer.value);
  return tokens.success ? { kind: "approved", tokens: tokens.data } : { kind: "unreachable" };
}

interface Pending {
  readonly kind: "pending";
  readonly tooFast: boolean;
}

type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | Pending
  | { readonly kind: DeviceFailure };

/** What a request came to, in time. */
async function asked<T>(request: Promise<T>): Promise<Answer<T>> {
  const answer = request.then(
    (value): Answer<T> => ({ kind: "ok", value }),
    (error: unknown): Answer<T> => verdictOn(error),
  );
  const late: Answer<T> = { kind: "unreachable" };
  return await within(answer, REQUEST_MS_MAX, late);
}

/** Twitch tells them apart by the words of its message only. */
function verdictOn(error: unknown): Exclude<Answer<never>, { kind: "ok" }> {
  const { status, text } = refusalOf(error);
  if (status === 429 || /slow_down/i.test(text)) return { kind: "pending", tooFast: true };
  if (status < 400 || status >= 500) return { kind: "unreachable" };
  if (/authorization_pending/i.test(text)) return { kind: "pending", tooFast: false };
  if (/denied|declined/i.test(text)) return { kind: "denied" };
  if (/expired|invalid device code/i.test(text)) return { kind: "expired" };
  return { kind: /client/i.test(text) ? "client_refused" : "refused" };
}

/** twurple's own message quotes the address with the codes in it: it is not looked at. */
function refusalOf(error: unknown): { readonly status: number; readonly text: string } {
  const nothing = { status: 0, text: "" };
  if (!(error instanceof Error) || !("statusCode" in error) || !("body" in error)) return nothing;
  const { statusCode, body } = error;
  return typeof statusCode === "number" ? { status: statusCode, text: String(body) } : nothing;
}

function untilAborted(signal: AbortSignal): Promise<{ readonly kind: "aborted" }> {
  return new Promise((resolve) => {
    const end = () => resolve({ kind: "aborted" });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
