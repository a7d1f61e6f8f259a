import fixed from "./helix-answers.json" with { type: "json" };
import type { HelixState, LiveToken, StandInGrant } from "./helix-server.ts";

/** A request as a route sees it, and as the stand-in records it: without its Authorization header. */
export interface HelixRequest {
  readonly method: string;
  /** Without the query: `/mock/users`, `/auth/token`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON, the fields of a form, or null. */
  readonly body: unknown;
  /** Scopes of the token it came with; null without a valid one. */
  readonly scopes: readonly string[] | null;
  /** Whose token it came with. */
  readonly userId: string | null;
  readonly atMs: number;
}

export interface HelixReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One path of Helix. `scopes`: any one of them lets a token in; none means that any token will do. */
export interface HelixRoute {
  readonly scopes?: readonly string[];
  /** No token is needed. */
  readonly isOpen?: boolean;
  readonly handle: (
    request: HelixRequest,
    state: HelixState,
    token: LiveToken | null,
  ) => HelixReply;
}

/** Routes by `METHOD /path`. */
export type HelixRoutes = Readonly<Record<string, HelixRoute>>;

/**
 * What the bot asks of Helix, shapes as in Twitch's API reference: users, channels, streams, sending to chat. And of
 * the log-in server, as far as a desktop program without a client secret uses it.
 */
export const HELIX_ROUTES: HelixRoutes = {
  "GET /mock/users": { handle: getUsers },
  "GET /mock/channels": { handle: getChannels },
  "GET /mock/streams": { handle: getStreams },
  "POST /mock/chat/messages": { scopes: ["user:write:chat"], handle: sendChatMessage },
  "GET /auth/validate": { isOpen: true, handle: validate },
  "POST /auth/token": { isOpen: true, handle: issueToken },
  "POST /auth/device": { isOpen: true, handle: startDevice },
  "POST /auth/revoke": { isOpen: true, handle: revokeToken },
};

/** An error as Helix words it. */
export function refusal(status: number, message: string): HelixReply {
  return { status, body: { error: "error", status, message } };
}

function getUsers({ query }: HelixRequest, state: HelixState): HelixReply {
  const users = [...state.users.values()].filter(
    (user) => user.id === query["id"] || user.login === query["login"],
  );
  return data(
    users.map(({ id, login, displayName }) => ({
      ...fixed.user,
      id,
      login,
      display_name: displayName,
    })),
  );
}

function getChannels({ query }: HelixRequest, state: HelixState): HelixReply {
  const user = state.users.get(query["broadcaster_id"] ?? "");
  if (user === undefined) return data([]);
  const stream = state.streams.get(user.id);
  return data([
    {
      ...fixed.channel,
      broadcaster_id: user.id,
      broadcaster_login: user.login,
      broadcaster_name: user.displayName,
      game_name: stream?.category ?? "",
      title: stream?.title ?? "",
    },
  ]);
}

function getStreams({ query }: HelixRequest, state: HelixState): HelixReply {
  const user = [...state.users.values()].find(
    ({ id, login }) => id === query["user_id"] || login === query["user_login"],
  );
  const stream = user && state.streams.get(user.id);
  if (user === undefined || stream === undefined || !stream.isLive) return data([]);
  return data([
    {
      ...fixed.stream,
      id: `stream-${user.id}`,
      user_id: user.id,
      user_login: user.login,
      user_name: user.displayName,
      game_name: stream.category,
      title: stream.title,
      started_at: new Date(stream.startedAtMs ?? 0).toISOString(),
    },
  ]);
}

function sendChatMessage(request: HelixRequest, state: HelixState): HelixReply {
  const fields = textFields(request);
  const broadcasterId = fields["broadcaster_id"] ?? "";
  const senderId = fields["sender_id"] ?? "";
  const text = fields["message"] ?? "";
  if (broadcasterId === "" || senderId === "" || text === "") {
    return refusal(400, "broadcaster_id, sender_id and message are required");
  }
  if (senderId !== request.userId) {
    return refusal(401, "The ID in sender_id must match the user ID of the token.");
  }
  if ([...text].length > 500) return refusal(422, "The message is too large.");
  const replyTo = fields["reply_parent_message_id"] ?? null;
  const verdict = state.receive({ broadcasterId, senderId, text, replyTo, atMs: request.atMs });
  if (verdict.kind === "taken") return data([{ message_id: verdict.messageId, is_sent: true }]);
  const dropReason = { code: verdict.code, message: "Your message was dropped." };
  return data([{ message_id: "", is_sent: false, drop_reason: dropReason }]);
}

function validate({ atMs }: HelixRequest, _state: HelixState, token: LiveToken | null): HelixReply {
  if (token === null) return refusal(401, "invalid access token");
  const { clientId, login, userId, scopes, expiresAtMs } = token;
  const leftMs = expiresAtMs === null ? null : expiresAtMs - atMs;
  const expires_in = leftMs === null ? null : Math.floor(leftMs / 1_000);
  return { status: 200, body: { client_id: clientId, login, user_id: userId, scopes, expires_in } };
}

