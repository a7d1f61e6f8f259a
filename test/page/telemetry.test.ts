import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localTime } from "../../src/platform/config/local-time.ts";
import { counterStore } from "../../src/platform/database/runtime-store.ts";
import type { Trail } from "../../src/reply/trail.ts";
import { runLine } from "../stand-ins/command.ts";
import { DAY_MS, HOUR_MS, ledgers } from "../telemetry/reported.ts";
import { launchBrowser, openBrowser, SOON } from "./browser-rig.ts";
import { CHANNEL, openPageRig, type PageRig } from "./page-rig.ts";

const shared: { browser: Browser | null } = { browser: null };
beforeAll(async () => {
  shared.browser = await launchBrowser();
});
afterAll(() => shared.browser?.close());

interface Shown {
  readonly at: string;
  readonly value: string;
  readonly text: string;
}

const EVERY_FIGURE = `[...document.querySelectorAll("main [data-figure]")].map((node) => ({
  at: node.dataset.figure, value: node.dataset.value, text: node.textContent }))`;
/** What is left of the figures' places once every figure is taken out. */
const REST = `(() => {
  const copy = document.querySelector("#figures").cloneNode(true);
  for (const node of copy.querySelectorAll("[data-figure], dt, figure, h2, .named")) node.remove();
  return copy.textContent;
})()`;

test("every figure of telemetry is the same in `report --json`, and none stands there without its place", async () => {
  const rig = await openPageRig();
  fill(rig);
  const { page, wrong } = await openBrowser(shared.browser, rig);
  await page.goto(`${rig.url}telemetry`);
  await page.getByRole("heading", { name: "Outcomes" }).waitFor(SOON);
  const found = (await page.evaluate(EVERY_FIGURE)) as Shown[];
  expect(found.length).toBeGreaterThan(250);
  const told = await runLine(["report", "--json", "--config", rig.configFile]);
  expect(told.errors).toBe("");
  const report: unknown = JSON.parse(told.output);
  for (const { at, value, text } of found) {
    const said = at
      .split("/")
      .slice(1)
      .reduce((sum, key) => (sum as Record<string, unknown>)[key.replaceAll("~1", "/")], report);
    expect([at, value]).toEqual([at, String(said)]);
    if (text !== "") expect([at, text, isSaid(at, text, said)]).toEqual([at, text, true]);
  }
  const parts = new Set(found.map(({ at }) => at.split("/")[1]));
  for (const part of ["replies", "prompts", "timeLine", "spend", "memory", "outcomes", "drift"])
    expect(parts).toContain(part);
  // Percentiles, the five percent of a good estimate, how many things moved and names of models are words.
  const rest = String(await page.evaluate(REST)).replaceAll(/p\d+|±5 %|\d things? moved|m\d/g, "");
  expect(rest).not.toMatch(/\d/);
  expect(wrong).toEqual([]);
});

/** Whether a text says a value: rounded to the digits that it shows. */
function isSaid(at: string, text: string, value: unknown): boolean {
  if (typeof value === "string" || value === null) return text.length > 0;
  if (/^\d{4}-/.test(text)) return at.startsWith("/period/") && text === localTime(Number(value));
  const [, sign = "", digits = "", unit = ""] =
    /^([+−-]?)\$?([\d,.]+)\s?(%|ms|s\b|h|min|days)?/u.exec(text) ?? [];
  const scale = { "%": 0.01, s: 1_000, h: HOUR_MS, min: 60_000, days: DAY_MS }[unit] ?? 1;
  const shown = Number(`${sign}${digits.replaceAll(",", "")}`);
  const decimals = digits.split(".")[1]?.length ?? 0;
  const isPart = Number(value) <= 1 && scale === 1 && shown > 1;
  const meant = isPart ? Number(value) * 100 : Number(value) / scale;
  return Math.abs(shown - meant) <= 0.5001 / 10 ** decimals;
}

/** Five streams, of which the last has something of everything. */
function fill({ db }: PageRig): void {
  const { stream, reply, call, episode } = ledgers({ db, channel: CHANNEL });
  db.exec("DELETE FROM stream_sessions");
  const lastMs = Date.now() - 2 * HOUR_MS;
  for (let n = 4; n >= 1; n -= 1) {
    const atMs = lastMs - n * DAY_MS;
    stream(atMs, atMs + HOUR_MS);
    for (let count = 0; count < 30; count += 1) reply({ atMs: atMs + count });
  }
  stream(lastMs, lastMs + HOUR_MS);
  const counters = counterStore(db);
  counters.bump("extract.relation.maker/small-model.new", 3);
  counters.bump("extract.relation.maker/small-model.same");
  counters.bump("retention.unsummarised", 7);
  counters.bump("extract.failed.cap", 2);
  const notes = episode(lastMs + 60_000, ["profile", "event", "preference"]);
  episode(lastMs + 70_000, []);
  const step = { section: "lore", from: 10, to: 7, savedTokens: 60, droppedIds: [1] };
  for (let n = 0; n < 12; n += 1) {
    reply({
      atMs: lastMs + n * 240_000,
      outcomes: ["viewer_answered"],
      trail: known(n, notes, step),
    });
    const outcomes = n < 6 ? ["negative"] : [];
    reply({ atMs: lastMs + n * 240_000 + 1, outcomes, trail: { messageKind: "command" } });
  }
  for (let n = 0; n < 30; n += 1)
    reply({ atMs: lastMs + n, state: "refused", reason: "stale", trail: null });
  call({ atMs: lastMs, dollars: 0.0314 });
  call({ atMs: lastMs + 1, purpose: "summarise", model: "maker/m2", dollars: null });
}

/** A prompt in which notes and an episode stood, and of which something was left out. */
function known(n: number, notes: readonly number[], step: Trail["ladder"][number]): Partial<Trail> {
  return {
    ladder: [step],
    estimatedTokens: 980 + n,
    overBudget: n === 3,
    sections: { persona: 600, lore: 100, chat: 300 },
    notes: { candidates: [], kept: notes.slice(0, 2), dropped: [9] },
    episodes: { kept: [1], dropped: [] },
    guard: { removed: ["link"], rule: null },
    actions: [{ id: n, action: "clip", decision: "run", reason: "allowed" } as never],
  };
}
