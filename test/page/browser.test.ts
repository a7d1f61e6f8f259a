import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { outcomeStore } from "../../src/telemetry/replies-store.ts";
import { CHROMIUM } from "../stand-ins/chromium.ts";
import { CHANNEL, openPageRig, type PageRig, ROSA } from "./page-rig.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const VIEWS = [
  "/",
  "/replies",
  "/replies/1",
  "/review",
  "/memory",
  "/memory/notes/1",
  "/memory/people",
  `/memory/people/${ROSA}`,
  "/memory/streams",
  "/memory/episodes/1",
  "/actions",
  "/actions/policy",
  "/telemetry",
  "/settings",
];

const CRAFTS = [
  "pottery",
  "fencing",
  "juggling",
  "baking",
  "sailing",
  "knitting",
  "chess",
  "archery",
  "origami",
  "karaoke",
];
/** Other work may hold the machine up: `bench/page.ts` measures how soon a change shows. */
const SOON = { timeout: 15_000 };

const shared: { browser: Browser | null } = { browser: null };
beforeAll(async () => {
  shared.browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(() => shared.browser?.close());

interface Seen {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page complained about, and asked of other places. */
  readonly wrong: string[];
}

async function openBrowser({ url, access }: PageRig, options = {}): Promise<Seen> {
  const context = (await shared.browser?.newContext(options)) as BrowserContext;
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) wrong.push(`asked ${request.url()}`);
  });
  await page.goto(`${url}enter?key=${access.make("link")}`);
  return { page, context, wrong };
}

async function filledRig(given = {}): Promise<PageRig> {
  const rig = await openPageRig(given);
  rig.note("plays the cello");
  rig.note("keeps bees", null);
  addReply(rig, { text: "It plays the cello, I am told.", question: "what do I play?" });
  rig.db
    .prepare(
      `INSERT INTO action_log (reply_id, channel, action, class, target_id, args_json, decision, reason, requested_by, created_at, expires_at, waits_for, idempotency_key)
       VALUES (1, ?, 'timeout', 'moderation', ?, '{"seconds":60}', 'hold', 'needs_approval', ?, ?, ?, 'streamer', 'k1')`,
    )
    .run(CHANNEL, ROSA, ROSA, Date.now(), Date.now() + 600_000);
  return rig;
}

function addReply({ db }: PageRig, { text, question }: { text: string; question: string }): number {
  const atMs = Date.now();
  const event = db
    .prepare(
      "INSERT INTO events (channel, kind, user_id, text, created_at, expires_at) VALUES (?, 'message', ?, ?, ?, ?)",
    )
    .run(CHANNEL, ROSA, question, atMs, atMs + 1_000_000).lastInsertRowid;
  const reply = db
    .prepare(
      `INSERT INTO replies (channel, user_id, "trigger", event_id, state, created_at, sent_at, model, latency_ms, text)
       VALUES (?, ?, 'mention', ?, 'sent', ?, ?, 'm1', 12, ?)`,
    )
    .run(CHANNEL, ROSA, event, atMs, atMs, text).lastInsertRowid;
  return Number(reply);
}

function value(rig: PageRig, sql: string): unknown {
  return rig.db.prepare(sql).pluck().get();
}

