import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { describeBug } from "../errors.ts";
import type { Config } from "../platform/config/load.ts";
import type { TriedOut, TryOut } from "../reply/try-out.ts";
import type { Listeners, Told } from "./live-store.ts";
import { errorBody } from "./route.ts";

/** A request, as the thread that answers it gets it. */
export interface PageQuestion {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly contentType: string;
  readonly etag: string;
  /** The page that a form stood on; "" for none. */
  readonly back: string;
  /** A page that is open draws itself anew: word of what was done is not for it. */
  readonly isDrawnAnew: boolean;
  readonly body: string;
  /** The session of a browser; null for a program. */
  readonly person: { readonly id: string; readonly csrf: string } | null;
  readonly isOverlay: boolean;
}

export interface Back {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ToReader =
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly asked: PageQuestion;
      readonly nowMs: number;
    }
  | { readonly kind: "config"; readonly config: Config }
  | { readonly kind: "watch"; readonly isHeard: boolean }
  | { readonly kind: "tried"; readonly id: number; readonly tried: TriedOut };

export type FromReader =
  | { readonly kind: "ready" }
  | { readonly kind: "bug"; readonly bug: string; readonly at: string | null }
  | { readonly kind: "back"; readonly id: number; readonly back: Back }
  | { readonly kind: "told"; readonly told: Told }
  | { readonly kind: "try"; readonly id: number; readonly asked: TryOut };

/** What the thread starts with. */
export interface ReaderData {
  readonly databaseFile: string;
  /** null: the configuration stands in no file, and cannot be changed. */
  readonly configFile: string | null;
  readonly config: Config;
}

export interface ReaderParts {
  /** As it holds now. */
  readonly config: Config;
  readonly configFile: string | null;
  readonly now: () => number;
  readonly onBug: (bug: { readonly bug: string; readonly at: string | null }) => void;
  /** What the bot would answer; nothing is sent, and nothing is kept. */
  readonly tryAnswer: (asked: TryOut) => Promise<TriedOut>;
}

const IDLE_MS = 60_000;
const LOOK_EVERY_MS = 10_000;
const WAITING_MAX = 64;
const HEAP_MB_MAX = 192;
const BROKEN: Back = failure(500, "broken", "This cannot be shown right now.");
const BUSY: Back = failure(503, "busy", "Too many requests wait. Try again in a moment.");

/**
 * The thread that makes pages and answers, with connections to the database of its own: nothing that is shown or typed
 * here holds up the bot. It starts with the first request and ends a minute after the last.
 */
export function openReader(parts: ReaderParts, live: Pick<Listeners, "tell" | "dropAll">) {
  let thread: ReturnType<typeof startThread> | null = null;
  let isHeard = false;
  let isClosed = false;
  const forget = (): void => {
    thread = null;
    // Whoever heard it comes again, draws anew what was missed meanwhile, and so starts another.
    live.dropAll();
  };
  const running = () => {
    thread ??= startThread(parts, live.tell, forget);
    thread.refresh();
    return thread;
  };
  const idle = setInterval(() => {
    if (thread !== null && !isHeard && thread.idleMs() > IDLE_MS) void thread.end();
  }, LOOK_EVERY_MS);
  idle.unref();
  return {
    /** Starts the thread for somebody who is about to ask; resolves when it answers. */
    wake: async (): Promise<void> => (isClosed ? undefined : running().ready),
    /** Never rejects: what failed is an answer of 500 or 503. */
    ask: async (asked: PageQuestion): Promise<Back> => (isClosed ? BROKEN : running().ask(asked)),
    watch: (heard: boolean): void => {
      isHeard = heard;
      if (!isClosed && (heard || thread !== null)) running().watch(heard);
    },
    close: async (): Promise<void> => {
      isClosed = true;
      clearInterval(idle);
      await thread?.end();
    },
  };
}

function startThread(
  parts: ReaderParts,
  tell: (told: Told, nowMs: number) => void,
  onEnd: () => void,
) {
  const { config, configFile, now } = parts;
  const waiting = new Map<number, (back: Back) => void>();
  const last = { id: 0, usedAtMs: performance.now(), config: JSON.stringify(config) };
  const { databaseFile } = config;
  const worker = startWorker({ databaseFile, configFile, config: JSON.parse(last.config) });
  const post = (message: ToReader): void => worker.postMessage(message);
  let readied: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    readied = resolve;
  });
  worker.on("message", (message: FromReader) => {
    if (message.kind === "ready") readied();
    if (message.kind === "told") tell(message.told, now());
    if (message.kind === "back") {
      waiting.get(message.id)?.(message.back);
      waiting.delete(message.id);
    }
    if (message.kind === "bug") parts.onBug({ bug: message.bug, at: message.at });
    if (message.kind === "try") {
      const { id } = message;
      void parts.tryAnswer(message.asked).then((tried) => post({ kind: "tried", id, tried }));
    }
  });
  worker.on("error", (thrown) => parts.onBug(describeBug(thrown))); // `exit` comes behind it
  worker.once("exit", () => {
    onEnd();
    readied();
    for (const settle of waiting.values()) settle(BROKEN);
    waiting.clear();
  });
  return {
    /** Resolves when it takes questions, or has ended. */
    ready,
    ask: (asked: PageQuestion): Promise<Back> => {
      last.usedAtMs = performance.now();
      if (waiting.size >= WAITING_MAX) return Promise.resolve(BUSY);
      last.id += 1;
      const { id } = last;
      post({ kind: "ask", id, asked, nowMs: now() });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    watch: (isHeard: boolean): void => post({ kind: "watch", isHeard }),
    /** Hands a configuration in that changed: its parts alone, which a reload replaces behind getters. */
    refresh: (): void => {
      const text = JSON.stringify(parts.config);
      if (text === last.config) return;
      last.config = text;
      post({ kind: "config", config: JSON.parse(text) });
    },
    idleMs: (): number => performance.now() - last.usedAtMs,
    end: async (): Promise<void> => {
      await worker.terminate();
    },
  };
}

function startWorker(workerData: ReaderData): Worker {
  const extension = extname(import.meta.url);
  const file = new URL(`./page-child${extension}`, import.meta.url);
  const options = {
    workerData,
    // It gets no secret from the environment.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: 3 },
  };
  if (extension !== ".ts") return new Worker(file, options);
  // From source a loader is needed that only the tests and benchmarks have.
  const start = `import('tsx/esm/api').then(({ register }) => { register(); return import('${file.href}'); })`;
  return new Worker(start, { ...options, eval: true });
}

function failure(status: number, code: string, message: string): Back {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(errorBody(code, message)),
  };
}
