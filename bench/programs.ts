import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildFile, buildProgram } from "../test/stand-ins/program.ts";

/** The programs under test, built as for a release: plain JavaScript without a loader. */
export interface Programs {
  /** Main file of the daemon. */
  readonly daemon: string;
  /** `plain-bot.ts`, compiled. */
  readonly plainBot: string;
  remove(): void;
}

/** Builds into a temporary folder. Throws if something does not compile. */
export function buildPrograms(): Programs {
  const folders = ["daemon", "plain"].map((name) =>
    mkdtempSync(join(tmpdir(), `forgetmenot-${name}-`)),
  );
  const [first = "", second = ""] = folders;
  const remove = (): void => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const plain = fileURLToPath(new URL("plain-bot.ts", import.meta.url));
    return { daemon: buildProgram(first), plainBot: buildFile(second, plain), remove };
  } catch (cause) {
    remove();
    throw cause;
  }
}
