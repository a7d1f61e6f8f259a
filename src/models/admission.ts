import { findModelList, findProvider } from "../catalogue/providers.ts";
import { calculateBackoffMs } from "../clock.ts";
import { formatLocalTime } from "../config/local-time.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { Notices } from "../database/notices-store.ts";
import {
  addSpend,
  calculateDollars,
  DAY_MS,
  getPrice,
  getSide,
  HOUR_MS,
  type LlmCallStore,
  NO_SPEND,
  openSpendWindow,
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

export interface AdmissionOptions {
  readonly config: ConfigFile["llm"];
  readonly store: LlmCallStore;
  readonly now: () => number;
  readonly notices: Notices;
  /** The share of each reply cap that is reserved for the streamer and moderators. Default: none. */
  readonly reserveShare?: (() => number) | undefined;
}

interface Pass {
  readonly ok: true;
  /** Must be called once, after the call's row is written. */
  settle(answer: ModelAnswer): void;
}

interface CapReached {
  readonly cap: Exclude<keyof ConfigFile["llm"]["caps"], "memoryShare">;
  readonly limit: number;
  readonly periodMs: number;
}

/** Per model: when the server takes calls again, and its unusable answers in a row. */
interface ModelState {
  readonly breaker: Breaker;
  quotaUntilMs: number;
  restUntilMs: number;
  unusable: number;
}

const MODEL_NOTICES = ["model:access", "model:breaker", "model:quota"] as const;
type ModelNotice = (typeof MODEL_NOTICES)[number];

type Verdict = "success" | "fault" | "neutral";

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

/** A timer may fire this early. */
const REST_MS_MIN = 50;
/** No daily quota lasts longer. */
const REST_MS_MAX = 26 * HOUR_MS;
/** Viewers do not notice a shorter silence. */
const REST_NOTICE_MS_MIN = 2 * 60_000;
/** Unusable answers in a row before a notice. */
const UNUSABLE_MAX = 5;

/** Decides before each call whether to send it, learns from each answer, and notifies the streamer of problems. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #states = new Map<string, ModelState>();
  readonly #hour;
  readonly #day;
  /** The spend of calls in progress. */
  readonly #held: Record<Side, Spend> = { reply: NO_SPEND, memory: NO_SPEND };
  /** The reached cap of each side, its value then, and its end. At first a notice may be left from an earlier start. */
  readonly #reached = new Map<
    Side,
    { cap: CapReached["cap"]; value: number; untilMs: number } | null
  >([
    ["reply", null],
    ["memory", null],
  ]);
  /** The model that each notice is about. Null: perhaps left from an earlier start. */
  readonly #owners = new Map<ModelNotice, string | null>(MODEL_NOTICES.map((kind) => [kind, null]));

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#hour = openSpendWindow(options.store, HOUR_MS);
    this.#day = openSpendWindow(options.store, DAY_MS);
  }

  /** Admits a call, or returns the quota, pause, cap or breaker that refuses it. */
  admit(call: ModelCall): Pass | ModelFailure {
    const { now } = this.#options;
    const nowMs = now();
    const state = this.#readState(call.model);
    const { breaker, quotaUntilMs, restUntilMs } = state;
    if (quotaUntilMs > nowMs)
      return failWith("quota", "daily quota", { retryAfterMs: quotaUntilMs - nowMs });
    if (restUntilMs - nowMs > REST_MS_MIN)
      return failWith("rate_limit", "as the server asked", { retryAfterMs: restUntilMs - nowMs });
    const side = getSide(call.purpose);
    const cost = this.#estimateCost(call);
    const reached = this.#findReachedCap(call, cost, nowMs);
    if (reached === "unknown") return failWith("cap", "spend unknown");
    if (reached !== null) {
      this.#raiseCap(side, reached, nowMs);
      return failWith("cap", `llm.caps.${reached.cap}`);
    }
    const entry = breaker.admit(nowMs);
    if (entry.kind === "wait")
      return failWith("breaker", "too many failures", { retryAfterMs: entry.untilMs - nowMs });
    this.#clearCap(side, nowMs);
    this.#held[side] = addSpend(this.#held[side], cost);
    const settle = (answer: ModelAnswer): void => {
      this.#held[side] = addSpend(this.#held[side], cost, -1);
      breaker.report(VERDICTS[getOutcome(answer)], entry.isProbe, now());
      if (answer.ok) {
        state.unusable = 0;
        this.#clearModel(call.model);
      } else this.#learn(call.model, state, answer);
    };
    return { ok: true, settle };
  }

  #readState(model: string): ModelState {
    const fresh = { breaker: new Breaker(), quotaUntilMs: 0, restUntilMs: 0, unusable: 0 };
    const state = this.#states.get(model) ?? fresh;
    this.#states.set(model, state);
    return state;
  }

  /** Estimates the least that a call will cost. */
  #estimateCost({ model, estimatedTokens: tokens }: ModelCall): Spend {
    const price = getPrice(model, this.#options.config.prices);
    const usage = { promptTokens: tokens, cachedTokens: null, outputTokens: null };
    return { calls: 1, tokens, dollars: price ? calculateDollars(price, usage, tokens) : 0 };
  }

  /** Returns the first cap that one more call would exceed, or null. Without the database the spend is unknown. */
  #findReachedCap(call: ModelCall, cost: Spend, nowMs: number): CapReached | null | "unknown" {
    const { config, reserveShare = () => 0 } = this.#options;
    const { caps } = config;
    const side = getSide(call.purpose);
    const keptShare = side === "reply" && call.mayUseReserve !== true ? reserveShare() : 0;
    try {
      const next = addSpend(cost, this.#held[side]);
      const inHour = addSpend(this.#hour.read(nowMs)[side], next);
      const inDay = addSpend(this.#day.read(nowMs)[side], next);
      const checks = [
        ["callsPerHour", inHour.calls, HOUR_MS],
        ["callsPerDay", inDay.calls, DAY_MS],
        ["tokensPerDay", inDay.tokens, DAY_MS],
        ["dollarsPerDay", inDay.dollars, DAY_MS],
      ] as const;
      for (const [cap, used, periodMs] of checks) {
        // Calls and tokens are whole numbers; replies get the remainder.
        const round = cap === "dollarsPerDay" ? Number : Math.floor;
        const memory = round(caps[cap] * caps.memoryShare);
        const share = side === "memory" ? memory : caps[cap] - memory;
        const limit = share - round(share * keptShare);
        if (used > limit) return { cap, limit, periodMs };
      }
      return null;
    } catch {
      // Nothing more is spent until the spend is known again.
      return "unknown";
    }
  }

  #raiseCap(side: Side, { cap, limit, periodMs }: CapReached, nowMs: number): void {
    const { config, notices } = this.#options;
    const known = this.#reached.get(side);
    if (known?.cap === cap && nowMs < known.untilMs) return;
    this.#reached.set(side, { cap, value: config.caps[cap], untilMs: nowMs + periodMs });
    const share = cap === "dollarsPerDay" ? `$${limit.toFixed(2)}` : String(limit);
    notices.raise(
      `model_cap:${side}`,
      "warning",
      `${side === "reply" ? "Replies pause" : "Memory waits"}: the share of llm.caps.${cap} (${share}) is used up. ` +
        "Nothing to do: it frees up by itself. You can raise it in config.json.",
    );
  }

  /** Clears the notice of a cap if its hour or day has passed, or its value was changed. */
  #clearCap(side: Side, nowMs: number): void {
    const { config, notices } = this.#options;
    const known = this.#reached.get(side);
    const isOver =
      known == null || nowMs >= known.untilMs || config.caps[known.cap] !== known.value;
    if (isOver && this.#reached.delete(side)) notices.clear(`model_cap:${side}`);
  }

  /** Learns from a failure, and raises a notice if the streamer can fix it or should know. */
  #learn(model: string, state: ModelState, answer: ModelFailure): void {
    const { now } = this.#options;
    const { failure, advice, detail } = answer;
    const restMs = Math.min(answer.retryAfterMs ?? 0, REST_MS_MAX);
    const until = `before ${formatLocalTime(now() + restMs)}`;
    const cause = advice === null ? detail : `${advice.found}, ${detail}`;
    const fix = advice?.fix
      ? `${advice.found} (${detail}). Fix: ${advice.fix.replace("KEY", "the key")}; \`forgetmenot doctor\` tries it.`
      : null;
    const raise = (kind: ModelNotice, message: string) => this.#raiseModel(kind, model, message);
    if (state.breaker.isOpen)
      raise(
        "model:breaker",
        `failed again and again (${cause}), and is tried now and then. Type \`forgetmenot doctor\`: it says what the model answers.`,
      );
    switch (failure) {
      case "quota": {
        state.quotaUntilMs = now() + restMs;
        const spent = "has spent its daily quota. Nothing to do, or set another in `llm.model`.";
        raise("model:quota", `${fix ?? spent} It is not asked ${until}.`);
        break;
      }
      case "rate_limit":
        state.restUntilMs = now() + restMs;
        if (restMs > REST_NOTICE_MS_MIN)
          raise(
            "model:quota",
            `asked not to be called ${until}. Nothing to do, or set another in \`llm.model\`.`,
          );
        break;
      case "auth":
        raise(
          "model:access",
          fix ??
            `cannot be used (${cause}). Check the key and llm.model with \`forgetmenot doctor\`, or type \`forgetmenot setup\`.`,
        );
        break;
      case "model": {
        const found = advice?.found ?? "is not offered any more, or is misspelt";
        const message = `${found} (${detail}). Set \`llm.model\` to ${this.#suggestModel(model)}.`;
        raise("model:access", message);
        break;
      }
      case "empty":
      case "truncated":
      case "invalid_json":
        state.unusable += 1;
        if (state.unusable >= UNUSABLE_MAX)
          raise(
            "model:access",
            `gave ${UNUSABLE_MAX} answers in a row that cannot be used (${failure}). Set \`llm.model\` to another one; if it spends its tokens on thinking, to one that thinks less.`,
          );
        break;
      default:
    }
  }

  #raiseModel(kind: ModelNotice, model: string, message: string): void {
    if (this.#owners.get(kind) === model && kind !== "model:quota") return;
    this.#owners.set(kind, model);
    const severity = kind === "model:access" ? "error" : "warning";
    this.#options.notices.raise(kind, severity, `${model} ${message}`);
  }

  /** Clears the notices of a model that answered, and of models that are no longer configured. */
  #clearModel(model: string): void {
    const { config, notices } = this.#options;
    const others = new Set(Object.values(config.models).map((one) => one ?? config.model));
    others.delete(model);
    for (const [kind, owner] of this.#owners) {
      if (owner !== null && others.has(owner)) continue;
      this.#owners.delete(kind);
      notices.clear(kind);
    }
  }

  /** Says which model to set instead of an unknown one. */
  #suggestModel(unknown: string): string {
    const { provider, baseUrl } = this.#options.config;
    const entry = findProvider(provider);
    if (entry === null) return "another name";
    const { usualModel } = entry;
    const usual = usualModel === null || unknown === usualModel ? "" : `${usualModel}, or to `;
    return `${usual}a name that ${findModelList(entry, baseUrl)} lists`;
  }
}

