import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "./stand-ins/built-program.ts";
import { startProgram } from "./stand-ins/program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const NEEDED =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|schema\.sql|config\.example\.json|dist\/.+\.js|dist\/.+\.json|bin\/.+\.cmd|docs\/.+\.(?:md|svg|json|png))$/;

/** What `npm pack` makes of the program as it is now, unpacked as npm would install it. */
function packed() {
  const built = dirname(dirname(builtProgram()));
  const folder = temporaryFolder();
  for (const name of [
    "package.json",
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
  cpSync(join(built, "dist"), join(folder, "dist"), { recursive: true });
  const pack = spawnSync("npm", ["pack", "--ignore-scripts", "--json"], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const [made] = JSON.parse(pack.stdout) as { filename: string; files: { path: string }[] }[];
  const installed = join(folder, "installed", "node_modules", "forgetmenot");
  mkdirSync(installed, { recursive: true });
  spawnSync("tar", [
    "-xzf",
    join(folder, made?.filename ?? ""),
    "-C",
    installed,
    "--strip-components=1",
  ]);
  symlinkSync(resolve("node_modules"), join(installed, "node_modules"), "junction");
  return {
    files: made?.files.map(({ path }) => path) ?? [],
    main: join(installed, "dist", "main.js"),
  };
}

test("the package holds what is needed and nothing else, starts and rehearses", async () => {
  const { files, main } = packed();
  expect(files.filter((path) => !NEEDED.test(path))).toEqual([]);
  for (const path of [
    "schema.sql",
    "config.example.json",
    "bin/start.cmd",
    "dist/main.js",
    "docs/going-live.md",
  ])
    expect(files).toContain(path);
  const asked = startProgram({ main, folder: temporaryFolder() }, "--version");
  expect(await asked.ended, asked.errors()).toBe(0);
  const rehearsing = startProgram({ main, folder: temporaryFolder() }, "rehearse", "--speed", "20");
  onTestFinished(() => rehearsing.kill("SIGKILL"));
  await rehearsing.says("▸ automark");
  rehearsing.kill("SIGINT");
  expect(await rehearsing.ended).toBe(0);
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
  expect(readFileSync("bin/start.cmd", "utf8")).toContain("node dist\\main.js");
  expect(readFileSync("bin/setup.cmd", "utf8")).toContain('start.cmd" setup');
});
