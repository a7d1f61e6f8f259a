import { parentPort, workerData } from "node:worker_threads";
import { describeBug } from "../errors.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import type { TriedOut } from "../reply/try-out.ts";
import { pageApp } from "./app.tsx";
import { browseStore } from "./browse-store.ts";
import { changeTeller } from "./change-store.ts";
import type { Desk, Flash } from "./desk.ts";
import type { Asked, Back, FromReader, ReaderData, ToReader } from "./reader.ts";

// A thread of its own: pages and answers of the API are made here, and what the streamer changes is written from here,
// as a command beside the daemon would do it.

/** A VACUUM of the daemon's may hold the database that long. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 100;

const port = parentPort;
const data = workerData as ReaderData;
const state = {
  config: data.config,
  watching: null as NodeJS.Timeout | null,
  lastTry: 0,
};
const { databaseFile, configFile } = data;
const db = openDatabase(databaseFile, { readOnly: true });
const browse = browseStore(db);
const changes = changeTeller(db);
const app = pageApp();
const flashes = new Map<string, Flash>();
const trying = new Map<number, (tried: TriedOut) => void>();
const writable = connection();

port?.on("message", (message: ToReader) => {
  if (message.kind === "config") state.config = message.config;
  if (message.kind === "watch") watch(message.isHeard);
  if (message.kind === "tried") {
    trying.get(message.id)?.(message.tried);
    trying.delete(message.id);
  }
  if (message.kind === "ask") {
    const { id, asked, nowMs } = message;
    void answer(asked, nowMs).then((back) => post({ kind: "back", id, back }));
  }
});

/** Without its message, which could quote chat. */
function onBug(thrown: unknown): void {
  post({ kind: "bug", ...describeBug(thrown) });
}

function post(message: FromReader): void {
  port?.postMessage(message);
}

async function answer(asked: Asked, nowMs: number): Promise<Back> {
  const desk: Desk = {
    config: state.config,
    configFile,
    nowMs,
    db,
    browse,
    change: (work) => work({ config: state.config, db: writable(), now: () => nowMs }),
    tryAnswer: (question) => {
      state.lastTry += 1;
      const id = state.lastTry;
      post({ kind: "try", id, asked: question });
      return new Promise((resolve) => trying.set(id, resolve));
    },
  };
  const response = await app(asked, { desk, flashes, onBug });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** Opened for the first change: whoever only looks needs none. */
function connection(): () => Db {
  let opened: Db | null = null;
  return () => {
    opened ??= openDatabase(databaseFile, { busyTimeoutMs: PATIENCE_MS });
    return opened;
  };
}

function watch(isHeard: boolean): void {
  if (state.watching !== null) clearInterval(state.watching);
  state.watching = null;
  if (!isHeard) return;
  changes.look();
  state.watching = setInterval(() => {
    const told = changes.look();
    if (told !== null) post({ kind: "told", told });
  }, LOOK_EVERY_MS);
}
