import { existsSync, rmSync } from "node:fs";

/**
 * Looks at a data folder before a start. The function that it gives takes away what the start made, where there was
 * nothing before: a start that was refused leaves no trace.
 */
export function beforeStart(dataDir: string, databaseFile: string): () => void {
  if (!existsSync(dataDir)) return () => rmSync(dataDir, { recursive: true, force: true });
  if (existsSync(databaseFile)) return () => undefined;
  return () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${databaseFile}${end}`, { force: true });
  };
}
