import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import type { Town } from "./town.ts";
import { until } from "./until.ts";

/** Another program writes, and does not end; gives what ends it. */
export function hold(house: Town): () => void {
  const other = openDatabase(join(house.dataDir, "forgetmenot.db"), { busyTimeoutMs: 5_000 });
  other.exec("BEGIN IMMEDIATE");
  const letGo = (): void => {
    if (other.open) other.close();
  };
  onTestFinished(letGo);
  return letGo;
}

/** Resolves once the daemon has taken in what was said. */
export async function taken({ irc }: Town): Promise<void> {
  const before = irc.pongs();
  irc.ping();
  await until(() => irc.pongs() > before);
}

/** A disk of a megabyte or so; null where this machine does not allow one. */
export function smallDisk(): string | null {
  const folder = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1500k", "tmpfs", folder], {
      stdio: "ignore",
    });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

export function fill(folder: string): () => void {
  const file = join(folder, "filler");
  const chunk = Buffer.alloc(4_096);
  const parts: Buffer[] = [];
  try {
    for (;;) {
      parts.push(chunk);
      writeFileSync(file, chunk, { flag: "a" });
    }
  } catch {
    return () => rmSync(file, { force: true });
  }
}
