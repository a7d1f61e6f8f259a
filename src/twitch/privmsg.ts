/** One message that the bot wants to say. `channel` is a login; `replyTo` the id of a message or null. */
export interface OutgoingMessage {
  readonly channel: string;
  readonly text: string;
  readonly replyTo: string | null;
}

/** Twitch's limit on a chat message, in characters. */
const TEXT_CHARACTERS_MAX = 500;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const COMMAND_START = /^[/.\\]/;
const CHANNEL = /^[a-z0-9_]{1,25}$/;
/** Twitch's ids are UUIDs; nothing of this shape can end a tag or a line. */
const MESSAGE_ID = /^[A-Za-z0-9-]{1,64}$/;

/**
 * The IRC line for `message`, or null when it is unsafe to send: a second line or command hidden in it, a text that
 * Twitch would run as a command, empty, or over the limit. The last line of defence, whatever was checked before.
 */
export function privmsgLine(message: OutgoingMessage): string | null {
  const { channel, text, replyTo } = message;
  if (!CHANNEL.test(channel) || !isSafeText(text)) return null;
  if (replyTo !== null && !MESSAGE_ID.test(replyTo)) return null;
  const tag = replyTo === null ? "" : `@reply-parent-msg-id=${replyTo} `;
  return `${tag}PRIVMSG #${channel} :${text}`;
}

function isSafeText(text: string): boolean {
  const shown = text.trim();
  if (shown === "" || COMMAND_START.test(shown) || CONTROL.test(text)) return false;
  return text.length <= TEXT_CHARACTERS_MAX || [...text].length <= TEXT_CHARACTERS_MAX;
}
