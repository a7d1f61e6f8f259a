import { type Command, InvalidArgumentError } from "commander";

export const CONFIG_FILE = "config.json";
export const SPEED_MAX = 1_000;
export const STREAMS_MAX = 10;
const MINUTES_MAX = 600;
const LISTED_MAX = 100_000;

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

/** Parses how many streams a rehearsal has. */
export function streams(text: string): number {
  return wholeNumberUpTo(STREAMS_MAX, text);
}

/** Parses how long a stream of a rehearsal is. */
export function minutes(text: string): number {
  return wholeNumberUpTo(MINUTES_MAX, text);
}

/** Parses a whole number from 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("A whole number from 0.");
}

/** Parses how many are to be shown. */
export function atLeastOne(text: string): number {
  return wholeNumberUpTo(LISTED_MAX, text);
}

function wholeNumberUpTo(max: number, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(`A whole number from 1 to ${max}.`);
}
