import { modelListOf, providerOf } from "../catalogue/providers.ts";
import { backoffMs } from "../clock.ts";
import { localTime } from "../config/local-time.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import {
  type CapReached,
  type LlmCallStore,
  openCaps,
  type Side,
  type Spend,
  sideOf,
} from "./call-store.ts";
import {
  type CallOutcome,
  failed,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  outcomeOf,
} from "./model-port.ts";
import { dollarsOf, priceOf } from "./models.ts";

export interface AdmissionOptions {
  readonly config: ConfigFile["llm"];
  readonly store: LlmCallStore;
  readonly now: () => number;
  /** See `LlmOptions.wallNow`. */
  readonly wallNow?: () => number;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  /** Share of what replies may cost that is kept for the streamer and moderators; none where it is not said. */
  readonly reserveShare?: () => number;
}

export interface Pass {
  readonly ok: true;
  /** Must be called once, after the call's row is written. */
  settle(answer: ModelAnswer): void;
}

export type Admission = ReturnType<typeof openAdmission>;

/** A timer may be early by as much. */
const REST_MS_MIN = 50;
/** Longer than any quota of a day lasts; a server that asks for more is tried again all the same. */
const REST_MS_MAX = 26 * 3_600_000;
/** Nobody notices a shorter silence. */
const REST_TOLD_MS_MIN = 2 * 60_000;

type Verdict = "success" | "fault" | "neutral";

/** Answers that nobody can use; so many in a row are told. */
const UNUSABLE = new Set<CallOutcome>(["empty", "truncated", "invalid_json"]);
const UNUSABLE_MAX = 5;

/** What each outcome says about the server. An answer that is of no use still shows that it is there. */
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
  /** One prompt may be to blame; of five in a row it is the model, or the account. */
  request: "fault",
};

