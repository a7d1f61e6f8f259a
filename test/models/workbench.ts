import { PROVIDERS } from "../../src/catalogue/providers.ts";
import { configSchema } from "../../src/config/schema.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { openLog } from "../../src/log.ts";
import { LlmCallStore } from "../../src/models/call-store.ts";
import { createGeminiAdapter } from "../../src/models/gemini.ts";
import { ModelGate } from "../../src/models/model-gate.ts";
import type { Adapter, Llm, LlmRequest } from "../../src/models/model-port.ts";
import { openLlm } from "../../src/models/open-model.ts";
import { createOpenAiAdapter } from "../../src/models/openai-compatible.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";

export const KEY = "AIzaSecretKeyOfTheStreamer0123456789";

type LlmSettings = ReturnType<typeof settings>;

interface Row {
  readonly purpose: string;
  readonly model: string;
  readonly outcome: string;
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  readonly estimatedTokens: number;
  readonly dollars: number | null;
}

export interface Workbench {
  readonly db: Db;
  readonly notices: NoticeBoard;
  readonly logLines: readonly string[];
  readonly clock: { nowMs: number };
  /** The real thing over HTTP. */
  provider(overrides: Partial<LlmSettings>, apiKey?: string | null): Llm;
  adapter(provider: "gemini" | "openai", baseUrl: string): Adapter;
  /** The gate alone, over an adapter of the test's. */
  gate(adapter: Adapter, overrides?: Partial<LlmSettings>, reservedShare?: number): Llm;
  rows(): Row[];
  close(): void;
}

/** A fresh database, a clock that stands still, and whatever of the room a test needs on top of them. */
export function openWorkbench(): Workbench {
  const db = openDatabase(":memory:");
  const clock = { nowMs: Date.UTC(2026, 9, 10, 12) };
  const now = () => clock.nowMs;
  const logLines: string[] = [];
  const log = openLog("debug", (line) => logLines.push(line));
  const notices = new NoticeBoard(db, now, log);
  const select = db.prepare<[], Row>(
    `SELECT purpose, model, outcome, prompt_tokens AS promptTokens, cached_tokens AS cachedTokens,
       output_tokens AS outputTokens, estimated_tokens AS estimatedTokens, dollars FROM llm_calls ORDER BY id`,
  );
  return {
    db,
    notices,
    logLines,
    clock,
    provider: (overrides, apiKey = KEY) => {
      const config = { llm: { ...settings(), ...overrides } };
      const apiKeys = { geminiApiKey: apiKey, openaiApiKey: apiKey };
      return openLlm({ config, apiKeys, offline: scriptedLlm(), db, now, notices, log });
    },
    adapter: (provider, baseUrl) => {
      const options = { apiKey: KEY, baseUrl, now };
      return provider === "gemini"
        ? createGeminiAdapter({ ...options, provider: PROVIDERS.gemini })
        : createOpenAiAdapter({ ...options, provider: PROVIDERS["openai-compatible"], notices });
    },
    gate: (adapter, overrides = {}, reservedShare = 0) => {
      const config = { llm: { ...settings(), ...overrides } };
      const store = new LlmCallStore(db);
      return new ModelGate({
        ...{ adapter, config, store, now, notices, log, canStopReasoning: true },
        reservedShare,
        retryDelayMs: 1,
      });
    },
    rows: () => select.all(),
    close: () => db.close(),
  };
}

export function settings() {
  return configSchema.parse({ channel: "somechannel" }).llm;
}

export function question(overrides: Partial<LlmRequest> = {}): LlmRequest {
  return {
    purpose: "reply",
    prefix: "You are Mark.",
    tail: "ada: how was the raid?",
    estimatedTokens: 100,
    ...overrides,
  };
}
