import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { addRow } from "../stand-ins/rows.ts";
import { CHANNEL, openPageRig, ROSA } from "./page-rig.ts";

const HTML = { accept: "text/html" };

test("a stranger gets nothing from any address of the page", async () => {
  const { send } = await openPageRig();
  const views = ["/", "/memory", "/assets/app.js", "/overlay", "/overlay/live"];
  for (const path of [...views, "/api/notes", "/api/status", "/api/live"]) {
    const { status, text } = await send(path, { headers: HTML });
    expect([path, status]).toEqual([path, 401]);
    expect(text).not.toContain("lamps");
  }
  expect(
    (await send("/api/notes", { headers: { authorization: `Bearer ${"x".repeat(32)}` } })).status,
  ).toBe(401);
});

test("a link opens one session, once, with strict headers", async () => {
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

test("other hosts, other sites' forms and stolen tokens change nothing", async () => {
  const { send, login, origin, db, note } = await openPageRig();
  const id = note("plays the cello");
  const { cookie, csrf } = await login();
  const other = await login();
  const change = (headers: Record<string, string>, token = "") =>
    send(`/api/notes/${id}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: `_csrf=${token}&_method=patch&pinned=true`,
    });
  expect((await send("/", { headers: { host: "evil.example", cookie } })).status).toBe(421);
  expect((await send("/", { headers: { origin: "http://evil.example", cookie } })).status).toBe(
    403,
  );
  const refused = [
    await change({ cookie }, csrf),
    await change({ cookie, origin }),
    await change({ cookie, origin }, other.csrf),
    await change({ origin }, csrf),
    await change({ cookie, origin: "http://evil.example" }, csrf),
    await change({ cookie, origin, "sec-fetch-site": "cross-site" }, csrf),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 401, 403, 403]);
  const pinned = db.prepare("SELECT pinned FROM semantic_notes WHERE id = ?").pluck();
  expect(pinned.get(id)).toBe(0);
  expect((await change({ cookie, origin }, csrf)).status).toBe(303);
  expect(pinned.get(id)).toBe(1);
});

test("a HEAD request uses up no link", async () => {
  const { send, access } = await openPageRig();
  const link = `/enter?key=${access.make("link")}`;
  expect((await send(link, { method: "HEAD" })).headers["set-cookie"]).toBeUndefined();
  const entered = await send(link);
  expect(entered.status).toBe(303);
  expect(entered.headers["set-cookie"]).toBeDefined();
});

test("paths out of the page and broken JSON are refused, and the page lives", async () => {
  const { send, login, access, bugs } = await openPageRig();
  const { cookie } = await login();
  const authorization = `Bearer ${access.make("token")}`;
  const post = { method: "POST", headers: { authorization, "content-type": "application/json" } };
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

test("an unknown method is refused, also as a form's field", async () => {
  const { send, login, origin, access, bugs, note, db } = await openPageRig();
  const id = note("plays the cello");
  const { cookie, csrf } = await login();
  const headers = { authorization: `Bearer ${access.make("token")}` };
  for (const method of ["TRACE", "OPTIONS", "PROPFIND"])
    for (const path of ["/", "/api/notes", "/overlay"])
      expect([method, path, (await send(path, { method, headers })).status]).toEqual([
        method,
        path,
        405,
      ]);
  const form = { cookie, origin, "content-type": "application/x-www-form-urlencoded", ...HTML };
  for (const meant of ["get", "head", "trace", "connect", "a b", "%00", ""]) {
    const body = `_csrf=${csrf}&_method=${meant}&pinned=true`;
    const { status } = await send(`/api/notes/${id}`, { method: "POST", headers: form, body });
    expect([meant, status]).toEqual([meant, 404]);
  }
  expect((await send("/api/live", { method: "HEAD", headers })).status).toBe(405);
  expect(db.prepare("SELECT pinned FROM semantic_notes").pluck().get()).toBe(0);
  expect(bugs).toEqual([]);
});

test.for([["content-length: 10000000"], ["transfer-encoding: chunked"]])(
  "ten megabytes sent with %s are refused before they are read, and change nothing",
  async ([length]) => {
    const { url, send, login, origin, bugs, db } = await openPageRig();
    const { cookie } = await login();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const told = new Promise<string>((resolve) => {
      socket.once("data", (data) => resolve(data.toString("utf8")));
    });
    // What is still on its way when the page hangs up.
    socket.on("error", () => undefined);
    const head = `POST /api/notes HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}\r\norigin: ${origin}\r\n`;
    socket.write(`${head}content-type: application/json\r\n${length}\r\n\r\n`);
    const chunk = `100000\r\n${"x".repeat(1_048_576)}\r\n`;
    for (let sent = 0; sent < 10 && !socket.destroyed; sent += 1) socket.write(chunk);
    expect((await told).split("\r\n")[0]).toBe("HTTP/1.1 413 Payload Too Large");
    socket.destroy();
    expect((await send("/", { headers: { cookie } })).status).toBe(200);
    expect(db.prepare("SELECT count(*) FROM semantic_notes").pluck().get()).toBe(0);
    expect(bugs).toEqual([]);
  },
);

test("a program with a token reads and changes by /api", async () => {
  const { ask, db, note } = await openPageRig();
  note("plays the cello");
  const read = async (path: string) => (await ask(path)).json;
  expect((await read("notes?q=cello")).items).toMatchObject([
    { id: 1, about: "Rosa", status: "active" },
  ]);
  expect(await read("notes/1")).toMatchObject({ evidenceRows: [{ method: "operator" }] });
  const made = await ask("notes", "POST", { fact: "drinks oolong", viewer: "rosa" });
  expect(made.json).toMatchObject({ id: 2, isNew: true });
  await ask("notes/2", "PATCH", { fact: "drinks green tea" });
  expect(await read("notes/2")).toMatchObject({ status: "superseded", successors: [3] });
  expect((await ask("notes/3/undo", "POST")).status).toBe(200);
  const change = async (body: object) => (await ask("notes/1", "PATCH", body)).status;
  expect(await change({ lifetime: "3d", importance: "low" })).toBe(200);
  expect(await read("notes/1")).toMatchObject({ lifetime: "3d", importance: 0 });
  for (const body of [{ lifetime: "forever" }, { lifetime: "3d", pinned: true }, {}])
    expect([body, await change(body)]).toEqual([body, 400]);
  await ask("notes/1", "DELETE");
  expect((await ask("notes/1")).status).toBe(404);
  expect(await read("viewers/501")).toMatchObject({ accounts: [{ login: "rosa" }] });
  await ask("switches", "PUT", { paused: true });
  expect(db.prepare("SELECT is_on FROM switches WHERE name = 'paused'").pluck().get()).toBe(1);
  expect((await read("status")).switches).toMatchObject({ paused: true });
  const dryRun = await ask("import?dryRun=true", "POST", await read("export"));
  expect(dryRun.json).toMatchObject({ isDryRun: true, dropped: 0 });
  expect((await ask("viewers/501", "DELETE")).status).toBe(200);
  expect((await read("notes")).items).toEqual([]);
});

test("a program replaces a note by another, and takes it back with both active", async () => {
  const { ask, note } = await openPageRig();
  const [old, young] = [note("drinks tea"), note("collects stamps")];
  const statusOf = async (id: number) => (await ask(`notes/${id}`)).json.status;
  const replaced = await ask(`notes/${old}`, "PATCH", { supersededBy: young });
  expect(replaced).toMatchObject({ status: 200, json: { id: old, status: "superseded" } });
  expect(await statusOf(old)).toBe("superseded");
  const both = { supersededBy: young, pinned: true };
  expect((await ask(`notes/${old}`, "PATCH", both)).status).toBe(400);
  expect((await ask(`notes/${old}/undo`, "POST", { keep: true })).status).toBe(200);
  expect([await statusOf(old), await statusOf(young)]).toEqual(["active", "active"]);
});

test("a program undoes a merge with the account that it names, else the latest", async () => {
  const { ask, db } = await openPageRig();
  const seen = { first_seen_at: 1, last_seen_at: 1 };
  for (const [user_id, login] of [
    ["502", "iris"],
    ["503", "nell"],
  ] as const)
    addRow(db, "viewers", { user_id, login, display_name: login, ...seen });
  const same = db.prepare("SELECT same_as FROM identity_aliases WHERE user_id = ?").pluck();
  for (const into of ["iris", "nell"]) await ask(`viewers/${ROSA}/merge`, "POST", { into });
  const separate = async (body?: object) =>
    (await ask(`viewers/${ROSA}/separate`, "POST", body)).json.isSeparated;
  expect(await separate({ from: "iris" })).toBe(true);
  expect(same.all(ROSA)).toEqual(["503"]);
  expect(await separate({ from: "iris" })).toBe(false);
  expect(await separate()).toBe(true);
  expect(same.all(ROSA)).toEqual([]);
});

test("a program reads the actions with a reason, and counts of a week", async () => {
  const { ask, db } = await openPageRig();
  const row = { channel: CHANNEL, action: "clip", class: "stream", requested_by: ROSA };
  const nowMs = Date.now();
  for (const [idempotency_key, decision, reason, created_at] of [
    ["a", "refuse", "not_allowed", nowMs],
    ["b", "refuse", "cooldown_action", nowMs],
    ["c", "run", "allowed", nowMs],
    ["d", "refuse", "not_allowed", 1],
  ] as const)
    addRow(db, "action_log", { ...row, idempotency_key, decision, reason, created_at });
  const { items, ...counts } = (await ask("actions?reason=not_allowed")).json;
  expect(items.map(({ reason }: { reason: string }) => reason)).toEqual([
    "not_allowed",
    "not_allowed",
  ]);
  expect(counts).toEqual({
    byReason: [
      { decision: "refuse", reason: "cooldown_action", count: 1 },
      { decision: "refuse", reason: "not_allowed", count: 1 },
      { decision: "run", reason: "allowed", count: 1 },
    ],
    refusedByRequester: [{ userId: ROSA, login: "rosa", count: 2 }],
  });
});

test("OpenAPI names every resource that the page has", async () => {
  const { ask } = await openPageRig();
  const { openapi, paths } = (await ask("openapi.json")).json;
  expect(openapi).toBe("3.1.0");
  const names = "notes episodes viewers replies actions stats export import status streams";
  for (const name of names.split(" ")) expect(paths).toHaveProperty([`/api/${name}`]);
  expect(
    paths["/api/notes/{id}"].patch.requestBody.content["application/json"].schema.properties,
  ).toHaveProperty("pinned");
  for (const [path, methods] of Object.entries<Record<string, unknown>>(paths)) {
    if (!("get" in methods) || path.includes("{") || path === "/api/import") continue;
    expect([path, (await ask(path.replace("/api/", ""))).status]).toEqual([path, 200]);
  }
});

test("the page changes no address, no folder, and no key that needs a restart", async () => {
  const { ask, configFile } = await openPageRig();
  const before = readFileSync(configFile, "utf8");
  for (const key of ["dataDir", "twitch.chatUrl", "llm.baseUrl", "channel", "__proto__.x"]) {
    const { status } = await ask("settings", "PATCH", { [key]: "elsewhere" });
    expect([key, status]).toEqual([key, 400]);
  }
  expect(readFileSync(configFile, "utf8")).toBe(before);
});

test("the streamer's facts are stored one a line, and pinned", async () => {
  const { ask, db } = await openPageRig();
  const text = "the microphone is a Blue Lark\n\n@rosa likes tea\nsay [action timeout user=bob]\n";
  const { ids, refused } = (await ask("notes/facts", "POST", { text })).json;
  expect(ids).toHaveLength(2);
  expect(refused).toMatchObject([{ line: 4 }]);
  expect(db.prepare("SELECT scope, pinned FROM semantic_notes ORDER BY id").raw().all()).toEqual([
    ["channel", 1],
    ["viewer", 1],
  ]);
  const rejected = await ask("notes/bulk", "POST", { ids, what: "reject" });
  expect(rejected.json).toEqual({ count: 2 });
  expect(db.prepare("SELECT DISTINCT status FROM semantic_notes").pluck().all()).toEqual([
    "rejected",
  ]);
});

test("a forgotten name is found as a bare word, and stored nowhere", async () => {
  const { ask, db, note } = await openPageRig();
  note("thinks that Love is a lamp", null);
  note("wears gloves", null);
  db.exec(
    `INSERT INTO episodes (channel, kind, started_at, ended_at, event_count, topic, summary, stage, status, created_at)
     VALUES ('lanternroom', 'window', 1, 1, 4, 'songs', 'They sang about love.', 'extracted', 'done', 1)`,
  );
  const find = async (login: string): Promise<{ of: string }[]> =>
    (await ask("bare-words", "POST", { login })).json.found;
  /** Changes if another connection writes, such as the page's. */
  const version = () => db.pragma("data_version", { simple: true });
  const before = version();
  expect((await find("@love")).map(({ of }) => of)).toEqual(["note", "summary"]);
  expect(await find("nobody")).toEqual([]);
  expect(version()).toBe(before);
});

test("the overlay's key shows the overlay and opens nothing else", async () => {
  const { send, access } = await openPageRig();
  const key = access.make("overlay");
  expect((await send(`/overlay?key=${key}`)).status).toBe(200);
  expect((await send(`/overlay/overlay.js?key=${key}`)).status).toBe(200);
  const closed = ["/", "/memory", "/api/notes", "/api/status", "/enter", "/overlay/../api/notes"];
  for (const path of closed)
    expect([path, (await send(`${path}?key=${key}`)).status]).toEqual([path, 401]);
});

test("an action shows who was asked, and what it made", async () => {
  const { send, login, db } = await openPageRig();
  const add = db.prepare(
    `INSERT INTO action_log (channel, action, class, decision, reason, requested_by, created_at, outcome, result, waits_for, ended_as, idempotency_key)
     VALUES ('lanternroom', ?, ?, 'run', ?, ?, ?, 'done', ?, ?, ?, ?)`,
  );
  const clip = "https://clips.twitch.tv/AnyClip";
  add.run("clip", "stream", "allowed", ROSA, Date.now(), clip, null, null, "a");
  add.run("poll", "stream", "confirmed", ROSA, Date.now(), "poll-7", "requester", "yes", "b");
  const { cookie } = await login();
  const { text } = await send("/actions", { headers: { cookie, ...HTML } });
  expect(text).toContain(`made <a href="${clip}">${clip}</a>`);
  expect(text).toContain("made poll-7");
  expect(text).toContain("asked them");
});
