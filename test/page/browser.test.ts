import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { toScenario } from "../../src/evaluation/scenario.ts";
import { prepareOutcomeWrite } from "../../src/reply/reply-view-store.ts";
import { HOUR_MS, ledgers, trailWith } from "../telemetry/reported.ts";
import { addReply, filledRig, openBrowser, SOON, useBrowser, value } from "./browser-rig.ts";
import { CHANNEL, openPageRig, ROSA } from "./page-rig.ts";

useBrowser();

const CRAFTS =
  "pottery fencing juggling baking sailing knitting chess archery origami karaoke".split(" ");

test("now: a switch is stored at once, and other changes show", async () => {
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
});

test("a tried answer leaves the page when a viewer is forgotten", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig, "settings");
  await page.getByLabel("A question", { exact: true }).fill("what does Rosa play?");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("heard what does Rosa play?").waitFor();
  await rig.ask(`viewers/${ROSA}`, "DELETE");
  await page.getByText("heard what does Rosa play?").waitFor({ state: "detached", ...SOON });
});

test("ten waiting notes are reviewed by keys alone", async () => {
  const rig = await filledRig();
  const ids = CRAFTS.map((craft) => rig.note(`enjoys ${craft}`));
  rig.db
    .prepare(`UPDATE semantic_notes SET status = 'pending' WHERE id IN (${ids.join(",")})`)
    .run();
  const { page } = await openBrowser(rig);
  await page.keyboard.press("2");
  await page.getByRole("heading", { name: "Notes that wait for you" }).waitFor();
  // The first one is chosen: no key is needed before.
  await expect.poll(() => page.evaluate("document.activeElement.dataset.item"), SOON).toBe("");
  for (const n of ids.keys()) {
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

test("memory: search, edit, undo and forget a note", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig, "memory/notes");
  await page.keyboard.press("/");
  await page.keyboard.type("cel");
  await page.getByText("keeps bees").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Rosa plays the cello" }).click();
  await page.getByLabel("What is true instead").fill("plays the viola");
  await page.getByRole("button", { name: "Replace it" }).click();
  await page.getByText("Note 3 replaces note 1.").waitFor();
  expect(value(rig, "SELECT status || superseded_by FROM semantic_notes WHERE id = 1")).toBe(
    "superseded3",
  );
  await page.getByRole("button", { name: "Undo" }).first().click();
  await page.getByText("Taken back").waitFor();
  expect(value(rig, "SELECT status FROM semantic_notes WHERE id = 1")).toBe("active");
  await page.goto(`${rig.url}memory/notes`);
  await page.locator("#note-2 summary").click();
  await page.locator("#note-2").getByRole("button", { name: "Forget it" }).click();
  await page.getByText("Note 2 is forgotten.").waitFor();
  expect(value(rig, "SELECT count(*) FROM semantic_notes WHERE id = 2")).toBe(0);
});

test("a person is forgotten from their card, after a question", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig, "memory");
  await page.getByRole("link", { name: "Rosa" }).click();
  await page.getByText("Forget everything").click();
  await page.getByRole("button", { name: "Forget Rosa" }).click();
  await page.getByText("Everything about them is forgotten").waitFor();
  expect(await page.content()).not.toContain("cello");
  expect(value(rig, "SELECT count(*) FROM viewers")).toBe(0);
  expect(value(rig, `SELECT count(*) FROM semantic_notes WHERE subject_id = '${ROSA}'`)).toBe(0);
});

test("a judged answer is an outcome, a held proposal has its answer", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig, "replies/1");
  await page.getByRole("button", { name: "Good" }).click();
  await page.getByText("Good ✓").waitFor();
  expect(value(rig, "SELECT kind FROM reply_outcomes WHERE reply_id = 1")).toBe("good");
  prepareOutcomeWrite(rig.db)([{ replyId: 1, kind: "bad" }], Date.now());
  await page.getByText("Bad ✓").waitFor(SOON);
  await page.goto(`${rig.url}actions`);
  await page.getByRole("button", { name: "Do not" }).click();
  await page.getByRole("status").getByText("Refused.").waitFor();
  expect(value(rig, "SELECT answer FROM action_log")).toBe("refuse");
});

const isShownWithin = (what: Locator, timeout: number): Promise<boolean> =>
  what.waitFor({ timeout }).then(
    () => true,
    () => false,
  );

