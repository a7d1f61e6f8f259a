import { findAddress, PROVIDERS, type ProviderName } from "../catalogue/providers.ts";
import type { Config } from "../config/load.ts";
import { findPersonaErrors } from "../config/personas.ts";
import { configSchema } from "../config/schema.ts";
import { isSafeBaseUrl } from "../config/urls.ts";
import { LANGUAGES } from "../language/languages.ts";
import type { DeviceFailure } from "../twitch/device-login.ts";

/** The value of a field, or one sentence with its problem and the fix. */
export type InputResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

const CHANNEL_ADDRESS = /^(?:https?:\/\/)?(?:www\.|m\.)?twitch\.tv\/(?:popout\/|moderator\/)?/i;
/** Twitch's are 30 long. */
const CLIENT_ID = /^[a-z0-9]{20,40}$/i;
const CHAT_WORDS = "bot chat game gg hello hey lol mod no stream what yes you".split(" ");
const COMMON_WORDS: ReadonlySet<string> = new Set([
  ...CHAT_WORDS,
  ...LANGUAGES.flatMap(({ stopWords }) => stopWords),
]);
/** Only in scripts with letters: elsewhere two characters may be a rare name. */
const SHORT_WORD = /^[\p{sc=Latn}\p{sc=Cyrl}\p{N}]{1,2}$/u;
const KEY = /^[\x21-\x7e]+$/;
/** First letters of keys, and the provider that makes such keys. */
const KEY_MAKERS = [
  ["AIza", "Google"],
  ["sk-ant-", "Anthropic"],
  ["sk-or-", "OpenRouter"],
  ["gsk_", "Groq"],
  ["sk-", "OpenAI"],
] as const;

/** Reads logins of channels from a name, `#name`, `@name`, an address of Twitch's, or several of them. */
export function readChannels(typed: string): InputResult<readonly string[]> {
  const names = typed
    .split(/[\s,;]+/)
    .map((word) => word.replace(CHANNEL_ADDRESS, "").replace(/[/?].*$/, ""))
    .map((name) => name.replace(/^[#@]/, ""))
    .filter((name) => name !== "");
  if (names.length === 0) return { ok: false, why: "Type the name of your channel." };
  const parsed = configSchema.shape.channel.safeParse(names);
  if (parsed.success) return { ok: true, value: [...new Set([parsed.data].flat())] };
  return {
    ok: false,
    why: "That is no channel name: it has 1 to 25 letters, digits or underscores, such as lanternroom.",
  };
}

/** Reads the id of a Twitch application. */
export function readClientId(typed: string): InputResult<string> {
  const value = typed.trim();
  if (CLIENT_ID.test(value)) return { ok: true, value };
  return {
    ok: false,
    why: "That is no Client ID: copy the 30 letters and digits from Twitch's console.",
  };
}

/** Reads a name for the bot that no other persona has. */
export function readName(typed: string, personas: Config["personas"]): InputResult<string> {
  const name = typed.trim().replace(/^@\s*/, "");
  if (!configSchema.shape.persona.safeParse({ name }).success)
    return { ok: false, why: "A name has 1 to 40 characters, such as Mark." };
  const others = personas.map((other) => ({ name: other.name, channels: [] }));
  if (findPersonaErrors({ channel: [], persona: { name }, personas: others }).length > 0)
    return { ok: false, why: "Another persona has that name: choose a different one." };
  return { ok: true, value: name };
}

/** True if chat often says this word and does not mean the bot. */
export function isSaidOften(name: string): boolean {
  return SHORT_WORD.test(name) || COMMON_WORDS.has(name.toLowerCase());
}

/** Reads a key for a provider's models. The message never quotes it. */
export function parseKey(typed: string, provider: ProviderName): InputResult<string> {
  const value = typed.trim();
  if (value === "") return { ok: false, why: "Paste the key here." };
  if (!KEY.test(value))
    return { ok: false, why: "A key has no spaces and no accents: copy it once more." };
  const maker = KEY_MAKERS.find(([begin]) => value.startsWith(begin))?.[1];
  const { label, address } = PROVIDERS[provider];
  if (maker !== undefined && address !== null && !label.includes(maker))
    return {
      ok: false,
      why: `This looks like a key of ${maker}, not of ${label}: paste the right key, or choose another model above.`,
    };
  return { ok: true, value };
}

/** Reads the address of a model server; `insecure` is one that needs the user's consent. */
export function readAddress(
  typed: string,
): InputResult<{ readonly url: string; readonly insecure: boolean }> {
  const url = typed
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "");
  if (isSafeBaseUrl(url, false)) return { ok: true, value: { url, insecure: false } };
  if (isSafeBaseUrl(url, true)) return { ok: true, value: { url, insecure: true } };
  return { ok: false, why: "That is no address: type one such as http://127.0.0.1:11434/v1" };
}

/** True if a provider has its own address, so that only a key is asked for. */
export function hasAddress(provider: ProviderName): boolean {
  return findAddress(PROVIDERS[provider], null) !== null;
}

/** Why a log-in at Twitch failed, with the fix. */
export const LOGIN_PROBLEMS: Readonly<Record<DeviceFailure, string>> = {
  client_refused: "Twitch knows no application with this Client ID: copy it once more.",
  refused: "Twitch refused the request: most often the Client ID is wrong.",
  denied: "The log-in was refused on Twitch's page: get a new code and try again.",
  expired: "The code expired before it was used: get a new one.",
  unreachable: "Twitch does not answer: check whether this machine is online, then get a new code.",
  aborted: "The log-in was stopped: get a new code.",
};
