import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../stand-ins/built-program.ts";
import { runCommand, runLine } from "../stand-ins/command.ts";
import { openTown } from "../stand-ins/house.ts";
import type { Launch } from "../stand-ins/program.ts";
import { atTerminal, hasTerminal } from "../stand-ins/pseudo-terminal.ts";
import { CHANNEL, launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { openBotFolder } from "./bot-folder.ts";
import { type Somebody, somebody } from "./somebody.ts";

const main = builtProgram();

/** Somebody who starts the program in their terminal. */
function starts(launch: Launch, ...args: string[]) {
  const { input, output, ended, kill } = atTerminal(launch, ...args);
  onTestFinished(kill);
  return { ...somebody(input, output), ended };
}

/** An empty folder. */
async function nothingYet() {
  const town = await openTown();
  const folder = dirname(town.dataDir);
  mkdirSync(folder, { recursive: true });
  const environment = { TWURPLE_MOCK_API_PORT: String(town.helix.port) };
  return { launch: { main, folder, environment } };
}

function says(town: Town, text: string): void {
  const rosa = { userId: "501", login: "rosa", displayName: "Rosa" };
  town.irc.say(CHANNEL, { ...rosa, text });
}

test.skipIf(!hasTerminal)(
  "a live terminal shows people and the true reason for a silence; names and words stand in no file",
  async () => {
    const town = await openTown();
    const launch = launchIn(town, main);
    const person = starts(launch, "run");
    await person.sees("Joined #lanternroom");
    await person.sees("#lanternroom live");
    says(town, "@automark what a lovely lantern");
    await person.sees("Rosa: @automark what a lovely lantern");
    await person.sees("▸ automark:");
    expect((await runCommand(launch, "pause")).exit).toBe(0);
    await person.sees("PAUSED");
    says(town, "@automark are you still there");
    await person.sees("Rosa: @automark are you still there");
    await person.sees("· silent: the bot is paused");
    person.press("\u0003");
    await person.sees("sums the stream up.");
    expect(await person.ended).toBe(0);
    expect(person.screen()).not.toMatch(/^\{"/m);
    const logs = join(town.dataDir, "logs");
    const logged = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
    expect(logged.join("")).toContain('"msg"');
    expect(logged.join("")).not.toMatch(/rosa|lovely|501/i);
  },
  60_000,
);

test.skipIf(!hasTerminal)(
  "a page port that another program has is no reason to stop: the bot chats on, and says where its page is",
  async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => {
        const address = taken.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    onTestFinished(() => void taken.close());
    const town = await openTown();
    const person = starts(launchIn(town, main, { dashboard: { port } }), "run");
    await person.sees("Joined #lanternroom");
    const [, moved] = /http:\/\/127\.0\.0\.1:(\d+)\/enter/.exec(await page(person)) ?? [];
    expect(Number(moved)).not.toBe(port);
    says(town, "@automark hello");
    await until(() => town.said.length === 1);
  },
  60_000,
);

async function page(person: Somebody): Promise<string> {
  await person.sees("The page, by a link that works once: ");
  await until(() => person.last().includes("\n"));
  return person.last();
}

/** A browser that writes down what it was to open. */
function browserIn(folder: string) {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const opened = join(folder, "opened");
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\necho "$1" >> '${opened}'\n`);
  chmodSync(join(bin, "xdg-open"), 0o755);
  const path = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  return { opened, environment: { DISPLAY: ":9", PATH: path } };
}

test.skipIf(!hasTerminal)(
  "at a terminal a rehearsal opens its page in the browser",
  async () => {
    const { launch } = await nothingYet();
    const { opened, environment } = browserIn(launch.folder);
    const person = starts({ ...launch, environment }, "rehearse", "--speed", "20");
    await until(() => existsSync(opened) && readFileSync(opened, "utf8").includes("\n"));
    expect(readFileSync(opened, "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter\?key=\S+\n$/);
    person.press("\u0003");
    expect(await person.ended).toBe(0);
  },
  60_000,
);

/** A folder in which each command that cannot be undone has something to do. */
async function undoable() {
  const { db, file, folder } = openBotFolder();
  const files = { BACKUP: join(folder, "kept.db"), EXPORT: join(folder, "kept.json") };
  for (const words of [
    ["memory", "add", "@ann plays the guitar", "--viewer", "ann"],
    ["memory", "policy", "set", "mode=shadow"],
    ["memory", "policy", "set", "mode=manual"],
    ["backup", files.BACKUP],
    ["memory", "export", files.EXPORT],
  ])
    expect(await runLine([...words, "--config", file])).toMatchObject({ exit: 0 });
  const launch = { main, folder };
  const call = (words: readonly string[]) =>
    starts(launch, ...words.map((word) => new Map(Object.entries(files)).get(word) ?? word));
  // The configuration is what a rollback would change.
  const stands = () => [db.serialize().toString("base64"), readFileSync(file, "utf8")];
  return { call, stands, close: () => void db.close() };
}

test.skipIf(!hasTerminal).for([
  [["memory", "forget", "1"], "guitar", "note 1 is forgotten"],
  [["viewer", "forget", "ann"], "guitar", "everything about ann is forgotten"],
  [["memory", "policy", "rollback", "1"], "memory.mode: manual → shadow", "this is policy"],
  [["memory", "import", "EXPORT"], "of 1 note", "of 1 note"],
  [["restore", "BACKUP"], "1 note of now would go", "restored from"],
] as const)(
  "asked at a terminal, %j does nothing for a no, and what it said for a y",
  async ([words, shown, done]) => {
    const { call, stands, close } = await undoable();
    const before = stands();
    for (const no of words[1] === "forget" ? ["n\r", "\r", "\u0004", "\u0003"] : ["n\r"]) {
      const person = call(words);
      await person.sees(shown);
      await person.sees("Go on? [y/N]");
      person.press(no);
      await person.sees("Nothing was changed.");
      expect(await person.ended).toBe(1);
      expect(stands()).toEqual(before);
    }
    if (words[0] === "restore") close();
    const person = call(words);
    await person.sees("Go on? [y/N]");
    person.press("y\r");
    await person.sees(done);
    expect(await person.ended).toBe(0);
    // A restore puts another file there, and this note was known.
    if (!["restore", "import"].includes(words.at(-2) ?? "")) expect(stands()).not.toEqual(before);
  },
);
