import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildFile, buildProgram } from "../test/stand-ins/program.ts";

/** What is measured, as a release has it: plain JavaScript, without a loader that takes time and memory of its own. */
export interface Programs {
  /** The daemon's main file, and flags for the Node that runs it. */
  readonly daemon: { readonly main: string; readonly flags: readonly string[] };
  /** The main file of another release, built, to compare replies with; null for none. */
  readonly other: string | null;
  /** `plain-bot.ts`, compiled. */
  readonly plainBot: string;
  remove(): void;
}

/** Builds into temporary folders. Throws where something does not compile. */
export function buildPrograms(
  flags: readonly string[] = [],
  other: string | null = null,
): Programs {
  const folders: string[] = [];
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "forgetmenot-built-"));
    folders.push(folder);
    return folder;
  };
  const remove = (): void => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const main = buildProgram(newFolder());
    const plain = fileURLToPath(new URL("plain-bot.ts", import.meta.url));
    return { daemon: { main, flags }, other, plainBot: buildFile(newFolder(), plain), remove };
  } catch (cause) {
    remove();
    throw cause;
  }
}
