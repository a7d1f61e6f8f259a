import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { findModelList, findProvider } from "../catalogue/providers.ts";
import { calculateBackoffMs } from "../clock.ts";
import { formatLocalTime } from "../config/local-time.ts";
import type { LlmPurpose } from "../config/names.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { Notices } from "../database/notices-store.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import {
  calculateDollars,
  DAY_MS,
  getPrice,
  HOUR_MS,
  type LlmCallRow,
  type LlmCallStore,
} from "./call-store.ts";
import { parseAnswer, repairTail, toPlainSchema } from "./json.ts";
import {
  type Adapter,
  type CallOutcome,
  failWith,
  getOutcome,
  isOfMemory,
  type Llm,
  type LlmAnswer,
  type LlmFailure,
  type LlmRequest,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  type ModelText,
  NO_USAGE,
} from "./model-port.ts";

/** The part of the configuration that this room reads. */
export interface LlmConfig {
  readonly llm: ConfigFile["llm"];
}

export interface GateOptions {
  readonly adapter: Adapter;
  /** Read at each call: a reload may replace its `llm`. */
  readonly config: LlmConfig;
  readonly store: LlmCallStore;
  readonly now: () => number;
  readonly notices: Notices;
  readonly log: Log;
  /** The share of each reply cap that is reserved for the streamer and moderators. Default: none. */
  readonly reservedShare?: number | undefined;
  /** True if the provider has a switch for reasoning. */
  readonly canStopReasoning?: boolean;
  /** The wait before the first retry, ms. It doubles with each further one. Default: 400. */
  readonly retryDelayMs?: number;
}

/** The most retries after a failure that may pass. A late reply is worth little; memory can wait. */
const RETRIES_MAX: Readonly<Record<LlmPurpose, number>> = {
  reply: 1,
  rerank: 0,
  summarise: 2,
  extract: 2,
};
const RETRY_DELAY_MS = 400;
const MAY_PASS = new Set<LlmFailure>(["network", "server", "rate_limit"]);

interface Attempt {
  readonly call: ModelCall;
  readonly retries: number;
  readonly isRepair: boolean;
}

/** `repair`: the tail of a question that may repair an invalid answer. */
type Outcome<T> = (ModelText & { value: T | null }) | (ModelFailure & { repair?: string });

/** The detail of a failure: the model began its JSON, and spent all tokens before its end. */
const CUT_OFF_JSON = "cut off JSON";
const TEXT_CHARACTERS_MAX = 64_000;
/** The server cut a prompt if it counts less than this share of our estimate: estimates are off by a third at most. */
const CUT_RATIO = 0.6;
const CUT_TOKENS_MIN = 1_000;
/** Outcomes of calls for which the provider charges nothing. */
const UNPAID: readonly CallOutcome[] = [
  "network",
  "server",
  "rate_limit",
  "quota",
  "auth",
  "request",
  "model",
];

/**
 * Asks a provider. All calls of a question share one time limit. Refuses calls by cap, pause or breaker, retries, and
 * validates with one repair. Writes a row in `llm_calls` for each call that it sends. Never rejects.
 */
