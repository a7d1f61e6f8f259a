#!/usr/bin/env node
/**
 * Starts the program that `build.js` made. It becomes `dist/main.js`; the build replaces `program.js` by the name of the
 * file with the program. The code that V8 compiled is kept for the next start, which then needs three fifths of the
 * processor time. V8 refuses code of another release, and compiles again.
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

// Before anything else: an older Node cannot even read the program, and would only show a stack.
if (Number(process.versions.node.split(".")[0]) < 20) {
  console.error(
    `Node ${process.version} is too old. Install a newer Node from https://nodejs.org, then type: npm ci`,
  );
  process.exit(1);
}

/**
 * V8's young generation must not grow: it takes 15 to 25 MB while packages load, which chat never needs, and V8 gives
 * them back late. V8 of Node 20 to 26 knows the flag.
 */
setFlagsFromString("--semi-space-growth-factor=1");

const url = new URL("./program.js", import.meta.url).href;
const filename = fileURLToPath(url);
const compiledFile = `${filename}.compiled`;
start();

/** In a function, because a module would keep its variables, and the source must not stay in memory. */
function start() {
  const cachedData = compiledBefore();
  if (cachedData === undefined) removeOlderPrograms();
  // A byte a character: `build.js` leaves none that needs more.
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  if (cachedData === undefined || script.cachedDataRejected)
    process.once("exit", () => keepCompiled(script));
  script.runInThisContext()(createRequire(url), url);
}

function compiledBefore() {
  try {
    return readFileSync(compiledFile);
  } catch {
    return undefined;
  }
}

/** Deletes the programs of earlier versions: unzipping over an older folder leaves them there. */
function removeOlderPrograms() {
  const folder = dirname(filename);
  try {
    for (const name of readdirSync(folder))
      if (/^program-.+\.js/.test(name) && !name.startsWith(basename(filename)))
        rmSync(join(folder, name), { force: true });
  } catch {
    // The folder is read-only. They only take room.
  }
}

function keepCompiled(script) {
  const draft = `${compiledFile}.${process.pid}`;
  try {
    // A power cut must not leave half a file under the name: V8 would trust it.
    writeFileSync(draft, script.createCachedData(), { flush: true });
    renameSync(draft, compiledFile);
  } catch {
    // It is for speed alone.
  }
}
