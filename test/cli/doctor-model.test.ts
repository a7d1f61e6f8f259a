import { expect, onTestFinished, test } from "vitest";
import { geminiFails, geminiSays, quotaFailure } from "../stand-ins/gemini-server.ts";
import { ollamaHasLoaded, openAiSays, openOpenAiServer } from "../stand-ins/openai-server.ts";
import { MODEL_KEY } from "../stand-ins/town.ts";
import { examine, freePort, openPatient } from "./examined.ts";

test.each([
  {
    name: "the key is refused",
    script: geminiFails(400, "INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]),
    expected: { state: "problem", found: /the key is refused/, mend: /GEMINI_API_KEY/ },
  },
  {
    name: "the name is unknown",
    script: geminiFails(404, "NOT_FOUND"),
    expected: { state: "problem", found: /is not known to the provider/, mend: /llm\.model/ },
  },
  {
    name: "the day's quota is used up",
    script: geminiFails(429, "RESOURCE_EXHAUSTED", [quotaFailure("RequestsPerDay")]),
    expected: { state: "problem", found: /quota is used up/, mend: /wait/ },
  },
  {
    name: "too much was asked just now",
    script: geminiFails(429, "RESOURCE_EXHAUSTED"),
    expected: { state: "warning", found: /too often/, mend: /in a minute/ },
  },
  {
    name: "the server fails",
    script: geminiFails(503, "UNAVAILABLE"),
    expected: { state: "problem", found: /error of its own/, mend: /some minutes/ },
  },
])("a model of which $name", async ({ script, expected: { state, found, mend } }) => {
  const patient = await openPatient();
  patient.town.model.enqueue(script);
  const { of, exit } = await examine(patient);
  expect(of("model")).toEqual([
    { state, found: expect.stringMatching(found), mend: expect.stringMatching(mend) },
  ]);
  expect(exit).toBe(state === "problem" ? 1 : 0);
});

test.each([
  ["gemini", "GEMINI_API_KEY", `${MODEL_KEY}\nmore`],
  ["gemini", "GEMINI_API_KEY", `“${MODEL_KEY}”`],
  ["openai-compatible", "OPENAI_API_KEY", `${MODEL_KEY}\nmore`],
])("a key that no header takes is refused, and not quoted: %s, %s", async (provider, name, key) => {
  const patient = await openPatient();
  const llm = { provider, model: "a", baseUrl: patient.town.model.url };
  const { of } = await examine(patient, { llm }, { [name]: key });
  expect(of("model")).toEqual([
    {
      state: "problem",
      found: "a cannot be asked: the key is refused (a character that no key has)",
      mend: expect.stringContaining(name),
    },
  ]);
  expect(patient.town.model.requests).toEqual([]);
});

test("a model that nobody reaches, and one that never answers, are told", async () => {
  const patient = await openPatient();
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const away = await examine(patient, { llm: { baseUrl } });
  expect(away.of("model")[0]?.found).toMatch(/cannot be reached/);
  patient.town.model.enqueue({ kind: "hang" });
  const mute = await examine(patient, {
    llm: { baseUrl: patient.town.model.url, timeoutSeconds: 1 },
  });
  expect(mute.of("model")[0]).toMatchObject({
    state: "problem",
    found: expect.stringContaining("does not answer in time"),
    mend: expect.stringContaining("llm.timeoutSeconds"),
  });
});

test("a server whose context is too small is told, with what to do", async () => {
  const server = await openOpenAiServer();
  onTestFinished(server.close);
  server.enqueue(
    openAiSays({ text: "ready", fingerprint: "fp_ollama" }),
    ollamaHasLoaded("a", 512),
  );
  const llm = { provider: "openai-compatible", model: "a", baseUrl: `${server.url}/v1` };
  const { of, exit } = await examine(await openPatient(), { llm });
  expect(of("model")[1]).toEqual({
    state: "warning",
    found: "The context of a holds 512 tokens; a prompt and its answer need more",
    mend: expect.stringMatching(/^Give it a larger one .* or lower `prompt\.budgetTokens`$/),
  });
  expect(exit).toBe(0);
});

test("a model that was reached, and says nothing twice, is a problem", async () => {
  const patient = await openPatient();
  patient.town.model.enqueue(geminiSays({ text: "" }), geminiSays({ text: "" }));
  const [seen] = (await examine(patient)).of("model");
  expect(seen).toMatchObject({
    state: "problem",
    found: expect.stringContaining("gives empty answers"),
  });
});

test("each model that the configuration names is asked, once", async () => {
  const patient = await openPatient();
  const models = { summarise: "model-b", extract: "model-b", rerank: "model-c" };
  const { of } = await examine(patient, {
    llm: { baseUrl: patient.town.model.url, model: "model-a", models },
  });
  expect(of("model").map(({ found }) => found.split(" ")[0])).toEqual(["model-a", "model-b"]);
  expect(patient.town.model.requests.length).toBe(2);
});
