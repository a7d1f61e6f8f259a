import type { ConfigFile } from "../config/schema.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import { steadyClock } from "../steady-clock.ts";
import { failed, type ModelCall, type ModelFailure } from "./adapter.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import { type LlmCallStore, type Side, type Spend, sideOf } from "./call-store.ts";
import { type CapReached, openCaps } from "./caps.ts";
import type { LlmFailure } from "./model-port.ts";
import { dollarsOf, priceOf } from "./prices.ts";
import { openTroubles } from "./troubles.ts";

export interface AdmissionOptions {
  readonly config: ConfigFile["llm"];
  readonly store: LlmCallStore;
  readonly now: () => number;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  /** Share of the calls for replies that is kept for the streamer and moderators; none where it is not said. */
  readonly reserveShare?: () => number;
}

export interface CallEnd {
  readonly outcome: "ok" | LlmFailure;
  readonly detail: string;
  readonly retryAfterMs: number | null;
}

export interface Pass {
  readonly ok: true;
  /** Must be called once, after the call's row is written. */
  settle(end: CallEnd): void;
}

export interface Admission {
  /** Lets a call through, or says why not: daily quota, cap or breaker. */
  admit(call: ModelCall): Pass | ModelFailure;
}

/** A timer may be early by as much. */
const REST_MS_MIN = 50;

type Verdict = "success" | "fault" | "neutral";

/** What each outcome says about the server. An answer that is of no use still shows that it is there. */
const VERDICTS: Readonly<Record<"ok" | LlmFailure, Verdict>> = {
  ok: "success",
  blocked: "success",
  empty: "success",
  invalid_json: "success",
  truncated: "success",
  request: "neutral",
  quota: "neutral",
  cap: "neutral",
  breaker: "neutral",
  aborted: "neutral",
  timeout: "fault",
  network: "fault",
  server: "fault",
  rate_limit: "fault",
  auth: "fault",
  model: "fault",
};

/** Decides before each call whether it is sent, and learns from each that was. */
export function openAdmission(options: AdmissionOptions): Admission {
  const now = steadyClock(options.now);
  const caps = openCaps(() => options.config.caps, options.store);
  const breakers = new Map<string, Breaker>();
  const quotaUntilMs = new Map<string, number>();
  /** What the server asked for, across questions. */
  const restUntilMs = new Map<string, number>();
  const troubles = openTroubles(options.notices);

  return {
    admit(call) {
      const nowMs = now();
      const untilMs = quotaUntilMs.get(call.model) ?? 0;
      if (nowMs < untilMs) return failed("quota", "daily quota", { retryAfterMs: untilMs - nowMs });
      const restMs = (restUntilMs.get(call.model) ?? 0) - nowMs;
      if (restMs > REST_MS_MIN) {
        return failed("rate_limit", "as the server asked", { retryAfterMs: restMs });
      }
      const side = sideOf(call.purpose);
      const cost = costOf(call, options.config);
      const reached = exceededCap(call, cost, nowMs);
      if (reached === "unknown") return failed("cap", "spend unknown");
      if (reached !== null) return refuseByCap(side, reached, nowMs);
      const breaker = breakerOf(call.model);
      const entry = breaker.admit(nowMs);
      if (entry.kind === "wait") {
        return failed("breaker", "too many failures", { retryAfterMs: entry.untilMs - nowMs });
      }
      troubles.hasRoom(side, nowMs);
      const release = caps.hold(side, cost);
      return {
        ok: true,
        settle(end) {
          release();
          breaker.report(VERDICTS[end.outcome], entry.isProbe, now());
          if (breaker.isOpen) troubles.leftAlone(call.model, end.detail);
          learn(call.model, end);
        },
      };
    },
  };

  function learn(model: string, { outcome, detail, retryAfterMs }: CallEnd): void {
    if (outcome === "quota") stopForQuota(model, retryAfterMs ?? 0);
    if (outcome === "rate_limit" && retryAfterMs !== null)
      restUntilMs.set(model, now() + retryAfterMs);
    if (outcome === "auth") troubles.noAccess(model, detail);
    if (outcome === "model") troubles.retired(model, detail);
    if (VERDICTS[outcome] === "success") troubles.works(model);
  }

  function breakerOf(model: string): Breaker {
    const breaker = breakers.get(model) ?? createBreaker();
    breakers.set(model, breaker);
    return breaker;
  }

  /** What was spent is not known while the database cannot be read: then nothing more is. */
  function exceededCap(call: ModelCall, cost: Spend, nowMs: number): CapReached | null | "unknown" {
    const side = sideOf(call.purpose);
    const isKept = side === "reply" && call.mayUseReserve !== true;
    const keptShare = isKept ? (options.reserveShare?.() ?? 0) : 0;
    try {
      return caps.exceeded(side, cost, nowMs, keptShare);
    } catch {
      return "unknown";
    }
  }

  function refuseByCap(side: Side, reached: CapReached, nowMs: number): ModelFailure {
    troubles.capReached(side, reached, nowMs);
    return failed("cap", `llm.caps.${reached.cap}`);
  }

  function stopForQuota(model: string, waitMs: number): void {
    quotaUntilMs.set(model, now() + waitMs);
    troubles.quotaSpent(model, now() + waitMs);
  }
}

/** What a call will cost at least, before it is known. */
function costOf(call: ModelCall, config: AdmissionOptions["config"]): Spend {
  const price = priceOf(call.model, config.prices);
  const usage = { promptTokens: call.estimatedTokens, cachedTokens: null, outputTokens: null };
  const dollars = price === null ? 0 : dollarsOf(price, usage, call.estimatedTokens);
  return { calls: 1, tokens: call.estimatedTokens, dollars };
}
