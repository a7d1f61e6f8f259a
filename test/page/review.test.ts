import { expect, test } from "vitest";
import { selectRepliesToReview } from "../../src/page/review-view.ts";
import type { ReplyView } from "../../src/reply/reply-view-store.ts";
import { prepareOutcomeWrite } from "../../src/reply/reply-view-store.ts";
import { trailWith } from "../telemetry/reported.ts";
import { addReply, filledRig, openBrowser, SOON, useBrowser, value } from "./browser-rig.ts";
import { CHANNEL, type PageRig } from "./page-rig.ts";

useBrowser();

/** A browser source of a broadcast, which has a size of its own. */
const SOURCE = { viewport: { width: 800, height: 600 } };

/** Has notes stand in the prompt of a reply. */
function use({ db }: PageRig, replyId: number, over: object): void {
  db.prepare("UPDATE replies SET token_usage_json = ? WHERE id = ?").run(
    JSON.stringify(trailWith(over as never)),
    replyId,
  );
}

const candidate = (id: number, score: number) => ({
  ...{ id, score, terms: [score, 0, 0, 0, 0], about: "lore" },
});

test("a note that misled an answer is rejected in the review", async () => {
  const rig = await filledRig();
  use(rig, 1, { notes: { candidates: [candidate(1, 1)], kept: [1], dropped: [] } });
  prepareOutcomeWrite(rig.db)([{ replyId: 1, kind: "timed_out" }], Date.now());
  const { page, wrong } = await openBrowser(rig, "review");
  await page.getByRole("heading", { name: "The viewer was timed out" }).waitFor(SOON);
  await page.getByText("The note it saw").click();
  await page.getByRole("button", { name: "This note was wrong" }).click();
  await page.getByText("Note 1 is rejected, and is not learned again.").waitFor(SOON);
  expect(value(rig, "SELECT status FROM semantic_notes WHERE id = 1")).toBe("rejected");
  await page.getByRole("button", { name: "Undo" }).first().click();
  await page.getByText("Taken back").waitFor(SOON);
  expect(value(rig, "SELECT status FROM semantic_notes WHERE id = 1")).toBe("active");
  expect(wrong).toEqual([]);
});

test("an answer shows its prompt by sections, what was left out, and its notes", async () => {
  const rig = await filledRig();
  use(rig, 1, {
    sections: { persona: 600, lore: 100, chat: 300 },
    limitTokens: 1_200,
    ladder: [{ section: "chat", from: 40, to: 20, savedTokens: 320, droppedIds: [7, 8] }],
    notes: {
      candidates: [candidate(1, 1.5), { ...candidate(2, 0.25), about: "bit" }],
      kept: [1],
      dropped: [2],
    },
  });
  const { page, wrong } = await openBrowser(rig);
  await page.goto(rig.url);
  await page.getByRole("link", { name: "what it saw" }).click();
  await page.getByText("About 1,000 tokens, of 1,200 at most.").waitFor(SOON);
  const bar = page.locator("dl", { hasText: "persona and rules600" });
  const widths = await bar
    .locator("rect.one")
    .evaluateAll((all) => all.map((one) => Number(one.getAttribute("width"))));
  const [persona = 0, ...others] = widths;
  expect(others.map((width) => width / persona)).toEqual([
    expect.closeTo(1 / 6, 2),
    expect.closeTo(1 / 2, 2),
  ]);
  await page.getByText("40 → 20, 320 tokens saved (7, 8)").waitFor(SOON);
  const stood = page.locator("#weighed-1");
  expect(await stood.textContent()).toMatch(/cello.*it saw this.*score 1\.50/s);
  const left = await page.locator("#weighed-2").textContent();
  expect(left).toMatch(/bees.*left out.*a running joke.*score 0\.25/s);
  await stood.focus();
  await page.keyboard.press("w");
  await page.getByText("Note 1 is rejected").waitFor(SOON);
  expect(value(rig, "SELECT status FROM semantic_notes WHERE id = 1")).toBe("rejected");
  expect(wrong).toEqual([]);
});

