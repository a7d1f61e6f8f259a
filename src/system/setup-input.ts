import {
  type ApiKeys,
  collectKeys,
  findProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
} from "../catalogue/providers.ts";
import { toConfig } from "../config/load.ts";
import { configSchema, isLoopbackUrl, isSafeBaseUrl } from "../config/schema.ts";
import type { Secrets } from "../config/secrets.ts";
import { makeUsageFault } from "../errors.ts";
import { estimateStream, getPrice } from "../models/call-store.ts";
import { askProbe } from "../models/open-model.ts";
import { adviseOnModel } from "./config-checks.ts";
import { type Answers, type Ground, type ModelChoice, mergeModel } from "./setup-answers.ts";

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
 * Reads logins of channels, in lower case and each once, from names, `#name`, `@name` or addresses of Twitch's. Throws a
 * Fault if there is none, or one is wrong.
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

/** Returns the typed id of a Twitch application, trimmed. Throws a Fault if it is none. */
export function readClientId(typed: string): string {
  if (CLIENT_ID.test(typed.trim())) return typed.trim();
  const fix = "copy the 30 letters and digits from Twitch's console";
  throw makeUsageFault("That is no Client ID", fix);
}

/** Returns the typed name for the bot, without `@`. Throws a Fault if it is empty or too long. */
export function readName(typed: string): string {
  const name = typed.trim().replace(/^@\s*/, "");
  if (configSchema.shape.persona.safeParse({ name }).success) return name;
  throw makeUsageFault("That is no name", "it has 1 to 40 characters, such as Mark");
}

/**
 * Returns the typed key for a provider, trimmed. Throws a Fault, which never quotes it, if it is missing, malformed, or
 * looks like another provider's. A key for a server of the user's own may look like any.
 */
function parseKey(typed: string, provider: ProviderName): string {
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

/**
 * Returns the typed address of a model server, without `/chat/completions`. `isInsecure`: true for `http:` on another
 * machine, which needs the user's consent. Throws a Fault if it is no address.
 */
export function readAddress(typed: string): { url: string; isInsecure: boolean } {
  const url = typed
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "");
  if (!isSafeBaseUrl(url, true))
    throw makeUsageFault("That is no address", "type one such as http://127.0.0.1:11434/v1");
  return { url, isInsecure: !isSafeBaseUrl(url, false) };
}

/** True if the provider has one known address, so that setup asks only for its key. */
export function hasKnownAddress(provider: ProviderName): boolean {
  return PROVIDERS[provider].address !== null;
}

export const OLLAMA = "http://127.0.0.1:11434/v1";

/** Returns the keys that the bot would use: pasted ones first, then those of the environment and the secrets file. */
export function mergeKeys({ keys }: Answers, secrets: Secrets): ApiKeys {
  return collectKeys((name) => keys[name] ?? secrets[name]);
}

/**
 * Returns the chosen model, and all keys pasted so far, from the form of the model step. An empty key field keeps the
 * key that was pasted or stored. Throws a Fault for a wrong field, or if a needed key is missing.
 */
