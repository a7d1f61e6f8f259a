import {
  type ApiKeys,
  collectKeys,
  findProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
} from "../catalogue/providers.ts";
import type { Environment } from "../config/environment.ts";
import { type Config, toConfig } from "../config/load.ts";
import type { Secrets } from "../config/secrets.ts";
import { isLoopbackUrl } from "../config/urls.ts";
import { estimateStream, getPrice } from "../models/call-store.ts";
import { askProbe } from "../models/open-model.ts";
import { adviseOnModel } from "./model-check.ts";
import { type Answers, type ModelChoice, mergeModel } from "./setup-answers.ts";
import { hasAddress, type InputResult, parseKey, readAddress } from "./setup-input.ts";

/** The address of an Ollama on this machine. */
export const OLLAMA = "http://127.0.0.1:11434/v1";

type Fields = Readonly<Record<string, string>>;

/** Returns the keys that the bot would use: pasted ones first, then those of the environment and the secrets file. */
export function mergeKeys({ keys }: Pick<Answers, "keys">, secrets: Secrets): ApiKeys {
  return collectKeys((name) => keys[name] ?? secrets[name]);
}

/** Reads the form of the model step. An empty key keeps the one that is there. */
export function readModel(
  fields: Fields,
  before: Answers,
  secrets: Secrets,
): InputResult<Pick<Answers, "model" | "keys">> {
  const provider = PROVIDER_NAMES.find((name) => name === fields["provider"]);
  if (provider === undefined) return { ok: false, why: "Choose a model first." };
  const key = chooseKey(fields[`key-${provider}`] ?? "", provider, mergeKeys(before, secrets));
  if (!key.ok) return key;
  const keys = { ...before.keys, ...key.value };
  const chosen =
    provider === before.model.provider
      ? before.model
      : { ...readDefaultModel(), provider, model: PROVIDERS[provider].usualModel ?? "" };
  if (hasAddress(provider)) return { ok: true, value: { model: chosen, keys } };
  const server = readServer(fields, chosen);
  return server.ok ? { ok: true, value: { model: server.value, keys } } : server;
}

function readDefaultModel(): ModelChoice {
  const { provider, model, baseUrl, allowInsecureHost } = toConfig({ channel: "x" }, ".").llm;
  return { provider, model, baseUrl, allowInsecureHost };
}

function chooseKey(
  typed: string,
  provider: ProviderName,
  keys: ApiKeys,
): InputResult<Partial<ApiKeys>> {
  const { secret, isNeeded } = PROVIDERS[provider].key;
  if (typed.trim() === "" && (keys[secret] !== null || !isNeeded)) return { ok: true, value: {} };
  const key = parseKey(typed, provider);
  return key.ok ? { ok: true, value: { [secret]: key.value } } : key;
}

function readServer(fields: Fields, before: ModelChoice): InputResult<ModelChoice> {
  const address = readAddress(fields["baseUrl"] ?? "");
  if (!address.ok) return address;
  const { url, insecure } = address.value;
  if (insecure && fields["allowInsecureHost"] !== "on")
    return {
      ok: false,
      why: "That server is another machine, without encryption: use https, or tick “it is a machine of mine”.",
    };
  const model = (fields["model"] ?? "").trim();
  if (model === "") return { ok: false, why: "Type the name of the model, such as llama3.1:8b." };
  return {
    ok: true,
    value: {
      ...before,
      baseUrl: url,
      allowInsecureHost: insecure || before.allowInsecureHost,
      model,
    },
  };
}

/** Asks the chosen model for a word. Returns its answer, or the problem with the fix, in one sentence. */
export async function testModel(
  { model, keys }: Pick<Answers, "model" | "keys">,
  { base, secrets }: { base: Config; secrets: Secrets },
  now: () => number,
): Promise<{ isGood: boolean; text: string }> {
  const llm = mergeModel(base.llm, model);
  const { budgetTokens } = base.prompt;
  const found = await askProbe({
    ...{ config: llm, apiKeys: mergeKeys({ keys }, secrets), now, budgetTokens },
  });
  if (found.ok) {
    const seconds = (found.latencyMs / 1_000).toFixed(1);
    const said = (found.text ?? "").trim().slice(0, 40);
    const text = `${found.model} answered “${said}” after ${seconds} s.`;
    return { isGood: true, text: [text, ...found.warnings].join(" ") };
  }
  const { baseUrl } = model;
  if (found.failure === "network" && baseUrl !== null && isLoopbackUrl(baseUrl))
    return {
      isGood: false,
      text: `Nothing answers at ${baseUrl}: start Ollama, or the program that serves your model, and test again.`,
    };
  const { found: problem, fix } = adviseOnModel(found, llm);
  return { isGood: false, text: `${problem}: ${fix}.` };
}

/** A stream for the estimate. */
const STREAM = { hours: 4, answers: 100 };

/** Returns what a stream costs, with memory, in one sentence. */
export function describeCost({ provider, model }: ModelChoice, { base }: { base: Config }): string {
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

/** The files and variables that setup begins with. */
export interface Ground {
  /** The configuration file, as it was named. */
  readonly file: string;
  readonly isNew: boolean;
  /** The configuration, or the defaults of a new one. */
  readonly base: Config;
  readonly environment: Environment;
  readonly secrets: Secrets;
}
