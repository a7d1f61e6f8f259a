import type { Beat } from "../lab/rehearsal/scene.ts";
import { plural } from "../telemetry/figures.ts";
import type { Terminal } from "./terminal.ts";

export interface Painter {
  /** A line that stays, above the live line. */
  above(line: string): void;
  /** Replaces the live line; without a terminal it is printed now and then. */
  below(line: string): void;
  /** Takes the live line away and prints the last lines. */
  end(lines: readonly string[]): void;
  /** What a beat looks like; null for one that says nothing. */
  beat(beat: Beat): string | null;
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
  const above = (line: string): void => {
    if (terminal.isTerminal) terminal.write(`${CLEAR_LINE}${line}\n${live}`);
    else terminal.print(line);
  };
  const event = (text: string): string => style(33, `${" ".repeat(NAME_COLUMNS)}  ${text}`);
  return {
    above,
    event,
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
      const told = tell(beat);
      if (told === null) return null;
      if (told.name === null) return event(told.text);
      const toBot = "addressed" in beat && beat.addressed !== null;
      return `${style(toBot ? 36 : 2, told.name.padStart(NAME_COLUMNS))}  ${told.text}`;
    },
    reply: (name, text) => `${style(32, `▸ ${name}`.padStart(NAME_COLUMNS))}  ${style(32, text)}`,
  };
}

function tell(beat: Beat): { readonly name: string | null; readonly text: string } | null {
  switch (beat.kind) {
    case "message":
    case "reply_to_bot":
    case "announcement":
      return { name: beat.person.displayName, text: beat.text };
    case "action":
      return { name: null, text: `${beat.person.displayName} ${beat.text}` };
    case "cheer":
      return { name: beat.person.displayName, text: `[${beat.bits} bits] ${beat.text}` };
    case "sub":
      return {
        name: null,
        text: `${beat.person.displayName} subscribed (${beat.months} months) ${beat.text}`,
      };
    case "gift":
      return {
        name: null,
        text: `${beat.person.displayName} gave away ${beat.recipients.length} subs`,
      };
    case "raid":
      return {
        name: null,
        text: `${beat.person.displayName} raids with ${plural(beat.viewers, "viewer")}`,
      };
    case "timeout":
      return { name: null, text: `${beat.person.displayName} is timed out for ${beat.seconds} s` };
    case "ban":
      return { name: null, text: `${beat.person.displayName} is banned` };
    case "delete":
      return { name: null, text: `a message of ${beat.person.displayName} is deleted` };
    case "live":
      return { name: null, text: `live: ${beat.title}` };
    case "title":
      return { name: null, text: `new title: ${beat.title}` };
    case "offline":
      return { name: null, text: "the stream is over" };
  }
}
