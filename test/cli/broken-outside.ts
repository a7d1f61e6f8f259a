import { onTestFinished } from "vitest";
import { geminiFails, geminiSays, quotaFailure } from "../stand-ins/gemini-server.ts";
import { ollamaHasLoaded, openAiSays, openOpenAiServer } from "../stand-ins/openai-server.ts";
import { MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
import {
  type BrokenSetup,
  freePort,
  prepared,
  REFRESH_TOKEN,
  setBotToken,
  takenPort,
} from "./examined.ts";

type Breaks = BrokenSetup[1];

function modelFails(...given: Parameters<typeof geminiFails>): Breaks {
  return prepared(({ town }) => town.model.enqueue(geminiFails(...given)));
}

/** What can be wrong with Twitch, the log-ins, the model and the page's port. */
export const BROKEN_OUTSIDE: readonly BrokenSetup[] = [
  [
    "no token",
    () => ({ environment: { TWITCH_ACCESS_TOKEN: "" } }),
    "bot_token",
    /there is no token of automark/,
    /forgetmenot setup/,
  ],
  [
    "a token that was withdrawn",
    prepared(({ town }) => town.helix.revokeToken(TWITCH_TOKEN)),
    "bot_token",
    /expired or was withdrawn/,
    /forgetmenot setup/,
  ],
  [
    "a token of another account",
    prepared((patient) => setBotToken(patient, { login: "somebody" })),
    "bot_token",
    /belongs to somebody/,
    /bot\.login to somebody/,
  ],
  [
    "a token with a character that none has",
    () => ({ environment: { TWITCH_ACCESS_TOKEN: `“${TWITCH_TOKEN}”` } }),
    "bot_token",
    /is not a token/,
    /forgetmenot setup/,
  ],
  [
    "a token that runs out tonight",
    prepared((patient) => setBotToken(patient, { expiresInSeconds: 3_600 })),
    "bot_token",
    /cannot be renewed/,
    /forgetmenot setup/,
  ],
  [
    "a token that nothing can renew at the next start",
    (patient) => {
      setBotToken(patient, { expiresInSeconds: 14_000 });
      return { environment: { TWITCH_REFRESH_TOKEN: REFRESH_TOKEN } };
    },
    "bot_token",
    /clientId is not set/,
    /set twitch\.clientId to client/,
  ],
  [
    "a channel that there is not",
    () => ({ config: { channel: "lanternroon" } }),
    "channel",
    /no channel called lanternroon/,
    /set channel/,
  ],
  [
    "chat that nobody reaches",
    async () => ({ config: { twitch: { chatUrl: `ws://127.0.0.1:${await freePort()}` } } }),
    "chat_server",
    /cannot be connected to/,
    /online/,
  ],
  [
    "a web server in the place of chat",
    ({ town }) => ({ config: { twitch: { chatUrl: town.model.url.replace("http:", "ws:") } } }),
    "chat_server",
    /not a chat server/,
    /twitch\.chatUrl/,
  ],
  [
    "no key for the model",
    () => ({ environment: { GEMINI_API_KEY: "" } }),
    "model",
    /no key for Google Gemini/,
    /aistudio\.google\.com/,
  ],
  [
    "a key that is refused",
    modelFails(400, "INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]),
    "model",
    /key is refused/,
    /GEMINI_API_KEY/,
  ],
  [
    "a key with a character that none has",
    () => ({ environment: { GEMINI_API_KEY: `“${MODEL_KEY}”` } }),
    "model",
    /a character that no key has/,
    /GEMINI_API_KEY/,
  ],
  [
    "a model that says nothing twice",
    prepared(({ town }) => town.model.enqueue(geminiSays({ text: "" }), geminiSays({ text: "" }))),
    "model",
    /gives empty answers/,
    /./,
  ],
  ["a model that there is not", modelFails(404, "NOT_FOUND"), "model", /not known/, /llm\.model/],
  [
    "a quota that is used up",
    modelFails(429, "RESOURCE_EXHAUSTED", [quotaFailure("RequestsPerDay")]),
    "model",
    /used up/,
    /wait/,
  ],
  [
    "a model that is asked too often",
    modelFails(429, "RESOURCE_EXHAUSTED"),
    "model",
    /too often/,
    /in a minute/,
  ],
  ["a model's server that fails", modelFails(503, "UNAVAILABLE"), "model", /of its own/, /minutes/],
  [
    "a model that nobody reaches",
    async () => ({ config: { llm: { baseUrl: `http://127.0.0.1:${await freePort()}` } } }),
    "model",
    /cannot be reached/,
    /llm\.baseUrl/,
  ],
  [
    "a model that never answers",
    ({ town }) => {
      town.model.enqueue({ kind: "hang" });
      return { config: { llm: { baseUrl: town.model.url, timeoutSeconds: 1 } } };
    },
    "model",
    /in time/,
    /timeoutSeconds/,
  ],
  [
    "a model whose context is too small",
    async () => {
      const server = await openOpenAiServer();
      onTestFinished(server.close);
      const ready = openAiSays({ text: "ready", fingerprint: "fp_ollama" });
      server.enqueue(ready, ollamaHasLoaded("a", 512));
      const baseUrl = `${server.url}/v1`;
      return { config: { llm: { provider: "openai-compatible", model: "a", baseUrl } } };
    },
    "model",
    /holds 512 tokens/,
    /larger/,
  ],
  [
    "a page port that is taken",
    async () => {
      const { port, free } = await takenPort();
      onTestFinished(free);
      return { config: { dashboard: { port } } };
    },
    "page",
    /taken by another program/,
    /dashboard\.port/,
  ],
];
