import type { LlmFailure } from "../llm/port.ts";
import type { FailReason } from "../twitch/delivery.ts";
import type { GuardRule } from "./guard.ts";
import type { RefusedBecause } from "./lane.ts";
import type { Obstacle } from "./look.ts";

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
