import { z } from "zod";
import type { TwitchAuth } from "./auth.ts";
import type { SendResult } from "./delivery.ts";
import {
  type HelixCaller,
  type HelixFailure,
  type HelixResult,
  helixCaller,
} from "./helix-call.ts";
import { SEND_SCOPE } from "./scopes.ts";

interface HelixUser {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
}

export interface ChannelInfo {
  readonly twitchId: string;
  readonly title: string;
  readonly category: string;
  readonly isLive: boolean;
  /** When the running stream began, epoch ms; null while there is none. */
  readonly startedAtMs: number | null;
  /** The code of the language that its streamer chose; null where none is told. */
  readonly language: string | null;
}

interface HelixMessage {
  readonly broadcasterId: string;
  readonly text: string;
  /** Id of the message it answers, in a thread. */
  readonly replyTo: string | null;
}

/** What the bot asks of Twitch's API. Never rejects. */
export interface Helix {
  userByLogin(login: string): Promise<HelixResult<HelixUser>>;
  channelInfo(login: string): Promise<HelixResult<ChannelInfo>>;
  /** Sends once, as the account of the token. */
  sendMessage(message: HelixMessage): Promise<SendResult>;
  /** Cuts what is under way; a message being sent then is `unknown`. */
  close(): void;
}

export interface HelixOptions {
  readonly auth: Pick<TwitchAuth, "credentials" | "check" | "identity">;
  /** How long one request may take, ms. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 8_000;

const user = z.object({
  userId: z.string().min(1),
  login: z.string().min(1),
  displayName: z.string(),
});
const channelInfo = z.object({
  twitchId: z.string().min(1),
  title: z.string(),
  category: z.string(),
  isLive: z.boolean(),
  startedAtMs: z.number().nullable(),
  language: z.string().nullable(),
});
const sentMessage = z.object({
  data: z.tuple([
    z.object({
      message_id: z.string(),
      is_sent: z.boolean(),
      drop_reason: z.object({ code: z.string() }).nullish(),
    }),
  ]),
});

/** Helix as the account that `auth` is logged in to. Nothing is loaded or asked before the first call. */
export function openHelix({ auth, timeoutMs = TIMEOUT_MS }: HelixOptions): Helix {
  const caller = helixCaller({ auth, timeoutMs });
  return {
    userByLogin: (login) => read(user, () => findUser(caller, login)),
    channelInfo: (login) => read(channelInfo, () => describeChannel(caller, login)),
    sendMessage: (message) => send(caller, message),
    close: caller.close,
  };
}

function findUser(caller: HelixCaller, login: string): Promise<HelixResult<unknown>> {
  return caller.call(async ({ users }) => {
    const found = await users.getUserByName(login);
    return found && { userId: found.id, login: found.name, displayName: found.displayName };
  });
}

function describeChannel(caller: HelixCaller, login: string): Promise<HelixResult<unknown>> {
  return caller.call(async ({ users, channels, streams }) => {
    const owner = await users.getUserByName(login);
    if (owner === null) return null;
    const [channel, stream] = await Promise.all([
      channels.getChannelInfoById(owner.id),
      streams.getStreamByUserId(owner.id),
    ]);
    return (
      channel && {
        twitchId: channel.id,
        title: channel.title,
        category: channel.gameName,
        language: channel.language || null,
        isLive: stream !== null,
        startedAtMs: stream === null ? null : stream.startDate.getTime(),
      }
    );
  });
}

/** Nothing found is `not_found`; what does not have the documented shape is Twitch's fault: `server`. */
async function read<T>(
  shape: z.ZodType<T>,
  ask: () => Promise<HelixResult<unknown>>,
): Promise<HelixResult<T>> {
  const result = await ask().catch(() => misshapen);
  if (!result.ok) return result;
  if (result.value === null) return { ...misshapen, reason: "not_found" };
  const parsed = shape.safeParse(result.value);
  return parsed.success ? { ok: true, value: parsed.data } : misshapen;
}

const misshapen: HelixFailure = {
  ok: false,
  reason: "server",
  retryAtMs: null,
  mayHaveActed: false,
};

async function send(caller: HelixCaller, message: HelixMessage): Promise<SendResult> {
  const { broadcasterId, text, replyTo } = message;
  const result = await caller.call((api, userId) => {
    const ids = { broadcaster_id: broadcasterId, sender_id: userId };
    return api.callApi({
      type: "helix",
      url: "chat/messages",
      method: "POST",
      scopes: [SEND_SCOPE],
      // Twitch's reference has the ids in the body, its error texts in the query.
      query: ids,
      jsonBody: {
        ...ids,
        message: text,
        ...(replyTo === null ? {} : { reply_parent_message_id: replyTo }),
      },
    });
  });
  if (!result.ok) {
    return result.mayHaveActed ? { kind: "unknown" } : { kind: "failed", reason: result.reason };
  }
  const sent = sentMessage.safeParse(result.value).data?.data[0];
  if (sent === undefined) return { kind: "unknown" };
  return sent.is_sent
    ? { kind: "sent", messageId: sent.message_id }
    : { kind: "refused", reason: sent.drop_reason?.code ?? "dropped" };
}
