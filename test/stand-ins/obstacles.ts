import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

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
