import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for Gemini that answers at once. */
export interface TimedModel {
  readonly url: string;
  /** Returns when it was last asked, by `performance.now()`. */
  readonly askedAtMs: () => number;
  /** Returns how many questions it answered. */
  readonly countAsked: () => number;
  close(): void;
}

export async function openTimedModel(): Promise<TimedModel> {
  let askedAtMs = 0;
  let count = 0;
  const server = createServer((request, response) => {
    askedAtMs = performance.now();
    request.resume().on("end", () => {
      count += 1;
      const parts = [{ text: `that would be lamp number ${count}, I believe` }];
      const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }];
      const usageMetadata = { promptTokenCount: 1_500, candidatesTokenCount: 12 };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ candidates, usageMetadata }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    askedAtMs: () => askedAtMs,
    countAsked: () => count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
