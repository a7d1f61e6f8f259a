import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vitest/config";
import type { TestProject } from "vitest/node";
import { buildProgram } from "./program.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of this run, for the compiled program. */
    readonly builtFolder: string;
  }
}

/** Of this run: what sets it up and what transforms its files run in one process. */
const folderOfRun = (): string => join(tmpdir(), `forgetmenot-built-${process.pid}`);
const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));
const BUILD_MS_MAX = 120_000;
const LOOK_EVERY_MS = 20;
/** How a file of the program starts another of its files, as a process or a thread. */
const STARTS_ANOTHER = /\bnew Worker\(/;

/** Gives every test file of a run the same empty folder, and takes it away at the end. */
export function setup(project: TestProject): () => void {
  const folder = folderOfRun();
  mkdirSync(folder, { recursive: true });
  project.provide("builtFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Lets the program under test start its processes and threads from the compiled program, as a release does: from source
 * each of them would translate all that it imports first.
 */
export function childrenAsReleased(): Plugin {
  return {
    name: "children-as-released",
    enforce: "pre",
    transform: (code, id) => {
      const path = relative(SOURCES, id.split("?")[0] ?? id);
      if (path.startsWith("..") || !STARTS_ANOTHER.test(code)) return null;
      const compiled = join(dirname(builtIn(folderOfRun())), path.replace(/\.ts$/, ".js"));
      const url = JSON.stringify(pathToFileURL(compiled).href);
      return { code: code.replaceAll("import.meta.url", url), map: null };
    },
  };
}

/** The path of the main file of the compiled program in `folder`. The first to ask compiles it, and the others wait. */
export function builtIn(folder: string): string {
  const [draft, shared] = [join(folder, "draft"), join(folder, "program")];
  const main = join(shared, "dist", "main.js");
  if (existsSync(main)) return main;
  try {
    mkdirSync(draft);
  } catch {
    return comes(main);
  }
  buildProgram(draft);
  renameSync(draft, shared);
  return main;
}

/** Waits for what another process makes. Modules ask while they load, so nothing else can go on here anyway. */
function comes(file: string): string {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  const untilMs = Date.now() + BUILD_MS_MAX;
  while (!existsSync(file)) {
    if (Date.now() > untilMs) throw new Error(`the program was not built: there is no ${file}`);
    Atomics.wait(nobody, 0, 0, LOOK_EVERY_MS);
  }
  return file;
}
