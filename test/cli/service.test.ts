import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type System, serviceFor } from "../../src/system/autostart.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { startProgram } from "../stand-ins/program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();

function given(config: string) {
  const workingFolder = `/data/ro & sa's "bots" 100%`;
  return { node: "/opt/node 20/bin/node", main: "/opt/a$b/main.js", workingFolder, config };
}

function textFor(system: System, config: string): string {
  return serviceFor(system, { ...given(config), home: "/data/rosa", user: "501" }).text;
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
  const { text, encoding } = serviceFor("win32", {
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

test("launchd and Windows' scheduler are told the service by its own names, to install, to look and to take away", () => {
  const mac = serviceFor("darwin", { ...given("/c.json"), home: "/data/rosa", user: "501" });
  expect([mac.install, mac.status, mac.uninstall]).toEqual([
    [["launchctl", "bootstrap", "gui/501", mac.path]],
    ["launchctl", "print", "gui/501/forgetmenot"],
    [["launchctl", "bootout", "gui/501/forgetmenot"]],
  ]);
  expect(mac.path).toBe("/data/rosa/Library/LaunchAgents/forgetmenot.plist");
  const windows = serviceFor("win32", { ...given("C:\\c.json"), home: "C:\\rosa", user: "R" });
  expect([windows.install, windows.status, windows.uninstall]).toEqual([
    [
      ["schtasks.exe", "/Create", "/TN", "forgetmenot", "/XML", windows.path, "/F"],
      ["schtasks.exe", "/Run", "/TN", "forgetmenot"],
    ],
    ["schtasks.exe", "/Query", "/TN", "forgetmenot"],
    [
      ["schtasks.exe", "/End", "/TN", "forgetmenot"],
      ["schtasks.exe", "/Delete", "/TN", "forgetmenot", "/F"],
    ],
  ]);
});

/** A folder with a configuration, and a stand-in for the system's own program that writes down how it was called. */
function machine(exits: Readonly<Record<string, number>> = {}) {
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const calls = join(folder, "calls");
  const cases = Object.entries(exits).map(
    ([verb, exit]) => `${verb}) echo no bus >&2; exit ${exit};;`,
  );
  writeFileSync(
    join(bin, "systemctl"),
    `#!/bin/sh\necho "$@" >> '${calls}'\ncase "$2" in ${cases.join(" ")} esac\n`,
  );
  chmodSync(join(bin, "systemctl"), 0o755);
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({ channel: "here", bot: { login: "b" } }),
  );
  const environment = {
    HOME: folder,
    PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    GEMINI_API_KEY: "k3y",
  };
  const call = async (...args: string[]) => {
    const program = startProgram({ main, folder, environment }, "service", ...args);
    const exit = await program.ended;
    return { exit, output: program.output(), errors: program.errors() };
  };
  const unit = join(folder, ".config", "systemd", "user", "forgetmenot.service");
  return { call, unit, calls: () => (existsSync(calls) ? readFileSync(calls, "utf8") : "") };
}

test.runIf(process.platform === "linux")(
  "on Linux a service is shown, installed, looked at and taken away",
  async () => {
    const { call, unit, calls } = machine();
    const shown = await call("install", "--print");
    expect(shown.exit, shown.errors).toBe(0);
    expect(existsSync(unit)).toBe(false);
    const installed = await call("install");
    expect(installed.exit, installed.errors).toBe(0);
    expect(shown.output).toContain(readFileSync(unit, "utf8").trimEnd());
    expect(calls()).toBe(`--user enable --now ${unit}\n--user daemon-reload\n`);
    expect(installed.output).toContain("GEMINI_API_KEY is set in this terminal");
    expect(installed.output).not.toContain("k3y");
    const status = await call("status");
    expect(status).toMatchObject({ exit: 1, output: expect.stringContaining("not running") });
    const before = calls();
    expect((await call("uninstall", "--print")).output).toBe(
      "systemctl --user disable --now forgetmenot.service\n",
    );
    expect(existsSync(unit)).toBe(true);
    expect(calls()).toBe(before);
    expect((await call("uninstall")).exit).toBe(0);
    expect(existsSync(unit)).toBe(false);
    expect(calls()).toMatch(/--user disable --now forgetmenot\.service\n$/);
    expect(await call("status")).toMatchObject({
      exit: 0,
      output: expect.stringContaining("not installed"),
    });
  },
  60_000,
);

test.runIf(process.platform === "linux")("a system that refuses the service is told", async () => {
  const { exit, errors } = await machine({ enable: 1 }).call("install");
  expect(exit).toBe(1);
  expect(errors).toMatch(
    /^systemctl --user enable --now .* failed: no bus\n {2}→ .*install --print/,
  );
});

test.runIf(process.platform === "linux")(
  "a system that does not let the service go is told, and its file stays",
  async () => {
    const { call, unit } = machine({ disable: 1 });
    expect((await call("install")).exit).toBe(0);
    const { exit, errors } = await call("uninstall");
    expect(exit).toBe(1);
    expect(errors).toMatch(/^systemctl --user disable --now .* failed: no bus\n {2}→ .*--print/);
    expect(existsSync(unit)).toBe(true);
  },
);

test.runIf(process.platform === "linux")(
  "a service that the system has not any more is taken away, and what failed is told",
  async () => {
    const { call, unit } = machine({ disable: 1, "is-active": 3 });
    expect((await call("install")).exit).toBe(0);
    const { exit, output } = await call("uninstall");
    expect(exit).toBe(0);
    expect(output).toMatch(/ is gone; .*\nsystemctl --user disable .* failed: no bus/);
    expect(existsSync(unit)).toBe(false);
  },
);
