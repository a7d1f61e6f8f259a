// Pure: values in, values out.

/** What a code means for the streamer, in one breath. docs/codes.md says more of each. */
const REASONS: Readonly<Record<string, string>> = {
  viewer_cooldown: "they had an answer moments ago",
  superseded: "they said something newer meanwhile",
  queue_full: "too many others were waiting",
  stale: "it waited too long",
  loop: "it answers like another bot",
  removed: "their message was removed",
  closing: "the bot was being stopped",
  paused: "the bot is paused",
  offline: "your channel is offline",
  over_budget: "the prompt did not fit its budget",
  empty: "the model said nothing that can be sent",
  shadow: "shadow mode: nothing is sent",
  expired: "it could not be sent in time",
  duplicate: "it had just said the same",
  bug: "a bug stopped it; the log has more",
  crashed: "the program ended before it was said",
  send_unknown: "nobody knows whether it arrived",
  model_timeout: "the model took too long",
  model_network: "the model could not be reached",
  model_server: "the model's server failed",
  model_rate_limit: "the model's provider asks for a pause",
  model_quota: "the model's quota is spent",
  model_auth: "the model's key was refused",
  model_request: "the model did not accept the question",
  model_model: "there is no such model",
  model_blocked: "the provider's filter stopped it",
  model_empty: "the model answered with nothing",
  model_invalid_json: "the model did not keep to the form",
  model_truncated: "the model's answer was cut off",
  model_cap: "a limit on calls, tokens or money is reached",
  model_breaker: "the model failed five times and rests",
  model_aborted: "the answer was not needed any more",
};

const FAMILIES: readonly (readonly [prefix: string, words: string])[] = [
  ["model_", "the model failed"],
  ["guard_", "the guard stopped what the model wrote"],
  ["send_", "Twitch did not take it"],
];

/** Why nothing was said, in words; a code that is not known stays a code. */
export function whySilent(reason: string): string {
  const known = REASONS[reason];
  if (known !== undefined) return known;
  const family = FAMILIES.find(([prefix]) => reason.startsWith(prefix));
  if (family === undefined) return reason;
  const [prefix, words] = family;
  return `${words} (${reason.slice(prefix.length).replaceAll("_", " ")})`;
}
