import { z } from "zod";
import type { RequestOutcome, RequestRefusal, ViewerRequests } from "../memory/requests-store.ts";
import { ACTION_NAMES, type ActionName } from "../platform/config/names.ts";
import type { HelixCaller, HelixReason } from "../twitch/helix.ts";
import type { ActionPolicy, Settled } from "./action-policy.ts";
import { type ActionCall, CATALOGUE } from "./catalogue.ts";
import { forgotten } from "./wording.ts";

/** Why an action was not done, or may not have been; docs/codes.md says of each what it means. */
type ActionError = HelixReason | RequestRefusal | Unable;
type Unable = "no_memory" | "no_target" | "internal" | "crashed";

/** `unknown`: it may have happened, so it is not tried again. `error` is null where it was done. */
export interface Execution {
  readonly outcome: "done" | "failed" | "unknown";
  readonly error: ActionError | null;
  /** What it made: a clip's link, a poll's or a mark's id. */
  readonly result: string | null;
}

export interface ExecuteParts {
  readonly logins: ActionLogins;
  /** null where memory takes no wishes: then its actions are neither offered nor run. */
  readonly memory: ViewerRequests | null;
}

/** For whom an action is executed, and where. */
interface ExecuteContext {
  readonly channel: string;
  readonly streamerId: string | null;
  readonly requesterId: string;
}

/** Does it, once. Never rejects, never tries again. */
export async function execute(
  parts: ExecuteParts,
  settled: Settled,
  context: ExecuteContext,
): Promise<Execution> {
  try {
    return await run(parts, settled, context);
  } catch {
    // A bug on the way, or after the request went out: nobody can say.
    return { outcome: "unknown", error: "internal", result: null };
  }
}

function run(
  parts: ExecuteParts,
  settled: Settled,
  context: ExecuteContext,
): Execution | Promise<Execution> {
  const { call } = settled;
  const { channel, requesterId } = context;
  switch (call.name) {
    case "remember":
      return byMemory(parts.memory?.remember(channel, requesterId, call.args.fact));
    case "correct":
      return byMemory(parts.memory?.correct(channel, requesterId, call.args.note, call.args.fact));
    case "forget":
      return byMemory(parts.memory?.forget(channel, requesterId, forgotten(call.args)));
    default:
      return byHelix(parts.logins, call, settled, context);
  }
}

function byMemory(outcome: RequestOutcome | undefined): Execution {
  if (outcome === undefined) return unable("no_memory");
  return outcome.kind === "done" ? done(null) : unable(outcome.reason);
}

async function byHelix(
  logins: ActionLogins,
  call: HelixCall,
  settled: Settled,
  { channel, streamerId }: ExecuteContext,
): Promise<Execution> {
  const login = streamerId === null ? null : loginFor(call.name, logins, channel, streamerId);
  if (streamerId === null || login === null) return unable("missing_scope");
  const answer = await login.caller.call(async (api, actorId) => {
    const request = requestFor(call, settled, { streamerId, actorId });
    if (request === null) return null;
    return { id: idIn(await api.callApi({ type: "helix", ...request })) };
  });
  if (!answer.ok) {
    const outcome = answer.mayHaveActed ? "unknown" : "failed";
    return { outcome, error: answer.reason, result: null };
  }
  if (answer.value === null) return unable("no_target");
  const { id } = answer.value;
  return done(id !== null && call.name === "clip" ? `https://clips.twitch.tv/${id}` : id);
}

function done(result: string | null): Execution {
  return { outcome: "done", error: null, result };
}

function unable(error: ActionError): Execution {
  return { outcome: "failed", error, result: null };
}

const made = z.object({
  data: z.array(z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })).min(1),
});

/** Of what Twitch made, as far as it tells one. */
function idIn(answer: unknown): string | null {
  const read = made.safeParse(answer);
  return read.success ? (read.data.data[0]?.id ?? null) : null;
}

/** One request to Helix, as twurple takes it. */
export interface ActionRequest {
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly scopes: string[];
  readonly query: Record<string, string>;
  readonly jsonBody?: Record<string, unknown>;
}

type HelixCall = Exclude<ActionCall, { readonly name: "remember" | "correct" | "forget" }>;

/**
 * The request that an action is, or null for one that lacks its target; `actorId`: whose token it goes out with.
 * Twurple's own endpoints send fields that Twitch does not document (`has_delay`), so the shapes are here:
 * https://dev.twitch.tv/docs/api/reference
 */
