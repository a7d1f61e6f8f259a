import { get, type IncomingHttpHeaders } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { openLog } from "../../src/log.ts";
import { type Dashboard, openDashboard } from "../../src/page/server.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { readStatus, type Status } from "../../src/telemetry/status.ts";

const now = () => Date.UTC(2026, 4, 1);

test("the page shows the status, as text and as JSON, to this machine alone", async () => {
  const page = await openPage();
  const shown = await request(page.url);
  expect(shown.status).toBe(200);
  expect(shown.body).toContain("<!doctype html>");
  expect(shown.body).toContain("not running");
  expect(shown.headers).toMatchObject({
    "content-security-policy": expect.stringContaining("default-src 'none'"),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  const json = await request(`${page.url}status.json`);
  expect(JSON.parse(json.body)).toMatchObject({ running: false, channels: [] });
  expect((await request(`${page.url}nothing`)).status).toBe(404);
});

test("a name that only points here is turned away", async () => {
  const page = await openPage();
  expect((await request(page.url, "evil.example")).status).toBe(421);
  expect((await request(page.url, "localhost:4747")).status).toBe(200);
});

test("a status that cannot be read is no page, and shows nothing of why", async () => {
  const page = await openPage(() => {
    throw new Error("a path");
  });
  const { status, body } = await request(page.url);
  expect([status, body]).toEqual([500, "this page cannot be shown right now"]);
});

test("a taken port is a fault that names the key", async () => {
  const page = await openPage();
  const port = Number(new URL(page.url).port);
  await expect(openDashboard({ port, readStatus: status, now })).rejects.toThrow(
    /^dashboard\.port: /,
  );
});

function status(): Status {
  const db = openDatabase(":memory:");
  try {
    return readStatus({ db, now, log: openLog("silent"), running: false });
  } finally {
    db.close();
  }
}

async function openPage(read: () => Status = status): Promise<Dashboard> {
  const page = await openDashboard({ port: 0, readStatus: read, now });
  onTestFinished(() => page.close());
  return page;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `fetch` does not let the host be chosen. */
function request(url: string, host?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { headers: host === undefined ? {} : { host } }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    asked.on("error", reject);
  });
}
