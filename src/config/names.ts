// Pure: values in, values out.
import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import { PROVIDER_NAMES } from "../catalogue/providers.ts";

/** Names that several rooms share, each list once. */

export const REPLY_MODES = ["shadow", "mentions", "ambient"] as const;
export type ReplyMode = (typeof REPLY_MODES)[number];

export const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[];

export const CLASS_GATES = ["off", "dry_run", "approve", "live"] as const;

export const MEMORY_MODES = ["auto", "shadow", "manual", "off"] as const;
export type MemoryMode = (typeof MEMORY_MODES)[number];

export const MEMORY_SCOPES = ["shared", "persona"] as const;

export const RERANK_MODES = ["off", "on"] as const;
/** Results of a reranking call: `none` if there was nothing to order. */
export const RERANK_OUTCOMES = ["ordered", "none", "too_slow", "unknown_ids", "failed"] as const;
export type RerankOutcome = (typeof RERANK_OUTCOMES)[number];

/** States of a note; prompts show only active ones. */
export const NOTE_STATUSES = [
  "active",
  "shadow",
  "pending",
  "rejected",
  "superseded",
  "stale",
  "expired",
] as const;
export type NoteStatus = (typeof NOTE_STATUSES)[number];

/** add: topics that are talked of raise a note; strict: notes on other topics are left out. */
export const TOPIC_MODES = ["add", "strict"] as const;
export type TopicMode = (typeof TOPIC_MODES)[number];

export const LLM_PROVIDERS = [...PROVIDER_NAMES, "offline"] as const;

export const LLM_PURPOSES = ["reply", "summarise", "extract", "rerank"] as const;
export type LlmPurpose = (typeof LLM_PURPOSES)[number];

/** Sources of a note, weakest first: a weaker source never replaces a stronger one. */
export const NOTE_SOURCES = ["import", "extracted", "viewer_request", "operator"] as const;
export type NoteSource = (typeof NOTE_SOURCES)[number];
