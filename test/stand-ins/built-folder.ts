import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
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
/** How a file of the program starts another of its files, as a process or a thread. */
const STARTS_ANOTHER = /\b(?:startChild|new Worker)\(/;

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

/** The path of the main file of the compiled program in `folder`. The first to ask compiles it. */
export function builtIn(folder: string): string {
  const shared = join(folder, "program");
  const main = join(shared, "dist", "main.js");
  if (existsSync(main)) return main;
  const own = mkdtempSync(join(folder, "own-"));
  buildProgram(own);
  try {
    renameSync(own, shared);
  } catch (cause) {
    if (!existsSync(main)) throw cause; // another process was sooner
  }
  return main;
}