export class ModelGate implements Llm {
  readonly #options: GateOptions;
  readonly #admission: Admission;
  /** Models that spent all tokens on reasoning, and whether they answer without it. */
  readonly #answersWithoutReasoning = new Map<string, boolean>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
  }

  async ask<T>(request: LlmRequest<T>): Promise<LlmAnswer<T>> {
    const { config, now } = this.#options;
    const { model: usualModel, models, timeoutSeconds } = config.llm;
    const startedAtMs = now();
    const limit = new TimeLimit(timeoutSeconds * 1_000, request.signal);
    const { purpose, prefix, tail, estimatedTokens, schema, mayUseReserve = false } = request;
    const model = models[purpose] ?? usualModel;
    const call: ModelCall = {
      ...{ purpose, model, prefix, tail, estimatedTokens, mayUseReserve },
      shape: schema === undefined ? null : toPlainSchema(schema),
      withoutReasoning: this.#answersWithoutReasoning.get(model) === true,
      signal: limit.signal,
    };
    try {
      const outcome = await this.#askUntilSettled(request, call, limit);
      const nowMs = now();
      const latencyMs = nowMs - startedAtMs;
      if (outcome.ok) return { ...outcome, model, latencyMs };
      const { failure, detail, finish, usage, retryAfterMs } = outcome;
      const retryAtMs = retryAfterMs === null ? null : nowMs + retryAfterMs;
      return { ok: false, failure, detail, model, finish, usage, latencyMs, retryAtMs };
    } finally {
      limit.close();
    }
  }

  async #askUntilSettled<T>(request: LlmRequest<T>, first: ModelCall, limit: TimeLimit) {
    let attempt: Attempt = { call: first, retries: 0, isRepair: false };
    for (;;) {
      const isPointless = limit.signal.aborted || request.isStale?.() === true;
      if (isPointless) return failWith("aborted", "before it was sent");
      const pass = this.#admission.admit(attempt.call);
      if (!pass.ok) return pass;
      const outcome = await this.#send(attempt, request.schema, limit, pass.settle);
      if (this.#mustStopReasoning(attempt.call, outcome)) {
        attempt = { ...attempt, call: { ...attempt.call, withoutReasoning: true } };
        continue;
      }
      const next = outcome.ok ? null : this.#planRetry(attempt, outcome);
      if (next === null || next.waitMs >= limit.leftMs) return outcome;
      await limit.wait(next.waitMs);
      if (limit.reason === "timeout") return outcome;
      attempt = next.attempt;
    }
  }

  /**
   * Returns the next attempt and the wait before it, ms. An answer that does not fit its schema is repaired once, at once,
   * which counts as no retry. Null if none is left, or none would help.
   */
  #planRetry(
    { call, retries, isRepair }: Attempt,
    { failure, repair, retryAfterMs }: ModelFailure & { repair?: string },
  ): { attempt: Attempt; waitMs: number } | null {
    if (repair !== undefined && !isRepair)
      return { attempt: { call: { ...call, tail: repair }, retries, isRepair: true }, waitMs: 0 };
    if (retries >= RETRIES_MAX[call.purpose] || !MAY_PASS.has(failure)) return null;
    const { retryDelayMs = RETRY_DELAY_MS } = this.#options;
    const waitMs = retryAfterMs ?? retryDelayMs * 2 ** retries;
    return { attempt: { call, retries: retries + 1, isRepair }, waitMs };
  }

  /**
   * Returns true if the call must be sent again without reasoning: the provider can stop it, and the model spent tokens,
   * answered nothing and was never tried without. After a call without reasoning, returns false, and remembers whether
   * the model answered.
   */
  #mustStopReasoning({ model, withoutReasoning }: ModelCall, answer: ModelAnswer): boolean {
    const known = this.#answersWithoutReasoning;
    const hasSpent = isSilent(answer) && (answer.usage.outputTokens ?? 0) > 0;
    if (withoutReasoning !== true)
      return hasSpent && this.#options.canStopReasoning === true && !known.has(model);
    if (answer.ok) known.set(model, true);
    else if (isSilent(answer)) known.set(model, false);
    return false;
  }

  /**
   * Sends one call, validates its answer, writes its row, and calls `settle`. Notifies if the server cut the prompt.
   */
  async #send<T>(
    { call, isRepair }: Attempt,
    schema: z.ZodType<T> | undefined,
    limit: TimeLimit,
    settle: Settle,
  ): Promise<Outcome<T>> {
    const { adapter, now, log, notices, store, config } = this.#options;
    const { purpose, model, estimatedTokens } = call;
    const sentAtMs = now();
    const raw = await limit.race(callSafely(adapter, call));
    const isLate = limit.reason === "timeout";
    const answer = validate(schema, call, raw ?? failWith("aborted", "in progress"), isLate);
    const counted = answer.usage.promptTokens ?? estimatedTokens;
    const isCut = estimatedTokens >= CUT_TOKENS_MIN && counted < estimatedTokens * CUT_RATIO;
    if (isCut) {
      notices.raise(
        "model_context:cut",
        "warning",
        `${model} read far less of a prompt than was sent: its context is likely too small. Give it a ` +
          "larger one (Ollama: `OLLAMA_CONTEXT_LENGTH`), or lower `prompt.budgetTokens`.",
      );
    }
    const outcome = getOutcome(answer);
    const price = getPrice(model, config.llm.prices);
    const dollars = price && calculateDollars(price, answer.usage, estimatedTokens);
    const row = {
      ...answer.usage,
      ...{ purpose, model, outcome, createdAtMs: now() },
      estimatedTokens: isRepair || isCut ? 0 : estimatedTokens,
      latencyMs: now() - sentAtMs,
      dollars: dollars && UNPAID.includes(outcome) ? 0 : dollars,
    };
    try {
      store.add(row);
    } catch (error) {
      // The answer is usable without its row.
      log.error({ model, ...describeBug(error) }, "model call not recorded");
    }
    if (!answer.ok)
      log.warn({ purpose, model, outcome, detail: answer.detail }, "model call failed");
    settle(answer, row);
    return answer;
  }
}

