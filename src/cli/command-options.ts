import { type Command, type CommandOptions, InvalidArgumentError } from "commander";

export const CONFIG_FILE = "config.json";
export const SPEED_MAX = 1_000;
export const STREAMS_MAX = 10;
const MINUTES_MAX = 600;
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

/** Parses how fast time passes. */
export function speed(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0.1 && value <= SPEED_MAX) return value;
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
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError("A whole number from 0.");
}

/** Parses what a list calls its rows. */
export function rowNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("A whole number such as 12, as the list shows it.");
}

/** Parses one more of them. */
export function rowNumbers(text: string, before: number[] = []): number[] {
  return [...before, rowNumber(text)];
}

/** Parses how many are to be shown. */
export function atLeastOne(text: string): number {
  return wholeNumberUpTo(LISTED_MAX, text);
}

function wholeNumberUpTo(max: number, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(`A whole number from 1 to ${max}.`);
}
