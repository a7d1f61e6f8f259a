import { boundedCall } from "./bounded-call.ts";

/** How this machine's clock stands against Twitch's, as far as one answer tells: half a second and half the round trip. */
export type TwitchClock =
  | {
      readonly kind: "measured";
      /** How far this machine's clock is ahead, ms; negative where it is behind. */
      readonly aheadMs: number;
    }
  | { readonly kind: "unreachable" };

/** `Date` has whole seconds: half of one is cut off on average. */
const CUT_OFF_MS = 500;
const TIMEOUT_MS = 10_000;

/** Asks Twitch's log-in server for the time. It gets no token, and says so; its clock is in the answer. Never rejects. */
export async function readTwitchClock(
  now: () => number,
  signal: AbortSignal,
): Promise<TwitchClock> {
  try {
    const askedAtMs = now();
    const question = { type: "auth", url: "validate" } as const;
    const answer = await boundedCall(question, {}, { timeoutMs: TIMEOUT_MS, signal });
    const roundTripMs = now() - askedAtMs;
    const toldAtMs = Date.parse(answer.headers.get("date") ?? "");
    if (Number.isNaN(toldAtMs)) return { kind: "unreachable" };
    const aheadMs = askedAtMs + roundTripMs / 2 - (toldAtMs + CUT_OFF_MS);
    return { kind: "measured", aheadMs };
  } catch {
    return { kind: "unreachable" };
  }
}
