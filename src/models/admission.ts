import { findModelList, findProvider } from "../catalogue/providers.ts";
import { calculateBackoffMs } from "../clock.ts";
import { formatLocalTime } from "../config/local-time.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { Notices } from "../database/notices-store.ts";
import {
  type CapReached,
  getSide,
  type LlmCallStore,
  openCaps,
  type Side,
  type Spend,
} from "./call-store.ts";
import {
  type CallOutcome,
  failWith,
  getOutcome,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
} from "./model-port.ts";
import { calculateDollars, getPrice } from "./prices.ts";

export interface AdmissionOptions {
  readonly config: ConfigFile["llm"];
  readonly store: LlmCallStore;
  readonly now: () => number;
  /** The machine's clock, for the hours and days of providers. Default: `now`. */
  readonly wallNow?: () => number;
  readonly notices: Notices;
  /** The share of each reply cap that is reserved for the streamer and moderators. Default: none. */
  readonly reserveShare?: () => number;
}

export interface Pass {
  readonly ok: true;
  /** Must be called once, after the call's row is written. */
  settle(answer: ModelAnswer): void;
}

/** A timer may fire this early. */
const REST_MS_MIN = 50;
/** No daily quota lasts longer. */
const REST_MS_MAX = 26 * 3_600_000;
/** Viewers do not notice a shorter silence. */
const REST_NOTICE_MS_MIN = 2 * 60_000;

type Verdict = "success" | "fault" | "neutral";

const UNUSABLE = new Set<CallOutcome>(["empty", "truncated", "invalid_json"]);
/** Unusable answers in a row before a notice. */
const UNUSABLE_MAX = 5;

/** Outcomes as verdicts on the server. A useless answer still shows that the server works. */
const VERDICTS: Readonly<Record<CallOutcome, Verdict>> = {
  ok: "success",
  blocked: "success",
  empty: "success",
  invalid_json: "success",
  truncated: "success",
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
  // A prompt may cause one, but not five in a row.
  request: "fault",
};

/** Per model: when the server takes calls again, and its unusable answers in a row. */
interface ModelState {
  readonly breaker: ReturnType<typeof createBreaker>;
  quotaUntilMs: number;
  restUntilMs: number;
  unusable: number;
}

/** Decides before each call whether to send it, and learns from each answer. */
export function openAdmission(options: AdmissionOptions) {
  const { now, wallNow = now } = options;
  const caps = openCaps(() => options.config.caps, options.store);
  const states = new Map<string, ModelState>();
  const notices = openModelNotices(options.notices, () => options.config);

  return {
    /** Admits a call, or returns the daily quota, cap or breaker that refuses it. */
    admit(call: ModelCall): Pass | ModelFailure {
      const nowMs = now();
      const state = stateOf(call.model);
      const { breaker } = state;
      const quotaMs = state.quotaUntilMs - nowMs;
      if (quotaMs > 0) return failWith("quota", "daily quota", { retryAfterMs: quotaMs });
      const restMs = state.restUntilMs - nowMs;
      if (restMs > REST_MS_MIN) {
        return failWith("rate_limit", "as the server asked", { retryAfterMs: restMs });
      }
      const side = getSide(call.purpose);
      const cost = estimateCost(call, options.config);
      const reached = exceededCap(call, cost, nowMs);
      if (reached === "unknown") return failWith("cap", "spend unknown");
      if (reached !== null) {
        notices.capReached(side, reached, nowMs);
        return failWith("cap", `llm.caps.${reached.cap}`);
      }
      const entry = breaker.admit(nowMs);
      if (entry.kind === "wait") {
        return failWith("breaker", "too many failures", { retryAfterMs: entry.untilMs - nowMs });
      }
      notices.capPassed(side, nowMs);
      const release = caps.hold(side, cost);
      return {
        ok: true,
        settle(answer) {
          release();
          breaker.report(VERDICTS[getOutcome(answer)], entry.isProbe, now());
          if (answer.ok) {
            state.unusable = 0;
            notices.works(call.model);
            return;
          }
          if (breaker.isOpen) {
            const message = `failed again and again (${describeCause(answer)}), and is tried now and then. Type \`forgetmenot doctor\`: it says what the model answers.`;
            notices.raise("model:breaker", call.model, message);
          }
          learn(call.model, state, answer);
        },
      };
    },
  };

  function learn(model: string, state: ModelState, answer: ModelFailure): void {
    const { failure } = answer;
    const restMs = Math.min(answer.retryAfterMs ?? 0, REST_MS_MAX);
    if (failure === "rate_limit") state.restUntilMs = now() + restMs;
    if (failure === "quota") state.quotaUntilMs = now() + restMs;
    if (UNUSABLE.has(failure)) state.unusable += 1;
    const isBrief = failure === "rate_limit" && restMs <= REST_NOTICE_MS_MIN;
    const isRare = UNUSABLE.has(failure) && state.unusable < UNUSABLE_MAX;
    const problem =
      isBrief || isRare ? null : describe(answer, model, wallNow() + restMs, options.config);
    if (problem !== null) notices.raise(problem.kind, model, problem.message);
  }

  function stateOf(model: string): ModelState {
    const known = states.get(model);
    if (known !== undefined) return known;
    const fresh = { breaker: createBreaker(), quotaUntilMs: 0, restUntilMs: 0, unusable: 0 };
    states.set(model, fresh);
    return fresh;
  }

  function exceededCap(call: ModelCall, cost: Spend, nowMs: number): CapReached | null | "unknown" {
    const side = getSide(call.purpose);
    const isReserved = side === "reply" && call.mayUseReserve !== true;
    try {
      return caps.exceeded(side, cost, nowMs, isReserved ? (options.reserveShare?.() ?? 0) : 0);
    } catch {
      // Without the database the spend is unknown, so nothing more is spent.
      return "unknown";
    }
  }
}