export function requestFor(
  call: HelixCall,
  { targetId, messageId }: Settled,
  { streamerId, actorId }: { readonly streamerId: string; readonly actorId: string },
): ActionRequest | null {
  const { scope, target } = CATALOGUE[call.name];
  if (targetId === null && target !== "none") return null;
  const scopes = scope === null ? [] : [scope];
  const broadcaster = { broadcaster_id: streamerId };
  const moderator = { ...broadcaster, moderator_id: actorId };
  const post = (url: string, query: Record<string, string>, jsonBody?: Record<string, unknown>) =>
    ({ url, method: "POST", scopes, query, ...(jsonBody && { jsonBody }) }) as const;
  switch (call.name) {
    case "clip":
      return post("clips", broadcaster);
    case "marker": {
      const { text: description } = call.args;
      return post("streams/markers", {}, { user_id: streamerId, description });
    }
    case "poll": {
      const { title, seconds: duration } = call.args;
      const choices = call.args.choices.map((choice) => ({ title: choice }));
      return post("polls", {}, { ...broadcaster, title, choices, duration });
    }
    case "announce":
      return post("chat/announcements", moderator, { message: call.args.text });
    case "shoutout": {
      const sides = { from_broadcaster_id: streamerId, to_broadcaster_id: targetId ?? "" };
      return post("chat/shoutouts", { ...sides, moderator_id: actorId });
    }
    case "warn": {
      const data = { user_id: targetId, reason: call.args.reason };
      return post("moderation/warnings", moderator, { data });
    }
    case "delete": {
      // Without an id this request would empty the whole chat.
      if (messageId === null || messageId === "") return null;
      const query = { ...moderator, message_id: messageId };
      return { url: "moderation/chat", method: "DELETE", scopes, query };
    }
    case "timeout": {
      const { seconds, reason } = call.args;
      // Without a duration this request would be a ban.
      if (!Number.isInteger(seconds) || seconds < 1) return null;
      const data = { user_id: targetId, duration: seconds, reason };
      return post("moderation/bans", moderator, { data });
    }
  }
}

/** A log-in that actions go out with. */
export interface ActionLogin {
  readonly caller: Pick<HelixCaller, "call">;
  /** Whose it is and what it may do; null as long as Twitch has not said. */
  readonly identity: () => { readonly userId: string; readonly scopes: readonly string[] } | null;
  /** Whether Twitch asked to wait with it; missing where nobody keeps that. */
  readonly isHeldBack?: () => boolean;
}

export interface ActionLogins {
  readonly bot: ActionLogin;
  /** The streamer's own log-in for a channel, where there is one. */
  readonly streamer: (channel: string) => ActionLogin | null;
}

/** The log-in that may do an action in a channel; null where there is none. */
export function loginFor(
  name: ActionName,
  logins: ActionLogins,
  channel: string,
  streamerId: string,
): ActionLogin | null {
  if (CATALOGUE[name].token === "bot") return logins.bot;
  const own = [logins.streamer(channel), logins.bot];
  return own.find((login) => login?.identity()?.userId === streamerId) ?? null;
}

/** Twitch's buckets are full again within a minute; a clock that is wrong must not hold anything back for longer. */
const WAIT_MS_MAX = 60_000;

/** The log-ins, each of which knows whether Twitch asked it to wait. `now`: epoch ms. */
export function heedLimits(logins: ActionLogins, now: () => number): ActionLogins {
  const untilMs = new Map<string, number>();
  const heeding = (whose: string, login: ActionLogin): ActionLogin => ({
    identity: login.identity,
    isHeldBack: () => {
      const leftMs = (untilMs.get(whose) ?? 0) - now();
      return leftMs > 0 && leftMs <= WAIT_MS_MAX;
    },
    caller: {
      call: async (work) => {
        const result = await login.caller.call(work);
        if (!result.ok && result.reason === "rate_limited")
          untilMs.set(whose, Math.min(result.retryAtMs ?? 0, now() + WAIT_MS_MAX));
        return result;
      },
    },
  });
  return {
    bot: heeding("", logins.bot),
    streamer: (channel) => {
      const own = logins.streamer(channel);
      return own === null ? null : heeding(channel, own);
    },
  };
}

/**
 * The lines that tell the model what it may propose in a channel, in the catalogue's order: nothing whose class is
 * off, that is denied, or that neither a log-in nor memory may do. `streamerId` is null where it is not known.
 */
export function offeredLines(
  policy: ActionPolicy,
  { logins, memory }: { readonly logins: ActionLogins; readonly memory: object | null },
  channel: string,
  streamerId: string | null,
): string[] {
  const isOffered = (name: ActionName): boolean => {
    const { class: actionClass, scope } = CATALOGUE[name];
    if (actionClass === "memory") return memory !== null;
    if (scope === null || streamerId === null) return scope === null;
    const login = loginFor(name, logins, channel, streamerId);
    return login?.identity()?.scopes.includes(scope) ?? false;
  };
  const names = policy.safeMode ? [] : configuredActions(policy);
  return names.filter(isOffered).map((name) => CATALOGUE[name].line);
}

/** The most that can be offered with this configuration, whatever Twitch allows. */
export function offerableLines(policy: ActionPolicy): string[] {
  return policy.safeMode ? [] : configuredActions(policy).map((name) => CATALOGUE[name].line);
}

/** The actions that the configuration allows, safe mode aside, in the catalogue's order. */
export function configuredActions({
  classes,
  denylist,
}: Pick<ActionPolicy, "classes" | "denylist">): ActionName[] {
  return ACTION_NAMES.filter(
    (name) => classes[CATALOGUE[name].class] !== "off" && !denylist.actions.includes(name),
  );
}
