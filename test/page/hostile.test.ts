import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { addRow, addViewer } from "../stand-ins/rows.ts";
import { trailWith } from "../telemetry/reported.ts";
import { filledRig, openBrowser, useBrowser } from "./browser-rig.ts";
import { CHANNEL, openPageRig, type PageRig, ROSA } from "./page-rig.ts";

useBrowser();

const RUN = "window.wasRun=1";
/** Each would run, or lead elsewhere, in a place that takes a text for something else. */
const HEARTS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<svg onload=${RUN}></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<iframe srcdoc="<script>parent.wasRun=1</script>"></iframe>`,
  `<a href="javascript:${RUN}" autofocus onfocus=${RUN}>x</a>`,
  `<details open ontoggle=${RUN}>`,
  `<form action=javascript:${RUN}><button>x</button></form>`,
  `<style>*{background:url(http://evil.invalid/x)}</style>`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<base href=http://evil.invalid/>`,
  `<link rel=stylesheet href=http://evil.invalid/x.css>`,
  `javascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `\${${RUN}}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `%3Cscript%3E${RUN}%3C/script%3E`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `\\u003cscript\\u003e${RUN}`,
  `' onmouseover='${RUN}`,
] as const;
/** What closes the place that a text may stand in. */
const WAYS_OUT = [
  "",
  '">',
  "'>",
  "</title>",
  "</textarea>",
  "</script>",
  "</style>",
  "-->",
  "]]>",
  "</p></main>",
] as const;
const TAILS = ["", "<!--", '"', "\u202E", "\u0000"] as const;
const HOSTILE = WAYS_OUT.flatMap((out, n) =>
  HEARTS.map((heart, at) => `${out}${heart}${TAILS[(n + at) % TAILS.length]}`),
);

/** What no text may have made of a page. */
const MADE_OF_TEXT = `[...document.querySelectorAll(
  "script:not([src='/assets/app.js']), img, iframe, style, base, meta[http-equiv], main link, [autofocus], form[action^='javascript']"),
  ...document.querySelectorAll("a[href^='javascript'], a[href^='data'], a[href^='http']"),
  ...[...document.querySelectorAll("*")].filter((one) => [...one.attributes].some(({ name }) => name.startsWith("on"))),
].map((one) => one.outerHTML.slice(0, 200))`;

test("none of two hundred hostile strings from chat runs in a browser", async () => {
  expect(new Set(HOSTILE).size).toBe(200);
  const rig = await openPageRig();
  const before = fill(rig);
  const { page, wrong } = await openBrowser(rig);
  page.on("dialog", (dialog) => {
    wrong.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  const hearts = new Set<string>();
  for (const path of pathsOf(rig)) {
    const response = await page.goto(new URL(path, rig.url).href);
    expect([path, response?.status()]).toEqual([path, 200]);
    expect([path, await page.evaluate(MADE_OF_TEXT)]).toEqual([path, []]);
    expect([path, await page.evaluate("window.wasRun")]).toEqual([path, undefined]);
    expect(await page.title()).toMatch(/^[\w #:,'-]+ · ForgetMeNot$/);
    const text = (await page.locator("main").textContent()) ?? "";
    for (const heart of HEARTS) if (text.includes(heart)) hearts.add(heart);
  }
  // They were there, as text.
  expect(hearts.size).toBe(HEARTS.length);
  expect(wrong).toEqual([]);
  expect(rig.bugs).toEqual([]);
  expect(countsOf(rig)).toEqual(before);
});

test("in every template of HTML the values of attributes have quotation marks", () => {
  const folder = new URL("../../src/page/", import.meta.url);
  const sources = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  expect(sources.length).toBeGreaterThan(5);
  for (const file of sources) {
    const bare = /<[^<>`]*\s[\w-]+=\$\{/.exec(readFileSync(new URL(file, folder), "utf8"));
    expect([file, bare?.[0]]).toEqual([file, undefined]);
  }
});

test("hostile strings in addresses and downloads are data", async () => {
  const rig = await openPageRig();
  fill(rig);
  const { page, wrong } = await openBrowser(rig);
  const asked = [
    (text: string) => `/memory/notes?viewer=rosa&q=${text}`,
    (text: string) => `/memory?q=${text}`,
    (text: string) => `/actions?requester=${text}`,
  ];
  for (const [n, heart] of HEARTS.entries()) {
    const path = asked[n % asked.length]?.(encodeURIComponent(`">${heart}`)) ?? "";
    await page.goto(new URL(path, rig.url).href);
    expect([path, await page.evaluate(MADE_OF_TEXT)]).toEqual([path, []]);
    expect([path, await page.evaluate("window.wasRun")]).toEqual([path, undefined]);
  }
  // Chromium says of a 400 that it was one.
  expect(wrong.filter((one) => !one.includes("status of 400"))).toEqual([]);
  const headers = { authorization: `Bearer ${rig.access.make("token")}` };
  for (const path of [
    "/api/export",
    `/api/viewers/${ROSA}/export`,
    "/api/notes",
    "/api/replies/1/scenario",
  ]) {
    const answer = await rig.send(path, { headers: { ...headers, accept: "text/html" } });
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers["content-type"]).toContain("application/json");
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(JSON.parse(answer.text)).toBeTypeOf("object");
  }
});

test("the overlay takes nothing that it does not know from its address", async () => {
  const rig = await filledRig();
  const { page, wrong } = await openBrowser(rig);
  const hostile = ["theme=a%20b&side=%22%3E%3Cscript%3E", "size=__proto__&at=shown&seconds=-1"];
  for (const asked of hostile) {
    const hears = page.waitForResponse("**/overlay/live*");
    await page.goto(`${rig.url}overlay?${asked}`);
    await hears;
    expect(await page.evaluate("document.documentElement.className")).toBe("medium light");
    expect(await page.evaluate("document.body.className")).toBe("left bottom");
  }
  expect(wrong).toEqual([]);
});

test("a name of any length and script fits a small phone", async () => {
  const rig = await filledRig();
  const name = "Wolfeschlegelsteinhausenbergerdorff".repeat(2);
  for (const [n, one] of ["\u05D0\u202Eback", "Zoe", name].entries()) {
    addViewer(rig.db, `70${n}`, one, null);
    addRow(rig.db, "episode_participants", { episode_id: 1, user_id: `70${n}` });
  }
  const { page } = await openBrowser(rig, "", { viewport: { width: 320, height: 700 } });
  const width = () => page.evaluate("document.documentElement.scrollWidth");
  await page.goto(`${rig.url}memory/episodes/1`);
  expect(await width()).toBeLessThanOrEqual(320);
  const places = await page.evaluate(
    "[...document.querySelectorAll('main bdi')].map((one) => [one.textContent, getComputedStyle(one).unicodeBidi])",
  );
  expect(places).toContainEqual(["\u05D0\u202Eback", "plaintext"]);
  await page.goto(`${rig.url}memory/people/702`);
  await page.getByText("Forget everything").click();
  await page.getByRole("button", { name: "Forget Wolfe" }).waitFor();
  expect(await width()).toBeLessThanOrEqual(320);
});

function pathsOf({ db }: PageRig): string[] {
  return [
    "/",
    "/replies?limit=200",
    "/replies/1",
    "/review",
    "/memory/notes?limit=200&status=all",
    "/memory/notes/2",
    "/memory?limit=200&only=all",
    "/memory/forgotten",
    `/memory/people/${ROSA}`,
    `/memory/people/${encodeURIComponent(String(db.prepare("SELECT max(user_id) FROM viewers").pluck().get()))}`,
    "/memory/streams",
    "/memory/episodes/1",
    "/actions?limit=200",
    "/report",
    "/settings",
  ];
}

function countsOf({ db }: PageRig) {
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  return ["semantic_notes", "viewers", "replies", "action_log", "episodes"].map(count);
}

const nth = (n: number): string => HOSTILE[n % HOSTILE.length] ?? "";

/** Writes them past every check, as if all of those had failed. */
function fill(rig: PageRig): unknown[] {
  const nowMs = Date.now();
  rig.db.transaction(() => {
    fillStream(rig, nowMs);
    fillPeople(rig, nowMs);
    fillNotes(rig, nowMs);
    fillReplies(rig, nowMs);
  })();
  return countsOf(rig);
}

function fillStream({ db }: PageRig, nowMs: number): void {
  db.prepare("UPDATE channel_state SET title = ?, category = ?").run(nth(1), nth(3));
  db.prepare("UPDATE stream_sessions SET recap = ?").run(nth(6));
  const at = { started_at: nowMs, ended_at: nowMs };
  const texts = { topic: nth(7), summary: nth(8) };
  addRow(db, "episodes", { channel: CHANNEL, session_id: 1, ...texts, ...at });
  addRow(db, "episode_claims", { episode_id: 1, subject_id: ROSA, statement: nth(9) });
  addRow(db, "episode_participants", { episode_id: 1, user_id: ROSA });
  db.prepare(
    "INSERT INTO notices (kind, severity, message, first_at, last_at, count) VALUES ('helix', 'warning', ?, 1, 1, 1)",
  ).run(nth(2));
}

/** Nor is an id or a login to be trusted to be one. */
function idOf(n: number): string {
  return `9${n}${n % 20 === 0 ? nth(n) : ""}`;
}

function fillPeople({ db }: PageRig, nowMs: number): void {
  db.prepare("UPDATE viewers SET display_name = ? WHERE user_id = ?").run(nth(0), ROSA);
  for (const [n, text] of HOSTILE.entries()) {
    const seen = { user_id: idOf(n), last_seen_at: nowMs - n };
    const login = `v${n}${n % 10 === 0 ? text : ""}`;
    addRow(db, "viewers", { ...seen, login, display_name: text });
    addRow(db, "viewer_channels", { ...seen, channel: CHANNEL });
  }
}

function fillNotes({ db }: PageRig, nowMs: number): void {
  const at = { created_at: nowMs, last_confirmed_at: nowMs };
  for (const [n, text] of HOSTILE.entries()) {
    const note = {
      channel: CHANNEL,
      subject_id: ROSA,
      kind: "preference",
      fact: text,
      topics: text,
    };
    const status = n % 25 === 0 ? "pending" : "active";
    addRow(db, "semantic_notes", { ...note, status, ...at });
  }
  db.exec(
    `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, created_at)
     SELECT id, 1, 1, 'extracted', 0.9, 1 FROM semantic_notes WHERE id <= 40`,
  );
}

function fillReplies({ db }: PageRig, nowMs: number): void {
  for (const [n, text] of HOSTILE.entries()) {
    const own = { channel: CHANNEL, created_at: nowMs };
    const eventId = addRow(db, "events", { ...own, user_id: idOf(n), text });
    const candidates = [{ id: n + 1, score: 1, terms: [0, 0, 0, 0, 0] }];
    const notes = { candidates, kept: [n + 1], dropped: [] };
    const trail = JSON.stringify(trailWith({ model: text, notes } as never));
    addRow(db, "replies", {
      ...{ ...own, user_id: idOf(n), event_id: eventId, reason: text, sent_at: nowMs },
      ...{ model: text, text, token_usage_json: trail },
    });
    addRow(db, "action_log", {
      ...{ ...own, reply_id: 1, action: text, target_id: idOf(n), requested_by: idOf(n) },
      ...{ args_json: JSON.stringify({ text }), decision: "run", reason: text, outcome: "done" },
      ...{ error: text, result: text, idempotency_key: `k${n}` },
    });
  }
}
