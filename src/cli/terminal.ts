import type { Readable, Writable } from "node:stream";

/** What a command may do to the terminal it was called from. */
export interface Terminal {
  /** A line of result, to standard output. */
  readonly print: (text: string) => void;
  /** A line about what went wrong, to standard error. */
  readonly complain: (text: string) => void;
  /** Raw output without a line break, for a line that is redrawn. */
  readonly write: (text: string) => void;
  /** Whether a person watches standard output. */
  readonly isTerminal: boolean;
  readonly columns: () => number;
  /** Aborts when the operator wants the command to end. */
  readonly stop: AbortSignal;
  /** Takes what is to be done when an error was caught nowhere, before the program ends by it. */
  readonly onCrash?: (tell: (thrown: unknown) => Promise<void>) => void;
  /** Who can be asked: opens the keyboard. Null, or no such function, where nobody sits there. */
  readonly person?: () => Person | null;
}

/** Somebody at a keyboard, and what they look at. */
export interface Person {
  readonly input: Readable;
  readonly output: Writable;
}
