import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import process from "node:process";
import type { Launch } from "./program.ts";

/** util-linux' own pseudo-terminal; elsewhere `script` takes other arguments. */
export const hasTerminal =
  process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

/** The program at a terminal of 100 columns, with nothing of this process's environment but what is given. */
export function atTerminal(launch: Launch, ...args: readonly string[]) {
  const words = [process.execPath, launch.main, ...args].map((word) => `'${word}'`).join(" ");
  const child: ChildProcess = spawn(
    "script",
    ["-qec", `stty cols 100 rows 40; exec ${words}`, "/dev/null"],
    {
      cwd: launch.folder,
      env: { PATH: process.env["PATH"], HOME: launch.folder, ...launch.environment },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("a terminal without ends");
  return {
    input: stdin,
    output: stdout,
    ended: new Promise<number | null>((resolve) => child.once("exit", resolve)),
    kill: () => void child.kill("SIGKILL"),
  };
}
