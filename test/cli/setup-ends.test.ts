import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { lockFolder } from "../../src/database/lock.ts";
import { runLine } from "../stand-ins/command.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  CLIENT_ID,
  ENTER,
  hearsVoice,
  NAMED,
  openSetup,
  type Rig,
  reachLogin,
  somebody,
  withGemini,
} from "./setup-rig.ts";

const STOPS: readonly (readonly [string, (rig: Rig) => Promise<void>])[] = [
  ["at the first question", (rig) => rig.stops("your Twitch channel")],
  [
    "by Ctrl-D",
    async (rig) => {
      await rig.sees("your Twitch channel");
      rig.press("\u0004");
    },
  ],
  [
    "while it waits for the log-in",
    async (rig) => {
      await reachLogin(rig);
      await rig.stops("Waiting until");
    },
  ],
  [
    "at the last question",
    async (rig) => {
      await reachLogin(rig);
      await rig.sees("Code: CODE1");
      rig.approves("automark");
      await rig.agrees(NAMED);
      await rig.picks("Which language model", "Google Gemini");
      await rig.types("Paste the key", "somekey");
      await rig.picks("What now?", "Go on all the same");
      await hearsVoice(rig);
      await rig.agrees("How does it begin?");
      await rig.picks("Write this?", "No");
    },
  ],
];

test.for(STOPS)("who stops %s finds everything as it was", async ([, stop]) => {
  const rig = await openSetup();
  vi.stubGlobal("fetch", offline(globalThis.fetch));
  onTestFinished(() => void vi.unstubAllGlobals());
  await stop(rig);
  await rig.sees("Nothing was changed.");
  expect(await rig.done).toBe(false);
  expect(rig.exists("config.json")).toBe(false);
  expect(rig.exists("data")).toBe(false);
});

/** Nothing but this machine can be reached: a test asks no Google. */
function offline(real: typeof fetch): typeof fetch {
  return (url, init) => {
    const target = new URL(url instanceof Request ? url.url : url);
    if (target.hostname === "localhost") return real(url, init);
    return Promise.reject(new TypeError("offline"));
  };
}

test("a signal ends it between two questions, too", async () => {
  const rig = await openSetup();
  rig.helix.failNext("/auth/device", { kind: "hang" });
  await reachLogin(rig);
  await rig.sees("none");
  rig.stop.abort();
  await rig.sees("Nothing was changed.");
  expect(await rig.done).toBe(false);
});

test("who stops is told by the exit code", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const person = somebody(input, output);
  const file = join(temporaryFolder(), "config.json");
  const running = runProgram(["setup", "--config", file], {
    print: () => undefined,
    complain: () => undefined,
    write: () => undefined,
    isTerminal: true,
    columns: () => 80,
    stop: new AbortController().signal,
    person: () => ({ input, output }),
  });
  await person.stops("your Twitch channel");
  expect(await running).toBe(1);
  expect(existsSync(file)).toBe(false);
});

test("without a terminal it says what to do by hand", async () => {
  const { exit, output, errors } = await runLine(["setup"]);
  expect(exit).toBe(2);
  expect(output).toBe("");
  expect(errors).toMatch(/no terminal/);
  expect(errors).toMatch(/copy config\.example\.json to config\.json/);
});

test("beside a running bot it is refused before the first question", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify({ channel: CHANNEL }));
  mkdirSync(join(folder, "data"));
  const lock = lockFolder(join(folder, "data"));
  onTestFinished(lock.release);
  const rig = await openSetup({ folder });
  await expect(rig.done).rejects.toMatchObject({
    code: "locked",
    message: expect.stringMatching(/the bot is running on /),
    mend: expect.stringMatching(/Ctrl-C/),
  });
  expect(rig.screen()).toBe("");
});

test("a broken configuration is told as everywhere else", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "config.json"), '{ "channel": ');
  const rig = await openSetup({ folder });
  await expect(rig.done).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(/is not valid JSON/),
  });
});

test("a configuration that another hand made meanwhile is left alone", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "Nobody");
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", "somekey");
  await rig.sees("Write this?");
  writeFileSync(rig.file, JSON.stringify({ channel: "otherroom" }));
  rig.press(ENTER);
  await rig.sees("was changed by somebody else");
  expect(readFileSync(rig.file, "utf8")).toBe(JSON.stringify({ channel: "otherroom" }));
  await rig.picks("Write this?", "No");
  await rig.sees("config.json was not changed.");
  expect(await rig.done).toBe(false);
});

test("where nothing can be written, no answer is lost", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "Nobody");
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", "somekey");
  await rig.sees("Write this?");
  writeFileSync(join(rig.folder, "data"), "a file in the folder's place");
  rig.press(ENTER);
  await rig.sees("That did not work:");
  rmSync(join(rig.folder, "data"));
  await rig.picks("Write this?", "Yes");
  expect(await rig.done).toBe(true);
  expect(rig.secrets()).toMatchObject({ geminiApiKey: "somekey" });
});

test("a bot that was started meanwhile is not written over", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "Nobody");
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", "somekey");
  await rig.sees("Write this?");
  const before = rig.text();
  mkdirSync(join(rig.folder, "data"), { recursive: true });
  const lock = lockFolder(join(rig.folder, "data"));
  rig.press(ENTER);
  await rig.sees("the bot is running");
  expect(rig.text()).toBe(before);
  expect(rig.exists(join("data", "secrets.json"))).toBe(false);
  lock.release();
  await rig.picks("Write this?", "No");
  expect(await rig.done).toBe(false);
});

test("every answer can be changed before anything is written", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await reachLogin(rig);
  await rig.sees("Code: CODE1");
  rig.approves("automark");
  await rig.agrees(NAMED);
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", "somekey");
  await hearsVoice(rig);
  await rig.picks("How does it begin?", "Silently");
  await rig.picks("Write this?", "Change an answer");
  await rig.picks("Which one?", "How it begins");
  await rig.picks("How does it begin?", "Answer at once");
  await rig.picks("Write this?", "Change an answer");
  await rig.picks("Which one?", "The channel");
  await rig.types("your Twitch channel", "otherroom");
  await rig.picks("Write this?", "Yes");
  await rig.sees("It answers whoever speaks to @automark");
  await rig.done;
  expect(rig.config()).toMatchObject({ channel: "otherroom", bot: { login: "automark" } });
  expect(rig.config()).not.toHaveProperty("mode");
});

test("what the bot could not start with is told before it is written", async () => {
  const config = {
    ...(await withGemini()),
    persona: { voice: "brisk, warm and fond of lamps. ".repeat(30) },
    prompt: { budgetTokens: 2_500 },
  };
  const rig = await openSetup({ config });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "Nobody");
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", "somekey");
  await rig.sees("The bot could not start with this:");
  await rig.sees("prompt.budgetTokens is 2500");
  await rig.picks("What now?", "No");
  await rig.sees("Nothing was changed.");
  expect(rig.config()).toEqual(config);
});

test("a Twitch that does not answer, and one that refuses, are told apart", async () => {
  const helix = await startHelixServer({ now: Date.now });
  onTestFinished(helix.close);
  helix.failNext("/auth/device", { kind: "status", status: 503 });
  helix.failNext("/auth/device", { kind: "status", status: 400 });
  const rig = await openSetup({ config: await withGemini(), helix });
  await reachLogin(rig);
  await rig.sees("Twitch does not answer.");
  await rig.picks("What now?", "Try once more");
  await rig.sees("Most often the Client ID is not right.");
  await rig.picks("What now?", "Go back");
  await rig.types("Paste the Client ID", CLIENT_ID);
  await rig.sees("Code: CODE1");
});
