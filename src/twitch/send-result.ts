import type { HelixReason } from "./helix-call.ts";

/** What became of one attempt to send a message by Helix. */
export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string }
  /** Twitch took the request and dropped the message; `reason` is its code, such as `msg_duplicate`. */
  | { readonly kind: "refused"; readonly reason: string }
  /** It may have arrived: the request went out, and no clear answer came back. */
  | { readonly kind: "unknown" }
  /** It surely did not arrive. */
  | { readonly kind: "failed"; readonly reason: HelixReason };
