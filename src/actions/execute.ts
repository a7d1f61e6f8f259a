import { z } from "zod";
import { ACTION_NAMES, type ActionName } from "../config/names.ts";
import type { RequestRefusal, ViewerRequests } from "../memory/requests-store.ts";
import type { HelixCaller, HelixReason } from "../twitch/helix.ts";
import type { ActionPolicy, Facts, Settled } from "./action-policy.ts";
import { CATALOGUE, factsOf } from "./catalogue.ts";

/** Why an action was not done, or may not have been; docs/codes.md says of each what it means. */
type ActionError = HelixReason | RequestRefusal | Unable;
type Unable = "no_memory" | "no_target" | "internal" | "crashed";

/** `unknown`: it may have happened, so it is not tried again. */
export interface Execution {
  readonly outcome: "done" | "failed" | "unknown";
  readonly error: ActionError | null;
  /** A clip's link, a poll's or a mark's id. */
  readonly result: string | null;
}

interface ActionLogin {
  readonly caller: Pick<HelixCaller, "call">;
  /** Whose it is and what it may do; null as long as Twitch has not said. */
  readonly identity: () => { readonly userId: string; readonly scopes: readonly string[] } | null;
}

export interface ExecuteParts {
  readonly logins: {
    readonly bot: ActionLogin;
    readonly streamer: (channel: string) => ActionLogin | null;
  };
  readonly streamerId: (channel: string) => string | null;
  /** null where memory takes no wishes: then its actions are neither offered nor run. */
  readonly memory: ViewerRequests | null;
  /** Until when Twitch asked to wait with a log-in, epoch ms, by whose it is; missing where nobody keeps that. */
  readonly waits?: Map<string, number>;
  /** It never goes back. */
  readonly now: () => number;
}

/** Twitch's buckets are full again within a minute; a clock that is wrong must not hold anything back for longer. */
const WAIT_MS_MAX = 60_000;

const made = z.object({
  data: z.array(z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })).min(1),
});

type Whose = Readonly<Record<"channel" | "requesterId", string>>;

/** Does it, once. Never rejects, never tries again. */
export async function execute(parts: ExecuteParts, settled: Settled, of: Whose) {
  const { channel, requesterId } = of;
  const { name, args } = settled.call;
  const { wish } = factsOf(name);
  try {
    if (wish === undefined) return await byHelix(parts, settled, channel);
    if (parts.memory === null) return ended("failed", "no_memory");
    const outcome = wish(args, parts.memory, [channel, requesterId]);
    return outcome.kind === "done" ? ended("done") : ended("failed", outcome.reason);
  } catch {
    // A bug on the way, or after the request went out: nobody can say.
    return ended("unknown", "internal");
  }
}

function ended(outcome: Execution["outcome"], error: Execution["error"] = null): Execution {
  return { outcome, error, result: null };
}

async function byHelix(parts: ExecuteParts, settled: Settled, channel: string): Promise<Execution> {
  const { name } = settled.call;
  const streamerId = parts.streamerId(channel);
  const login = loginFor(name, parts, channel);
  if (streamerId === null || login === null) return ended("failed", "missing_scope");
  const answer = await login.caller.call(async (api, actorId) => {
    const request = requestFor(settled, { streamerId, actorId });
    return request && { made: await api.callApi({ type: "helix", ...request }) };
  });
  if (!answer.ok) {
    const { reason, retryAtMs, mayHaveActed } = answer;
    const untilMs = Math.min(retryAtMs ?? 0, parts.now() + WAIT_MS_MAX);
    if (reason === "rate_limited") parts.waits?.set(login.identity()?.userId ?? "", untilMs);
    return ended(mayHaveActed ? "unknown" : "failed", reason);
  }
  if (answer.value === null) return ended("failed", "no_target");
  return { ...ended("done"), result: madeBy(name, answer.value.made) };
}

/** What Twitch made, as far as it tells. */
function madeBy(name: ActionName, answer: unknown): string | null {
  const id = made.safeParse(answer).data?.data[0]?.id ?? null;
  return id !== null && name === "clip" ? `https://clips.twitch.tv/${id}` : id;
}

type Actors = Readonly<Record<"streamerId" | "actorId", string>>;

/** The request that an action is, as twurple takes it; null for one that lacks its target. */
export function requestFor({ call, targetId, messageId }: Settled, ids: Actors) {
  const { name, args } = call;
  const { scope, target, request } = factsOf(name);
  if (targetId === null && target !== "none") return null;
  const all = { ...ids, targetId: targetId ?? "", messageId: messageId ?? "" };
  const asked = request?.(args, all) ?? null;
  if (asked === null || scope === null) return null;
  const [url, query, jsonBody] = asked;
  const method = name === "delete" ? ("DELETE" as const) : ("POST" as const);
  return { method, url, query, ...(jsonBody && { jsonBody }), scopes: [scope] };
}

function loginFor(name: ActionName, { logins, streamerId }: ExecuteParts, channel: string) {
  if (CATALOGUE[name].token === "bot") return logins.bot;
  const own = [logins.streamer(channel), logins.bot];
  return own.find((login) => login?.identity()?.userId === streamerId(channel)) ?? null;
}

/** Whether an action could be done in a channel, or why not; null where that is not known yet. */
export function mayCall(name: ActionName, parts: ExecuteParts, channel: string): Facts["mayCall"] {
  const { scope } = CATALOGUE[name];
  if (scope === null) return parts.memory !== null || "no_memory";
  if (parts.streamerId(channel) === null || parts.logins.bot.identity() === null) return null;
  const owner = loginFor(name, parts, channel)?.identity() ?? null;
  const leftMs = (parts.waits?.get(owner?.userId ?? "") ?? 0) - parts.now();
  if (leftMs > 0 && leftMs <= WAIT_MS_MAX) return "rate_limited";
  return owner?.scopes.includes(scope) === true || "missing_scope";
}

/** What tells the model what it may propose in a channel; without `parts` the most that this configuration allows. */
export function offeredLines(policy: ActionPolicy, parts?: ExecuteParts, channel = ""): string[] {
  const names = policy.safeMode ? [] : configuredActions(policy);
  const isOffered = (name: ActionName) => !parts || mayCall(name, parts, channel) === true;
  return names.filter(isOffered).map((name) => CATALOGUE[name].line);
}

/** The actions that the configuration allows, safe mode aside. */
export function configuredActions({ classes, denylist }: ActionPolicy): ActionName[] {
  return ACTION_NAMES.filter(
    (name) => classes[CATALOGUE[name].class] !== "off" && !denylist.actions.includes(name),
  );
}
