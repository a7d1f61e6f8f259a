import { type HelixReply, type HelixRequest, type HelixRoutes, refusal } from "./helix-routes.ts";
import type { HelixState } from "./helix-state.ts";

/** What the bot can do besides speaking. Shapes and refusals as in Twitch's API reference. */
export const ACTION_ROUTES: HelixRoutes = {
  "POST /mock/clips": { scopes: ["clips:edit"], handle: createClip },
  "POST /mock/streams/markers": { scopes: ["channel:manage:broadcast"], handle: createMarker },
  "POST /mock/polls": { scopes: ["channel:manage:polls"], handle: createPoll },
  "POST /mock/chat/announcements": {
    scopes: ["moderator:manage:announcements"],
    handle: asModerator(() => ({ status: 204 })),
  },
  "POST /mock/chat/shoutouts": {
    scopes: ["moderator:manage:shoutouts"],
    handle: asModerator(() => ({ status: 204 })),
  },
  "POST /mock/moderation/warnings": {
    scopes: ["moderator:manage:warnings"],
    handle: asModerator(punish),
  },
  "DELETE /mock/moderation/chat": {
    scopes: ["moderator:manage:chat_messages"],
    handle: asModerator(() => ({ status: 204 })),
  },
  "POST /mock/moderation/bans": {
    scopes: ["moderator:manage:banned_users"],
    handle: asModerator(punish),
  },
};

function createClip({ query }: HelixRequest, state: HelixState): HelixReply {
  if (state.streams.get(query["broadcaster_id"] ?? "")?.isLive !== true) {
    return refusal(404, "Clipping is not possible for an offline channel.");
  }
  const id = "StandInClip";
  return {
    status: 202,
    body: { data: [{ id, edit_url: `https://clips.twitch.tv/${id}/edit` }] },
  };
}

function createMarker({ body }: HelixRequest, state: HelixState): HelixReply {
  const { user_id: userId, description = "" } = fieldsOf(body);
  if (state.streams.get(String(userId))?.isLive !== true) {
    return refusal(404, "The user is not streaming live.");
  }
  const created_at = "2020-01-01T00:00:00Z";
  return {
    status: 200,
    body: { data: [{ id: "marker-1", created_at, description, position_seconds: 1 }] },
  };
}

function createPoll({ body, userId }: HelixRequest): HelixReply {
  const fields = fieldsOf(body);
  if (fields["broadcaster_id"] !== userId) {
    return refusal(401, "The ID in broadcaster_id must match the user ID of the token.");
  }
  return { status: 200, body: { data: [{ id: "poll-1", status: "ACTIVE", ...fields }] } };
}

function punish({ query, body }: HelixRequest): HelixReply {
  const target = fieldsOf(fieldsOf(body)["data"]);
  if (target["user_id"] === query["broadcaster_id"]) {
    return refusal(400, "The user specified in the user_id field may not be banned.");
  }
  return { status: 200, body: { data: [{ ...query, ...target }] } };
}

/** Refuses a moderator_id that is not the token's. */
function asModerator(handle: (request: HelixRequest) => HelixReply) {
  return (request: HelixRequest): HelixReply =>
    request.query["moderator_id"] === request.userId
      ? handle(request)
      : refusal(401, "The ID in moderator_id must match the user ID of the token.");
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null ? { ...body } : {};
}
