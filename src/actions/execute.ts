import { z } from "zod";
import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import { ACTION_NAMES } from "../config/names.ts";
import type { RequestRefusal, ViewerRequests } from "../memory/viewer-requests.ts";
import type { HelixReason } from "../twitch/helix.ts";
import type { TwitchApi } from "../twitch/session.ts";
import type { ActionPolicy, Facts, Plan } from "./action-policy.ts";

type ActionError =
  | HelixReason
  | RequestRefusal
  | "no_memory"
  | "no_target"
  | "internal"
  | "crashed";

/** The end of an execution. `unknown`: it may have happened, so it is not tried again. */
export interface Execution {
  readonly outcome: "done" | "failed" | "unknown";
  /** Why it failed, or may have; null if it is done. docs/codes.md explains each. */
  readonly error: ActionError | null;
  /** A clip's link, or the id that Twitch gave to a poll or marker; null if there is none. */
  readonly result: string | null;
}

export interface ExecuteParts {
  /** Returns null as long as no log-in exists. */
  readonly api: () => TwitchApi | null;
  readonly channels: { readonly twitchId: (channel: string) => string | null };
  /** Memory's requests. If null, its actions are neither offered nor run. */
  readonly memory: ViewerRequests | null;
}

const made = z.object({
  data: z.array(z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })).min(1),
});

/**
 * Carries out an action, once. Never rejects, never tries again. If Twitch may have acted, or after an unexpected
 * error, the outcome is `unknown`.
 */
export async function execute(
  parts: ExecuteParts,
  settled: Plan,
  { channel, requesterId }: Readonly<Record<"channel" | "requesterId", string>>,
): Promise<Execution> {
  const { name, args } = settled.call;
  const action = ACTIONS[name];
  try {
    if (action.to === "memory") {
      const { memory } = parts;
      if (memory === null) return end("failed", "no_memory");
      const { note = "", fact = "", topic } = args;
      const which = topic === undefined ? Number(note) : { topic };
      const asked = {
        remember: () => memory.remember(channel, requesterId, fact),
        correct: () => memory.correct(channel, requesterId, Number(note), fact),
        forget: () => memory.forget(channel, requesterId, which),
      }[action.request]();
      return asked.kind === "done" ? end("done") : end("failed", asked.reason);
    }
    const streamerId = parts.channels.twitchId(channel);
    const login = findLogin(name, parts, channel);
    if (streamerId === null || login === null) return end("failed", "missing_scope");
    const answer = await login.caller.call(async (api, actorId) => {
      const request = buildRequest(settled, { streamerId, actorId });
      return request && { made: await api.callApi({ type: "helix", ...request }) };
    });
    if (!answer.ok) return end(answer.mayHaveActed ? "unknown" : "failed", answer.reason);
    if (answer.value === null) return end("failed", "no_target");
    const id = made.safeParse(answer.value.made).data?.data[0]?.id;
    const { result = "{id}" } = action;
    return { ...end("done"), result: id === undefined ? null : result.replace("{id}", id) };
  } catch {
    // A bug before or after the request was sent: the effect is unknown.
    return end("unknown", "internal");
  }
}

function end(outcome: Execution["outcome"], error: ActionError | null = null): Execution {
  return { outcome, error, result: null };
}

/** A gap of a template; with a field, a list of objects that have it: `{choices.title}`. */
const GAP = /^\{(\w+)(?:\.(\w+))?\}$/;

/**
 * Returns an action's request to Twitch as twurple takes it. Null for an action on memory, or if an id or a needed
 * argument is missing.
 */
export function buildRequest(
  { call, targetId, messageId }: Plan,
  { streamerId, actorId }: Readonly<Record<"streamerId" | "actorId", string>>,
) {
  const action = ACTIONS[call.name];
  if (action.to === "memory" || (targetId === null && action.target !== "none")) return null;
  const ids = { streamer: streamerId, actor: actorId, target: targetId, message: messageId };
  const gaps: Readonly<Record<string, string | null>> = { ...call.args, ...ids };
  let isComplete = true;
  /**
   * Fills one gap. Returns undefined, which leaves the field out, if the value is missing; then the request is complete
   * only if the argument is an optional text.
   */
  const fill = (_field: string, template: unknown): unknown => {
    const [, gap, field] = (typeof template === "string" && GAP.exec(template)) || [];
    if (gap === undefined) return template;
    const [value, arg] = [gaps[gap], action.args[gap]];
    if (arg?.kind === "seconds" && /^[1-9]\d*$/.test(value ?? "")) return Number(value);
    if (!value || arg?.kind === "seconds") {
      isComplete &&= arg?.kind === "text" && !arg.isNeeded;
      return undefined;
    }
    return field === undefined ? value : value.split("|").map((one) => ({ [field]: one }));
  };
  const { method, path: url, ...rest } = action.request;
  const { query = {}, body }: typeof rest = JSON.parse(JSON.stringify(rest), fill);
  if (!isComplete) return null;
  return { method, url, query, ...(body && { jsonBody: body }), scopes: [action.scope] };
}

/**
 * Returns the log-in whose token does an action in a channel: the bot's, or the one whose account owns the channel,
 * which may be the bot's. Null if there is none.
 */
function findLogin(name: ActionName, { api, channels }: ExecuteParts, channel: string) {
  const login = api();
  const bot = login && { caller: login.helix, identity: () => login.identity() };
  if (login === null || ACTIONS[name].token === "bot") return bot;
  const own = [login.streamer, bot];
  return own.find((one) => one?.identity()?.userId === channels.twitchId(channel)) ?? null;
}

/** Returns true if a token or memory can do an action in a channel, else why not. Null if that is not known yet. */
export function mayCall(name: ActionName, parts: ExecuteParts, channel: string): Facts["mayCall"] {
  const { scope } = ACTIONS[name];
  if (scope === null) return parts.memory !== null || "no_memory";
  if (parts.channels.twitchId(channel) === null || !parts.api()?.identity()) return null;
  const scopes = findLogin(name, parts, channel)?.identity()?.scopes;
  return scopes?.includes(scope) === true || "missing_scope";
}

/**
 * Returns the prompt's lines of actions that may run in a channel; without `parts`, of all that the configuration
 * allows. Empty if the configuration, not the switch, sets safe mode.
 */
export function listOffered(policy: ActionPolicy, parts?: ExecuteParts, channel = ""): string[] {
  const names = policy.safeMode ? [] : listConfigured(policy);
  const isOffered = (name: ActionName) => !parts || mayCall(name, parts, channel) === true;
  return names.filter(isOffered).map((name) => ACTIONS[name].line);
}

/** Returns the actions that the configuration allows, safe mode aside. */
export function listConfigured({ classes, denylist }: ActionPolicy): ActionName[] {
  return ACTION_NAMES.filter(
    (name) => classes[ACTIONS[name].class] !== "off" && !denylist.actions.includes(name),
  );
}