/** Estimates the least that a call will cost. */
function estimateCost(call: ModelCall, config: ConfigFile["llm"]): Spend {
  const price = getPrice(call.model, config.prices);
  const usage = { promptTokens: call.estimatedTokens, cachedTokens: null, outputTokens: null };
  const dollars = price === null ? 0 : calculateDollars(price, usage, call.estimatedTokens);
  return { calls: 1, tokens: call.estimatedTokens, dollars };
}

const FAULTS_MAX = 5;
const PAUSE = { baseMs: 30_000, capMs: 300_000 };

/**
 * Opens after five faults in a row, for 30 s; twice as long after each failed probe, up to 5 min. After the pause one
 * call passes as a probe, and others are refused until it ends.
 */
export function createBreaker() {
  let faults = 0;
  let pauses = 0;
  let openUntilMs: number | null = null;
  let isProbing = false;

  return {
    get isOpen() {
      return openUntilMs !== null;
    },
    admit(nowMs: number): { kind: "go"; isProbe: boolean } | { kind: "wait"; untilMs: number } {
      if (openUntilMs === null) return { kind: "go", isProbe: false };
      if (nowMs < openUntilMs) return { kind: "wait", untilMs: openUntilMs };
      if (isProbing) return { kind: "wait", untilMs: nowMs + PAUSE.baseMs };
      isProbing = true;
      return { kind: "go", isProbe: true };
    },
    /** Reports how an admitted call ended. `neutral` says nothing about the server. */
    report(verdict: Verdict, isProbe: boolean, nowMs: number): void {
      if (isProbe) isProbing = false;
      if (verdict === "success") {
        faults = 0;
        pauses = 0;
        openUntilMs = null;
      }
      if (verdict !== "fault") return;
      faults += 1;
      // A call that was in progress when the breaker opened says nothing new.
      if (!isProbe && (openUntilMs !== null || faults < FAULTS_MAX)) return;
      openUntilMs = nowMs + calculateBackoffMs(pauses, 1, PAUSE);
      pauses += 1;
    },
  };
}

const MODEL_NOTICES = ["model:access", "model:breaker", "model:quota"] as const;
type ModelNotice = (typeof MODEL_NOTICES)[number];

