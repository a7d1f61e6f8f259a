import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../stand-ins/built-program.ts";
import { runCommand } from "../stand-ins/command.ts";
import { openTown } from "../stand-ins/house.ts";
import type { Launch } from "../stand-ins/program.ts";
import { atTerminal, hasTerminal } from "../stand-ins/pseudo-terminal.ts";
import { CHANNEL, launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { type Somebody, somebody } from "./somebody.ts";

const main = builtProgram();

/** Somebody who starts the program in their terminal. */
function starts(launch: Launch, ...args: string[]) {
  const { input, output, ended, kill } = atTerminal(launch, ...args);
  onTestFinished(kill);
  return { ...somebody(input, output), ended };
}

function says(town: Town, text: string): void {
  const rosa = { userId: "501", login: "rosa", displayName: "Rosa" };
  town.irc.say(CHANNEL, { ...rosa, text });
}

test.skipIf(!hasTerminal)(
  "a terminal shows the state and no log line; the log holds no names and no messages",
  async () => {
    const town = await openTown();
    const launch = launchIn(town, main);
    const person = starts(launch, "run");
    await person.sees("Joined #lanternroom");
    await person.sees("#lanternroom live");
    says(town, "@automark what a lovely lantern");
    await until(() => town.said.length === 1);
    expect((await runCommand(launch, "pause")).exit).toBe(0);
    await person.sees("PAUSED");
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
    const port = await listenSilently();
    const town = await openTown();
    const launch = launchIn(town, main, { dashboard: { port } });
    const person = starts(launch, "run");
    const [, moved] = /http:\/\/127\.0\.0\.1:(\d+)\/enter/.exec(await page(person)) ?? [];
    expect(Number(moved)).not.toBe(port);
    await person.sees("Joined #lanternroom");
    const { notices } = JSON.parse((await runCommand(launch, "status", "--json")).output);
    expect(notices).toMatchObject([{ kind: "page_moved", severity: "info" }]);
    says(town, "@automark hello");
    await until(() => town.said.length === 1);
  },
  60_000,
);

test.skipIf(!hasTerminal)(
  "the link and the state are there before the bot is in chat",
  async () => {
    const chatUrl = `ws://127.0.0.1:${await listenSilently()}`;
    const given = { twitch: { chatUrl }, dashboard: { port: 0 } };
    const person = starts(launchIn(await openTown(), main, given), "run");
    expect(await page(person)).toContain("/enter?key=");
    await person.sees("#lanternroom not joined");
    person.press("\u0003");
    expect(await person.ended).toBe(0);
    expect(person.screen()).not.toContain("Joined");
  },
  60_000,
);

/** Takes a port, and says nothing there until the test ends. */
async function listenSilently(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function page(person: Somebody): Promise<string> {
  await person.sees("The page, by a link that works once: ");
  await until(() => person.last().includes("\n"));
  return person.last();
}
