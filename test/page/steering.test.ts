import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { PageAccess } from "../../src/page/access.ts";
import { runHere } from "../stand-ins/command.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, openHouse } from "../stand-ins/house.ts";
import { systemPrompt } from "../stand-ins/prompt-seen.ts";
import { until } from "../stand-ins/until.ts";
import { filledRig, openBrowser, SOON, useBrowser } from "./browser-rig.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

useBrowser();

const fileOf = ({ configFile }: PageRig) => JSON.parse(readFileSync(configFile, "utf8"));

test("a limit of an action is set by a form, stands in history, and is taken back", async () => {
  const rig = await filledRig();
  const { page, wrong } = await openBrowser(rig, "settings");
  await page.locator("#actions summary").click();
  await page.getByLabel("Announcements and shoutouts").selectOption("ask me first");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: Announcements and shoutouts.").waitFor(SOON);
  await page.locator("#limits summary").click();
  await page.getByLabel("timeout: Runs in any hour").fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: timeout: Runs in any hour.").waitFor(SOON);
  await page.locator("#earlier > summary").click();
  expect(fileOf(rig).actions).toEqual({
    classes: { chat: "approve" },
    limits: { timeout: { perHour: 1 } },
  });
  await page.locator("#policy-2", { hasText: "timeout: Runs in any hour" }).waitFor(SOON);
  await page.locator("#policy-1").getByText("Bring it back").click();
  await page.getByRole("button", { name: "Bring number 1 back" }).click();
  await page.getByText("The settings of number 1 are back.").waitFor(SOON);
  expect(fileOf(rig).actions).toEqual({ classes: { chat: "approve" }, limits: {} });
  const sources = rig.db.prepare("SELECT source FROM policy_history ORDER BY number").pluck().all();
  expect(sources).toEqual(["page", "page", "rollback"]);
  expect(wrong).toEqual([]);
});

test("every key that may change while the bot runs has its field", async () => {
  const rig = await openPageRig();
  const { cookie } = await rig.login();
  const headers = { cookie, accept: "text/html" };
  const settings = (await rig.send("/settings", { headers })).text;
  const keys: { key: string }[] = (await rig.ask("settings")).json;
  expect(keys.length).toBeGreaterThan(100);
  const isOn = (text: string, key: string) => text.includes(`name="${key}"`);
  // Limits that mean nothing to an action, such as seconds of a clip, are left out of the table.
  const without = keys.filter(
    ({ key }) => !isOn(settings, key) && !/\.(secondsM\w+|targetSeconds)$/.test(key),
  );
  expect(without).toEqual([]);
});

test("a token of the command opens the API until it is revoked", async () => {
  const rig = await openPageRig();
  const run = async (...args: string[]) => {
    const { exit, output } = await runHere("page", ...args, "-c", rig.configFile);
    expect(exit).toBe(0);
    return output;
  };
  const { token } = JSON.parse(await run("token", "deck", "--json"));
  const headers = { authorization: `Bearer ${token}` };
  const status = async () => (await rig.send("/api/notes", { headers })).status;
  expect(await status()).toBe(200);
  const listed = await run("token", "--list");
  expect(listed).toContain("deck");
  expect(listed).not.toContain(token);
  await run("token", "--revoke", "deck");
  expect(await status()).toBe(401);
});

test("a running bot follows a policy from the API, and its rollback", async () => {
  const house = await openHouse({
    ...fastTime(20),
    watched: true,
    scopes: ["user:write:chat", "clips:edit"],
    config: { dashboard: { port: 0 } },
  });
  const { daemon, db, model, now, say, ended, takenOver } = house;
  const headers = {
    authorization: `Bearer ${new PageAccess(db, now).make("token")}`,
    "content-type": "application/json",
  };
  const link = daemon.pageLink() ?? "";
  const ask = async (path: string, method = "GET", sent?: object) => {
    const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
    const response = await fetch(new URL(path, link), { method, headers, ...body });
    return response.json();
  };
  const offersClips = async (replies: number) => {
    model.enqueue(geminiSays({ text: `answer ${replies}` }));
    say({ userId: `60${replies}`, login: `asker${replies}`, text: "@automark one?" });
    await ended(replies);
    return systemPrompt(house).includes(ACTIONS.clip.line);
  };
  expect(await offersClips(1)).toBe(false);
  await ask("/api/settings", "PATCH", { "actions.classes.stream": "live" });
  await until(() => takenOver() === 1);
  expect(await offersClips(2)).toBe(true);
  const history = async () =>
    ((await ask("/api/policy/history")) as { items: { number: number; source: string }[] }).items;
  expect((await history()).map(({ source }) => source)).toEqual(["page", "start"]);
  await ask("/api/policy/rollback", "POST", { number: 1 });
  await until(() => takenOver() === 2);
  expect(await offersClips(3)).toBe(false);
  expect((await history()).map(({ source }) => source)).toEqual(["rollback", "page", "start"]);
  expect(await ask("/api/settings")).toContainEqual(
    expect.objectContaining({ key: "actions.classes.stream", value: "off" }),
  );
});
