import { z } from "zod";
import { ACTIONS, type ActionArg, type ActionName } from "../catalogue/actions.ts";
import { ACTION_NAMES } from "../config/names.ts";
import type { RequestOutcome, RequestRefusal, ViewerRequests } from "../memory/viewer-requests.ts";
import type { HelixReason } from "../twitch/helix.ts";
import type { TwitchApi } from "../twitch/session.ts";
import type { ActionPolicy, Facts, Plan } from "./action-policy.ts";

type ActionError = HelixReason | RequestRefusal | "no_target" | "internal" | "crashed";

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
  readonly memory: ViewerRequests;
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
  const askMemory = (request: "remember" | "correct" | "forget"): RequestOutcome => {
    const { memory } = parts;
    const { fact = "", topic } = args;
    const note = Number(args["note"]);
    switch (request) {
      case "remember":
        return memory.remember(channel, requesterId, fact);
      case "correct":
        return memory.correct(channel, requesterId, note, fact);
      case "forget":
        return memory.forget(channel, requesterId, topic === undefined ? note : { topic });
    }
  };
  try {
    if (action.to === "memory") {
      const asked = askMemory(action.request);
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
  /** Fills one gap. Leaves the field out if the value is missing; the argument must then be an optional text. */
  const fill = (_field: string, template: unknown): unknown => {
    const [, gap, field] = GAP.exec(String(template)) ?? [];
    if (gap === undefined) return template;
    const arg = action.args[gap];
    const text = gaps[gap] ?? "";
    if (arg?.kind === "seconds" && /^[1-9]\d*$/.test(text)) return Number(text);
    if (text === "" || arg?.kind === "seconds") {
      isComplete &&= isOptional(arg);
      return undefined;
    }
    return field === undefined ? text : text.split("|").map((one) => ({ [field]: one }));
  };
  const { method, path: url, ...rest } = action.request;
  const { query = {}, body }: typeof rest = JSON.parse(JSON.stringify(rest), fill);
  if (!isComplete) return null;
  return { method, url, query, ...(body && { jsonBody: body }), scopes: [action.scope] };
}

function isOptional(arg: ActionArg | undefined): boolean {
  return arg?.kind === "text" && !arg.isNeeded;
}

/**
 * Returns the log-in whose token does an action in a channel. It is the bot's, or that of the account that owns the
 * channel. Null if there is none.
 */
function findLogin(name: ActionName, { api, channels }: ExecuteParts, channel: string) {
  const login = api();
  if (login === null) return null;
  const bot = { caller: login.helix, identity: () => login.identity() };
  if (ACTIONS[name].token === "bot") return bot;
  const ownerId = channels.twitchId(channel);
  return [login.streamer, bot].find((one) => one?.identity()?.userId === ownerId) ?? null;
}

/**
 * Returns true if a token can do an action in a channel, or it needs none; else why not. Null before the log-in, or if
 * the channel's Twitch id is unknown.
 */
export function mayCall(name: ActionName, parts: ExecuteParts, channel: string): Facts["mayCall"] {
  const { scope } = ACTIONS[name];
  if (scope === null) return true;
  if (parts.channels.twitchId(channel) === null || !parts.api()?.identity()) return null;
  const scopes = findLogin(name, parts, channel)?.identity()?.scopes;
  return scopes?.includes(scope) === true || "missing_scope";
}

/**
 * Returns the prompt's lines of the actions that the configuration and `isOffered` allow; none if the configuration
 * sets safe mode.
 */
export function listOffered(
  policy: ActionPolicy,
  isOffered = (_name: ActionName): boolean => true,
): string[] {
  const names = policy.safeMode ? [] : listConfigured(policy);
  return names.filter(isOffered).map((name) => ACTIONS[name].line);
}

/** Returns the actions that the configuration allows, safe mode aside. */
export function listConfigured({ classes, denylist }: ActionPolicy): ActionName[] {
  return ACTION_NAMES.filter(
    (name) => classes[ACTIONS[name].class] !== "off" && !denylist.actions.includes(name),
  );
}
