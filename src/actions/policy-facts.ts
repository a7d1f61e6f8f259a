// Pure: values in, values out.
import type { ActionClass, ActionName, ClassGate } from "../platform/config/names.ts";
import { type ActionLimits, CATALOGUE } from "./catalogue.ts";
import type { Echo } from "./echo.ts";
import type { Parsed, RawArgs } from "./grammar.ts";
import type { Person, Unresolved } from "./resolve.ts";
import type { Wish } from "./wish.ts";

/** What the model wrote: the n-th proposal of one reply, counted from 0. */
export interface Proposal {
  readonly parsed: Parsed;
  readonly index: number;
}

/** The part of the configuration that decides. */
export interface ActionPolicy {
  readonly safeMode: boolean;
  readonly classes: Readonly<Record<ActionClass, ClassGate>>;
  readonly autonomy: Readonly<Record<Exclude<ActionClass, "memory">, boolean>>;
  readonly allowlist: readonly string[];
  readonly protectVips: boolean;
  readonly denylist: {
    readonly actions: readonly ActionName[];
    readonly targets: readonly string[];
  };
  readonly limits: {
    readonly [N in ActionName]?:
      | { readonly [K in keyof ActionLimits]?: number | undefined }
      | undefined;
  };
  readonly approvalSeconds: number;
}

/** What the ledger says of an action in a channel, epoch ms and runs; nulls where there was no run. */
export interface Recent {
  readonly actionAtMs: number | null;
  readonly targetAtMs: number | null;
  readonly requesterAtMs: number | null;
  readonly runsThisHour: number;
  readonly runsThisStream: number;
}

/** What the turn is about: no target, or the one that code found. */
export type TargetFact =
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: Exclude<RefusalReason, "unknown"> }
  | {
      readonly kind: "found";
      readonly person: Person;
      /** The message that a deletion takes away. */
      readonly messageId: string | null;
    };

/** Everything a decision hangs on, gathered before. null: it could not be found out. */
export interface Facts {
  readonly nowMs: number;
  readonly policy: ActionPolicy;
  readonly switches: { readonly paused: boolean; readonly safeMode: boolean } | null;
  /** Whether there is a token, or a memory, that may do it; `rate_limited` where Twitch asked to wait with it. */
  readonly mayCall: boolean | "rate_limited" | null;
  /** The arguments after the reply guard; `refused` where it stops one of them. */
  readonly texts:
    | { readonly kind: "passed"; readonly args: RawArgs }
    | { readonly kind: "refused" }
    | null;
  readonly target: TargetFact | null;
  /** The streamer and the bot. */
  readonly untouchable: { readonly streamerId: string; readonly botId: string } | null;
  /** Who asked. A turn that nobody asked for is a viewer's. */
  readonly requester: "streamer" | "moderator" | "viewer" | null;
  /** False where the bot joined in by chance: nobody asked for anything. */
  readonly isAsked: boolean;
  /** Whether the requester's own words ask for it. */
  readonly wish: Wish | null;
  /** The longest time that those words speak of, seconds; null where they speak of none. */
  readonly saidSeconds: number | null;
  readonly echo: Echo | null;
  readonly recent: Recent | null;
  /** Whether the streamer approved this very proposal. */
  readonly isApproved: boolean;
}

export type RefusalReason =
  | "malformed"
  | "too_many"
  | "paused"
  | "safe_mode"
  | "never"
  | "class_off"
  | "missing_scope"
  | "rate_limited"
  | "no_memory"
  | "arguments"
  | "guard"
  | Unresolved
  | "target_changed"
  | "no_message"
  | "not_own_note"
  | "protected"
  | "denied_action"
  | "denied_target"
  | "not_asked"
  | "not_said"
  | "not_allowed"
  | "not_named"
  | "echo_bracket"
  | "echo_words"
  | "cooldown_action"
  | "cooldown_target"
  | "cooldown_requester"
  | "cap_hour"
  | "cap_stream"
  | "unknown";

/** What holds for an action: the catalogue's, but where the configuration says otherwise. */
export function limitsOf(name: ActionName, policy: ActionPolicy): ActionLimits {
  const standard = CATALOGUE[name].limits;
  const own = policy.limits[name] ?? {};
  return {
    actionSeconds: own.actionSeconds ?? standard.actionSeconds,
    targetSeconds: own.targetSeconds ?? standard.targetSeconds,
    requesterSeconds: own.requesterSeconds ?? standard.requesterSeconds,
    perHour: own.perHour ?? standard.perHour,
    perStream: own.perStream ?? standard.perStream,
    secondsMin: own.secondsMin ?? standard.secondsMin,
    secondsMax: own.secondsMax ?? standard.secondsMax,
  };
}
