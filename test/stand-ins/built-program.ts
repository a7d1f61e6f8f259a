import { existsSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { buildProgram } from "./program.ts";

/** The path of the main file of the compiled program. The first to ask compiles it, for all the test files of the run. */
export function builtProgram(): string {
  const folder = inject("builtFolder");
  const shared = join(folder, "program");
  const main = join(shared, "dist", "main.js");
  if (existsSync(main)) return main;
  const own = mkdtempSync(join(folder, "own-"));
  buildProgram(own);
  try {
    renameSync(own, shared);
  } catch (cause) {
    if (!existsSync(main)) throw cause; // another worker was sooner
  }
  return main;
}
