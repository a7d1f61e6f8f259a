import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import process, { platform } from "node:process";
import { expect, test } from "vitest";
import { builtProgram } from "./stand-ins/built-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const NEEDED =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|schema\.sql|config\.example\.json|dist\/.+\.js|dist\/.+\.json|docs\/[\w.-]+\.(?:md|svg|json)|docs\/page\/[\w-]+\.png)$/;
const PACKED_BYTES_MAX = 2_000_000;

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
    "package.json",
  ])
    cpSync(name, join(folder, name), { recursive: true });
  const built = dirname(dirname(builtProgram()));
  cpSync(join(built, "dist"), join(folder, "dist"), { recursive: true });
  return folder;
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** Links from a packed page to a file that is not packed. */
function deadLinks(place: string, files: readonly string[]): string[] {
  return files
    .filter((path) => path.endsWith(".md"))
    .flatMap((page) => {
      const text = readFileSync(join(place, page), "utf8");
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)];
      return links.map(([, link = ""]) => posix.join(posix.dirname(page), link));
    })
    .filter((path) => !files.includes(path));
}

test("npm packs what is needed and nothing else, and no page links to what is left out", () => {
  const folder = released();
  const packed = npm(folder, "pack", "--dry-run", "--ignore-scripts", "--json");
  const [made] = JSON.parse(packed) as Packed[];
  if (made === undefined) throw new Error(`nothing was packed: ${packed}`);
  const files = made.files.map(({ path }) => path);
  expect(files.filter((path) => !NEEDED.test(path))).toEqual([]);
  for (const path of ["schema.sql", "config.example.json", "dist/main.js", "docs/going-live.md"])
    expect(files).toContain(path);
  expect(made.size).toBeLessThan(PACKED_BYTES_MAX);
  expect(files.filter((path) => path.endsWith(".md")).length).toBeGreaterThan(10);
  expect(deadLinks(folder, files)).toEqual([]);
});

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
  expect(start).toContain("node bin\\build.js --if-changed || call npm.cmd ci");
  expect(readFileSync("bin/setup.cmd", "utf8")).toContain('start.cmd" setup');
});

test("a newer source over an older build is built at the next start, and only then; what V8 compiled is kept, and made anew where it is of no use", () => {
  const folder = temporaryFolder();
  for (const name of [
    "bin/build.js",
    "bin/load.js",
    "tsconfig.json",
    "package.json",
    "package-lock.json",
  ])
    cpSync(name, join(folder, name));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "junction");
  mkdirSync(join(folder, "src"));
  const unpack = (version: string): void => {
    const main = join(folder, "src", "main.ts");
    writeFileSync(main, `console.log("${version}");\n`);
    // As from a ZIP: it is older than what was built here.
    utimesSync(main, 1, 1);
  };
  const node = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    return stdout;
  };
  /** As `npm start` does, which takes a second more each time. */
  const start = () => {
    node("bin/build.js", "--if-changed");
    return node("dist/main.js").trim();
  };
  const builtAtMs = () => statSync(join(folder, "dist", "main.js")).mtimeMs;
  unpack("one");
  expect(npm(folder, "start", "--silent").trim()).toBe("one");
  const firstMs = builtAtMs();
  expect(start()).toBe("one");
  expect(builtAtMs()).toBe(firstMs);
  const dist = join(folder, "dist");
  const compiledName = readdirSync(dist).find((name) => name.endsWith(".js.compiled"));
  const compiled = join(dist, compiledName ?? "");
  writeFileSync(compiled, "of another release of V8");
  expect(start()).toBe("one");
  expect(statSync(compiled).size).toBeGreaterThan(100);
  cpSync(dist, join(folder, "before"), { recursive: true });
  unpack("two");
  expect(start()).toBe("two");
  // A newer release that is unpacked over an older one of the same length runs the new code.
  const over = join(folder, "before");
  cpSync(dist, over, { recursive: true });
  expect(spawnSync(process.execPath, [join(over, "main.js")], { encoding: "utf8" }).stdout).toBe(
    "two\n",
  );
});

test("the lock file keeps npm from compiling SQLite where binaries come with the package", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { version: string; gypfile?: boolean }>;
  };
  expect(lock.packages["node_modules/better-sqlite3"]).toMatchObject({ gypfile: false });
});
