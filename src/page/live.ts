import type { ServerResponse } from "node:http";

/** What may change under an open page; a view says which of these it shows. */
export type Topic = "status" | "replies" | "notes" | "actions" | "episodes" | "texts" | "said";

export interface Told {
  readonly topics: readonly Topic[];
  /** The bot's clock: countdowns go by it. */
  readonly nowMs: number;
  /** What the bot just said in chat, for the overlay. */
  readonly said: readonly string[];
}

const LISTENERS_MAX = 40;
const PING_EVERY_MS = 15_000;

/**
 * Browsers that wait to be told of changes. One that does not take what it is sent is dropped: nothing is kept for it.
 * `onHeard` is told when the first comes and the last goes.
 */
export function openListeners(onHeard: (isHeard: boolean) => void) {
  const listeners = new Map<ServerResponse, boolean>();
  let ping: NodeJS.Timeout | null = null;
  const drop = (response: ServerResponse): void => {
    if (!listeners.delete(response)) return;
    response.destroy();
    if (listeners.size > 0) return;
    if (ping !== null) clearInterval(ping);
    ping = null;
    onHeard(false);
  };
  const write = (response: ServerResponse, text: string): void => {
    if (response.writableNeedDrain) drop(response);
    else response.write(text);
  };
  return {
    /** `isOverlay`: it hears what was said in chat, and nothing else. */
    add: (response: ServerResponse, isOverlay: boolean): void => {
      const oldest = listeners.keys().next().value;
      if (listeners.size >= LISTENERS_MAX && oldest !== undefined) drop(oldest);
      response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
      response.on("close", () => drop(response));
      listeners.set(response, isOverlay);
      write(response, "retry: 1000\n\n");
      if (listeners.size > 1) return;
      ping = setInterval(() => {
        for (const one of listeners.keys()) write(one, ": here\n\n");
      }, PING_EVERY_MS);
      ping.unref();
      onHeard(true);
    },
    tell: ({ topics, nowMs, said }: Told): void => {
      const change = `event: change\ndata: ${JSON.stringify({ topics, nowMs })}\n\n`;
      const spoken = said
        .map((text) => `event: said\ndata: ${JSON.stringify({ text })}\n\n`)
        .join("");
      // What was taken away may be what the bubble shows.
      const gone = topics.includes("texts") ? "event: gone\ndata: {}\n\n" : "";
      for (const [response, isOverlay] of listeners) {
        if (!isOverlay) write(response, change);
        else if (gone + spoken !== "") write(response, gone + spoken);
      }
    },
  };
}
