import {
  type ApiKeys,
  collectKeys,
  findProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
} from "../catalogue/providers.ts";
import { toConfig } from "../config/load.ts";
import type { Secrets } from "../config/secrets.ts";
import { isLoopbackUrl } from "../config/urls.ts";
import { makeUsageFault } from "../errors.ts";
import { estimateStream, getPrice } from "../models/call-store.ts";
import { askProbe } from "../models/open-model.ts";
import { adviseOnModel } from "./model-check.ts";
import { type Answers, type Ground, type ModelChoice, mergeModel } from "./setup-answers.ts";
import { hasAddress, parseKey, readAddress } from "./setup-input.ts";

/** The address of an Ollama on this machine. */
export const OLLAMA = "http://127.0.0.1:11434/v1";

type Fields = Readonly<Record<string, string>>;

/** Returns the keys that the bot would use: pasted ones first, then those of the environment and the secrets file. */
export function mergeKeys({ keys }: Pick<Answers, "keys">, secrets: Secrets): ApiKeys {
  return collectKeys((name) => keys[name] ?? secrets[name]);
}

/** Reads the form of the model step. An empty key keeps the one that is there. Throws a Fault for a wrong field. */
export function readModel(
  fields: Fields,
  before: Answers,
  secrets: Secrets,
): Pick<Answers, "model" | "keys"> {
  const provider = PROVIDER_NAMES.find((name) => name === fields["provider"]);
  if (provider === undefined) throw makeUsageFault("No model is chosen", "choose one");
  const { key, usualModel } = PROVIDERS[provider];
  const typed = fields[`key-${provider}`] ?? "";
  const keepsKey = typed.trim() === "" && (!key.isNeeded || hasKey(before, secrets, provider));
  const pasted = keepsKey ? {} : { [key.secret]: parseKey(typed, provider) };
  const keys = { ...before.keys, ...pasted };
  const { model, baseUrl, allowInsecureHost } = toConfig({ channel: "x" }, ".").llm;
  const isSame = provider === before.model.provider;
  const usual = { provider, model: usualModel ?? model, baseUrl, allowInsecureHost };
  const chosen = isSame ? before.model : usual;
  if (hasAddress(provider)) return { model: chosen, keys };
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
  { model, keys }: Pick<Answers, "model" | "keys">,
  { base, secrets }: Ground,
  now: () => number,
): Promise<string> {
  const llm = mergeModel(base.llm, model);
  const { budgetTokens } = base.prompt;
  const apiKeys = mergeKeys({ keys }, secrets);
  const found = await askProbe({ config: llm, apiKeys, now, budgetTokens });
  if (found.ok) {
    const seconds = (found.latencyMs / 1_000).toFixed(1);
    const said = (found.text ?? "").trim().slice(0, 40);
    const text = `${found.model} answered “${said}” after ${seconds} s.`;
    return [text, ...found.warnings].join(" ");
  }
  const { baseUrl } = model;
  if (found.failure === "network" && baseUrl !== null && isLoopbackUrl(baseUrl))
    throw makeUsageFault(
      `Nothing answers at ${baseUrl}`,
      "start Ollama, or the program that serves your model, and test again",
    );
  const { found: problem, fix } = adviseOnModel(found, llm);
  throw makeUsageFault(problem, fix);
}

/** A stream for the estimate. */
const STREAM = { hours: 4, answers: 100 };

/** Returns what a stream costs, with memory, in one sentence. */
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

/** True if a key for the provider is there, so that the page can say "saved" and need not show it. */
export function hasKey(answers: Answers, secrets: Secrets, provider: ProviderName): boolean {
  return mergeKeys(answers, secrets)[PROVIDERS[provider].key.secret] !== null;
}
