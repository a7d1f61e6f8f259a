import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test, vi } from "vitest";
import { proofs } from "../demo/recorded.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { startProgram } from "../stand-ins/program.ts";
import { atTerminal, hasTerminal } from "../stand-ins/pseudo-terminal.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();

/** A demo with a folder of its own for temporary files. */
function rehearsal(...args: string[]) {
  const folder = temporaryFolder();
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const environment = { TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  const again = (...words: string[]) => {
    const started = startProgram({ main, folder, environment }, ...words);
    onTestFinished(() => started.kill("SIGKILL"));
    return started;
  };
  const left = () => [...readdirSync(folder), ...readdirSync(temporary)];
  return { program: again(...args), left, again };
}

test("the demo answers from memory, turns orders aside, and says where its notes come from", async () => {
  const { program, again } = rehearsal("rehearse", "--speed", "30", "--data", "kept here");
  expect(await program.ended, program.output()).toBe(0);
  const output = program.output();
  expect(output).toMatch(/starts again: stream 2\. Of \d\d lines of chat, 0 are left\./);
  expect(output).toMatch(/ {2}Questions answered from a note: (\d) of \1\n/);
  expect(output).toMatch(/ {2}Raids remembered: 1 of 1\n/);
  expect(output).toMatch(/ {2}Orders that came to nothing: (\d) of \1\n/);
  expect(output).toMatch(/ {2}Forgotten on request: 1 of 1\n/);
  expect(output).toMatch(
    /\[\d+\] tinhatTove moved to Utrecht {2}\(stream 2, said to the bot; before: tinhatTove lives in Bergen, .*\)/,
  );
  expect(output).toContain("timed cheap_viewz_4u out for 60 s");
  expect(output).toContain("automark made a clip");
  expect(output).not.toContain("timed GridlockGus out");
  expect(output).not.toContain("Press Enter");
  expect(twice(said(output))).toEqual([]);
  // The picture in README.md shows the same answers. To draw it again: `npm run docs:rehearsal`.
  const answers = said(output).map((text) => `▸ automark  ${text}`);
  for (const { asked, answer } of proofs()) expect(answers, asked).toContain(answer);
  const [, typed = ""] =
    /^ +node \S+ (memory list --config (["']).*kept here.*\2)$/m.exec(output) ?? [];
  const words = typed.match(/(["']).+\1|\S+/g)?.map((word) => word.replaceAll(/["']/g, "")) ?? [];
  const looked = again(...words);
  expect(await looked.ended, looked.errors()).toBe(0);
  expect(looked.output()).toMatch(/^ +\d+ {2}\w+ +tinhatTove +tinhatTove moved to Utrecht/m);
}, 120_000);

/** A browser that writes down what it was to open. */
function browserIn(folder: string) {
  const opened = join(folder, "opened");
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\necho "$1" > "${opened}"\n`, { mode: 0o755 });
  const PATH = [folder, process.env["PATH"] ?? ""].join(delimiter);
  return { opened, environment: { DISPLAY: ":0", PATH } };
}

test.skipIf(process.platform !== "linux")(
  "a demo whose output nobody watches opens no browser",
  async () => {
    const folder = temporaryFolder();
    const { opened, environment } = browserIn(folder);
    const program = startProgram({ main, folder, environment }, "rehearse", "--speed", "20");
    onTestFinished(() => program.kill("SIGKILL"));
    await program.says("this link works once");
    await program.says("▸ automark");
    program.kill("SIGINT");
    expect(await program.ended).toBe(0);
    expect(existsSync(opened)).toBe(false);
  },
  60_000,
);

test.skipIf(process.platform !== "linux")(
  "in an unzipped folder without a terminal the demo opens the browser, and stays until Quit on its page",
  async () => {
    const folder = temporaryFolder();
    const { opened, environment } = browserIn(folder);
    const unzipped = { ...environment, FORGETMENOT_COMMAND: "./ForgetMeNot" };
    const launch = { main, folder, environment: unzipped };
    const program = startProgram(launch, "demo", "--speed", "40", "--port", "0");
    onTestFinished(() => program.kill("SIGKILL"));
    await program.says("Quit on the page ends the demo.");
    const { read, post } = await openPage(readFileSync(opened, "utf8").trim());
    const csrf = /name="_csrf" value="([^"]+)"/.exec(await read())?.[1] ?? "";
    expect((await post("/api/quit", csrf)).status).toBeLessThan(400);
    expect(await program.ended).toBe(0);
  },
  60_000,
);

test.skipIf(!hasTerminal)(
  "at a terminal it opens its page in the browser, and keeps it open until Enter",
  async () => {
    const folder = temporaryFolder();
    const { opened, environment } = browserIn(folder);
    const launch = { main, folder, environment };
    const { input, output, ended, kill } = atTerminal(launch, "rehearse", "--speed", "40");
    onTestFinished(kill);
    let screen = "";
    const asks = new Promise<void>((resolve) => {
      output.on("data", (chunk: Buffer) => {
        screen += chunk.toString();
        if (screen.includes("Press Enter")) resolve();
      });
    });
    await Promise.race([asks, ended]);
    const [page = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(screen) ?? [];
    expect((await fetch(page)).status).toBeLessThan(500);
    expect(readFileSync(opened, "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter\?key=\S+\n$/);
    input.write("\r");
    expect(await ended).toBe(0);
  },
  120_000,
);

test("the demo shows chat and replies, ends with a summary at Ctrl-C, and leaves nothing behind", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const port = String((taken.address() as AddressInfo).port);
  const { program, left } = rehearsal("demo", "--speed", "20", "--port", port);
  await program.says("▸ automark");
  program.kill("SIGINT");
  expect(await program.ended).toBe(0);
  expect(program.output()).toContain("Nothing leaves this machine");
  expect(program.output()).toMatch(/The usual port of this page is taken, so it is at http:\S+\. /);
  expect(program.output()).toMatch(
    /The demo is over\.\n {2}\d+ viewers chatted; the bot sent \d+ repl/,
  );
  expect(program.errors()).toBe("");
  expect(left()).toEqual(["tmp"]);
});

test("without a config.json the program is the demo", async () => {
  const { program, left } = rehearsal();
  await program.says("A demo: the real bot in a simulated channel.");
  program.kill("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(left()).toEqual(["tmp"]);
});

/** Opens the page by the link that the demo printed. Gives what a browser needs to go on. */
async function openPage(link: string) {
  const entered = await fetch(link, { redirect: "manual" });
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const headers = { cookie, accept: "text/html" };
  const home = new URL("/", link).href;
  const read = async () => (await fetch(home, { headers })).text();
  const post = (path: string, csrf: string) =>
    fetch(new URL(path, home), {
      method: "POST",
      redirect: "manual",
      headers: { ...headers, origin: new URL(home).origin, referer: home },
      body: new URLSearchParams({ _csrf: csrf }),
    });
  return { status: entered.status, read, post };
}

test("a link of the first evening opens the page on the second, and Go live leads to setup", async () => {
  const { program, left } = rehearsal("demo", "--speed", "40");
  await program.says("this link works once");
  await program.says("starts again: stream 2");
  const [link = ""] = /http:\/\/127\.0\.0\.1:\d+\/enter\?key=\S+/.exec(program.output()) ?? [];
  const { status, read, post } = await openPage(link);
  expect(status).toBe(303);
  const shown = await read();
  expect(shown).toContain("This is a demo.");
  const csrf = /name="_csrf" value="([^"]+)"/.exec(shown)?.[1] ?? "";
  expect((await post("/api/demo/end", csrf)).status).toBe(303);
  await program.says("Setup is next, in the browser.");
  await vi.waitFor(async () => expect(await read()).toContain("Set up ForgetMeNot"), 10_000);
  program.kill("SIGINT");
  expect(await program.ended).toBe(1);
  expect(left()).toEqual(["tmp"]);
}, 60_000);

function said(output: string): string[] {
  return [...output.matchAll(/▸ automark {2}(.*)$/gmu)].map(([, text = ""]) => text);
}

/** What stands twice in a row. */
function twice(lines: readonly string[]): string[] {
  return lines.filter((line, at) => line === lines[at - 1]);
}
