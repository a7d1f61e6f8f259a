import type { Beat } from "../demo/script.ts";
import type { Terminal } from "./terminal.ts";

export type Painter = ReturnType<typeof openPainter>;

const CLEAR_LINE = "\r\u001b[2K";
const PLAIN_EVERY_MS = 15_000;
const NAME_COLUMNS = 16;
/** A level of the log. */
const WARN = 40;

/** Draws chat and replies. Text from the demo is fixed and harmless; the bot's replies passed the guard. */
export function openPainter(terminal: Terminal, colour: boolean) {
  const style = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  let live = "";
  let printedAtMs = 0;
  const event = (text: string): string => style(33, `${" ".repeat(NAME_COLUMNS)}  ${text}`);
  const above = (...lines: readonly string[]): void => {
    for (const line of lines) {
      if (terminal.isTerminal) terminal.write(`${CLEAR_LINE}${line}\n${live}`);
      else terminal.print(line);
    }
  };
  return {
    /** An event without a message. */
    event,
    /** Prints lines that stay, above the live line. */
    above,
    /** Replaces the live line. Without a terminal it is printed now and then. */
    below: (line: string): void => {
      if (terminal.isTerminal) {
        live = style(2, line.slice(0, terminal.columns() - 1));
        terminal.write(`${CLEAR_LINE}${live}`);
      } else if (Date.now() - printedAtMs > PLAIN_EVERY_MS) {
        printedAtMs = Date.now();
        terminal.print(`— ${line}`);
      }
    },
    /** Prints a warning or error of the log as a sentence. */
    logged: (line: string): void => {
      const { level, msg, code } = JSON.parse(line);
      if (level >= WARN) above(`! ${msg}${code === undefined ? "" : ` (${code})`}`);
    },
    /** Removes the live line and prints the last lines. */
    end: (lines: readonly string[]): void => {
      if (terminal.isTerminal) terminal.write(CLEAR_LINE);
      for (const line of lines) terminal.print(line);
    },
    beat: (beat: Beat): string => {
      switch (beat.kind) {
        case "message": {
          const name = beat.person.displayName.padStart(NAME_COLUMNS);
          return `${style(beat.isToBot ? 36 : 2, name)}  ${beat.text}`;
        }
        case "action":
          return event(`${beat.person.displayName} ${beat.text}`);
        case "raid":
          return event(`${beat.person.displayName} raids with ${beat.raiders} viewers`);
        case "live":
          return event(`live: ${beat.title}`);
        case "offline":
          return event("the stream is over");
      }
    },
    reply: (name: string, text: string): string =>
      `${style(32, `▸ ${name}`.padStart(NAME_COLUMNS))}  ${style(32, text)}`,
  };
}
