import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll } from "vitest";

const END_OF_TABLE = /^\} as const satisfies Readonly<Record<string, \w+>>;$/m;

/**
 * Copies parts of the repository, with one more entry in a table of `src/catalogue`, until the file's tests end. Returns
 * a function that imports a file of the copy.
 */
export function copySource(parts: readonly string[], table: string, entry: string) {
  const root = mkdtempSync(join(tmpdir(), "catalogue-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  for (const part of ["package.json", "src", ...parts])
    cpSync(resolve(part), join(root, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(root, "node_modules"), "junction");
  const file = join(root, "src/catalogue", table);
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(END_OF_TABLE, (end) => `${entry}\n${end}`),
  );
  return (path: string) => import(pathToFileURL(join(root, path)).href);
}