export function readModel(
  fields: Readonly<Record<string, string>>,
  before: Answers,
  secrets: Secrets,
): { readonly model: ModelChoice; readonly keys: Partial<ApiKeys> } {
  const provider = PROVIDER_NAMES.find((name) => name === fields["provider"]);
  if (provider === undefined) throw makeUsageFault("No model is chosen", "choose one");
  const { key, usualModel } = PROVIDERS[provider];
  const typed = fields[`key-${provider}`] ?? "";
  const keepsKey = typed.trim() === "" && (!key.isNeeded || hasKey(before, secrets, provider));
  const pasted = keepsKey ? {} : { [key.secret]: parseKey(typed, provider) };
  const keys = { ...before.keys, ...pasted };
  const usual = toConfig({ channel: "x" }, ".").llm;
  const { baseUrl, allowInsecureHost } = usual;
  const chosen =
    provider === before.model.provider
      ? before.model
      : { provider, model: usualModel ?? usual.model, baseUrl, allowInsecureHost };
  if (hasKnownAddress(provider)) return { model: chosen, keys };
  const { url, isInsecure } = readAddress(fields["baseUrl"] ?? "");
  if (isInsecure && fields["allowInsecureHost"] !== "on")
    throw makeUsageFault(
      "That server is another machine, without encryption",
      "use https, or tick “The server is another machine of mine”",
    );
  const name = (fields["model"] ?? "").trim();
  if (name === "") throw makeUsageFault("No model is named", "type its name, such as llama3.1:8b");
  const isAllowed = isInsecure || chosen.allowInsecureHost;
  return { model: { ...chosen, baseUrl: url, allowInsecureHost: isAllowed, model: name }, keys };
}

/** Asks the chosen model for a word, and returns a sentence about its answer. Rejects with a Fault if there is none. */
export async function testModel(
  answers: Answers,
  { base, secrets }: Ground,
  now: () => number,
): Promise<string> {
  const { baseUrl } = answers.model;
  const llm = mergeModel(base.llm, answers.model);
  const { budgetTokens } = base.prompt;
  const apiKeys = mergeKeys(answers, secrets);
  const found = await askProbe({ config: llm, apiKeys, now, budgetTokens });
  if (found.ok) {
    const seconds = (found.latencyMs / 1_000).toFixed(1);
    const said = (found.text ?? "").trim().slice(0, 40);
    return [`${found.model} answered “${said}” after ${seconds} s.`, ...found.warnings].join(" ");
  }
  if (found.failure === "network" && baseUrl !== null && isLoopbackUrl(baseUrl))
    throw makeUsageFault(
      `Nothing answers at ${baseUrl}`,
      "start Ollama, or the program that serves your model, and test again",
    );
  const { found: problem, fix } = adviseOnModel(found, llm);
  throw makeUsageFault(problem, fix);
}

const STREAM = { hours: 4, answers: 100 };

/** Returns what a stream costs, with memory, as text; says so if the price is not known. */
export function describeCost({ provider, model }: ModelChoice, { base }: Ground): string {
  const price = getPrice(model, base.llm.prices);
  const limit = `The bot is silent once it has cost $${base.llm.caps.dollarsPerDay} in a day.`;
  if (price === null)
    return findProvider(provider)?.address === null
      ? "A model on your own machine costs nothing. For a paid server, see its price list: a four-hour stream takes about 350,000 tokens, 190,000 of them for memory."
      : `No price is known for this model. ${limit}`;
  const { answers, memory } = estimateStream(price, STREAM);
  const shown = (value: number) => `$${value.toFixed(2)}`;
  return `A four-hour stream with 30 messages a minute and 100 answers costs about ${shown(answers + memory)}: ${shown(answers)} for answers, ${shown(memory)} for memory. ${limit}`;
}

/** Ways to talk, to choose from. A voice is part of every prompt, so it is short. */
export const PRESETS: Readonly<Record<string, string>> = {
  "Warm and dry": "Warm, dry, brief. Teases gently, never mocks. Asks back when curious.",
  Cheerful: "Cheerful and quick to celebrate. Short sentences, plain words, never sarcastic.",
  Deadpan: "Deadpan and laconic. One dry sentence, no exclamation marks, kind underneath.",
  "Old storyteller":
    "An old storyteller by the fire: vivid, a little grand, and always brief. Never cruel.",
  "Matter-of-fact":
    "Helpful and matter-of-fact. Answers first, then one friendly word. No jokes of its own.",
};

/** True if a key for the provider was pasted, is stored, or is in the environment. */
export function hasKey(answers: Answers, secrets: Secrets, provider: ProviderName): boolean {
  return mergeKeys(answers, secrets)[PROVIDERS[provider].key.secret] !== null;
}
