import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isLocked, lockFolder } from "../../src/database/lock.ts";
import { Fault } from "../../src/errors.ts";
import { buildFile } from "../stand-ins/program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CHILD = fileURLToPath(new URL("lock-child.ts", import.meta.url));

test("a folder that is not there, or has never run, is not locked, and asking leaves no trace", () => {
  const folder = temporaryFolder();
  expect(isLocked(join(folder, "none"))).toBe(false);
  expect(isLocked(folder)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test("one holder at a time: the second is refused, and may have it once it was released", () => {
  const folder = temporaryFolder();
  const lock = lockFolder(folder);
  expect(isLocked(folder)).toBe(true);
  expect(faultOf(() => lockFolder(folder))).toMatchObject({
    code: "locked",
    message: `dataDir: another ForgetMeNot is running on ${folder}`,
    fix: expect.stringContaining("end that one first"),
  });
  lock.release();
  expect(isLocked(folder)).toBe(false);
  lockFolder(folder).release();
});

test("the folder is made for the lock, and an empty file is all that stays of it", () => {
  const folder = join(temporaryFolder(), "a", "b");
  const lock = lockFolder(folder);
  lock.release();
  expect(readdirSync(folder)).toEqual(["forgetmenot.lock"]);
  expect(statSync(join(folder, "forgetmenot.lock")).size).toBe(0);
});

test("another process sees the lock, also after a second try in this one was refused", async () => {
  const folder = temporaryFolder();
  const lock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(Fault);
  expect(await firstLine(child("ask", folder))).toBe("locked");
  lock.release();
});

test("a holder that is killed holds nothing any more", async () => {
  const folder = temporaryFolder();
  const holder = child("hold", folder);
  expect(await firstLine(holder)).toBe("held");
  expect(isLocked(folder)).toBe(true);
  expect(() => lockFolder(folder)).toThrow(/another ForgetMeNot/);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(isLocked(folder)).toBe(false);
  lockFolder(folder).release();
});

function child(task: string, folder: string): ChildProcess {
  const main = buildFile(temporaryFolder(), CHILD);
  const process = spawn(execPath, [main, task, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    process.kill("SIGKILL");
  });
  return process;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("no output to read");
  const [chunk] = await once(stdout, "data");
  return String(chunk).trim();
}

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}
