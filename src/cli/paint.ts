import type { Beat } from "../lab/rehearsal/script.ts";
import type { Terminal } from "./terminal.ts";

export interface Painter {
  /** Lines that stay, above the live line. */
  above(...lines: readonly string[]): void;
  /** Replaces the live line; without a terminal it is printed now and then. */
  below(line: string): void;
  /** Takes the live line away and prints the last lines. */
  end(lines: readonly string[]): void;
  /** What a beat looks like. */
  beat(beat: Beat): string;
  reply(name: string, text: string): string;
  /** Something that happened, and that nobody said. */
  event(text: string): string;
}

const CLEAR_LINE = "\r\u001b[2K";
const PLAIN_EVERY_MS = 15_000;
const NAME_COLUMNS = 16;

/** Draws a rehearsal. Text from the script is fixed and harmless; the bot's replies passed the guard. */
export function painter(terminal: Terminal, colour: boolean): Painter {
  const style = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  let live = "";
  let printedAtMs = 0;
  const event = (text: string): string => style(33, `${" ".repeat(NAME_COLUMNS)}  ${text}`);
  return {
    event,
    above: (...lines) => {
      for (const line of lines) {
        if (terminal.isTerminal) terminal.write(`${CLEAR_LINE}${line}\n${live}`);
        else terminal.print(line);
      }
    },
    below: (line) => {
      if (terminal.isTerminal) {
        live = style(2, line.slice(0, terminal.columns() - 1));
        terminal.write(`${CLEAR_LINE}${live}`);
      } else if (Date.now() - printedAtMs > PLAIN_EVERY_MS) {
        printedAtMs = Date.now();
        terminal.print(`— ${line}`);
      }
    },
    end: (lines) => {
      if (terminal.isTerminal) terminal.write(CLEAR_LINE);
      for (const line of lines) terminal.print(line);
    },
    beat: (beat) => {
      switch (beat.kind) {
        case "message": {
          const name = beat.person.displayName.padStart(NAME_COLUMNS);
          return `${style(beat.isToBot ? 36 : 2, name)}  ${beat.text}`;
        }
        case "action":
          return event(`${beat.person.displayName} ${beat.text}`);
        case "live":
          return event(`live: ${beat.title}`);
        case "offline":
          return event("the stream is over");
      }
    },
    reply: (name, text) => `${style(32, `▸ ${name}`.padStart(NAME_COLUMNS))}  ${style(32, text)}`,
  };
}
