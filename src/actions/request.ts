import type { Settled } from "./action-policy.ts";
import { type ActionCall, CATALOGUE } from "./catalogue.ts";

/** One request to Helix, as twurple takes it. */
export interface ActionRequest {
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly scopes: string[];
  readonly query: Record<string, string>;
  readonly jsonBody?: Record<string, unknown>;
}

export interface RequestIds {
  readonly streamerId: string;
  /** Whose token it goes out with. */
  readonly actorId: string;
}

type HelixCall = Exclude<ActionCall, { readonly name: "remember" | "correct" | "forget" }>;

/**
 * The request that an action is, or null for one that lacks its target. Twurple's own endpoints send fields that
 * Twitch does not document (`has_delay`), so the shapes are here: https://dev.twitch.tv/docs/api/reference
 */
export function requestFor(
  call: HelixCall,
  settled: Settled,
  ids: RequestIds,
): ActionRequest | null {
  const shape = shapeOf(call, settled, ids);
  const { scope } = CATALOGUE[call.name];
  return shape === null ? null : { query: {}, ...shape, scopes: scope === null ? [] : [scope] };
}

type Shape = Omit<ActionRequest, "scopes" | "query"> & { readonly query?: Record<string, string> };

function shapeOf(call: HelixCall, settled: Settled, ids: RequestIds): Shape | null {
  switch (call.name) {
    case "clip":
      return { url: "clips", method: "POST", query: broadcasterOf(ids) };
    case "marker":
      return marker(call.args.text, ids);
    case "poll":
      return poll(call.args, ids);
    case "announce": {
      const jsonBody = { message: call.args.text };
      return { url: "chat/announcements", method: "POST", query: moderatorOf(ids), jsonBody };
    }
    default:
      return settled.targetId === null ? null : targeted(call, settled.targetId, settled, ids);
  }
}

type TargetedCall = Extract<HelixCall, { readonly args: { readonly user: string } }>;

function targeted(
  call: TargetedCall,
  targetId: string,
  { messageId }: Settled,
  ids: RequestIds,
): Shape | null {
  switch (call.name) {
    case "shoutout": {
      const sides = { from_broadcaster_id: ids.streamerId, to_broadcaster_id: targetId };
      const query = { ...sides, moderator_id: ids.actorId };
      return { url: "chat/shoutouts", method: "POST", query };
    }
    case "warn": {
      const jsonBody = { data: { user_id: targetId, reason: call.args.reason } };
      return { url: "moderation/warnings", method: "POST", query: moderatorOf(ids), jsonBody };
    }
    case "delete": {
      // Without an id this request would empty the whole chat.
      if (messageId === null || messageId === "") return null;
      const query = { ...moderatorOf(ids), message_id: messageId };
      return { url: "moderation/chat", method: "DELETE", query };
    }
    case "timeout":
      return timeout(call.args, targetId, ids);
  }
}

function timeout(
  { seconds, reason }: { readonly seconds: number; readonly reason?: string | undefined },
  targetId: string,
  ids: RequestIds,
): Shape | null {
  // Without a duration this request would be a ban.
  if (!Number.isInteger(seconds) || seconds < 1) return null;
  const why = reason === undefined ? {} : { reason };
  const jsonBody = { data: { user_id: targetId, duration: seconds, ...why } };
  return { url: "moderation/bans", method: "POST", query: moderatorOf(ids), jsonBody };
}

function marker(text: string | undefined, { streamerId }: RequestIds): Shape {
  const description = text === undefined ? {} : { description: text };
  return {
    url: "streams/markers",
    method: "POST",
    jsonBody: { user_id: streamerId, ...description },
  };
}

function poll(args: Extract<HelixCall, { readonly name: "poll" }>["args"], ids: RequestIds): Shape {
  const { title, seconds, choices } = args;
  const titles = choices.map((choice) => ({ title: choice }));
  const jsonBody = { ...broadcasterOf(ids), title, choices: titles, duration: seconds };
  return { url: "polls", method: "POST", jsonBody };
}

function broadcasterOf({ streamerId }: RequestIds) {
  return { broadcaster_id: streamerId };
}

function moderatorOf(ids: RequestIds) {
  return { ...broadcasterOf(ids), moderator_id: ids.actorId };
}
