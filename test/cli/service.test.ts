import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Autostart, createService } from "../../src/system/autostart.ts";
import { openPageRig } from "../page/page-rig.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { runCommand } from "../stand-ins/command.ts";
import { openTown } from "../stand-ins/house.ts";
import { startProgram } from "../stand-ins/program.ts";
import { launchIn } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();

function given(config: string) {
  const workingFolder = `/data/ro & sa's "bots" 100%`;
  return { node: "/opt/node 20/bin/node", main: "/opt/a$b/main.js", workingFolder, config };
}

function textFor(system: NodeJS.Platform, config: string): string {
  return createService(system, { ...given(config), home: "/data/rosa", user: "501" }).text;
}

const WHOLE = ["/opt/node 20/bin/node", "/opt/a$b/main.js", "run", "--config"];

/** Paths with all that a unit, XML or Windows could take for its own. */
const paths = fc
  .string({ unit: fc.constantFrom(..."ab \"'\\%$&<>;#{}é`!".split("")), maxLength: 30 })
  .map((name) => `/x${name}`);

/** The words of a line as systemd reads them. */
function unitWords(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) =>
    word.replace(/\\(.)/g, "$1").replaceAll("%%", "%").replaceAll("$$", "$"),
  );
}

function unXml(text: string): string {
  const named = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return text.replace(/&(lt|gt|quot|amp);/g, (_, name: keyof typeof named) => named[name]);
}

