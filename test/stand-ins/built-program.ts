import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { buildProgram } from "./program.ts";

/** Compiles the program for the tests of one file; gives the path of its main file, which goes with them. */
export function builtProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-built-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return buildProgram(folder);
}
