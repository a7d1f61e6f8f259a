import { localTime } from "../config/local-time.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Side } from "./call-store.ts";
import type { CapReached } from "./caps.ts";

type ModelTrouble = "llm_access" | "llm_breaker" | "llm_quota";

interface Told extends CapReached {
  readonly atMs: number;
}

export interface Troubles {
  capReached(side: Side, reached: CapReached, nowMs: number): void;
  /** A call of this side was let through. */
  hasRoom(side: Side, nowMs: number): void;
  quotaSpent(model: string, untilMs: number): void;
  noAccess(model: string, detail: string): void;
  /** The provider does not know the model. */
  retired(model: string, detail: string): void;
  leftAlone(model: string, detail: string): void;
  /** The model answered. */
  works(model: string): void;
}

/** What the configuration names where nobody chose. */
const REPLACEMENT = "gemini-3.5-flash-lite";
const MODEL_TROUBLES: readonly ModelTrouble[] = ["llm_access", "llm_breaker", "llm_quota"];

/** Tells the streamer what keeps the model from answering, each once, and takes it back when it is over. */
export function openTroubles(notices: Pick<NoticeBoard, "raise" | "clear">): Troubles {
  const told = new Map<Side, Told>();
  /** Whose trouble each notice is; null: perhaps left from before this process. */
  const owners = new Map<ModelTrouble, string | null>(MODEL_TROUBLES.map((kind) => [kind, null]));

  const raise = (kind: ModelTrouble, model: string, message: string) => {
    if (owners.get(kind) === model) return;
    owners.set(kind, model);
    notices.raise(kind, kind === "llm_access" ? "error" : "warning", message);
  };

  return {
    capReached(side, reached, nowMs) {
      const before = told.get(side);
      if (before?.cap === reached.cap && nowMs - before.atMs < before.periodMs) return;
      told.set(side, { ...reached, atMs: nowMs });
      notices.raise(`llm_cap_${side}`, "warning", capMessage(side, reached));
    },
    hasRoom(side, nowMs) {
      const before = told.get(side);
      if (before === undefined || nowMs - before.atMs < before.periodMs) return;
      told.delete(side);
      notices.clear(`llm_cap_${side}`);
    },
    quotaSpent: (model, untilMs) =>
      raise(
        "llm_quota",
        model,
        `The daily quota of ${model} is spent. It is not asked before ${localTime(untilMs)}.`,
      ),
    noAccess: (model, detail) =>
      raise(
        "llm_access",
        model,
        `${model} cannot be used (${detail}): check the key and llm.model with \`forgetmenot doctor\`, or type \`forgetmenot setup\`.`,
      ),
    retired: (model, detail) =>
      raise(
        "llm_access",
        model,
        `${model} is not offered any more, or is misspelt (${detail}): set llm.model to ${REPLACEMENT}, or to a name that your provider lists.`,
      ),
    leftAlone: (model, detail) =>
      raise(
        "llm_breaker",
        model,
        `${model} failed again and again (${detail}): it is tried now and then.`,
      ),
    works(model) {
      for (const [kind, owner] of owners) {
        if (owner !== null && owner !== model) continue;
        owners.delete(kind);
        notices.clear(kind);
      }
    },
  };
}

function capMessage(side: Side, { cap, limit }: CapReached): string {
  const pausing = side === "reply" ? "Replies pause" : "Memory waits";
  const share = cap === "dollarsPerDay" ? `$${limit.toFixed(2)}` : String(limit);
  return `${pausing}: the share of llm.caps.${cap} (${share}) is used up.`;
}
