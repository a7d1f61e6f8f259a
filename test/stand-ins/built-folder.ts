import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Of this run, for the compiled program. */
    readonly builtFolder: string;
  }
}

/** Gives every test file of a run the same empty folder, and takes it away at the end. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-built-"));
  project.provide("builtFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