const FAULTS_MAX = 5;
const PAUSE = { baseMs: 30_000, capMs: 300_000 };

/**
 * Opens after five faults in a row, for 30 s; twice as long after each failed probe, up to 5 min. After the pause one
 * call passes as a probe, and others are refused until it ends.
 */
export class Breaker {
  #faults = 0;
  #pauses = 0;
  #openUntilMs: number | null = null;
  #isProbing = false;

  get isOpen(): boolean {
    return this.#openUntilMs !== null;
  }

  admit(nowMs: number): { kind: "go"; isProbe: boolean } | { kind: "wait"; untilMs: number } {
    if (this.#openUntilMs === null) return { kind: "go", isProbe: false };
    if (nowMs < this.#openUntilMs) return { kind: "wait", untilMs: this.#openUntilMs };
    if (this.#isProbing) return { kind: "wait", untilMs: nowMs + PAUSE.baseMs };
    this.#isProbing = true;
    return { kind: "go", isProbe: true };
  }

  /** Reports how an admitted call ended. `neutral` says nothing about the server. */
  report(verdict: Verdict, isProbe: boolean, nowMs: number): void {
    if (isProbe) this.#isProbing = false;
    if (verdict === "success") {
      this.#faults = 0;
      this.#pauses = 0;
      this.#openUntilMs = null;
    }
    if (verdict !== "fault") return;
    this.#faults += 1;
    // A call that was in progress when the breaker opened says nothing new.
    if (!isProbe && (this.isOpen || this.#faults < FAULTS_MAX)) return;
    this.#openUntilMs = nowMs + calculateBackoffMs(this.#pauses, 1, PAUSE);
    this.#pauses += 1;
  }
}
