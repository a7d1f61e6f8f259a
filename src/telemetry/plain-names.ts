import type { SectionName } from "../reply/prompt/sections.ts";
import type { OutcomeKind } from "./outcome.ts";

/** What the streamer reads for a code; scripts read the codes themselves. */
const SECTIONS: Readonly<Record<SectionName, string>> = {
  persona: "persona and rules",
  channel: "channel",
  channelNotes: "channel notes",
  episodes: "episodes",
  pace: "how fast chat is",
  speaker: "who asks",
  lore: "notes on who asks",
  own: "their last lines",
  chat: "chat",
  replies: "the bot's last lines",
  thread: "the conversation so far",
  current: "the message itself",
};

const OUTCOMES: Readonly<Record<OutcomeKind, string>> = {
  viewer_answered: "the viewer took it up",
  went_on: "the viewer asked on",
  others_answered: "others answered",
  positive: "somebody liked it",
  negative: "somebody disliked it",
  deleted: "a moderator deleted it",
  timed_out: "the viewer was timed out",
  good: "a moderator praised it",
  bad: "a moderator faulted it",
  none: "nothing",
};

const NAMES: ReadonlyMap<string, string> = new Map(Object.entries({ ...SECTIONS, ...OUTCOMES }));

/** The plain name of a section of a prompt, or of what came of a reply; anything else stays as it is. */
export function plainName(code: string): string {
  return NAMES.get(code) ?? code;
}
