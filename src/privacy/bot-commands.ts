import type { Spoken } from "../chat/normalise.ts";
import type { SwitchName } from "../platform/database/switches-store.ts";

export interface BotCommandParts {
  /** With its exclamation mark: `!bot`. */
  readonly command: string;
  readonly set: (name: SwitchName, on: boolean, by: string) => void;
  /** Says one line in chat, in answer to a message. */
  readonly say: (spoken: Spoken, text: string) => void;
  /** How the bot is, in one short line. */
  readonly describe: (channel: string) => string;
  /** Forgets the person who has this login; then, or where it cannot, says so. */
  readonly forget: (spoken: Spoken, login: string) => void;
}

interface Order {
  readonly name: SwitchName;
  readonly on: boolean;
  readonly answer: string;
}

const ORDERS: Readonly<Record<string, Order>> = {
  pause: { name: "paused", on: true, answer: "Paused. I say nothing until somebody resumes me." },
  resume: { name: "paused", on: false, answer: "Back again." },
  "safe on": { name: "safe_mode", on: true, answer: "Safe mode is on: I do nothing but talk." },
  "safe off": { name: "safe_mode", on: false, answer: "Safe mode is off." },
};
const HELP = "pause, resume, safe on, safe off, status, forget @viewer";
const FORGET = /^forget [@＠]?([a-z0-9_]{1,25})$/u;

/**
 * What a moderator or the streamer can tell the bot in one line of chat, without any model. True where the line was
 * such a command: then nobody else has to answer it. From anybody else it is ignored in silence.
 */
export function botCommands(parts: BotCommandParts): (spoken: Spoken) => boolean {
  return (spoken) => {
    const words = spoken.text.toLowerCase().split(" ");
    if (words[0] !== parts.command || spoken.isBotItself || spoken.isKnownBot) return false;
    const { roles } = spoken.person;
    if (roles.broadcaster || roles.moderator) obey(parts, spoken, words.slice(1).join(" "));
    return true;
  };
}

function obey(parts: BotCommandParts, spoken: Spoken, order: string): void {
  const forgotten = FORGET.exec(order)?.[1];
  const known = ORDERS[order];
  if (forgotten !== undefined) {
    parts.forget(spoken, forgotten);
  } else if (known !== undefined) {
    parts.set(known.name, known.on, "moderator");
    parts.say(spoken, known.answer);
  } else {
    parts.say(spoken, order === "status" ? parts.describe(spoken.channel) : `I know: ${HELP}.`);
  }
}
