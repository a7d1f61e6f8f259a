import { z } from "zod";
import { ACTIONS, type ActionArg, type ActionName } from "../catalogue/actions.ts";
import { ACTION_NAMES } from "../config/names.ts";
import type { RequestRefusal, ViewerRequests } from "../memory/viewer-requests.ts";
import type { HelixCaller, HelixReason } from "../twitch/helix.ts";
import type { ActionPolicy, Facts, Settled } from "./action-policy.ts";
import type { ActionCall, ArgValue } from "./calls.ts";

type ActionError =
  | HelixReason
  | RequestRefusal
  | "no_memory"
  | "no_target"
  | "internal"
  | "crashed";

/** `unknown`: it may have happened, so it is not attempt again. */
export interface Execution {
  readonly outcome: "done" | "failed" | "unknown";
  /** Why it failed, or may have; docs/codes.md explains each. */
  readonly error: ActionError | null;
  /** A clip's link, or the id of what Twitch made. */
  readonly result: string | null;
}

interface ActionLogin {
  readonly caller: { readonly call: HelixCaller["call"] };
  /** The account and what its token allows; null until Twitch has answered. */
  readonly identity: () => { readonly userId: string; readonly scopes: readonly string[] } | null;
}

export interface ExecuteParts {
  readonly logins: {
    readonly bot: ActionLogin;
    readonly streamer: (channel: string) => ActionLogin | null;
  };
  readonly streamerId: (channel: string) => string | null;
  /** Null if memory takes no requests: then its actions are neither offered nor run. */
  readonly memory: ViewerRequests | null;
  /** Until when Twitch asked an account to wait, epoch ms, by user id. */
  readonly waits?: Map<string, number>;
  /** Never goes back. */
  readonly now: () => number;
}

/** Twitch's rate limits are free again within a minute; a wrong clock must not block actions for longer. */
const WAIT_MS_MAX = 60_000;
const made = z.object({
  data: z.array(z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })).min(1),
});

/** Carries out an action, once. Never rejects, never tries again. */
export async function execute(
  parts: ExecuteParts,
  settled: Settled,
  by: Readonly<Record<"channel" | "requesterId", string>>,
): Promise<Execution> {
  try {
    if (ACTIONS[settled.call.name].to === "helix") return await byHelix(parts, settled, by.channel);
    if (parts.memory === null) return endAs("failed", "no_memory");
    const outcome = askMemory(parts.memory, settled.call, by.channel, by.requesterId);
    return outcome.kind === "done" ? endAs("done") : endAs("failed", outcome.reason);
  } catch {
    // A bug before or after the request went out: the effect is unknown.
    return endAs("unknown", "internal");
  }
}

function endAs(outcome: Execution["outcome"], error: Execution["error"] = null): Execution {
  return { outcome, error, result: null };
}

function askMemory(
  memory: ViewerRequests,
  { name, args }: ActionCall,
  channel: string,
  userId: string,
) {
  const { request } = ACTIONS[name];
  const { note, fact, topic } = args;
  switch (request) {
    case "remember":
      return memory.remember(channel, userId, String(fact));
    case "correct":
      return memory.correct(channel, userId, Number(note), String(fact));
    case "forget":
      return memory.forget(
        channel,
        userId,
        topic === undefined ? Number(note) : { topic: String(topic) },
      );
    default:
      throw new Error("not a request to memory");
  }
}

async function byHelix(parts: ExecuteParts, settled: Settled, channel: string): Promise<Execution> {
  const action = ACTIONS[settled.call.name];
  const streamerId = parts.streamerId(channel);
  const login = loginFor(settled.call.name, parts, channel);
  if (streamerId === null || login === null) return endAs("failed", "missing_scope");
  const answer = await login.caller.call(async (api, actorId) => {
    const request = requestFor(settled, { streamerId, actorId });
    return request && { made: await api.callApi({ type: "helix", ...request }) };
  });
  if (!answer.ok) {
    const { reason, retryAtMs, mayHaveActed } = answer;
    const untilMs = Math.min(retryAtMs ?? 0, parts.now() + WAIT_MS_MAX);
    if (reason === "rate_limited") parts.waits?.set(login.identity()?.userId ?? "", untilMs);
    return endAs(mayHaveActed ? "unknown" : "failed", reason);
  }
  if (answer.value === null) return endAs("failed", "no_target");
  const id = made.safeParse(answer.value.made).data?.data[0]?.id;
  const isShown = id !== undefined && action.to === "helix";
  return { ...endAs("done"), result: isShown ? action.result.replace("{id}", id) : null };
}

