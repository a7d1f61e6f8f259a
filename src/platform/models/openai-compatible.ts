import type { NoticeBoard } from "../database/notices-store.ts";
import {
  type Adapter,
  failed,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
} from "./adapter.ts";
import { openContextCheck, type ServerAnswer } from "./context-check.ts";
import { exchange, type HttpReply, isFine } from "./http.ts";
import { LOW_TEMPERATURE, openAiTraits } from "./models.ts";
import { CONTEXT_TOO_SMALL, readOpenAiAnswer, readOpenAiError } from "./openai-answer.ts";
import { schemaInWords } from "./response-schema.ts";

export interface OpenAiOptions {
  /** Null where the server wants none. */
  readonly apiKey: string | null;
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  readonly now: () => number;
  readonly notices: Pick<NoticeBoard, "raise">;
}

/** Ollama signs each answer with it. Inside a text the quotes would be escaped. */
const OLLAMA_FINGERPRINT = '"fp_ollama"';

/**
 * Any server with `/chat/completions`. A 400 is asked again once without the schema and without sampling fields, the
 * schema then in words; a model that took it plainer is asked so from then on.
 */
export function openAiAdapter(options: OpenAiOptions): Adapter {
  const plainModels = new Set<string>();
  const checkContext = openContextCheck(options.baseUrl, options.notices);

  return async (call) => {
    const isPlain = plainModels.has(call.model);
    const reply = await ask(options, call, isPlain);
    if (isPlain || !isRefused(reply.answer)) return await checked(call, reply);
    const second = await ask(options, call, true);
    if (second.answer.ok) plainModels.add(call.model);
    return await checked(call, second);
  };

  async function checked(call: ModelCall, reply: ServerAnswer): Promise<ModelAnswer> {
    await checkContext(call, reply);
    return reply.answer;
  }
}

async function ask(
  options: OpenAiOptions,
  call: ModelCall,
  isPlain: boolean,
): Promise<ServerAnswer> {
  const reply = await post(options, call, isPlain);
  if (!reply.ok) return { answer: reply, isOllama: false };
  const answer = isFine(reply)
    ? readOpenAiAnswer(reply.text)
    : readOpenAiError(reply, options.now());
  return { answer, isOllama: reply.text.includes(OLLAMA_FINGERPRINT) };
}

function isRefused(answer: ModelAnswer): boolean {
  return !answer.ok && answer.failure === "request" && !answer.detail.endsWith(CONTEXT_TOO_SMALL);
}

async function post(
  options: OpenAiOptions,
  call: ModelCall,
  isPlain: boolean,
): Promise<HttpReply | ModelFailure> {
  const url = `${options.baseUrl.replace(/\/+$/, "")}/chat/completions`;
  if (!URL.canParse(url)) return failed("request", "llm.baseUrl is not a URL");
  const headers = new Headers({ "content-type": "application/json" });
  if (options.apiKey !== null) headers.set("authorization", `Bearer ${options.apiKey}`);
  const body = JSON.stringify(bodyOf(call, isPlain));
  return await exchange(url, { method: "POST", headers, body, signal: call.signal });
}

function bodyOf(call: ModelCall, isPlain: boolean): Record<string, unknown> {
  const { takesTemperature, limitField, reasoningEffort } = openAiTraits(call.model);
  const isPrecise = call.purpose === "summarise" || call.purpose === "extract";
  const inWords = isPlain && call.shape !== null ? schemaInWords(call.shape) : "";
  const body: Record<string, unknown> = {
    model: call.model,
    messages: [
      { role: "system", content: call.prefix },
      { role: "user", content: call.tail + inWords },
    ],
    [limitField]: call.maxOutputTokens,
  };
  if (isPlain) return body;
  if (call.shape !== null) {
    const format = { name: call.purpose, strict: true, schema: call.shape };
    body["response_format"] = { type: "json_schema", json_schema: format };
  }
  if (takesTemperature && isPrecise) body["temperature"] = LOW_TEMPERATURE;
  if (reasoningEffort !== null) body["reasoning_effort"] = reasoningEffort;
  return body;
}
