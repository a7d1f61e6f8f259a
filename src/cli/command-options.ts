import { type Command, InvalidArgumentError } from "commander";

export const CONFIG_FILE = "config.json";
export const SPEED_MAX = 1_000;

/** Gives a command the option that names the configuration file. */
export function withConfig(command: Command): Command {
  return command.option("-c, --config <file>", "configuration file", CONFIG_FILE);
}

/** Parses how fast time passes. */
export function speed(text: string): number {
  const value = Number(text);
  if (value >= 0.1 && value <= SPEED_MAX) return value;
  throw new InvalidArgumentError(`A number from 0.1 to ${SPEED_MAX}.`);
}

/** Parses a whole number from 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("A whole number from 0.");
}