/** True if a model answered with nothing, or was cut off before any text or JSON. */
export function isSilent(answer: ModelAnswer): boolean {
  if (answer.ok) return false;
  const { failure, detail } = answer;
  return failure === "empty" || (failure === "truncated" && detail !== CUT_OFF_JSON);
}

/**
 * Calls an adapter. If it throws, returns the failure `request`, without the error's message, which could quote a key.
 */
export async function callSafely(adapter: Adapter, call: ModelCall): Promise<ModelAnswer> {
  try {
    return await adapter(call);
  } catch (error) {
    return failWith("request", `bug: ${error instanceof Error ? error.name : "throw"}`);
  }
}

/**
 * Validates a provider's answer. One that does not fit becomes a failure: `truncated` at the token limit, else
 * `invalid_json` with a question to repair it. An abort becomes a timeout if the call is late.
 */
function validate<T>(
  schema: z.ZodType<T> | undefined,
  call: ModelCall,
  raw: ModelAnswer,
  isLate: boolean,
): Outcome<T> {
  if (!raw.ok) {
    const isOurs = raw.failure === "aborted" && isLate;
    return isOurs ? { ...raw, failure: "timeout", detail: "no answer in time" } : raw;
  }
  const text = raw.text.slice(0, TEXT_CHARACTERS_MAX);
  if (schema === undefined) return { ...raw, text, value: null };
  const parsed = parseAnswer(text, schema);
  if (parsed.ok) return { ...raw, text, value: parsed.value };
  const { finish, usage } = raw;
  if (finish === "max_tokens") return failWith("truncated", CUT_OFF_JSON, { finish, usage });
  const invalid = failWith("invalid_json", "does not validate", { finish, usage });
  return { ...invalid, repair: repairTail(call.tail, text, parsed.complaint) };
}

/** A time limit for all that one question needs, joined with the caller's own signal. Close it at the end. */
export class TimeLimit {
  readonly #controller = new AbortController();
  /** Aborts at the time limit, or with the caller. */
  readonly signal = this.#controller.signal;
  readonly #endsAtMs;
  readonly #timer;
  readonly #caller;
  readonly #onCaller = () => this.#controller.abort("aborted");
  readonly #over = new Promise<null>((resolve) => {
    this.signal.addEventListener("abort", () => resolve(null), { once: true });
  });

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#endsAtMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => this.#controller.abort("timeout"), timeoutMs);
    this.#caller = caller;
    caller?.addEventListener("abort", this.#onCaller, { once: true });
    if (caller?.aborted === true) this.#onCaller();
  }

  /** Why the signal aborted; null if it did not. */
  get reason(): "timeout" | "aborted" | null {
    return this.signal.reason ?? null;
  }

  /** The time left, ms, by the monotonic clock. */
  get leftMs(): number {
    return this.#endsAtMs - performance.now();
  }

  /** Resolves to the result of `work`, or to null if the signal aborts first. */
  race<T>(work: Promise<T>): Promise<T | null> {
    return Promise.race([work, this.#over]);
  }

  /** Waits `delayMs`, or until the signal aborts. */
  wait(delayMs: number): Promise<void> {
    return delay(delayMs, undefined, { signal: this.signal }).catch(() => undefined);
  }

  /** Stops the timer, and ignores the caller's signal from then on. Does not abort. */
  close(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onCaller);
  }
}

/** Replies with reranking, or memory. Each has its own share of every cap. */
type Side = "reply" | "memory";

/** A call of the last day, with its cost; an estimate as long as it is in progress. */
interface Spent {
  readonly side: Side;
  atMs: number;
  tokens: number;
  dollars: number;
}

/** Records how an admitted call ended, and what it cost. Call it once. */
type Settle = (answer: ModelAnswer, row: LlmCallRow) => void;

interface CapReached {
  readonly cap: "callsPerHour" | "callsPerDay" | "tokensPerDay" | "dollarsPerDay";
  readonly limit: number;
  readonly periodMs: number;
}

interface ModelState {
  readonly breaker: Breaker;
  /** The longest pause that the server asked for. */
  rest: { readonly failure: "quota" | "rate_limit"; readonly untilMs: number };
  /** Unusable answers in a row. */
  unusable: number;
}

type ModelNotice = "model:access" | "model:breaker" | "model:quota";

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

/** A call this long before the end of a pause passes: a timer may fire early. */
const REST_MS_MIN = 50;
/** The longest pause that a server may ask for: no daily quota lasts longer. */
const REST_MS_MAX = 26 * HOUR_MS;
/** A shorter pause raises no notice: viewers do not notice the silence. */
const REST_NOTICE_MS_MIN = 2 * 60_000;
/** Unusable answers in a row before a notice. */
const UNUSABLE_MAX = 5;

