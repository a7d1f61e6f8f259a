import type { ChatEvent, Spoken } from "../../src/chat/normalise.ts";

export const NO_ROLES = { broadcaster: false, moderator: false, vip: false, subscriber: false };

/** A message as `normalise` would give it. `by` is both user id and login. */
export function say(
  text: string,
  { by = "wren", ...rest }: { by?: string } & Partial<Spoken> = {},
): Spoken {
  return {
    kind: "message",
    channel: "den",
    person: { userId: by, login: by, displayName: by, roles: NO_ROLES },
    messageId: null,
    parent: null,
    text,
    amount: null,
    sentAtMs: null,
    isBotItself: false,
    isKnownBot: false,
    memorable: text !== "",
    ...rest,
  };
}

export function deletion(messageId: string): ChatEvent {
  return { kind: "deletion", channel: "den", messageId, sentAtMs: null };
}

export function timeout(
  userId: string | null,
  login: string,
  seconds: number | null = 600,
): ChatEvent {
  return {
    kind: seconds === null ? "ban" : "timeout",
    channel: "den",
    userId,
    login,
    seconds,
    sentAtMs: null,
  };
}

export const CLEAR: ChatEvent = { kind: "clear", channel: "den", sentAtMs: null };
