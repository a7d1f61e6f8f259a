import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/** Only Linux says which processes a process has started. */
export const KNOWS_PROCESSES = existsSync(`/proc/self/task/${process.pid}/children`);

/** The processes that one has started and that are at work, by its threads, with what they were started with. */
export function processesOf(pid: number | undefined): { pid: number; args: string }[] {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads)
    .flatMap((thread) => textOf(`${threads}/${thread}/children`).trim().split(" "))
    .filter((child) => child !== "")
    .map((child) => ({
      pid: Number(child),
      args: textOf(`/proc/${child}/cmdline`).replaceAll("\0", " "),
    }))
    .filter(({ args }) => args !== "");
}

/** It may end while it is looked at. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
