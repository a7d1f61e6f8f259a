import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claimRehearsalFolder } from "../../src/demo/data-folder.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { runCommand } from "../stand-ins/command.ts";
import { openTown } from "../stand-ins/house.ts";
import { type Launch, startProgram } from "../stand-ins/program.ts";
import { launchIn, type Town, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { startTwitchServer } from "../stand-ins/twitch-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();

interface Refusal {
  readonly exit: number | string;
  /** What a person reads: without the log's lines. */
  readonly lines: readonly string[];
  readonly errors: string;
}

/** The page is up before Twitch says no. */
const LINK = /^The page, by a link that works once: \S+\n/;

/** What the program says that runs in this process, where its log is silent. */
async function refused(launch: Launch, ...args: string[]): Promise<Refusal> {
  const { exit, output, errors } = await runCommand(launch, ...args);
  expect(output.replace(LINK, "")).toBe("");
  return { exit, lines: linesOf(errors), errors };
}

/** The same of a process of its own, with all that its log says. */
async function refusedOnItsOwn(launch: Launch, ...args: string[]): Promise<Refusal> {
  const program = startProgram(launch, ...args);
  onTestFinished(() => program.kill("SIGKILL"));
  const exit = await program.ended;
  expect(program.output().replace(LINK, "")).toBe("");
  return { exit, lines: linesOf(program.errors()), errors: program.errors() };
}

function linesOf(errors: string): string[] {
  return errors.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
}

/** One line that names the thing, and the fix: nothing else. */
function expectRefusal({ exit, lines }: Refusal, what: RegExp, fix: RegExp): void {
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(what);
  expect(lines[1]).toMatch(fix);
  expect(exit).toBe(2);
}

function inFolder(config: unknown): Launch {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  return { main, folder, environment: { TWITCH_ACCESS_TOKEN: TWITCH_TOKEN } };
}

const VALID = { channel: "lanternroom", bot: { login: "automark" }, dataDir: "./data" };

test.for([
  [{ ...VALID, twich: {} }, /twich is not a key; did you mean twitch\?$/],
  [{ ...VALID, llm: { modle: "x" } }, /llm\.modle is not a key; did you mean model\?$/],
  [{ ...VALID, mode: "loud" }, /mode is "loud", should be one of "shadow", "mentions", "ambient"$/],
  [{ ...VALID, bot: { login: 7 } }, /bot\.login is 7, should be /],
] as const)("a mistyped configuration is one line with the key: %j", async ([config, what]) => {
  const launch = inFolder(config);
  expectRefusal(await refused(launch, "run"), what, /docs\/configuration\.md/);
  expect(readdirSync(launch.folder)).toEqual(["config.json"]);
});

test("a bot without a token is told which variable is missing", async () => {
  const launch = { ...inFolder(VALID), environment: {} };
  expectRefusal(await refused(launch, "run"), /TWITCH_ACCESS_TOKEN is missing/, /environment/);
});

test("a persona that no prompt has room for changes nothing", async () => {
  const persona = { voice: "brisk, warm and fond of lamps. ".repeat(200) };
  const launch = inFolder({ ...VALID, persona, prompt: { budgetTokens: 2_500 } });
  const found = await refused(launch, "run");
  expectRefusal(found, /^prompt\.budgetTokens is 2500: .* needs \d+$/, /longest persona's voice/);
  expect(readdirSync(launch.folder)).toEqual(["config.json"]);
});

test("a token that Twitch does not know is refused, and not shown", async () => {
  const town = await openTown();
  town.helix.revokeToken(TWITCH_TOKEN);
  const found = await refusedOnItsOwn(launchIn(town, main), "run");
  expectRefusal(found, /^TWITCH_ACCESS_TOKEN: Twitch refused it/, /fresh TWITCH_ACCESS_TOKEN/);
  expect(found.errors).not.toContain(TWITCH_TOKEN);
});

test("a token of another account is refused with both names", async () => {
  const town = await openTown();
  const found = await refused(launchIn(town, main, { bot: { login: "otherbot" } }), "run");
  expectRefusal(found, /belongs to automark, bot\.login is otherbot$/, /bot\.login/);
});

test("a token that chat refuses is refused, where there is no other Twitch to ask", async () => {
  const irc = await startTwitchServer({ now: Date.now, acceptPassword: () => false });
  onTestFinished(irc.close);
  const config = { ...VALID, dashboard: { port: false } };
  const launch = inFolder({ ...config, twitch: { chatUrl: irc.url } });
  const found = await refusedOnItsOwn(launch, "run");
  expectRefusal(found, /^TWITCH_ACCESS_TOKEN: chat refused it$/, /chat:read and chat:edit/);
  expect(found.errors).not.toContain(TWITCH_TOKEN);
});

test("a rehearsal leaves the folder of a live bot alone", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "forgetmenot.db"), "precious");
  const found = await refusedOnItsOwn({ main, folder }, "rehearse", "--data", ".");
  expectRefusal(found, /^--data: .* that is not a rehearsal's$/, /folder of its own/);
  expect(readdirSync(folder)).toEqual(["forgetmenot.db"]);
  expect(readFileSync(join(folder, "forgetmenot.db"), "utf8")).toBe("precious");
});

test("a live bot leaves the folder of a rehearsal alone, by its configuration or by one that names it", async () => {
  const folder = temporaryFolder();
  claimRehearsalFolder(folder);
  writeFileSync(join(folder, "live.json"), JSON.stringify({ ...VALID, dataDir: "." }));
  const before = readdirSync(folder);
  for (const file of ["rehearsal.json", "live.json"]) {
    const found = await refusedOnItsOwn({ main, folder }, "run", "-c", file);
    expectRefusal(found, /holds a rehearsal, not a channel$/, /another folder as dataDir/);
  }
  expect(readdirSync(folder)).toEqual(before);
});

test("a data folder that cannot be written is named", async () => {
  const launch = inFolder({ ...VALID, dataDir: "./config.json/data" });
  expectRefusal(await refused(launch, "run"), /^dataDir: .* cannot be written/, /writable/);
});

test("a second bot is refused, `start` shows the page of the first, which goes on", async () => {
  const town = await openTown();
  const launch = launchIn(town, main, { dashboard: { port: 0 } });
  const first = startProgram(launch, "run");
  onTestFinished(() => first.kill("SIGKILL"));
  await first.says("Joined");
  expectRefusal(
    await refused(launch, "run"),
    /^dataDir: another ForgetMeNot is running on /,
    /end that one first, with Quit on its page/,
  );
  const started = startProgram(launch, "start");
  expect(await started.ended).toBe(0);
  expect(started.output()).toMatch(/^The bot is running already\. Its page:\n\S+\/enter\?key=/);
  town.irc.say("lanternroom", {
    userId: "501",
    login: "rosa",
    displayName: "Rosa",
    text: "@automark hello",
  });
  await answered(town);
});

async function answered(town: Town): Promise<void> {
  await expect.poll(() => town.said.length, { timeout: 8_000 }).toBe(1);
}

test("the commands that only look make nothing where there is nothing", async () => {
  const launch = inFolder(VALID);
  expectRefusal(await refused(launch, "status"), /^database: no file at /, /start the bot once/);
  expect(readdirSync(launch.folder)).toEqual(["config.json"]);
});