/** Decides before each call whether it is sent, and learns from each that was. */
export function openAdmission(options: AdmissionOptions) {
  const { now, wallNow = now } = options;
  const caps = openCaps(() => options.config.caps, options.store);
  const breakers = new Map<string, Breaker>();
  const quotaUntilMs = new Map<string, number>();
  /** What the server asked for, across questions. */
  const restUntilMs = new Map<string, number>();
  /** Unusable answers in a row, by model. */
  const unusable = new Map<string, number>();
  const troubles = openTroubles(options.notices, () => options.config);

  return {
    /** Lets a call through, or says why not: daily quota, cap or breaker. */
    admit(call: ModelCall): Pass | ModelFailure {
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
      if (reached !== null) {
        troubles.capReached(side, reached, nowMs);
        return failed("cap", `llm.caps.${reached.cap}`);
      }
      const breaker = breakerOf(call.model);
      const entry = breaker.admit(nowMs);
      if (entry.kind === "wait") {
        return failed("breaker", "too many failures", { retryAfterMs: entry.untilMs - nowMs });
      }
      troubles.hasRoom(side, nowMs);
      const release = caps.hold(side, cost);
      return {
        ok: true,
        settle(answer) {
          release();
          const verdict = VERDICTS[outcomeOf(answer)];
          breaker.report(verdict, entry.isProbe, now());
          if (answer.ok) {
            unusable.delete(call.model);
            troubles.works(call.model);
            return;
          }
          if (breaker.isOpen) troubles.leftAlone(call.model, causeOf(answer));
          learn(call.model, answer);
          countUnusable(call.model, answer.failure);
        },
      };
    },
  };

  function learn(model: string, answer: ModelFailure): void {
    const { failure, retryAfterMs } = answer;
    const restMs = Math.min(retryAfterMs ?? 0, REST_MS_MAX);
    if (failure === "rate_limit") restUntilMs.set(model, now() + restMs);
    if (failure === "rate_limit" && restMs > REST_TOLD_MS_MIN)
      troubles.sentAway(model, wallNow() + restMs);
    if (failure === "quota") {
      quotaUntilMs.set(model, now() + restMs);
      troubles.quotaSpent(model, wallNow() + restMs, answer);
    }
    if (failure === "auth") troubles.noAccess(model, answer);
    if (failure === "model") troubles.retired(model, answer);
  }

  function countUnusable(model: string, failure: CallOutcome): void {
    if (!UNUSABLE.has(failure)) return;
    const inARow = (unusable.get(model) ?? 0) + 1;
    unusable.set(model, inARow);
    if (inARow >= UNUSABLE_MAX) troubles.saysNothing(model, failure);
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
}

/** What a call will cost at least, before it is known. */
function costOf(call: ModelCall, config: AdmissionOptions["config"]): Spend {
  const price = priceOf(call.model, config.prices);
  const usage = { promptTokens: call.estimatedTokens, cachedTokens: null, outputTokens: null };
  const dollars = price === null ? 0 : dollarsOf(price, usage, call.estimatedTokens);
  return { calls: 1, tokens: call.estimatedTokens, dollars };
}

/** Failures in a row after which a model is left alone for a while. */
const FAULTS_MAX = 5;
const PAUSE = { baseMs: 30_000, capMs: 300_000 };

type BreakerPass =
  | { readonly kind: "go"; readonly isProbe: boolean }
  | { readonly kind: "wait"; readonly untilMs: number };

type Breaker = ReturnType<typeof createBreaker>;

/**
 * Opens after five faults in a row, for 30 s; twice as long after each probe that fails, up to 5 min. When that time
 * is over one call goes through as a probe; others are refused meanwhile rather than made to wait for it.
 */
export function createBreaker() {
  let faults = 0;
  let pauses = 0;
  let openUntilMs: number | null = null;
  let isProbing = false;

  const open = (nowMs: number) => {
    openUntilMs = nowMs + backoffMs(pauses, 1, PAUSE);
    pauses += 1;
  };
  const close = () => {
    faults = 0;
    pauses = 0;
    openUntilMs = null;
  };

  return {
    get isOpen() {
      return openUntilMs !== null;
    },
    admit(nowMs: number): BreakerPass {
      if (openUntilMs === null) return { kind: "go", isProbe: false };
      if (nowMs < openUntilMs) return { kind: "wait", untilMs: openUntilMs };
      if (isProbing) return { kind: "wait", untilMs: nowMs + PAUSE.baseMs };
      isProbing = true;
      return { kind: "go", isProbe: true };
    },
    /** A call that was let through has ended. `neutral` says nothing about the server. */
    report(result: Verdict, isProbe: boolean, nowMs: number): void {
      if (isProbe) isProbing = false;
      if (result === "success") close();
      if (result !== "fault") return;
      faults += 1;
      // Calls that were under way when it opened say nothing new.
      if (isProbe || (openUntilMs === null && faults >= FAULTS_MAX)) open(nowMs);
    },
  };
}

/** What to set where `gone` is: what is usual, or where the names stand. */
function replacement(gone: string, { provider, baseUrl }: ConfigFile["llm"]): string {
  const entry = providerOf(provider);
  if (entry === null) return "another name";
  const { usualModel } = entry;
  const usual = usualModel === null || gone === usualModel ? "" : `${usualModel}, or to `;
  return `${usual}a name that ${modelListOf(entry, baseUrl)} lists`;
}

const MODEL_TROUBLES = ["model:access", "model:breaker", "model:quota"] as const;
type ModelTrouble = (typeof MODEL_TROUBLES)[number];

interface ToldCap extends CapReached {
  readonly atMs: number;
  /** What the configuration had for it then. */
  readonly capMax: number;
}

/** Whether its hour or day has passed, or another number was set since. */
function isCapOver(
  { cap, capMax, atMs, periodMs }: ToldCap,
  caps: ConfigFile["llm"]["caps"],
  nowMs: number,
): boolean {
  return caps[cap] !== capMax || nowMs - atMs >= periodMs;
}

/** Tells the streamer what keeps the model from answering, each once, and takes it back when it is over. */
function openTroubles(
  notices: Pick<NoticeBoard, "raise" | "clear">,
  config: () => ConfigFile["llm"],
) {
  const told = new Map<Side, ToldCap>();
  /** Whose notice may be left from before this process. */
  const left = new Set<Side>(["reply", "memory"]);
  /** Whose trouble each notice is; null: perhaps left from before this process. */
  const owners = new Map<ModelTrouble, string | null>(MODEL_TROUBLES.map((kind) => [kind, null]));

  const raise = (kind: ModelTrouble, model: string, message: string) => {
    if (owners.get(kind) === model) return;
    owners.set(kind, model);
    notices.raise(kind, kind === "model:access" ? "error" : "warning", message);
  };

  return {
    capReached(side: Side, reached: CapReached, nowMs: number): void {
      const before = told.get(side);
      if (before?.cap === reached.cap && nowMs - before.atMs < before.periodMs) return;
      told.set(side, { ...reached, atMs: nowMs, capMax: config().caps[reached.cap] });
      left.delete(side);
      notices.raise(`model_cap:${side}`, "warning", capMessage(side, reached));
    },
    /** A call of this side was let through. */
    hasRoom(side: Side, nowMs: number): void {
      const before = told.get(side);
      const isOver = before ? isCapOver(before, config().caps, nowMs) : left.has(side);
      if (!isOver) return;
      told.delete(side);
      left.delete(side);
      notices.clear(`model_cap:${side}`);
    },
    quotaSpent: (model: string, untilMs: number, { advice }: ModelFailure) =>
      raise(
        "model:quota",
        model,
        advice !== null && advice.fix !== ""
          ? `${model} ${advice.found}. Fix: ${advice.fix.replace("KEY", "the key")}; \`forgetmenot doctor\` tries it. It is not asked before ${localTime(untilMs)}.`
          : `The daily quota of ${model} is spent. It is not asked before ${localTime(untilMs)}; nothing to do, or name another in \`llm.model\`.`,
      ),
    /** The server asked to be left alone for so long. */
    sentAway: (model: string, untilMs: number) => {
      owners.set("model:quota", null); // each time is another one
      raise(
        "model:quota",
        model,
        `${model} asked not to be called before ${localTime(untilMs)}. Nothing to do, or name another in \`llm.model\`.`,
      );
    },
    noAccess: (model: string, answer: ModelFailure) =>
      raise(
        "model:access",
        model,
        adviceText(model, answer) ??
          `${model} cannot be used (${causeOf(answer)}). Check the key and llm.model with \`forgetmenot doctor\`, or type \`forgetmenot setup\`.`,
      ),
    /** The provider does not know the model. */
    retired: (model: string, answer: ModelFailure) =>
      raise(
        "model:access",
        model,
        `${model} ${answer.advice?.found ?? "is not offered any more, or is misspelt"} (${answer.detail}). Set \`llm.model\` to ${replacement(model, config())}.`,
      ),
    /** It answers, and nothing of it can be used. */
    saysNothing: (model: string, failure: CallOutcome) =>
      raise(
        "model:access",
        model,
        `${model} gave ${UNUSABLE_MAX} answers in a row that cannot be used (${failure}). Set \`llm.model\` to another one; if it spends its tokens on thinking, to one that thinks less.`,
      ),
    leftAlone: (model: string, detail: string) =>
      raise(
        "model:breaker",
        model,
        `${model} failed again and again (${detail}), and is tried now and then. Type \`forgetmenot doctor\`: it says what the model answers.`,
      ),
    /** The model answered. What was told of one that is asked no more, since another was named, is over too. */
    works(model: string): void {
      const asked = askedModels(config());
      for (const [kind, owner] of owners) {
        if (owner !== null && owner !== model && asked.has(owner)) continue;
        owners.delete(kind);
        notices.clear(kind);
      }
    },
  };
}

/** The provider's reason, else codes and numbers. */
function causeOf({ advice, detail }: ModelFailure): string {
  return advice === null ? detail : `${advice.found}, ${detail}`;
}

/** What is wrong and the fix, if the provider gave a reason that is known. */
function adviceText(model: string, { advice, detail }: ModelFailure): string | null {
  if (advice === null || advice.fix === "") return null;
  return `${model} ${advice.found} (${detail}). Fix: ${advice.fix.replace("KEY", "the key")}; \`forgetmenot doctor\` tries it.`;
}

function askedModels({ models, model }: ConfigFile["llm"]): ReadonlySet<string> {
  return new Set(Object.values(models).map((one) => one ?? model));
}

function capMessage(side: Side, { cap, limit }: CapReached): string {
  const pausing = side === "reply" ? "Replies pause" : "Memory waits";
  const share = cap === "dollarsPerDay" ? `$${limit.toFixed(2)}` : String(limit);
  return `${pausing}: the share of llm.caps.${cap} (${share}) is used up. Nothing to do: it frees up by itself. You can raise it in config.json.`;
}