/** A gap of a template; with a field, a list of objects that have it: `{choices.title}`. */
const GAP = /^\{(\w+)(?:\.(\w+))?\}$/;

/** Returns an action's request as twurple takes it. Null if an id or a needed argument is missing. */
export function requestFor(
  { call, targetId, messageId }: Settled,
  { streamerId, actorId }: Readonly<Record<"streamerId" | "actorId", string>>,
) {
  const action = ACTIONS[call.name];
  if (action.to === "memory" || (targetId === null && action.target !== "none")) return null;
  const ids = { streamer: streamerId, actor: actorId, target: targetId, message: messageId };
  const gaps: Readonly<Record<string, ArgValue | null>> = { ...call.args, ...ids };
  let isComplete = true;
  /** Undefined leaves the field out. */
  const fill = (_field: string, template: unknown): unknown => {
    const [, gap, field] = (typeof template === "string" && GAP.exec(template)) || [];
    if (gap === undefined) return template;
    const [value, arg] = [gaps[gap], action.args[gap]];
    if (!isThere(value, arg)) {
      isComplete &&= arg?.kind === "text" && !arg.isNeeded;
      return undefined;
    }
    return field === undefined ? value : [value].flat().map((one) => ({ [field]: one }));
  };
  const { method, path: url } = action.request;
  const filled: Pick<typeof action.request, "query" | "body"> = JSON.parse(
    JSON.stringify(action.request),
    fill,
  );
  const jsonBody = filled.body === null ? {} : { jsonBody: filled.body };
  if (!isComplete) return null;
  return { method, url, query: filled.query, ...jsonBody, scopes: [action.scope] };
}

/** A length must be a whole number of seconds. */
function isThere(value: ArgValue | null | undefined, arg: ActionArg | undefined) {
  const isLength = typeof value === "number" && Number.isInteger(value) && value > 0;
  return arg?.kind === "seconds" ? isLength : value != null && value !== "";
}

function loginFor(name: ActionName, { logins, streamerId }: ExecuteParts, channel: string) {
  if (ACTIONS[name].token === "bot") return logins.bot;
  const own = [logins.streamer(channel), logins.bot];
  return own.find((login) => login?.identity()?.userId === streamerId(channel)) ?? null;
}

/** Says whether an action could be done in a channel, or why not; null if that is not known yet. */
export function mayCall(name: ActionName, parts: ExecuteParts, channel: string): Facts["mayCall"] {
  const { scope } = ACTIONS[name];
  if (scope === null) return parts.memory !== null || "no_memory";
  if (parts.streamerId(channel) === null || parts.logins.bot.identity() === null) return null;
  const owner = loginFor(name, parts, channel)?.identity() ?? null;
  const leftMs = (parts.waits?.get(owner?.userId ?? "") ?? 0) - parts.now();
  if (leftMs > 0 && leftMs <= WAIT_MS_MAX) return "rate_limited";
  return owner?.scopes.includes(scope) === true || "missing_scope";
}

/** Returns what the model is told that it may propose in a channel; without `parts` all that the configuration allows. */
export function offeredLines(policy: ActionPolicy, parts?: ExecuteParts, channel = ""): string[] {
  const names = policy.safeMode ? [] : configuredActions(policy);
  const isOffered = (name: ActionName) => !parts || mayCall(name, parts, channel) === true;
  return names.filter(isOffered).map((name) => ACTIONS[name].line);
}

/** Returns the actions that the configuration allows, safe mode aside. */
export function configuredActions({ classes, denylist }: ActionPolicy): ActionName[] {
  return ACTION_NAMES.filter(
    (name) => classes[ACTIONS[name].class] !== "off" && !denylist.actions.includes(name),
  );
}
