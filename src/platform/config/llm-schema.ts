import { z } from "zod";
import { choice, number, onOrOff, whole } from "./fields.ts";
import { LLM_PROVIDERS, LLM_PURPOSES, type LlmPurpose } from "./names.ts";
import { BASE_URL_RULE, isSafeBaseUrl } from "./urls.ts";

/** What is asked where nobody chose a model. */
export const USUAL_MODEL = "gemini-3.5-flash-lite";

const modelName = z.string().trim().min(1).max(120);

const PURPOSE_WORDS: Readonly<Record<LlmPurpose, string>> = {
  reply: "replies in chat",
  summarise: "summaries of chat",
  extract: "notes from summaries",
  rerank: "choosing among notes",
};

const perPurpose = Object.fromEntries(
  LLM_PURPOSES.map((purpose) => [
    purpose,
    modelName.nullable().default(null).describe(`Model for ${PURPOSE_WORDS[purpose]}.`),
  ]),
) as Record<LlmPurpose, z.ZodDefault<z.ZodNullable<typeof modelName>>>;

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

/** Which language model answers, where it is, and what it may cost. */
export const llmSchema = z
  .strictObject({
    provider: choice(LLM_PROVIDERS, "gemini").describe("Who answers."),
    model: modelName.default(USUAL_MODEL).describe("Model for every purpose."),
    models: z
      .strictObject(perPurpose)
      .prefault({})
      .describe("A model of its own for one purpose; null means llm.model."),
    baseUrl: z
      .string()
      .nullable()
      .default(null)
      .describe("Another endpoint than the provider's own: https, or http on loopback."),
    allowInsecureHost: onOrOff(false).describe(
      "Also take an http baseUrl on another machine of yours. Prompts travel unencrypted.",
    ),
    timeoutSeconds: number(1, 120, 15).describe("How long one model call may take."),
    maxOutputTokens: whole(64, 8_192, 1_024).describe(
      "Upper limit of one answer, thinking included.",
    ),
    caps: z
      .strictObject({
        callsPerHour: z.int().min(0).default(300).describe("Model calls in any hour."),
        callsPerDay: z.int().min(0).default(3_000).describe("Model calls in any 24 hours."),
        tokensPerDay: z.int().min(0).default(10_000_000).describe("Tokens in any 24 hours."),
        dollarsPerDay: z
          .number()
          .min(0)
          .default(2)
          .describe("US dollars in any 24 hours, for models with a known price."),
        memoryShare: number(0.05, 0.95, 0.4).describe(
          "Share of each cap kept for memory; the rest is for replies.",
        ),
      })
      .prefault({})
      .describe("What the model may cost. Reaching a cap is told once."),
    prices: z
      .record(modelName, price)
      .default({})
      .describe("Prices by model name, over the built-in table."),
  })
  .prefault({})
  .refine(({ provider, baseUrl }) => provider !== "openai-compatible" || baseUrl !== null, {
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