test("after All seen, only later notes are new", async () => {
  const rig = await filledRig();
  const { page } = await openBrowser(rig, "review");
  await page.getByText("Rosa plays the cello").waitFor(SOON);
  await page.getByRole("button", { name: "All seen" }).click();
  await page.getByText("Nothing that you have not seen.").waitFor(SOON);
  expect(value(rig, "SELECT value_json FROM runtime WHERE name = 'page_reviewed'")).toBe(
    '{"noteId":2}',
  );
  rig.note("enjoys fencing");
  await page.getByText("Rosa enjoys fencing").waitFor(SOON);
  expect(await page.locator("main .fact").allTextContents()).toEqual(["Rosa enjoys fencing"]);
});

test("a proposal that waits counts down, and says when it is over", async () => {
  const rig = await filledRig();
  // A browser of its own: its clock stays changed.
  const { page } = await openBrowser(rig, "", SOURCE);
  await page.clock.install();
  await page.goto(`${rig.url}actions`);
  const left = page.locator("[data-until]");
  await expect.poll(() => left.textContent(), SOON).toMatch(/left$/);
  await page.clock.fastForward(660_000);
  await expect.poll(() => left.textContent(), SOON).toBe("over");
});

const row = (id: number, over: Partial<ReplyView> = {}): ReplyView => ({
  ...{ id, channel: CHANNEL, viewer: "Rosa", userId: `u${id}`, trigger: "mention", state: "sent" },
  ...{ reason: null, createdAtMs: id, latencyMs: 1, model: "m", text: "x", question: "y" },
  outcomes: [],
  ...over,
});

test("to review are removed, corrected and stopped replies, then one of each kind", () => {
  const replies = [
    row(1),
    row(2),
    row(3, { outcomes: ["deleted"] }),
    row(4, { outcomes: ["timed_out"] }),
    row(5, { state: "silent", reason: "guard_banned" }),
    row(6, { userId: "u2" }),
    row(7, { trigger: "command" }),
    row(8, { state: "refused", reason: "cooldown" }),
  ];
  const found = selectRepliesToReview(replies, new Set([6]));
  expect(found.map(({ reply, why }) => [reply.id, why])).toEqual([
    [3, "A moderator removed it"],
    [4, "The viewer was timed out"],
    [2, "They corrected it"],
    [5, "Its words were stopped"],
    [1, "First of its kind"],
    [7, "First of its kind"],
  ]);
  const many = Array.from({ length: 40 }, (_, n) => row(n, { outcomes: ["bad"] }));
  expect(selectRepliesToReview(many, new Set())).toHaveLength(12);
  const ofOne = Array.from({ length: 5 }, (_, n) => row(n, { outcomes: ["bad"], userId: "u" }));
  expect(selectRepliesToReview(ofOne, new Set())).toHaveLength(1);
});

test("the overlay is styled by its address, speaks, and falls silent", async () => {
  const rig = await filledRig();
  const { page, wrong } = await openBrowser(rig, "", SOURCE);
  await page.addInitScript(
    "window.spoken = []; speechSynthesis.speak = ({ text }) => window.spoken.push(text);",
  );
  await page.clock.install();
  const told = page.waitForResponse(/overlay\/live/);
  const style = "seconds=60&voice=on&theme=dark&size=large&side=right&at=top";
  await page.goto(`${rig.url}overlay?key=${rig.access.make("overlay")}&${style}`);
  await told;
  await page.locator("html.dark.large body.right.top").waitFor(SOON);
  const isShown = async (text: string) =>
    (await page.locator(".bubble.shown").allTextContents()).includes(text);
  await expect
    .poll(async () => {
      // The first may come before the server's first look.
      if ((await page.locator(".bubble").textContent()) === "")
        addReply(rig, { text: "Hello, everybody.", question: "hi" });
      return isShown("Hello, everybody.");
    }, SOON)
    .toBe(true);
  expect(await page.evaluate("window.spoken[0]")).toBe("Hello, everybody.");
  await page.clock.fastForward(61_000);
  await expect.poll(() => page.locator(".bubble.shown").count(), SOON).toBe(0);
  expect(wrong).toEqual([]);
});
