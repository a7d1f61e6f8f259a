import { CommanderError } from "commander";

/** How a command line ended, for scripts. README.md tells them. */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_WRONG_USE = 2;

const TOLD = "forgetmenot.told";

/** To be thrown by a command that said all there is to say, and does not end with 0. */
export function endingWith(exitCode: number): CommanderError {
  return new CommanderError(exitCode, TOLD, "");
}

/** Whether a command said all there is to say before it ended with the error's own code. */
export function isTold(error: CommanderError): boolean {
  return error.code === TOLD;
}