/** Each grant once; a refresh token's only to the application that it is of. */
function issueToken(request: HelixRequest, state: HelixState): HelixReply {
  const fields = textFields(request);
  const isRefresh = fields["grant_type"] === "refresh_token";
  const key = fields[isRefresh ? "refresh_token" : "device_code"] ?? "";
  const grant = isRefresh ? state.refreshTokens.get(key) : state.devices.get(key);
  if (isRefresh && grant?.token.clientId !== fields["client_id"]) {
    return refusal(400, "Invalid refresh token");
  }
  if (grant === undefined) return refusal(400, "invalid device code");
  if (grant === null) return refusal(400, "authorization_pending");
  (isRefresh ? state.refreshTokens : state.devices).delete(key);
  return granted(grant, state);
}

function granted(
  { accessToken, refreshToken, token }: StandInGrant,
  state: HelixState,
): HelixReply {
  state.setToken(accessToken, token);
  return {
    status: 200,
    body: {
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in: token.expiresInSeconds,
      scope: token.scopes,
      token_type: "bearer",
    },
  };
}

function startDevice(_request: HelixRequest, state: HelixState): HelixReply {
  const n = state.devices.size + 1;
  state.devices.set(`device-${n}`, null);
  const userCode = `CODE${n}`;
  return {
    status: 200,
    body: {
      device_code: `device-${n}`,
      user_code: userCode,
      verification_uri: `https://www.twitch.tv/activate?device-code=${userCode}`,
      expires_in: 1_800,
      interval: 5,
    },
  };
}

function revokeToken(request: HelixRequest, state: HelixState): HelixReply {
  return state.tokens.delete(textFields(request)["token"] ?? "")
    ? { status: 200 }
    : refusal(400, "Invalid token");
}

function data(rows: readonly unknown[]): HelixReply {
  return { status: 200, body: { data: rows, pagination: {} } };
}

/** The texts of a request, in its query or its body. */
function textFields({ query, body }: HelixRequest): Record<string, string> {
  const texts = Object.entries(fieldsOf(body)).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return { ...query, ...Object.fromEntries(texts) };
}

/** What the bot can do besides speaking. Shapes and refusals as in Twitch's API reference. */
export const ACTION_ROUTES = {
  "POST /mock/clips": { scopes: ["clips:edit"], handle: createClip },
  "POST /mock/streams/markers": { scopes: ["channel:manage:broadcast"], handle: createMarker },
  "POST /mock/polls": { scopes: ["channel:manage:polls"], handle: createPoll },
  "POST /mock/chat/announcements": asModerator("announcements", () => ({ status: 204 })),
  "POST /mock/chat/shoutouts": asModerator("shoutouts", () => ({ status: 204 })),
  "POST /mock/moderation/warnings": asModerator("warnings", punish),
  "DELETE /mock/moderation/chat": asModerator("chat_messages", () => ({ status: 204 })),
  "POST /mock/moderation/bans": asModerator("banned_users", punish),
} as const satisfies HelixRoutes;

function createClip({ query }: HelixRequest, state: HelixState): HelixReply {
  if (state.streams.get(query["broadcaster_id"] ?? "")?.isLive !== true) {
    return refusal(404, "Clipping is not possible for an offline channel.");
  }
  const id = "StandInClip";
  return { ...data([{ id, edit_url: `https://clips.twitch.tv/${id}/edit` }]), status: 202 };
}

function createMarker({ body }: HelixRequest, state: HelixState): HelixReply {
  const { user_id: userId, description = "" } = fieldsOf(body);
  if (state.streams.get(String(userId))?.isLive !== true) {
    return refusal(404, "The user is not streaming live.");
  }
  const created_at = "2020-01-01T00:00:00Z";
  return data([{ id: "marker-1", created_at, description, position_seconds: 1 }]);
}

function createPoll({ body, userId }: HelixRequest): HelixReply {
  const fields = fieldsOf(body);
  if (fields["broadcaster_id"] !== userId) {
    return refusal(401, "The ID in broadcaster_id must match the user ID of the token.");
  }
  return data([{ id: "poll-1", status: "ACTIVE", ...fields }]);
}

function punish({ query, body }: HelixRequest): HelixReply {
  const target = fieldsOf(fieldsOf(body)["data"]);
  if (target["user_id"] === query["broadcaster_id"]) {
    return refusal(400, "The user specified in the user_id field may not be banned.");
  }
  return data([{ ...query, ...target }]);
}

/** What a moderator may do by the scope that manages it. Refuses a moderator_id that is not the token's. */
function asModerator(what: string, handle: (request: HelixRequest) => HelixReply): HelixRoute {
  return {
    scopes: [`moderator:manage:${what}`],
    handle: (request) =>
      request.query["moderator_id"] === request.userId
        ? handle(request)
        : refusal(401, "The ID in moderator_id must match the user ID of the token."),
  };
}

/** The fields of a body, or of one of its fields; none where it is no object. */
function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null ? { ...body } : {};
}