test("no view has a serious fault of access, complains, asks elsewhere, or scrolls sideways on a phone", async () => {
  const rig = await filledRig();
  const { page, wrong } = await openBrowser(rig, { viewport: { width: 360, height: 740 } });
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const path of VIEWS) {
      const response = await page.goto(new URL(path, rig.url).href);
      expect([path, response?.status()]).toEqual([path, 200]);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(Number(width)).toBeLessThanOrEqual(360);
      // Not as a script of the page, which its policy forbids.
      await page.evaluate(readFileSync(AXE, "utf8"));
      const found = (await page.evaluate("axe.run()")) as {
        violations: { id: string; impact: string; nodes: { html: string }[] }[];
      };
      const serious = found.violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${path} ${scheme} ${id}: ${nodes[0]?.html}`);
      expect(serious).toEqual([]);
    }
  }
  expect(wrong).toEqual([]);
  expect(rig.bugs).toEqual([]);
});

test("now: a switch is a row at once, and what changes elsewhere shows by itself", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig);
  await page.getByRole("switch", { name: "Paused" }).click();
  await page.getByRole("status").getByText("The bot is silent.").waitFor();
  expect(value(rig, "SELECT is_on FROM switches WHERE name = 'paused'")).toBe(1);
  await page.getByRole("switch", { name: "Paused", checked: true }).waitFor();
  rig.db.prepare("UPDATE switches SET is_on = 0").run();
  await page.getByRole("switch", { name: "Paused", checked: false }).waitFor(SOON);
  addReply(rig, { text: "A fresh answer.", question: "anything new?" });
  await page.getByText("A fresh answer.").waitFor(SOON);
  await page.getByLabel("What would you answer to").fill("hello there");
  await page.getByRole("button", { name: "Try" }).click();
  await page.getByText("heard hello there").waitFor();
});

test("a text that is taken away leaves an open page by itself", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig);
  await page.getByText("what do I play?").waitFor();
  rig.db.prepare("UPDATE events SET text = NULL").run();
  rig.db.prepare("UPDATE replies SET text = NULL").run();
  await page.getByText("The words are gone.").waitFor(SOON);
  expect(await page.content()).not.toContain("what do I play?");
});

test("ten notes that wait are gone through by keys alone", async () => {
  const rig = await filledRig();
  const ids = CRAFTS.map((craft) => rig.note(`enjoys ${craft}`));
  rig.db
    .prepare(`UPDATE semantic_notes SET status = 'pending' WHERE id IN (${ids.join(",")})`)
    .run();
  const { page } = await openBrowser(rig);
  await page.keyboard.press("2");
  await page.getByRole("heading", { name: "Notes that wait for you" }).waitFor();
  await page.waitForLoadState();
  for (const n of ids.keys()) {
    await page.locator("main").press("j");
    await page.keyboard.press("k");
    await page.keyboard.press(n % 2 === 0 ? "a" : "r");
    await expect.poll(() => page.locator('[data-key="a"]').count(), SOON).toBe(ids.length - 1 - n);
  }
  const statuses = rig.db
    .prepare(`SELECT status FROM semantic_notes WHERE id IN (${ids.join(",")})`)
    .pluck()
    .all();
  expect(statuses.filter((one) => one === "active")).toHaveLength(5);
  expect(statuses.filter((one) => one === "rejected")).toHaveLength(5);
  await page.keyboard.press("u");
  await page.getByText("Taken back").waitFor();
  expect(value(rig, `SELECT count(*) FROM semantic_notes WHERE status = 'pending'`)).toBe(1);
});

test("memory: found as one types, edited in place, brought back, forgotten", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig);
  await page.goto(`${rig.url}memory`);
  await page.keyboard.press("/");
  await page.keyboard.type("cel");
  await page.getByText("keeps bees").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Rosa plays the cello" }).click();
  await page.getByLabel("What is true instead").fill("plays the viola");
  await page.getByRole("button", { name: "Write this in its place" }).click();
  await page.getByText("Note 3 stands in the place of note 1.").waitFor();
  expect(value(rig, "SELECT status || superseded_by FROM semantic_notes WHERE id = 1")).toBe(
    "superseded3",
  );
  await page.getByRole("button", { name: "Undo" }).first().click();
  await page.getByText("Taken back").waitFor();
  expect(value(rig, "SELECT status FROM semantic_notes WHERE id = 1")).toBe("active");
  await page.goto(`${rig.url}memory`);
  await page.locator("#note-2 summary").click();
  await page.locator("#note-2").getByRole("button", { name: "Forget it" }).click();
  await page.getByText("Note 2 is forgotten.").waitFor();
  expect(value(rig, "SELECT count(*) FROM semantic_notes WHERE id = 2")).toBe(0);
});

test("a person is forgotten from their card, after a question", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig);
  await page.goto(`${rig.url}memory/people`);
  await page.getByRole("link", { name: "Rosa" }).click();
  await page.getByText("Forget everything").click();
  await page.getByRole("button", { name: "Forget Rosa" }).click();
  await page.getByText("Everything about them is forgotten").waitFor();
  expect(await page.content()).not.toContain("cello");
  expect(value(rig, "SELECT count(*) FROM viewers")).toBe(0);
  expect(value(rig, `SELECT count(*) FROM semantic_notes WHERE subject_id = '${ROSA}'`)).toBe(0);
});

test("a judged answer is an outcome, a held proposal has its answer, an answer its anatomy", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig);
  await page.goto(`${rig.url}replies/1`);
  await page.getByRole("button", { name: "Good" }).click();
  await page.getByText("Good ✓").waitFor();
  expect(value(rig, "SELECT kind FROM reply_outcomes WHERE reply_id = 1")).toBe("good");
  outcomeStore(rig.db).add([{ replyId: 1, kind: "bad" }], Date.now());
  await page.getByText("Bad ✓").waitFor(SOON);
  await page.goto(`${rig.url}actions`);
  await page.getByRole("button", { name: "Do not" }).click();
  await page.getByRole("status").getByText("Refused.").waitFor();
  expect(value(rig, "SELECT answer FROM action_log")).toBe("refuse");
});

test("a policy's effect is shown before it is saved; a setting is saved; both stand in the file", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig);
  await page.goto(`${rig.url}actions/policy`);
  await page.getByLabel("actions.classes.moderation").selectOption("approve");
  await page.getByRole("button", { name: "Show what this changes" }).first().click();
  await page.getByText("Of 1 proposals of class moderation").waitFor();
  expect(JSON.parse(readFileSync(rig.configFile, "utf8"))).not.toHaveProperty("actions");
  await page.getByRole("button", { name: "Save 1 change" }).click();
  await page.getByText("Saved: actions.classes.moderation").waitFor();
  await page.goto(`${rig.url}settings`);
  await page.getByLabel("persona.name", { exact: true }).fill("Ember");
  await page.getByRole("button", { name: "Save persona.name" }).click();
  await page.getByText("Saved: persona.name").waitFor();
  expect(JSON.parse(readFileSync(rig.configFile, "utf8"))).toMatchObject({
    actions: { classes: { moderation: "approve" } },
    persona: { name: "Ember" },
  });
});

test("the overlay shows what was sent to chat, and takes it back with the text", async () => {
  const rig = await filledRig();
  const { page, wrong } = await openBrowser(rig);
  await page.goto(`${rig.url}overlay?key=${rig.access.make("overlay")}&seconds=30&theme=dark`);
  await page.locator("body.left").waitFor();
  await page.waitForTimeout(400); // the server's first look at what was said before
  addReply(rig, { text: "Hello, everybody.", question: "hi" });
  await page.getByText("Hello, everybody.").waitFor(SOON);
  rig.db.prepare("UPDATE replies SET text = NULL").run();
  await page.getByText("Hello, everybody.").waitFor({ state: "hidden", ...SOON });
  expect(wrong).toEqual([]);
});

test("every figure of telemetry is one of the report", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig);
  await page.goto(`${rig.url}telemetry`);
  const report = JSON.parse(
    (
      await rig.send("/api/stats", {
        headers: { authorization: `Bearer ${rig.access.make("token")}` },
      })
    ).text,
  );
  const text = (await page.locator(".figures").textContent()) ?? "";
  expect(text).toContain(`${report.replies.sent}of ${report.replies.total} answered`);
  expect(text).toContain(`${report.memory.backlog.waitingEvents}lines not yet read`);
});
