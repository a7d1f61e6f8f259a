import { z } from "zod";
import { PROVIDERS, providerOf } from "../catalogue/providers.ts";
import { choice, number, onOrOff } from "./fields.ts";
import { LLM_PROVIDERS, LLM_PURPOSES } from "./names.ts";
import { BASE_URL_RULE, isSafeBaseUrl } from "./urls.ts";

/** The default model. */
const USUAL_MODEL = PROVIDERS.gemini.usualModel;

const modelName = z.string().trim().min(1).max(120);

const price = z.strictObject({
  input: z.number().min(0).describe("US dollars per million prompt tokens."),
  cached: z.number().min(0).describe("US dollars per million cached prompt tokens."),
  output: z.number().min(0).describe("US dollars per million output tokens."),
});

/** What the rules about baseUrl need. They hold whatever else is wrong, so that every problem is named at once. */
const endpoint = z.looseObject({
  provider: z.enum(LLM_PROVIDERS),
  baseUrl: z.string().nullable(),
  allowInsecureHost: z.boolean(),
});

/** The language model: its provider, address and limits. */
export const llmSchema = z
  .strictObject({
    provider: choice(LLM_PROVIDERS, "gemini").describe(
      "Which kind of server answers. offline answers from its notes alone, for a first look: no network, no key.",
    ),
    model: modelName
      .default(USUAL_MODEL)
      .describe("The model for every purpose that llm.models does not name."),
    models: z
      .partialRecord(z.enum(LLM_PURPOSES), modelName.nullable())
      .default({})
      .describe(
        "Another model for one purpose: reply (answers in chat), summarise (summaries of chat), extract (notes from summaries), rerank (order of notes).",
      ),
    baseUrl: z
      .string()
      .nullable()
      .default(null)
      .describe(
        "Address of the server if it is not the provider's own, such as http://127.0.0.1:11434/v1 for Ollama. https://, or http:// on this machine.",
      ),
    allowInsecureHost: onOrOff(false).describe(
      "Also accepts an http:// address on another machine of yours. Prompts travel unencrypted.",
    ),
    timeoutSeconds: number(1, 120, 15).describe("Time limit of one model call."),
    caps: z
      .strictObject({
        callsPerHour: z
          .int()
          .min(0)
          .default(300)
          .describe(
            "Model calls in any hour. You get one notice per cap; until it frees up, the bot is silent.",
          ),
        callsPerDay: z.int().min(0).default(3_000).describe("Model calls in any 24 hours."),
        tokensPerDay: z
          .int()
          .min(0)
          .default(10_000_000)
          .describe("Tokens in any 24 hours, in and out."),
        dollarsPerDay: z
          .number()
          .min(0)
          .default(2)
          .describe("US dollars in any 24 hours, for models with a known price."),
        memoryShare: number(0.05, 0.95, 0.4).describe(
          "Share of each cap that is kept for memory; the rest is for replies.",
        ),
      })
      .prefault({})
      .describe("What the model may cost."),
    prices: z
      .record(modelName, price)
      .default({})
      .describe(
        "Prices by model name (input, cached, output), in US dollars per million tokens. They replace the built-in ones.",
      ),
  })
  .prefault({})
  .refine(({ provider, baseUrl }) => baseUrl !== null || providerOf(provider)?.address !== null, {
    path: ["baseUrl"],
    error: "the endpoint of an openai-compatible server, such as http://127.0.0.1:11434/v1",
    when: ({ value }) => endpoint.safeParse(value).success,
  })
  .refine(
    ({ baseUrl, allowInsecureHost }) =>
      baseUrl === null || isSafeBaseUrl(baseUrl, allowInsecureHost),
    {
      path: ["baseUrl"],
      error: BASE_URL_RULE,
      when: ({ value }) => endpoint.safeParse(value).success,
    },
  );
