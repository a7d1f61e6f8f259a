import { z } from "zod";
import type { RequestRefusal } from "../memory/requests-store.ts";
import type { HelixReason } from "../twitch/helix-call.ts";
import type { Settled } from "./action-policy.ts";
import { type ActionCall, CATALOGUE } from "./catalogue.ts";
import { type ActionLogins, loginFor } from "./logins.ts";

/** What came of a change of memory. */
type MemoryOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly reason: RequestRefusal };
type Remembering = MemoryOutcome | Promise<MemoryOutcome>;

/** What memory does at a viewer's wish, to that viewer's own notes only. */
export interface MemoryPort {
  /** Whether the note is about this viewer, in this channel. Throws where that cannot be read. */
  owns(channel: string, userId: string, noteId: number): boolean;
  /** What a note of theirs says, people by their tokens; null where it is none of theirs. */
  factOf(channel: string, userId: string, noteId: number): string | null;
  remember(channel: string, userId: string, fact: string): Remembering;
  /** Supersedes the note, so that its chain stays. */
  correct(channel: string, userId: string, noteId: number, fact: string): Remembering;
  forget(channel: string, userId: string, what: number | { readonly topic: string }): Remembering;
}

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
  readonly memory: MemoryPort | null;
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

function run(parts: ExecuteParts, settled: Settled, context: ExecuteContext): Promise<Execution> {
  const { call } = settled;
  const { channel, requesterId } = context;
  switch (call.name) {
    case "remember":
      return byMemory(parts.memory?.remember(channel, requesterId, call.args.fact));
    case "correct":
      return byMemory(parts.memory?.correct(channel, requesterId, call.args.note, call.args.fact));
    case "forget": {
      const what = "note" in call.args ? call.args.note : { topic: call.args.topic };
      return byMemory(parts.memory?.forget(channel, requesterId, what));
    }
    default:
      return byHelix(parts.logins, call, settled, context);
  }
}

async function byMemory(outcome: Remembering | undefined): Promise<Execution> {
  const ended = await outcome;
  if (ended === undefined) return unable("no_memory");
  return ended.kind === "done" ? done(null) : unable(ended.reason);
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
