import { PROVIDERS, type ProviderName } from "../catalogue/providers.ts";
import { configSchema } from "../config/schema.ts";
import { isSafeBaseUrl } from "../config/urls.ts";
import { makeUsageFault } from "../errors.ts";

const CHANNEL_ADDRESS = /^(?:https?:\/\/)?(?:www\.|m\.)?twitch\.tv\/(?:popout\/|moderator\/)?/i;
/** Twitch's are 30 long. */
const CLIENT_ID = /^[a-z0-9]{20,40}$/i;
const KEY = /^[\x21-\x7e]+$/;
/** First letters of keys, and the provider that makes such keys. */
const KEY_MAKERS = [
  ["AIza", "Google"],
  ["sk-ant-", "Anthropic"],
  ["sk-or-", "OpenRouter"],
  ["gsk_", "Groq"],
  ["sk-", "OpenAI"],
] as const;

/**
 * Reads logins of channels from a name, `#name`, `@name`, an address of Twitch's, or several of them. This and the next
 * functions throw a Fault for a wrong value.
 */
export function readChannels(typed: string): readonly string[] {
  const names = typed
    .split(/[\s,;]+/)
    .map((word) => word.replace(CHANNEL_ADDRESS, "").replace(/[/?].*$/, ""))
    .map((name) => name.replace(/^[#@]/, ""))
    .filter((name) => name !== "");
  const parsed = configSchema.shape.channel.safeParse(names);
  if (parsed.success && names.length > 0) return [...new Set([parsed.data].flat())];
  throw makeUsageFault(
    "That is no channel name",
    "it has 1 to 25 letters, digits or underscores, such as lanternroom",
  );
}

/** Reads the id of a Twitch application. */
export function readClientId(typed: string): string {
  if (CLIENT_ID.test(typed.trim())) return typed.trim();
  const fix = "copy the 30 letters and digits from Twitch's console";
  throw makeUsageFault("That is no Client ID", fix);
}

/** Reads a name for the bot. */
export function readName(typed: string): string {
  const name = typed.trim().replace(/^@\s*/, "");
  if (configSchema.shape.persona.safeParse({ name }).success) return name;
  throw makeUsageFault("That is no name", "it has 1 to 40 characters, such as Mark");
}

/** Reads a key for a provider's models. The message never quotes it. */
export function parseKey(typed: string, provider: ProviderName): string {
  const key = typed.trim();
  if (key === "") throw makeUsageFault("The key is missing", "paste it here");
  if (!KEY.test(key))
    throw makeUsageFault("A key has no spaces and no accents", "copy it once more");
  const maker = KEY_MAKERS.find(([begin]) => key.startsWith(begin))?.[1];
  const { label, address } = PROVIDERS[provider];
  if (maker !== undefined && address !== null && !label.includes(maker))
    throw makeUsageFault(
      `This looks like a key of ${maker}, not of ${label}`,
      "paste the right key, or choose another model above",
    );
  return key;
}

/** Reads the address of a model server; `isInsecure` if it needs the user's consent. */
export function readAddress(typed: string): { url: string; isInsecure: boolean } {
  const url = typed
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "");
  if (!isSafeBaseUrl(url, true))
    throw makeUsageFault("That is no address", "type one such as http://127.0.0.1:11434/v1");
  return { url, isInsecure: !isSafeBaseUrl(url, false) };
}

/** True if a provider has its own address, so that only a key is asked for. */
export function hasAddress(provider: ProviderName): boolean {
  return PROVIDERS[provider].address !== null;
}
