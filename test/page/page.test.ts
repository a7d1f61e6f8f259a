import { expect, test } from "vitest";
import { openDashboard } from "../../src/page/server.ts";
import { openPageRig, ROSA } from "./page-rig.ts";

const HTML = { accept: "text/html" };

test("a stranger gets nothing, of any kind, from any address of the page", async () => {
  const { send } = await openPageRig();
  for (const path of [
    "/",
    "/memory",
    "/api/notes",
    "/api/status",
    "/assets/app.js",
    "/overlay",
    "/api/live",
    "/overlay/live",
  ]) {
    const { status, text } = await send(path, { headers: HTML });
    expect([path, status]).toEqual([path, 401]);
    expect(text).not.toContain("lamps");
  }
  expect(
    (await send("/api/notes", { headers: { authorization: `Bearer ${"x".repeat(32)}` } })).status,
  ).toBe(401);
});

test("a link opens one session, once; what it opens says nothing to caches and frames", async () => {
  const { send, access } = await openPageRig();
  const link = access.make("link");
  const entered = await send(`/enter?key=${link}`);
  expect(entered.status).toBe(303);
  const cookie = String(entered.headers["set-cookie"]);
  expect(cookie).toMatch(/HttpOnly; SameSite=Strict; Path=\//);
  expect((await send(`/enter?key=${link}`)).status).toBe(401);
  const shown = await send("/", { headers: { cookie: cookie.split(";")[0] ?? "", ...HTML } });
  expect(shown.status).toBe(200);
  expect(shown.text).toContain("lamps");
  expect(shown.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(shown.headers["content-security-policy"]).not.toContain("unsafe");
  expect(shown.headers["cache-control"]).toBe("no-store");
});

test("names of other places, other sites' forms and stolen tokens change nothing", async () => {
  const { send, login, origin, db, note } = await openPageRig();
  const id = note("plays the cello");
  const { cookie, csrf } = await login();
  const other = await login();
  const change = (headers: Record<string, string>) =>
    send(`/api/notes/${id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", ...headers },
      body: '{"pinned":true}',
    });
  expect((await send("/", { headers: { host: "evil.example", cookie } })).status).toBe(421);
  expect((await send("/", { headers: { origin: "http://evil.example", cookie } })).status).toBe(
    403,
  );
  const refused = [
    await change({ cookie, "x-csrf-token": csrf }),
    await change({ cookie, origin }),
    await change({ cookie, origin, "x-csrf-token": other.csrf }),
    await change({ origin, "x-csrf-token": csrf }),
    await change({ cookie, origin: "http://evil.example", "x-csrf-token": csrf }),
    await change({ cookie, origin, "x-csrf-token": csrf, "sec-fetch-site": "cross-site" }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 401, 403, 403]);
  const pinned = db.prepare("SELECT pinned FROM semantic_notes WHERE id = ?").pluck();
  expect(pinned.get(id)).toBe(0);
  expect((await change({ cookie, origin, "x-csrf-token": csrf })).status).toBe(200);
  expect(pinned.get(id)).toBe(1);
});

test("too many wrong keys shut the door for a while", async () => {
  const { send } = await openPageRig();
  for (let n = 0; n < 20; n += 1) await send("/enter?key=wrong");
  expect((await send("/enter?key=wrong")).status).toBe(429);
});

test("paths out of the page, large bodies and broken JSON are refused, and the page lives", async () => {
  const { send, login, origin, bugs } = await openPageRig();
  const { cookie, csrf } = await login();
  const post = {
    method: "POST",
    headers: { cookie, origin, "x-csrf-token": csrf, "content-type": "application/json" },
  };
  for (const path of [
    "/assets/../../package.json",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/app.js%00",
    "//etc/passwd",
    "/%E0%A4%A",
  ]) {
    const { status, text } = await send(path, { headers: { cookie } });
    expect([400, 404]).toContain(status);
    expect(text).not.toContain("dependencies");
  }
  const large = await send("/api/notes", { ...post, body: "x".repeat(10_000_000) }).catch(() => ({
    status: 413,
  }));
  expect(large.status).toBe(413);
  const broken = await send("/api/notes", { ...post, body: '{"fact": ' });
  expect([broken.status, JSON.parse(broken.text)]).toEqual([
    400,
    { error: { code: "malformed", message: "the body is no JSON", mend: null } },
  ]);
  const wrong = await send("/api/notes", { ...post, body: '{"fact": 5, "wish": true}' });
  expect([wrong.status, JSON.parse(wrong.text).error.code]).toEqual([400, "invalid"]);
  expect((await send("/", { headers: { cookie } })).status).toBe(200);
  expect(bugs).toEqual([]);
});

test("hostile names, facts, topics and titles are text wherever they stand", async () => {
  const { send, login, db, note } = await openPageRig();
  const hostile = [
    `<script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    `'-alert(1)-'`,
    `</title><svg onload=alert(1)>`,
    `javascript:alert(1)`,
    `{{7*7}}`,
    "\u202Egnp.exe",
    `</textarea><b>`,
  ];
  for (let n = 0; n < 1_000; n += 1) {
    const text = `${hostile[n % hostile.length]} ${n}`;
    db.prepare(
      `INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, topics, words, confidence, status, source_kind, created_at, last_confirmed_at)
       VALUES ('lanternroom', 'viewer', ?, 'preference', ?, ?, '', 0.9, 'active', 'extracted', 1, 1)`,
    ).run(ROSA, text, text);
  }
  note("plays the cello");
  db.prepare("UPDATE viewers SET display_name = ?").run(hostile[0]);
  db.prepare("UPDATE channel_state SET title = ?, category = ?").run(hostile[1], hostile[3]);
  const { cookie } = await login();
  for (const path of [
    "/",
    "/memory?limit=200",
    "/memory/notes/2",
    "/memory/people",
    `/memory/people/${ROSA}`,
    "/review",
    "/telemetry",
    `/memory?q=${encodeURIComponent(hostile[1] ?? "")}`,
  ]) {
    const { status, text } = await send(path, { headers: { cookie, ...HTML } });
    expect([path, status]).toEqual([path, 200]);
    expect(text.replaceAll('<script type="module" src="/assets/app.js"></script>', "")).not.toMatch(
      /<script|<img|<svg onload|onerror=alert\(1\)>|<b> \d|href="javascript/,
    );
  }
});

test("a program with a token reads and changes by /api, and a revoked one does not", async () => {
  const { send, access, db, note } = await openPageRig();
  note("plays the cello");
  const token = access.make("token", "deck");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const read = async (path: string) => JSON.parse((await send(path, { headers })).text);
  expect((await read("/api/notes?q=cello")).items).toMatchObject([
    { id: 1, about: "Rosa", status: "active" },
  ]);
  expect(await read("/api/notes/1")).toMatchObject({ evidenceRows: [{ method: "operator" }] });
  const made = await send("/api/notes", {
    method: "POST",
    headers,
    body: '{"fact":"drinks oolong","viewer":"rosa"}',
  });
  expect(JSON.parse(made.text)).toMatchObject({ id: 2, isNew: true });
  await send("/api/notes/2", { method: "PATCH", headers, body: '{"fact":"drinks green tea"}' });
  expect(await read("/api/notes/2")).toMatchObject({ status: "superseded", successors: [3] });
  await send("/api/notes/3/undo", { method: "POST", headers, body: "{}" }).then(({ status }) =>
    expect(status).toBe(200),
  );
  await send("/api/notes/1", { method: "DELETE", headers });
  expect((await send("/api/notes/1", { headers })).status).toBe(404);
  expect(await read("/api/viewers/501")).toMatchObject({ accounts: [{ login: "rosa" }] });
  await send("/api/switches", { method: "PUT", headers, body: '{"paused":true}' });
  expect(db.prepare("SELECT is_on FROM switches WHERE name = 'paused'").pluck().get()).toBe(1);
  expect((await read("/api/status")).switches).toMatchObject({ paused: true });
  expect(await read("/api/export")).toHaveProperty("content.notes");
  expect(await send("/api/viewers/501", { method: "DELETE", headers })).toMatchObject({
    status: 200,
  });
  expect((await read("/api/notes")).items).toEqual([]);
  access.revoke("token", "deck");
  expect((await send("/api/notes", { headers })).status).toBe(401);
});

test("OpenAPI names every resource that the page has", async () => {
  const { send, access } = await openPageRig();
  const headers = { authorization: `Bearer ${access.make("token")}` };
  const { openapi, paths } = JSON.parse((await send("/api/openapi.json", { headers })).text);
  expect(openapi).toBe("3.1.0");
  for (const name of [
    "notes",
    "episodes",
    "viewers",
    "replies",
    "actions",
    "events",
    "stats",
    "policy",
    "export",
    "import",
    "status",
  ])
    expect(paths).toHaveProperty([`/api/${name}`]);
  expect(
    paths["/api/notes/{id}"].patch.requestBody.content["application/json"].schema.properties,
  ).toHaveProperty("pinned");
  for (const [path, methods] of Object.entries<Record<string, unknown>>(paths)) {
    if (!("get" in methods) || path.includes("{") || path === "/api/import") continue;
    expect([path, (await send(path, { headers })).status]).toEqual([path, 200]);
  }
});

test("a policy that is saved stands in the file and the history, and can be taken back", async () => {
  const { send, access, configFile } = await openPageRig();
  const headers = {
    authorization: `Bearer ${access.make("token")}`,
    "content-type": "application/json",
  };
  await send("/api/policy", { method: "PUT", headers, body: '{"memory":{"mode":"manual"}}' });
  const { readFileSync } = await import("node:fs");
  expect(JSON.parse(readFileSync(configFile, "utf8"))).toMatchObject({
    memory: { mode: "manual" },
  });
  const read = async () => JSON.parse((await send("/api/policy/history", { headers })).text).items;
  expect(await read()).toMatchObject([{ source: "page" }]);
  for (const key of ["dataDir", "twitch.chatUrl", "llm.baseUrl", "channel", "__proto__.x"]) {
    const body = JSON.stringify({ [key]: "elsewhere" });
    const { status } = await send("/api/settings", { method: "PATCH", headers, body });
    expect([key, status]).toEqual([key, 400]);
  }
});

test("the overlay's key shows the overlay and opens nothing else", async () => {
  const { send, access } = await openPageRig();
  const key = access.make("overlay");
  expect((await send(`/overlay?key=${key}`)).status).toBe(200);
  expect((await send(`/overlay/overlay.js?key=${key}`)).status).toBe(200);
  for (const path of [
    "/",
    "/memory",
    "/api/notes",
    "/api/status",
    "/enter",
    "/overlay/../api/notes",
  ])
    expect([path, (await send(`${path}?key=${key}`)).status]).toEqual([path, 401]);
});

test("a taken port moves the page to another", async () => {
  const first = await openDashboard({ host: "127.0.0.1", port: 0 });
  const port = Number(new URL(first.url).port);
  const second = await openDashboard({ host: "127.0.0.1", port });
  expect([second.isMoved, second.url === first.url]).toEqual([true, false]);
  await Promise.all([first.close(), second.close()]);
});