/** Pauses a model, unless a pause that ends later is in progress: calls run at once, and a quota outlasts a delay. */
function rest(state: ModelState, failure: ModelState["rest"]["failure"], untilMs: number): void {
  if (untilMs > state.rest.untilMs) state.rest = { failure, untilMs };
}

/** Decides before each call whether to send it, records its cost and failure, and notifies the streamer of problems. */
class Admission {
  readonly #options: GateOptions;
  readonly #states = new Map<string, ModelState>();
  /** The calls of the last day, those in progress too. */
  #spent: Spent[];
  /** The reached cap of each side, its value then, and when its notice ends. */
  readonly #reached = new Map<Side, { cap: CapReached["cap"]; value: number; untilMs: number }>();
  /** The model that each active notice is about. */
  readonly #owners = new Map<ModelNotice, string>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#spent = options.store.since(options.now() - DAY_MS).map(readSpent);
  }

  /**
   * Admits a call and counts its estimated cost. Returns a failure if a pause, cap or breaker refuses it; a cap also
   * raises a notice.
   */
  admit(call: ModelCall): ModelFailure | { readonly ok: true; readonly settle: Settle } {
    const { config, now } = this.#options;
    const nowMs = now();
    const state = this.#findOrAddState(call.model);
    const { breaker, rest } = state;
    const restMs = rest.untilMs - nowMs;
    if (restMs > REST_MS_MIN)
      return failWith(rest.failure, "as the server asked", { retryAfterMs: restMs });
    const side = getSide(call.purpose);
    // The least that the call will cost.
    const { estimatedTokens: tokens } = call;
    const price = getPrice(call.model, config.llm.prices);
    const dollars = price ? calculateDollars(price, NO_USAGE, tokens) : 0;
    const spent: Spent = { side, atMs: nowMs, tokens, dollars };
    const reached = this.#findReachedCap(call, spent);
    if (reached !== null) {
      this.#raiseCapNoticeOnce(side, reached, nowMs);
      return failWith("cap", `llm.caps.${reached.cap}`);
    }
    const entry = breaker.admit(nowMs);
    if (entry.kind === "wait")
      return failWith("breaker", "too many failures", { retryAfterMs: entry.untilMs - nowMs });
    this.#clearCapNoticeIfOver(side, nowMs);
    this.#spent.push(spent);
    const settle: Settle = (answer, row) => {
      Object.assign(spent, readSpent(row));
      breaker.report(VERDICTS[getOutcome(answer)], entry.isProbe, now());
      if (answer.ok) {
        state.unusable = 0;
        this.#clearModelNotices(call.model);
      } else this.#recordFailure(call.model, state, answer);
    };
    return { ok: true, settle };
  }

  #findOrAddState(model: string): ModelState {
    const known = this.#states.get(model);
    if (known !== undefined) return known;
    const rest = { failure: "rate_limit", untilMs: 0 } as const;
    const state = { breaker: new Breaker(), rest, unusable: 0 };
    this.#states.set(model, state);
    return state;
  }

  /**
   * Returns the first cap whose share for its side the call would exceed; else null. A reply that may not use the
   * reserve has a smaller share. `next` is the call's cost. Drops calls older than a day.
   */
  #findReachedCap(call: ModelCall, next: Spent): CapReached | null {
    const { config, reservedShare = 0 } = this.#options;
    const { caps } = config.llm;
    const { side, atMs: nowMs } = next;
    const keptShare = side === "reply" && call.mayUseReserve !== true ? reservedShare : 0;
    this.#spent = this.#spent.filter(({ atMs }) => atMs > nowMs - DAY_MS);
    const inDay = { calls: 1, tokens: next.tokens, dollars: next.dollars };
    let callsInHour = 1;
    for (const one of this.#spent) {
      if (one.side !== side) continue;
      if (one.atMs > nowMs - HOUR_MS) callsInHour += 1;
      inDay.calls += 1;
      inDay.tokens += one.tokens;
      inDay.dollars += one.dollars;
    }
    const checks = [
      ["callsPerHour", callsInHour, HOUR_MS],
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
  }

  /** Raises the notice of a reached cap; does nothing if it raised it within the cap's hour or day. */
  #raiseCapNoticeOnce(side: Side, { cap, limit, periodMs }: CapReached, nowMs: number): void {
    const { config, notices } = this.#options;
    const known = this.#reached.get(side);
    if (known?.cap === cap && nowMs < known.untilMs) return;
    this.#reached.set(side, { cap, value: config.llm.caps[cap], untilMs: nowMs + periodMs });
    const share = cap === "dollarsPerDay" ? `$${limit.toFixed(2)}` : String(limit);
    notices.raise(
      `model_cap:${side}`,
      "warning",
      `${side === "reply" ? "Replies pause" : "Memory waits"}: the share of llm.caps.${cap} (${share}) is used up. ` +
        "Nothing to do: it frees up by itself. You can raise it in config.json.",
    );
  }

  /** Clears the notice of a cap if its hour or day has passed, or its value was changed. */
  #clearCapNoticeIfOver(side: Side, nowMs: number): void {
    const { config, notices } = this.#options;
    const known = this.#reached.get(side);
    if (known === undefined) return;
    if (nowMs < known.untilMs && config.llm.caps[known.cap] === known.value) return;
    this.#reached.delete(side);
    notices.clear(`model_cap:${side}`);
  }

  /**
   * Stores a failure's pause or counts its useless answer. Raises a notice if the streamer can fix it or should know.
   */
  #recordFailure(model: string, state: ModelState, answer: ModelFailure): void {
    const { now } = this.#options;
    const { failure, advice, detail } = answer;
    const restMs = Math.min(answer.retryAfterMs ?? 0, REST_MS_MAX);
    const until = `before ${formatLocalTime(now() + restMs)}`;
    const cause = advice === null ? detail : `${advice.found}, ${detail}`;
    const fix = advice?.fix
      ? `${advice.found} (${detail}). Fix: ${advice.fix.replace("KEY", "the key")}; \`forgetmenot doctor\` tries it.`
      : null;
    const raise = (kind: ModelNotice, message: string) =>
      this.#raiseModelNotice(kind, model, message);
    if (state.breaker.isOpen)
      raise(
        "model:breaker",
        `failed again and again (${cause}), and is tried now and then. Type \`forgetmenot doctor\`: it says what the model answers.`,
      );
    switch (failure) {
      case "quota": {
        rest(state, failure, now() + restMs);
        const spent = "has spent its daily quota. Nothing to do, or set another in `llm.model`.";
        raise("model:quota", `${fix ?? spent} It is not asked ${until}.`);
        break;
      }
      case "rate_limit":
        rest(state, failure, now() + restMs);
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

  #raiseModelNotice(kind: ModelNotice, model: string, message: string): void {
    this.#owners.set(kind, model);
    const severity = kind === "model:access" ? "error" : "warning";
    this.#options.notices.raise(kind, severity, `${model} ${message}`);
  }

  /** Clears the notices of a model that answered, and of models that are no longer configured. */
  #clearModelNotices(model: string): void {
    const { config, notices } = this.#options;
    const { models, model: usualModel } = config.llm;
    const others = new Set(Object.values(models).map((one) => one ?? usualModel));
    others.delete(model);
    for (const [kind, owner] of this.#owners) {
      if (others.has(owner)) continue;
      this.#owners.delete(kind);
      notices.clear(kind);
    }
  }

  /** Returns the end of "Set `llm.model` to …", for a model that the provider does not know. */
  #suggestModel(unknown: string): string {
    const { provider, baseUrl } = this.#options.config.llm;
    const entry = findProvider(provider);
    if (entry === null) return "another name";
    const { usualModel } = entry;
    const usual = usualModel === null || unknown === usualModel ? "" : `${usualModel}, or to `;
    return `${usual}a name that ${findModelList(entry, baseUrl)} lists`;
  }
}

function getSide(purpose: LlmPurpose): Side {
  return isOfMemory(purpose) ? "memory" : "reply";
}

/** Reads the cost of a recorded call, by our estimate if the provider gave no count. An unpaid call has no tokens. */
function readSpent(row: LlmCallRow): Spent {
  const counted = (row.promptTokens ?? row.estimatedTokens) + (row.outputTokens ?? 0);
  const tokens = UNPAID.includes(row.outcome) ? 0 : counted;
  return { side: getSide(row.purpose), atMs: row.createdAtMs, tokens, dollars: row.dollars ?? 0 };
}

const FAULTS_MAX = 5;
const PAUSE = { baseMs: 30_000, capMs: 300_000 };

/**
 * Refuses calls to a model after five faults in a row, for 30 s. Then one call passes as a probe, and others wait. A
 * success ends this; a failed probe doubles the pause, up to 5 min.
 */
export class Breaker {
  #faults = 0;
  #pauses = 0;
  #openUntilMs: number | null = null;
  #isProbing = false;

  /** True from the fifth fault until a success, also between a pause and its probe. */
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

  /** Records how an admitted call ended. `neutral` changes nothing, except that another call may be the probe. */
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
