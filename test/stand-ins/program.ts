import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the program into `folder`, as a package of its own; gives the path of its main file. Throws where it fails. */
export function buildProgram(folder: string): string {
  furnish(folder);
  const out = join(folder, "dist");
  run("the program cannot be built", join(ROOT, "bin", "build.js"), out);
  return join(out, "main.js");
}

/** Makes one module of a file of the tests and all that it imports, in `folder`; gives its path there. Throws where it fails. */
export function buildFile(folder: string, file: string): string {
  furnish(folder);
  // As deep as the sources stand: they find what is beside the program by their own place.
  const outfile = join(folder, "dist", "in", "one.js");
  buildSync({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    external: ["better-sqlite3*"],
    // Packages may still ask for others in the old way.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  });
  return outfile;
}

/** What a built program finds beside itself. */
function furnish(folder: string): void {
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  for (const file of ["package.json", "schema.sql"])
    copyFileSync(join(ROOT, file), join(folder, file));
}

function run(otherwise: string, ...command: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${otherwise}: ${stdout}${stderr}`);
}

export interface Running {
  readonly pid: number | undefined;
  output(): string;
  errors(): string;
  /** Resolves once its output holds `text`; rejects with its errors where it ended, or did not say it in 30 s. */
  says(text: string): Promise<void>;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface Launch {
  /** From `buildProgram`. */
  readonly main: string;
  readonly folder: string;
  /** Beside what a program needs to run at all. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the program in `folder`, without any of this process's own secrets or settings. */
export function startProgram(launch: Launch, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [launch.main, ...args], {
    cwd: launch.folder,
    env: { ...BARE, ...launch.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written.output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written.errors += text;
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? -1));
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  return {
    pid: child.pid,
    output: () => written.output,
    errors: () => written.errors,
    says: async (text) => {
      const untilMs = Date.now() + PATIENCE_MS;
      while (!written.output.includes(text)) {
        if (isOver || Date.now() > untilMs)
          throw new Error(`"${text}" was not said: ${written.errors}`);
        await delay(5);
      }
    },
    ended,
    kill: (signal) => void child.kill(signal),
  };
}

const PATIENCE_MS = 30_000;
const NEEDED = ["PATH", "SystemRoot", "TEMP", "TMP", "TMPDIR", "HOME", "USERPROFILE"];
const BARE = Object.fromEntries(
  NEEDED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
