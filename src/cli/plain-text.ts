import { basename, relative } from "node:path";

/** How a person at this terminal calls the program: by its name where it is installed, else by node and its file. */
function programName(
  argv: readonly string[] = process.argv,
  folder: string = process.cwd(),
): string {
  const file = argv[1] ?? "";
  if (basename(file).startsWith("forgetmenot")) return "forgetmenot";
  const near = relative(folder, file);
  const path = near === "" || near.startsWith("..") ? file : near;
  return `node ${/\s/u.test(path) ? `"${path}"` : path}`;
}

/** A command as this person can type it: `typed("status")` is "node dist/main.js status". */
export function typed(command: string): string {
  return `${programName()} ${command}`;
}

/** The same for each command that stands in backquotes in a text: `forgetmenot status`. */
export function asTyped(text: string): string {
  return text.replaceAll(/`forgetmenot(?= |`)/gu, () => `\`${programName()}`);
}

/** "1 note", "2 notes"; `many` where an s is not enough. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
