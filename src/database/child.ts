import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../config/environment.ts";

export interface ChildJob<T> {
  readonly ended: Promise<T>;
  kill(): void;
}

export interface ChildOptions {
  /** `import.meta.url` of a file beside the child's. */
  readonly folder: string;
  readonly temporaryFolder: string;
  /** Then it is killed. */
  readonly timeMsMax: number;
}

const HEAP_MB_MAX = 128;
/**
 * Ctrl-C, or the end of a service, ends this program's processes too, and perhaps first: one that ended without an answer is
 * told of after so long.
 */
const NO_ANSWER_MS = 1_000;

/**
 * Starts one of this program's own files as a process. It gets nothing of the environment but what a process needs, and
 * answers with one JSON value on its standard output; null where it gave none, or could not be started. Never rejects.
 */
export function startChild(
  name: string,
  args: readonly string[],
  { folder, temporaryFolder, timeMsMax }: ChildOptions,
): ChildJob<unknown> {
  // Built, the files end in .js; from source, a loader is needed that only the tests and benchmarks have.
  const extension = extname(folder);
  const loader = extension === ".ts" ? ["--import", "tsx"] : [];
  const file = fileURLToPath(new URL(`./${name}${extension}`, folder));
  const options = [`--max-old-space-size=${HEAP_MB_MAX}`, "--max-semi-space-size=1", ...loader];
  let child: ChildProcess | undefined;
  let output = "";
  const killed = new AbortController();
  const noAnswer = () =>
    delay(NO_ANSWER_MS, null, { ref: false, signal: killed.signal }).catch(() => null);
  const ended = new Promise<unknown>((resolve) => {
    child = spawn(process.execPath, [...options, file, ...args], {
      env: childEnvironment(temporaryFolder),
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    });
    child.once("error", () => resolve(null));
    child.once("close", () => resolve(parsed(output) ?? noAnswer()));
    // A process that the system has no handles left for has no output either.
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }).catch(() => null);
  const kill = (): void => {
    killed.abort();
    child?.kill("SIGKILL");
  };
  const timer = setTimeout(kill, timeMsMax);
  timer.unref();
  return { kill, ended: ended.finally(() => clearTimeout(timer)) };
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}
