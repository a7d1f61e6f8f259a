import { writeFileSync } from "node:fs";
import { request as ask } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { type Db, makePrivateFolder, openDatabase } from "../../src/database/open-database.ts";
import { PageAccess } from "../../src/page/access.ts";
import type { ShownPage } from "../../src/page/api.ts";
import { openDashboard } from "../../src/page/server.ts";
import { openNoteOperator } from "../../src/privacy/operator.ts";
import { addRow } from "../stand-ins/rows.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const CHANNEL = "lanternroom";
export const ROSA = "501";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type PageRig = Awaited<ReturnType<typeof openPageRig>>;

/** A page over a database and a configuration of its own, with one channel, one viewer, and whatever a test writes. */
export async function openPageRig(given: Partial<ShownPage> = {}, port = 0) {
  const folder = temporaryFolder();
  const configFile = join(folder, "config.json");
  writeFileSync(
    configFile,
    JSON.stringify({ channel: CHANNEL, dataDir: "./data", llm: { provider: "offline" } }, null, 2),
  );
  const config = loadConfig(configFile);
  makePrivateFolder(config.dataDir);
  const db = openDatabase(config.databaseFile);
  const now = Date.now;
  seed(db, now());
  const page = await openDashboard(port);
  const bugs: unknown[] = [];
  page.show({
    db,
    config,
    configFile,
    now,
    onBug: (bug) => void bugs.push(bug),
    tryAnswer: ({ question, voice }) =>
      Promise.resolve({
        text: `heard ${question}${voice === null ? "" : `, ${voice}`}`,
        reason: null,
        trail: null,
      }),
    control: {},
    ...given,
  });
  onTestFinished(async () => {
    await page.close();
    db.close();
  });
  const access = new PageAccess(db, now);
  const origin = page.url.replace(/\/$/, "");
  const send = (path: string, sent: Sent = {}): Promise<Answer> => exchange(page.url, path, sent);
  const operator = () => openNoteOperator({ config, db, now });
  return {
    url: page.url,
    isMoved: page.isMoved,
    origin,
    db,
    access,
    config,
    configFile,
    bugs,
    send,
    /** Asks `/api` as a program with a token, and reads its answer as JSON. */
    ask: async (path: string, method = "GET", body?: object) => {
      const authorization = `Bearer ${access.make("token")}`;
      const headers = { authorization, "content-type": "application/json" };
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const { status, text } = await send(`/api/${path}`, sent);
      return { status, json: JSON.parse(text) };
    },
    /** Ends the page, as when the bot is gone. */
    close: () => page.close(),
    /** A note by the streamer's word; gives its number. */
    note: (text: string, subjectId: string | null = ROSA): number =>
      operator().add({
        channel: CHANNEL,
        subjectId,
        scope: subjectId === null ? "channel" : "viewer",
        kind: null,
        text,
      }).id,
    /** The cookie of a browser that came by a link, and what its forms carry. */
    login: async () => {
      const entered = await send(`/enter?key=${access.make("link")}`);
      const cookie = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
      const { text } = await send("/", { headers: { cookie, accept: "text/html" } });
      const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
      return { cookie, csrf };
    },
  };
}

function seed(db: Db, nowMs: number): void {
  const [channel, seen] = [CHANNEL, { first_seen_at: nowMs, last_seen_at: nowMs }];
  addRow(db, "channel_state", { channel, title: "lamps", category: "Crafts", is_live: 1 });
  addRow(db, "viewers", { user_id: ROSA, login: "rosa", display_name: "Rosa", ...seen });
  const known = { message_count: 12, stream_count: 2 };
  addRow(db, "viewer_channels", { channel, user_id: ROSA, ...known, ...seen });
  addRow(db, "stream_sessions", { channel, started_at: nowMs - 3_600_000 });
}

/** `fetch` lets neither the host nor the origin be chosen. */
export function exchange(
  url: string,
  path: string,
  { method = "GET", headers = {}, body }: Sent,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = ask({ hostname, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
