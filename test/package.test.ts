import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process, { platform } from "node:process";
import { expect, test } from "vitest";
import { VERSION } from "../src/platform/config/environment.ts";
import { builtProgram } from "./stand-ins/built-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const NEEDED =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|schema\.sql|config\.example\.json|dist\/.+\.js|dist\/.+\.json|bin\/.+\.cmd|docs\/.+\.(?:md|svg|json|png))$/;

const IS_WINDOWS = platform === "win32";

function npm(folder: string, ...args: readonly string[]): string {
  const options = { cwd: folder, encoding: "utf8", shell: IS_WINDOWS } as const;
  const { status, stdout, stderr } = spawnSync("npm", args, options);
  expect(status, stderr).toBe(0);
  return stdout;
}

/** A copy of what a release is made of, with the program compiled. */
function released(): string {
  const folder = temporaryFolder();
  for (const name of [
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "schema.sql",
    "config.example.json",
    "bin",
    "docs",
    "src",
    "test",
  ])
    cpSync(name, join(folder, name), { recursive: true });
  const built = dirname(dirname(builtProgram()));
  cpSync(join(built, "dist"), join(folder, "dist"), { recursive: true });
  // Without what it depends on: nothing is downloaded and compiled here, but linked below.
  const {
    dependencies: _,
    devDependencies: __,
    ...manifest
  } = JSON.parse(readFileSync("package.json", "utf8"));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

/** What `npm pack` makes of the program as it is now, installed from that by `npm install -g`. */
function installed() {
  const folder = released();
  const packed = npm(folder, "pack", "--ignore-scripts", "--json");
  const [made] = JSON.parse(packed) as { filename: string; files: { path: string }[] }[];
  const prefix = join(folder, "prefix");
  const given = ["--prefix", prefix, "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  npm(folder, "install", "-g", join(folder, made?.filename ?? ""), ...given);
  const modules = IS_WINDOWS ? join(prefix, "node_modules") : join(prefix, "lib", "node_modules");
  symlinkSync(resolve("node_modules"), join(modules, "forgetmenot", "node_modules"), "junction");
  const command = IS_WINDOWS ? join(prefix, "forgetmenot.cmd") : join(prefix, "bin", "forgetmenot");
  return { files: made?.files.map(({ path }) => path) ?? [], command };
}

/** Calls the command as a person does who installed it. */
function call(command: string, ...args: readonly string[]) {
  // Of the npm that runs these tests nothing may be seen.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")),
  );
  const options = { cwd: temporaryFolder(), encoding: "utf8", shell: IS_WINDOWS, env } as const;
  return spawnSync(command, args, options);
}

test("npm installs the package from its tarball: what is needed and nothing else; it starts and rehearses", () => {
  const { files, command } = installed();
  expect(files.filter((path) => !NEEDED.test(path))).toEqual([]);
  for (const path of [
    "schema.sql",
    "config.example.json",
    "bin/start.cmd",
    "dist/main.js",
    "docs/going-live.md",
  ])
    expect(files).toContain(path);
  const asked = call(command, "--version");
  expect(asked).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
  const rehearsed = call(command, "rehearse", "--speed", "8");
  expect(rehearsed.status, rehearsed.stderr).toBe(0);
  expect(rehearsed.stdout).toMatch(/ {2}Questions answered from a note: (\d+) of \1\n/);
  expect(rehearsed.stdout).toContain("To go live: forgetmenot setup");
}, 120_000);

test("the starters for Windows name files that are there, and have Windows' line ends", () => {
  for (const name of ["bin/start.cmd", "bin/setup.cmd"]) {
    const text = readFileSync(name, "utf8");
    expect(
      text
        .split("\n")
        .slice(0, -1)
        .every((line) => line.endsWith("\r")),
    ).toBe(true);
  }
  const start = readFileSync("bin/start.cmd", "utf8");
  expect(start).toContain("node dist\\main.js");
  // npm writes it last: a folder without it is of an installation that was cut off.
  expect(start).toContain("if not exist node_modules\\.package-lock.json call npm.cmd ci");
  expect(existsSync("node_modules/.package-lock.json")).toBe(true);
  expect(readFileSync("bin/setup.cmd", "utf8")).toContain('start.cmd" setup');
});
