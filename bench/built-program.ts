import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program as a release has it: plain JavaScript, without a loader that takes time and memory of its own. */
export interface BuiltProgram {
  /** The file that Node runs. */
  readonly main: string;
  remove(): void;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Builds the program into a temporary folder. Throws where it does not compile. */
export function buildProgram(): BuiltProgram {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-built-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const manifest = createRequire(import.meta.url).resolve("typescript/package.json");
  const compiler = join(dirname(manifest), "bin", "tsc");
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, "--project", ROOT, "--outDir", join(folder, "dist")],
    { encoding: "utf8" },
  );
  if (status !== 0) {
    remove();
    throw new Error(`the program does not compile:\n${stdout}`);
  }
  for (const file of ["package.json", "schema.sql"])
    copyFileSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  return { main: join(folder, "dist", "main.js"), remove };
}
