import type { LlmFailure } from "../platform/models/model-port.ts";
import type { FailReason } from "../twitch/delivery.ts";
import type { GuardRule } from "./guard.ts";
import type { Obstacle, RefusedBecause } from "./reply-queue.ts";

/** Why nothing was sent, or why it is not known whether it was; docs/codes.md says of each what it means. */
export type ReplyReason =
  | RefusedBecause
  | Obstacle
  | "over_budget"
  | "empty"
  | "shadow"
  | "expired"
  | "duplicate"
  | "bug"
  | "crashed"
  | `model_${LlmFailure}`
  | `guard_${GuardRule}`
  | `send_${FailReason}`
  | "send_unknown"
  // Twitch's own word for why it dropped a message.
  | `send_${string}`;
