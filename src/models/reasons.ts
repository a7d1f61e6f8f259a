// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";
import { runFinder } from "../language/distinctive.ts";
import type { LlmFailure } from "./model-port.ts";

/** The cause, as the end of a sentence that begins with the model, and its fix; "" if the cause is a quotation. */
export interface Advice {
  readonly found: string;
  readonly fix: string;
}

interface Reason extends Advice {
  readonly said: RegExp;
  readonly failure: LlmFailure;
}

/** The reasons of providers, by their codes and words. The first that fits counts. */
const REASONS: readonly Reason[] = [
  {
    said: /location is not supported|unsupported_country|country, region, or territory|not available in your (?:country|region)/i,
    failure: "auth",
    found: "cannot be used from your country or region",
    fix: "use a paid key, if the provider allows one there, or another provider; a VPN may also be the cause",
  },
  {
    said: /prepa(?:y|id)\b.{0,60}(?:depleted|exhausted|used up)|credits are depleted/i,
    failure: "quota",
    found: "is not paid for: the prepaid credits are used up",
    fix: "buy credits on the provider's billing page",
  },
  {
    said: /insufficient_(?:quota|credits|balance|funds)|insufficient (?:credits|balance|funds)|no credits|more credits|out of credits|payment required|\b402\b|exceeded your current quota, please check your plan and billing details.{0,40}openai/i,
    failure: "quota",
    found: "is not paid for: the account has no credits",
    fix: "add credits on the provider's billing page",
  },
  {
    said: /BILLING_DISABLED|billing_not_active|billing_hard_limit|billing (?:is not|to be) enabled|requires billing/i,
    failure: "auth",
    found: "is not paid for: billing is off, or its limit is reached",
    fix: "turn billing on, or raise its limit, on the provider's billing page",
  },
  {
    said: /limit: 0\b|quota_limit_value\W{1,4}0\b|limit of 0\b/i,
    failure: "quota",
    found: "is not in your plan: its quota is zero",
    fix: "set llm.model to a model of your plan, or turn on billing for the key's project",
  },
  {
    said: /reported as leaked|API_KEY_INVALID|invalid_api_key|api key (?:not valid|not found|expired)|(?:incorrect|invalid|revoked|disabled) api key|key.{0,30}(?:revoked|disabled|expired|deleted)|no auth credentials|user not found/i,
    failure: "auth",
    found: "cannot be asked: the key is refused, since it is wrong, expired or revoked",
    fix: "make a new key at the provider, and save it with `forgetmenot setup` or set KEY",
  },
  {
    said: /API_KEY_(?:SERVICE|HTTP_REFERRER|IP_ADDRESS|ANDROID_APP|IOS_APP)_BLOCKED/,
    failure: "auth",
    found: "cannot be asked: the key's restrictions forbid it",
    fix: "remove the restrictions of the key in the Google Cloud console, or make a new key at https://aistudio.google.com",
  },
  {
    said: /SERVICE_DISABLED|has not been used in project|it is disabled/i,
    failure: "auth",
    found: "cannot be asked: the Gemini API is off in the key's project",
    fix: "make a new key at https://aistudio.google.com, or turn on the Generative Language API in that project",
  },
  {
    said: /CONSUMER_SUSPENDED|account.{0,30}(?:deactivated|suspended|disabled|banned)|has been suspended/i,
    failure: "auth",
    found: "cannot be asked: the provider suspended the account or project",
    fix: "write to the provider's support, or use a key of another account",
  },
  {
    said: /data policy|guardrail restrictions/i,
    failure: "model",
    found: "is forbidden by the privacy settings of your account",
    fix: "change them on the provider's privacy page, or set llm.model to another model",
  },
  {
    said: /try pulling it|pull model|no models? (?:is )?loaded|model.{0,80}not loaded|failed to load model/i,
    failure: "model",
    found: "is not loaded on your server",
    fix: "download or load it there (Ollama: `ollama pull` with its name), or set llm.model to one that it has",
  },
  {
    said: /requires more system memory|out of memory|insufficient memory|cudaMalloc/i,
    failure: "server",
    found: "does not fit into the memory of your server",
    fix: "use a smaller model, or a smaller context",
  },
  {
    said: /loading model|model is loading/i,
    failure: "server",
    found: "is still being loaded by your server",
    fix: "try again in a minute",
  },
  {
    said: /not a chat model|does not support (?:chat|generate)|not supported in the v1\/chat\/completions|only supports? .{0,40}modalit|embedding model/i,
    failure: "model",
    found: "is not a model for chat",
    fix: "set llm.model to a model that writes text",
  },
  {
    said: /model_not_found|no longer available|(?:has been|is) (?:deprecated|retired|decommissioned|shut down)|model.{0,120}(?:does not exist|not found|is not a valid model)|is not found for api version|not a valid model id|no endpoints found|unknown model/i,
    failure: "model",
    found: "is not offered any more, or misspelt",
    fix: "set llm.model to a name that the provider lists",
  },
  {
    said: /<!doctype html|<html|404 page not found|cannot post |unexpected endpoint|method not allowed|no route|"detail"\s?:\s?"not found"|^not found$/i,
    failure: "request",
    found: "was not asked: llm.baseUrl does not lead to a model server's API",
    fix: "correct llm.baseUrl; most addresses end in /v1",
  },
  {
    said: /overloaded|high demand|no capacity|capacity exceeded/i,
    failure: "server",
    found: "is overloaded at the provider",
    fix: "wait some minutes, or set llm.model to another model",
  },
];

const SAID_CHARS_MAX = 2_000;
const WORDS_CHARS_MAX = 160;
/** Addresses, and text that may be a key. */
const UNSHOWN = /\S*:\/\/\S*|\S{24,}/gu;

/**
 * Finds the reason of a refusal by the provider's codes and words. For an unknown one quotes up to 160 characters of
 * the words, without addresses or keys, and `failure` is null. Null if they are no sentence or repeat the prompt.
 */
export function findAdvice(
  { codes, words }: { readonly codes: readonly string[]; readonly words: string },
  prompt: string,
): (Advice & { readonly failure: LlmFailure | null }) | null {
  const said = [...codes, words].join(" ").slice(0, SAID_CHARS_MAX);
  const known = REASONS.find((reason) => reason.said.test(said));
  if (known !== undefined) return known;
  const line = cleanLine(words.slice(0, SAID_CHARS_MAX)).replace(UNSHOWN, "…");
  const repeatsPrompt = runFinder([prompt], { wordsMin: 4, lettersMin: 12 });
  const isSentence = /\S\s+\S+\s+\S/.test(line);
  if (!isSentence || repeatsPrompt(line)) return null;
  const shown = line.slice(0, WORDS_CHARS_MAX).replace(/[.\s]+$/, "");
  return { found: `“${shown}”`, fix: "", failure: null };
}
