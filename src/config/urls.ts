const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const CHAT_URL_RULE = "wss://…, or ws://… on this machine";
export const BASE_URL_RULE =
  "https://…, or http://… on this machine (another host: llm.allowInsecureHost)";

/** True if a URL's host is this machine. False if it is not a URL. */
export function isLoopbackUrl(text: string): boolean {
  return URL.canParse(text) && LOOPBACK.test(new URL(text).hostname);
}

/** `wss:` anywhere, `ws:` on loopback only: the bot's token travels on this connection. */
export function isSafeChatUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return protocol === "wss:" || (protocol === "ws:" && isLoopbackUrl(text));
}

/** `https:` anywhere, `http:` on loopback or where the operator said so. */
export function isSafeBaseUrl(text: string, allowInsecureHost: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return (
    protocol === "https:" || (protocol === "http:" && (isLoopbackUrl(text) || allowInsecureHost))
  );
}
