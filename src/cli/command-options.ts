import { type Command, InvalidArgumentError } from "commander";
import { CONFIG_FILE } from "../config/command-line.ts";
import { resolveTyped } from "../config/environment.ts";
import type { CommandOutput, OpenedFor, OpenFolder, Options } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

export const SPEED_MAX = 1_000;
const LISTED_MAX = 100_000;

/** Adds a command that works on a configuration, which `--config` names. */
export function addConfiguredCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name).description(description);
  return command.option("-c, --config <file>", "configuration file", resolveTyped, CONFIG_FILE);
}

/** The same, with `--json` for scripts. */
export function addJsonCommand(parent: Command, name: string, description: string): Command {
  return addConfiguredCommand(parent, name, description).option("--json", "as JSON, for scripts");
}

export type CommandRunner = ReturnType<typeof makeRunner>;

/** Makes the actions of commands. Their functions are loaded when a command runs, so that `--help` is quick. */
export function makeRunner(terminal: Terminal) {
  // Commander's last argument is the command itself.
  const argumentsOf = (given: unknown[]) => [...given.slice(0, -1), terminal] as never[];
  return {
    terminal,
    /** Runs a function with the arguments, options last. */
    runs:
      (load: () => Promise<(...given: never[]) => void | Promise<void>>) =>
      async (...given: unknown[]): Promise<void> => {
        const work = await load();
        await work(...argumentsOf(given));
      },
    /** The same on the opened data folder of the configuration. Prints what the function returns. */
    onFolder:
      (
        how: OpenedFor,
        load: () => Promise<(opened: OpenFolder, ...given: never[]) => CommandOutput | string>,
      ) =>
      async (...given: unknown[]): Promise<void> => {
        const options = given.at(-2) as Options;
        const work = await load();
        const { withFolder } = await import("./open-folder.ts");
        withFolder(options.config, how, (opened) => {
          const result = work(opened, ...argumentsOf(given));
          if (typeof result === "string") terminal.print(result);
          else printResult(terminal, options, result);
        });
      },
  };
}

/** Prints a result: as JSON if `--json` asks for it, else as text. */
export function printResult(
  terminal: Terminal,
  { json }: { readonly json?: true },
  { value, text }: CommandOutput,
): void {
  terminal.print(json === true ? JSON.stringify(value, null, 2) : [text].flat().join("\n"));
}

/** Parses how fast the demo's time passes. */
export function parseSpeed(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0.1 && value <= SPEED_MAX) return value;
  throw new InvalidArgumentError(`A number from 0.1 to ${SPEED_MAX}.`);
}

/** Parses how many rows a list shows. */
export const parseLimit = parseWholeNumber(
  `A whole number from 1 to ${LISTED_MAX}.`,
  1,
  LISTED_MAX,
);
export const parsePort = parseWholeNumber("A whole number from 0 to 65535.", 0, 65_535);
/** Parses the number of a row. */
export const parseRowNumber = parseWholeNumber(
  "A whole number such as 12, as the list shows it.",
  1,
);

/** Parses one more number of a row. */
export function parseRowNumbers(text: string, before: number[] = []): number[] {
  return [...before, parseRowNumber(text)];
}

/** Makes a parser. `expected` is the error's description of the value. */
function parseWholeNumber(expected: string, min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(expected);
  };
}
