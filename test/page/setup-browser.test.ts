import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { runDemo } from "../../src/cli/demo.ts";
import { useHelixStandIn } from "../../src/config/environment.ts";
// The page loads it for its first visitor. To translate it then would take longer than a person waits.
import "../../src/page/setup-view.ts";
import { wait as realWait } from "../../src/twitch/bounded-call.ts";
import { quietTerminal } from "../stand-ins/command.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openTown } from "../stand-ins/house.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { findFaults, openTab, SOON, useBrowser } from "./browser-rig.ts";
import { approver, CLIENT_ID, KEY, openGemini } from "./setup-rig.ts";

useBrowser();

const CLICKS_MAX = 12;

/** The demo in this process, which leads to setup before stand-ins of Twitch and Gemini. */
async function startDemo() {
  const town = await openTown();
  const model = await openGemini();
  const config = join(temporaryFolder(), "config.json");
  // Only what setup does not ask for: where the stand-ins are.
  const twitch = { chatUrl: town.irc.url };
  const llm = { baseUrl: model.url };
  writeFileSync(config, JSON.stringify({ channel: "x", twitch, llm, dashboard: { port: 0 } }));
  useHelixStandIn(town.helix.port);
  const stop = new AbortController();
  const { terminal, printed } = quietTerminal({ stop: stop.signal });
  const wait = (_ms: number, signal: AbortSignal) => realWait(5, signal);
  const world = { now: Date.now, wait, defaultClientId: "" };
  const ended = runDemo({ speed: 20, port: 0 }, terminal, { config, world });
  ended.catch(() => undefined);
  onTestFinished(async () => {
    stop.abort();
    await ended.catch(() => undefined);
  });
  const linkIn = () => /http:\/\/127\.0\.0\.1:\d+\/enter\?key=\S+/.exec(printed.join("\n"))?.[0];
  await until(() => linkIn() !== undefined);
  return { town, model, config, ended, link: linkIn() ?? "" };
}

/** A person in the browser: counts what they click and fill in, and looks at each step. */
function person(page: Page, look: (name: string) => Promise<void>) {
  let actions = 0;
  return {
    count: () => actions,
    click: async (role: "button" | "link", name: string) => {
      actions += 1;
      await page.getByRole(role, { name, exact: true }).click();
    },
    fill: async (label: string, text: string) => {
      actions += 1;
      await page.getByLabel(label, { exact: true }).fill(text);
    },
    arrives: async (heading: string) => {
      await page.getByRole("heading", { level: 1, name: heading }).waitFor(SOON);
      await look(heading);
    },
  };
}

test("the demo and setup lead to a live bot in twelve actions", {
  timeout: 200_000,
}, async () => {
  const { town, model, config, link, ended } = await startDemo();
  const { page, context } = await openTab({ viewport: null });
  const wrong: string[] = [];
  const me = person(page, async (name) => {
    for (const fault of await findFaults(page)) wrong.push(`${name}, ${fault}`);
  });
  await context.route("https://www.twitch.tv/**", (route) => route.fulfill({ body: "Twitch" }));
  await page.goto(link);
  await page.getByText("This is a demo.").waitFor(SOON);
  await me.click("button", "Go live");
  await me.arrives("Which channel is the bot for?");
  await me.fill("Your Twitch channel", CHANNEL);
  await me.click("button", "Continue");
  await me.arrives("Who speaks in chat?");
  await me.fill("Client ID of your Twitch application", CLIENT_ID);
  await me.click("button", "Continue");
  await me.arrives("Log in as the bot");
  const code = (await page.locator(".code").textContent())?.replace("Code: ", "") ?? "";
  await me.click("link", "Open Twitch");
  model.enqueue(geminiSays({ text: "Ready." }), geminiSays({ text: "Welcome home, Mira!" }));
  approver(town.helix, () => code)("automark");
  await me.arrives("Which model thinks?");
  await page.getByText("Logged in as automark.").waitFor();
  await me.fill("Key", KEY);
  await me.click("button", "Test and continue");
  await me.arrives("How does it talk?");
  await page.getByText("Welcome home, Mira!").waitFor();
  await me.click("button", "Continue");
  await me.arrives("Silent or live?");
  await me.click("button", "Go live");
  await me.arrives("Tell your viewers, then start");
  await me.click("button", "Save and start the bot");
  await page.getByRole("navigation", { name: "Views" }).waitFor(SOON);
  expect(me.count()).toBeLessThanOrEqual(CLICKS_MAX);
  expect(wrong).toEqual([]);
  expect(JSON.parse(readFileSync(config, "utf8"))).toMatchObject({
    channel: CHANNEL,
    bot: { login: "automark" },
  });
  expect(await page.content()).not.toContain(KEY);
  model.enqueue(geminiSays({ text: "Evening, Rosa." }));
  const rosa = { userId: "501", login: "rosa", displayName: "Rosa" };
  town.irc.say(CHANNEL, { ...rosa, text: "@automark good evening" });
  await until(() => town.said.length === 1);
  expect(town.said.map(({ text }) => text)).toEqual(["Evening, Rosa."]);
  await page.locator("#quit summary").click();
  await page.getByRole("button", { name: "Quit ForgetMeNot" }).click();
  await page.getByRole("alert").getByText("The bot has ended.").waitFor(SOON);
  await ended;
});