/** Notifies the streamer of a model's problems, and clears a notice when its problem is over. */
function openModelNotices(notices: Notices, config: () => ConfigFile["llm"]) {
  /** The reached cap of each side, its value then, and its end. At first a notice may be left from an earlier start. */
  const caps = new Map<Side, { cap: CapReached["cap"]; value: number; untilMs: number } | null>([
    ["reply", null],
    ["memory", null],
  ]);
  /** The model that each notice is about. Null: perhaps left from an earlier start. */
  const owners = new Map<ModelNotice, string | null>(MODEL_NOTICES.map((kind) => [kind, null]));

  return {
    capReached(side: Side, { cap, limit, periodMs }: CapReached, nowMs: number): void {
      const known = caps.get(side);
      if (known?.cap === cap && nowMs < known.untilMs) return;
      caps.set(side, { cap, value: config().caps[cap], untilMs: nowMs + periodMs });
      const share = cap === "dollarsPerDay" ? `$${limit.toFixed(2)}` : String(limit);
      notices.raise(
        `model_cap:${side}`,
        "warning",
        `${side === "reply" ? "Replies pause" : "Memory waits"}: the share of llm.caps.${cap} (${share}) is used up. ` +
          "Nothing to do: it frees up by itself. You can raise it in config.json.",
      );
    },
    /** Clears the notice of a cap if its hour or day has passed, or its value was changed. */
    capPassed(side: Side, nowMs: number): void {
      const known = caps.get(side);
      const isOver =
        known == null || nowMs >= known.untilMs || config().caps[known.cap] !== known.value;
      if (!caps.has(side) || !isOver) return;
      caps.delete(side);
      notices.clear(`model_cap:${side}`);
    },
    raise(kind: ModelNotice, model: string, message: string): void {
      if (owners.get(kind) === model && kind !== "model:quota") return;
      owners.set(kind, model);
      const severity = kind === "model:access" ? "error" : "warning";
      notices.raise(kind, severity, `${model} ${message}`);
    },
    /** Clears the notices of a model that answered, and of models that are no longer configured. */
    works(model: string): void {
      const { models, model: main } = config();
      const others = new Set(Object.values(models).map((one) => one ?? main));
      others.delete(model);
      for (const [kind, owner] of owners) {
        if (owner !== null && others.has(owner)) continue;
        owners.delete(kind);
        notices.clear(kind);
      }
    },
  };
}

/** Describes the failures that the streamer can fix or should know. Null for others. */
function describe(
  answer: ModelFailure,
  model: string,
  untilMs: number,
  config: ConfigFile["llm"],
): { kind: ModelNotice; message: string } | null {
  const { failure, advice, detail } = answer;
  const kind = "model:access";
  if (failure === "quota") {
    const message =
      fixOf(answer) ?? "has spent its daily quota. Nothing to do, or set another in `llm.model`.";
    return {
      kind: "model:quota",
      message: `${message} It is not asked before ${formatLocalTime(untilMs)}.`,
    };
  }
  if (failure === "rate_limit") {
    return {
      kind: "model:quota",
      message: `asked not to be called before ${formatLocalTime(untilMs)}. Nothing to do, or set another in \`llm.model\`.`,
    };
  }
  if (failure === "auth") {
    const message = `cannot be used (${describeCause(answer)}). Check the key and llm.model with \`forgetmenot doctor\`, or type \`forgetmenot setup\`.`;
    return { kind, message: fixOf(answer) ?? message };
  }
  if (failure === "model") {
    const cause = advice?.found ?? "is not offered any more, or is misspelt";
    const message = `${cause} (${detail}). Set \`llm.model\` to ${suggestModel(model, config)}.`;
    return { kind, message };
  }
  if (!UNUSABLE.has(failure)) return null;
  return {
    kind,
    message: `gave ${UNUSABLE_MAX} answers in a row that cannot be used (${failure}). Set \`llm.model\` to another one; if it spends its tokens on thinking, to one that thinks less.`,
  };
}

function describeCause({ advice, detail }: ModelFailure): string {
  return advice === null ? detail : `${advice.found}, ${detail}`;
}

/** Returns the cause and the fix by the provider's reason. Null if the reason is unknown. */
function fixOf({ advice, detail }: ModelFailure): string | null {
  if (advice === null || advice.fix === "") return null;
  return `${advice.found} (${detail}). Fix: ${advice.fix.replace("KEY", "the key")}; \`forgetmenot doctor\` tries it.`;
}

/** Says which model to set instead of an unknown one. */
function suggestModel(unknown: string, { provider, baseUrl }: ConfigFile["llm"]): string {
  const entry = findProvider(provider);
  if (entry === null) return "another name";
  const { usualModel } = entry;
  const usual = usualModel === null || unknown === usualModel ? "" : `${usualModel}, or to `;
  return `${usual}a name that ${findModelList(entry, baseUrl)} lists`;
}
