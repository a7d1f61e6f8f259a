import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildProgram as buildInto } from "../test/stand-ins/program.ts";

/** The program as a release has it: plain JavaScript, without a loader that takes time and memory of its own. */
export interface BuiltProgram {
  /** The file that Node runs. */
  readonly main: string;
  remove(): void;
}

/** Builds the program into a temporary folder. Throws where it does not compile. */
export function buildProgram(): BuiltProgram {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-built-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    return { main: buildInto(folder), remove };
  } catch (cause) {
    remove();
    throw cause;
  }
}
