import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { geminiFails, geminiSays, openGeminiServer } from "../stand-ins/gemini-server.ts";
import type { ModelServer } from "../stand-ins/model-server.ts";
import { openWorkbench, question, type Workbench } from "./workbench.ts";

let server: ModelServer;
let bench: Workbench;

beforeEach(async () => {
  server = await openGeminiServer();
  bench = openWorkbench();
});
afterEach(async () => {
  await server.close();
  bench.close();
});

const gemini = () => bench.provider({ baseUrl: server.url });
const generationConfig = (at: number) => {
  const sent = server.requests[at]?.body as Sent | undefined;
  return sent?.generationConfig;
};

interface Sent {
  readonly generationConfig: Readonly<Record<string, unknown>>;
}

const claims = z.object({
  who: z.string().min(1),
  events: z.array(z.int().positive()).max(5),
  kind: z.enum(["fact", "joke"]),
});

test("a schema is sent with its fields in declared order, and the answer comes back parsed", async () => {
  server.enqueue(geminiSays({ text: '{"who":"ada","events":[3],"kind":"joke"}' }));
  const answer = await gemini().ask({ ...question({ purpose: "extract" }), schema: claims });
  expect(answer).toMatchObject({ value: { who: "ada", events: [3], kind: "joke" } });
  expect(generationConfig(0)).toMatchObject({
    responseMimeType: "application/json",
    responseJsonSchema: {
      type: "object",
      required: ["who", "events", "kind"],
      properties: { kind: { type: "string", enum: ["fact", "joke"] }, events: { maxItems: 5 } },
    },
  });
});

test("an answer that does not validate is repaired by one more question that shows the error", async () => {
  server.enqueue(geminiSays({ text: '{"who":"ada","events":[3],"kind":"song"}' }));
  server.enqueue(
    geminiSays({ text: '{"who":"ada","events":[3],"kind":"fact"}', promptTokens: 180 }),
  );
  const answer = await gemini().ask({ ...question({ purpose: "extract" }), schema: claims });
  expect(answer).toMatchObject({ ok: true, value: { kind: "fact" } });
  const second = JSON.stringify(server.requests[1]?.body);
  expect(second).toContain("kind: Invalid option");
  expect(bench.rows()).toMatchObject([
    { outcome: "invalid_json", estimatedTokens: 100 },
    { outcome: "ok", estimatedTokens: 0 },
  ]);
});

test("an answer that stays wrong is told after one repair", async () => {
  server.enqueue(geminiSays({ text: "{}" }), geminiSays({ text: "no" }));
  const answer = await gemini().ask({ ...question({ purpose: "extract" }), schema: claims });
  expect(answer).toMatchObject({ failure: "invalid_json" });
  expect(server.requests).toHaveLength(2);
});

test("an answer that was cut off is not repaired: it would be cut off again", async () => {
  server.enqueue(geminiSays({ text: '{"who":"a', finishReason: "MAX_TOKENS" }));
  const answer = await gemini().ask({ ...question({ purpose: "extract" }), schema: claims });
  expect(answer).toMatchObject({ failure: "truncated", finish: "max_tokens" });
  expect(server.requests).toHaveLength(1);
});

test("a schema that the model refuses is put in words", async () => {
  const refusal = geminiFails(400, "INVALID_ARGUMENT");
  server.enqueue(refusal, refusal);
  server.enqueue(geminiSays({ text: '{"who":"ada","events":[],"kind":"fact"}' }));
  const answer = await gemini().ask({ ...question({ purpose: "extract" }), schema: claims });
  expect(answer).toMatchObject({ ok: true });
  expect(generationConfig(2)).not.toHaveProperty("responseJsonSchema");
  expect(JSON.stringify(server.requests[2]?.body)).toContain("JSON Schema");
});
