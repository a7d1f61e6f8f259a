// Pure: values in, values out.

import { SECTIONS } from "../reply/prompt/sections.ts";
import type { ReplyReason } from "../reply/reply-store.ts";
import type { OutcomeKind } from "../reply/reply-view-store.ts";

/** Plain words for outcomes. Scripts read the codes themselves. */
const OUTCOMES: Readonly<Record<OutcomeKind, string>> = {
  good: "thumb up",
  bad: "thumb down",
  deleted: "a moderator deleted it",
  timed_out: "the viewer was timed out",
  viewer_answered: "the viewer followed up",
  others_answered: "others followed up",
};
const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OUTCOMES),
  ...Object.entries(SECTIONS).map(([code, { words }]) => [code, words] as const),
]);

/** Names a section of a prompt, or an outcome, in plain words. Returns any other code as it is. */
export function getPlainName(code: string): string {
  return NAMES.get(code) ?? code;
}

/** Reasons with their own words; the others use those of their family. */
type NamedReason = Exclude<ReplyReason, `guard_${string}` | `send_${string}`> | "send_unknown";

/** Why a reply was not sent, and a fix if there is one. docs/codes.md says more. */
const REASONS: Readonly<Record<NamedReason, readonly [why: string, fix?: string]>> = {
  viewer_cooldown: ["they were answered moments ago"],
  superseded: ["they sent a newer message"],
  queue_full: ["too many others were waiting"],
  stale: ["it waited too long", "if this happens often, a faster model (`llm.model`) helps"],
  loop: ["it behaves like another bot"],
  removed: ["their message was removed"],
  closing: ["the bot was being stopped"],
  paused: ["the bot is paused", "`forgetmenot resume` wakes it"],
  not_let_through: [
    "Twitch did not let the last messages through",
    "`forgetmenot status` shows the fix",
  ],
  offline: [
    "your channel is offline",
    '"whenOffline": true under replies in config.json makes it answer then, too',
  ],
  over_budget: [
    "the prompt did not fit its budget",
    "raise prompt.budgetTokens, or make persona.voice shorter",
  ],
  empty: ["the model said nothing that can be sent"],
  question_open: ["the same question is open"],
  shadow: ["shadow mode: nothing is sent"],
  expired: ["it could not be sent in time"],
  duplicate: ["it had just sent the same text"],
  bug: ["a bug stopped it; the log has more", "please report it"],
  crashed: ["the program ended before it was said"],
  send_unknown: ["unknown whether it arrived"],
  model_timeout: ["the model took too long", "raise llm.timeoutSeconds, or take a faster model"],
  model_network: ["the model could not be reached", "`forgetmenot doctor` tries it"],
  model_server: ["the model's server failed"],
  model_rate_limit: ["the model's provider asks for a pause"],
  model_quota: ["the model's quota is spent", "`forgetmenot status` tells until when"],
  model_auth: ["the model's key was refused", "`forgetmenot setup` takes another key"],
  model_request: ["the model did not accept the question", "`forgetmenot doctor` tries it"],
  model_model: ["there is no such model", "`forgetmenot doctor` tries it"],
  model_blocked: ["the provider's filter stopped it"],
  model_empty: ["the model answered with nothing"],
  model_invalid_json: ["the model's answer had the wrong form"],
  model_truncated: ["the model's answer was cut off", "ask for shorter answers in persona.voice"],
  model_cap: [
    "a limit on calls, tokens or money is reached",
    "wait, or raise the limit under llm.caps",
  ],
  model_breaker: ["the model failed five times and rests", "`forgetmenot doctor` tries it"],
  model_aborted: ["the answer was no longer needed"],
};
const KNOWN: ReadonlyMap<string, readonly [string, string?]> = new Map(Object.entries(REASONS));

/** Returns the fix for a reason why a reply was not sent; null if there is none, or the reason is unknown. */
export function findFixOfSilence(reason: string): string | null {
  return KNOWN.get(reason)?.[1] ?? null;
}

/** Returns in words why a reply was not sent. Returns an unknown reason unchanged. */
export function explainSilence(reason: string): string {
  const [known] = KNOWN.get(reason) ?? [];
  if (known !== undefined) return known;
  const [, family, rule = ""] = /^(guard|send)_(.*)/.exec(reason) ?? [];
  if (family === undefined) return reason;
  const why =
    family === "guard" ? "the guard stopped what the model wrote" : "Twitch did not take it";
  return `${why} (${rule.replaceAll("_", " ")})`;
}
