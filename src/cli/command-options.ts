import { type Command, type CommandOptions, InvalidArgumentError } from "commander";
import { CONFIG_FILE } from "./command-line.ts";
import type { CommandOutput, Opened, OpenedFor, Options } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

export const SPEED_MAX = 1_000;
const LISTED_MAX = 100_000;

/** A command under `parent` that works on a configuration, which an option names. */
export function configured(
  parent: Command,
  name: string,
  description: string,
  options: CommandOptions = {},
): Command {
  const command = parent.command(name, options).description(description);
  return command.option("-c, --config <file>", "configuration file", CONFIG_FILE);
}

/** The same, and its result can be had as JSON. */
export function telling(...given: Parameters<typeof configured>): Command {
  return configured(...given).option("--json", "as JSON, for scripts");
}

export type Doing = ReturnType<typeof doing>;

/** How commands are done, each by a function of a file that is loaded then; it gets what was typed, options last. */
export function doing(terminal: Terminal) {
  // Commander's last argument is the command itself.
  const givenIn = (typed: unknown[]) => [...typed.slice(0, -1), terminal] as never[];
  return {
    terminal,
    runs:
      (load: () => Promise<(...typed: never[]) => void | Promise<void>>) =>
      async (...typed: unknown[]): Promise<void> => {
        const work = await load();
        await work(...givenIn(typed));
      },
    /** On the data folder of its configuration; what the function gives is printed. */
    does:
      (
        how: OpenedFor,
        load: () => Promise<(opened: Opened, ...typed: never[]) => CommandOutput | string>,
      ) =>
      async (...typed: unknown[]): Promise<void> => {
        const options = typed.at(-2) as Options;
        const work = await load();
        // Loaded when a command needs it: --help and the like are quick.
        const { withFolder } = await import("./open-folder.ts");
        withFolder(options.config, how, (opened) => {
          const told = work(opened, ...givenIn(typed));
          if (typeof told === "string") terminal.print(told);
          else tell(terminal, options, told);
        });
      },
  };
}

/** Prints a result: as JSON where `--json` asks for it, else as text. */
export function tell(
  terminal: Terminal,
  { json }: Pick<Options, "json">,
  { value, text }: CommandOutput,
): void {
  terminal.print(json === true ? JSON.stringify(value, null, 2) : [text].flat().join("\n"));
}

/** Parses how fast time passes. */
export function speed(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0.1 && value <= SPEED_MAX) return value;
  throw new InvalidArgumentError(`A number from 0.1 to ${SPEED_MAX}.`);
}

/** Parses how many are to be shown. */
export const atLeastOne = wholeUpTo(LISTED_MAX);
export const wholeNumber = whole("A whole number from 0.", 0);
export const portNumber = whole("A whole number from 0 to 65535.", 0, 65_535);
/** Parses what a list calls its rows. */
export const rowNumber = whole("A whole number such as 12, as the list shows it.", 1);

/** Parses one more of them. */
export function rowNumbers(text: string, before: number[] = []): number[] {
  return [...before, rowNumber(text)];
}

function wholeUpTo(max: number) {
  return whole(`A whole number from 1 to ${max}.`, 1, max);
}

/** `is`: what it has to be, as it is told of another text. */
function whole(is: string, min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(is);
  };
}