test("the overlay shows what was sent to chat, and takes it back with the text", async () => {
  const rig = await filledRig();
  const { page, wrong } = await openBrowser(rig);
  await page.goto(`${rig.url}overlay?key=${rig.access.make("overlay")}&seconds=30&theme=dark`);
  await page.locator("body.left").waitFor();
  const bubble = page.getByText("Hello, everybody.");
  // What was said before it listens is never shown, and nothing tells when it does.
  do addReply(rig, { text: "Hello, everybody.", question: "hi" });
  while (!(await isShownWithin(bubble, 500)));
  rig.db.prepare("UPDATE replies SET text = NULL").run();
  await bubble.waitFor({ state: "hidden", ...SOON });
  expect(wrong).toEqual([]);
});

test("a form that is refused, or reaches no bot, keeps its text", async () => {
  const rig = await filledRig();
  const { page, context } = await openBrowser(rig, "memory/notes/1");
  const box = page.getByLabel("What is true instead");
  await box.fill("lives at 12 Elm Street, phone 555-123-4567");
  await page.getByRole("button", { name: "Replace it" }).click();
  await page.getByRole("status").getByText("a private matter").waitFor();
  expect(await box.inputValue()).toBe("lives at 12 Elm Street, phone 555-123-4567");
  await context.route("**/api/**", (route) => route.abort());
  await page.getByRole("button", { name: "Pin" }).click();
  await page.getByRole("status").getByText("The bot cannot be reached").waitFor();
});

test("settings: try a voice, make a backup, export notes, redraw", async () => {
  const rig = await filledRig();
  const { page, wrong } = await openBrowser(rig, "settings");
  await page.getByLabel("How it would speak").fill("like a pirate");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("heard what are you good for?, like a pirate").waitFor(SOON);
  await page.getByRole("button", { name: "Make a backup" }).click();
  await page.getByText("The backup is").waitFor(SOON);
  expect(await page.getByLabel("How it would speak").inputValue()).toBe("like a pirate");
  expect(readdirSync(join(rig.config.dataDir, "backups"))).toHaveLength(1);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export the notes" }).click(),
  ]);
  const path = await file.path();
  expect(readFileSync(path, "utf8")).toContain("plays the cello");
  await page.getByText("What it may do").click();
  await page.getByLabel("VIPs are never a target of an action").selectOption("yes");
  // What somebody ticked stays as it is while the page is drawn anew.
  rig.db.exec(
    "INSERT INTO switches (name, is_on, set_by, set_at) VALUES ('safe_mode', 1, 'a test', 1)",
  );
  await page.locator("#rail").getByText("actions off").waitFor(SOON);
  expect(await page.getByLabel("VIPs are never a target of an action").inputValue()).toBe("true");
  expect(wrong).toEqual([]);
});

test("an answer becomes a scenario for eval, without a word of chat", async () => {
  const rig = await filledRig();
  const candidates = [{ id: 1, score: 1, terms: [0, 0, 0, 0, 0], about: "lore" }];
  const trail = trailWith({ notes: { candidates, kept: [1], dropped: [] } } as never);
  rig.db.prepare("UPDATE replies SET token_usage_json = ?").run(JSON.stringify(trail));
  const { page } = await openBrowser(rig, "replies/1");
  await page.getByText("Numbers", { exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Make a scenario for eval" }).click(),
  ]);
  const text = readFileSync(await file.path(), "utf8");
  expect(toScenario(JSON.parse(text), "reply-1.json").facts).toMatchObject([
    { fact: "plays the cello" },
  ]);
  expect(text).not.toMatch(/what do I play|It plays the cello, I am told|Rosa/);
});

test("the report shows people and problems first, and folds the numbers", async () => {
  const rig = await openPageRig();
  const { stream, reply, call, episode } = ledgers({ db: rig.db, channel: CHANNEL });
  rig.db.exec("DELETE FROM stream_sessions");
  const startMs = Date.now() - 2 * HOUR_MS;
  stream(startMs, startMs + HOUR_MS);
  const [note = 0] = episode(startMs + 60_000, ["profile"]);
  const faulted = reply({ atMs: startMs + 1, outcomes: ["bad"] });
  call({ atMs: startMs, dollars: 0.0314 });
  const { page, wrong } = await openBrowser(rig, "report");
  await page.getByRole("heading", { name: "What it learned" }).waitFor(SOON);
  const headings = page.locator("#figures h2").filter({ visible: true });
  const summary = ["People", "What it learned", "Answers", "What went wrong", "Cost per day"];
  expect(await headings.allTextContents()).toEqual(summary);
  await page.getByText("Numbers for engineers", { exact: true }).click();
  expect((await headings.allTextContents()).slice(0, 6)).toEqual([...summary, "Replies"]);
  expect(await page.locator(`#figures a[href="/memory/notes/${note}"]`).count()).toBe(1);
  expect(await page.locator(`#figures a[href="/replies/${faulted}"]`).count()).toBe(1);
  expect(await page.locator("#figures").textContent()).toContain("$0.0314: answers $0.0314");
  expect(wrong).toEqual([]);
});