const WINDOWS_WORD = /"((?:[^"\\]|\\+[^\\"]|(?:\\\\)*\\"|(?:\\\\)+(?="))*)"|([^\s"]+)/g;

/** The arguments of a command line as Windows' C runtime reads them: before a quote two backslashes stand for one. */
function windowsWords(line: string): string[] {
  return [...line.matchAll(WINDOWS_WORD)].map(
    ([, quoted, bare = ""]) =>
      quoted?.replace(
        /(\\+)("|$)/g,
        (_, slashes: string, end: string) => "\\".repeat(Math.floor(slashes.length / 2)) + end,
      ) ?? bare,
  );
}

test("a systemd unit gives back each path as it is, whatever is in it", () => {
  fc.assert(
    fc.property(paths, (config) => {
      const text = textFor("linux", config);
      const [, line = ""] = /^ExecStart=(.*)$/m.exec(text) ?? [];
      expect(unitWords(line)).toEqual([...WHOLE, config]);
      expect(line.replaceAll("%%", "")).not.toContain("%");
    }),
  );
  const text = textFor("linux", "/x");
  expect(text).toContain(`WorkingDirectory=/data/ro & sa's "bots" 100%%\n`);
  expect(text).toContain("RestartPreventExitStatus=2\n");
  expect(text).toContain("\nWantedBy=default.target\n");
});

test("a launchd agent gives back each path as it is, whatever is in it", () => {
  fc.assert(
    fc.property(paths, (config) => {
      const text = textFor("darwin", config);
      const [, array = ""] = /<array>([\s\S]*)<\/array>/.exec(text) ?? [];
      const words = [...array.matchAll(/<string>([^<]*)<\/string>/g)].map(([, one = ""]) => one);
      expect(words.map(unXml)).toEqual([...WHOLE, config]);
    }),
  );
  expect(textFor("darwin", "/x")).toMatch(/<key>RunAtLoad<\/key><true\/>/);
});

test("a scheduled task gives back each path as it is, whatever is in it, and has no window", () => {
  fc.assert(
    fc.property(paths, (config) => {
      const [, line = ""] = /<Arguments>([^<]*)</.exec(textFor("win32", config)) ?? [];
      expect(windowsWords(unXml(line))).toEqual(["--headless", ...WHOLE, config]);
    }),
  );
  const { text, encoding } = createService("win32", {
    ...given("C:\\c.json"),
    home: "C:\\",
    user: "R&D",
  });
  expect(text).toMatch(/^\ufeff<\?xml version="1.0" encoding="UTF-16"\?>\r\n/);
  expect(encoding).toBe("utf16le");
  expect(text).toContain("<Command>conhost.exe</Command>");
  expect(text).toContain("<UserId>R&amp;D</UserId>");
  expect(text).toContain("<Hidden>true</Hidden>");
});

test("launchd and Windows' scheduler get the service by their own commands", () => {
  const mac = createService("darwin", { ...given("/c.json"), home: "/data/rosa", user: "501" });
  expect(mac).toMatchObject({
    path: "/data/rosa/Library/LaunchAgents/forgetmenot.plist",
    enable: [],
    start: ["launchctl", "bootstrap", "gui/501", mac.path],
    stop: ["launchctl", "bootout", "gui/501/forgetmenot"],
    disable: [],
    status: ["launchctl", "print", "gui/501/forgetmenot"],
  });
  const windows = createService("win32", { ...given("C:\\c.json"), home: "C:\\rosa", user: "R" });
  expect(windows).toMatchObject({
    enable: [["schtasks.exe", "/Create", "/TN", "forgetmenot", "/XML", windows.path, "/F"]],
    start: ["schtasks.exe", "/Run", "/TN", "forgetmenot"],
    stop: ["schtasks.exe", "/End", "/TN", "forgetmenot"],
    disable: [["schtasks.exe", "/Delete", "/TN", "forgetmenot", "/F"]],
    status: ["schtasks.exe", "/Query", "/TN", "forgetmenot"],
  });
});

/** A folder with a configuration, and a stand-in for systemctl that writes down each call. Null exits: no systemctl. */
function machine(exits: Readonly<Record<string, number>> | null = {}) {
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const calls = join(folder, "calls");
  const cases = Object.entries(exits ?? {}).map(
    ([verb, exit]) => `${verb}) echo no bus >&2; exit ${exit};;`,
  );
  if (exits !== null)
    writeFileSync(
      join(bin, "systemctl"),
      `#!/bin/sh\necho "$@" >> '${calls}'\ncase "$2" in ${cases.join(" ")} esac\n`,
      { mode: 0o755 },
    );
  const config = { channel: "here", bot: { login: "b" }, dashboard: { port: 0 } };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  vi.stubEnv("HOME", folder);
  vi.stubEnv("PATH", bin);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    folder,
    call: (...args: string[]) =>
      runCommand({ folder, environment: { GEMINI_API_KEY: "k3y" } }, "service", ...args),
    unit: join(folder, ".config", "systemd", "user", "forgetmenot.service"),
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8") : ""),
  };
}

describe.runIf(process.platform === "linux")("on Linux", () => {
  test("a service is installed, looked at and removed", async () => {
    const { call, calls, folder, unit } = machine();
    const installed = await call("install");
    expect(installed.exit, installed.errors).toBe(0);
    expect(readFileSync(unit, "utf8")).toContain(`"--config" "${join(folder, "config.json")}"`);
    expect(calls()).toBe(
      `--user enable ${unit}\n--user daemon-reload\n--user start forgetmenot.service\n`,
    );
    expect(installed.output).toContain("GEMINI_API_KEY is set in this terminal");
    expect(installed.output).not.toContain("k3y");
    const status = await call("status");
    expect(status).toMatchObject({ exit: 1, output: expect.stringContaining("not running") });
    const before = calls();
    expect((await call("uninstall")).exit).toBe(0);
    expect(existsSync(unit)).toBe(false);
    expect(calls().slice(before.length)).toBe(
      "--user stop forgetmenot.service\n--user disable forgetmenot.service\n",
    );
    expect(await call("status")).toMatchObject({
      exit: 0,
      output: expect.stringContaining("not installed"),
    });
  });

  test("a system that refuses the service is named, and no file is left", async () => {
    const { call, calls, unit } = machine({ enable: 1 });
    const { exit, errors } = await call("install");
    expect(exit).toBe(1);
    expect(errors).toMatch(
      /^systemctl --user enable .* failed: no bus\n {2}→ have your desktop run/,
    );
    expect(existsSync(unit)).toBe(false);
    expect(calls()).toBe(`--user enable ${unit}\n`);
  });

  test("a service that the system does not let go keeps its file", async () => {
    const { call, unit } = machine({ disable: 1 });
    expect((await call("install")).exit).toBe(0);
    const { exit, errors } = await call("uninstall");
    expect(exit).toBe(1);
    expect(errors).toMatch(
      /^systemctl --user disable .* failed: no bus\n {2}→ type the commands by hand/,
    );
    expect(existsSync(unit)).toBe(true);
  });

  test("a service that the system does not know any more is removed", async () => {
    const { call, unit } = machine({ disable: 1, "is-enabled": 1 });
    expect((await call("install")).exit).toBe(0);
    const { exit, output } = await call("uninstall");
    expect(exit).toBe(0);
    expect(output).toMatch(/ is removed\. .*\nsystemctl --user disable .* failed: no bus/);
    expect(existsSync(unit)).toBe(false);
  });

  test("the page's switch takes effect at the next log-in, and leaves the running bot alone", async () => {
    const { folder, unit, calls } = machine();
    const flip = await switchOnPage(folder);
    expect(await flip("true")).toContain("The bot starts when you log in.");
    expect(readFileSync(unit, "utf8")).toContain(`"--config" "${join(folder, "config.json")}"`);
    expect(await flip("false")).toContain("The bot does not start by itself any more.");
    expect(existsSync(unit)).toBe(false);
    expect(calls()).not.toMatch(/start|stop|--now/);
  });

  test("the page's switch names a missing systemd and a folder without write permission", async () => {
    const { folder, unit } = machine(null);
    const flip = await switchOnPage(folder);
    expect(await flip("true")).toMatch(
      /systemctl --user enable .* failed: this system has no systemctl: have your desktop run/,
    );
    expect(existsSync(unit)).toBe(false);
    rmSync(join(folder, ".config"), { recursive: true });
    writeFileSync(join(folder, ".config"), "a file in the folder's place");
    expect(await flip("true")).toMatch(/cannot be written .*: make .* writable for your user/);
  });
});

test.runIf(process.platform === "linux")(
  "a start has log-in start this program, not an older copy of it",
  async () => {
    const { folder: home, unit } = machine();
    const { folder, environment } = launchIn(await openTown(), main);
    const config = join(folder, "config.json");
    const old = { node: "/old/app/node", main: "/old/app/launch.js", workingFolder: folder };
    const { text } = createService("linux", { ...old, config, home, user: "501" });
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, text);
    const PATH = join(home, "bin");
    const launch = { main, folder, environment: { ...environment, HOME: home, PATH } };
    const daemon = startProgram(launch, "run");
    onTestFinished(() => daemon.kill("SIGKILL"));
    const renewed = text.replace(
      /^ExecStart="[^"]*" "[^"]*"/m,
      `ExecStart="${process.execPath}" "${main}"`,
    );
    await until(() => readFileSync(unit, "utf8") === renewed);
    await new Autostart(join(home, "config.json")).renew();
    expect(readFileSync(unit, "utf8"), "a bot with another configuration").toBe(renewed);
  },
);

/** Opens the page with the switch. Returns a function that flips it and gives the text of the page. */
async function switchOnPage(folder: string) {
  const autostart = new Autostart(join(folder, "config.json"));
  const rig = await openPageRig({ control: { autostart } });
  const { cookie, csrf } = await rig.login();
  const headers = { cookie, accept: "text/html", origin: rig.origin };
  return async (isOn: string): Promise<string> => {
    const body = String(new URLSearchParams({ _csrf: csrf, _method: "put", isOn }));
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const sent = { method: "POST", headers: { ...headers, ...type }, body };
    expect((await rig.send("/api/autostart", sent)).status).toBe(303);
    const { text } = await rig.send("/", { headers });
    expect(text).toContain("Start with the computer");
    const opposite = isOn === "true" && existsSync(autostart.service.path) ? "false" : "true";
    expect(text).toContain(`name="isOn" value="${opposite}"`);
    return text;
  };
}
