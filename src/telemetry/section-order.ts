// Pure: values in, values out.
import type { SectionName } from "../reply/prompt/sections.ts";

/** The sections of a prompt, in its order. Those that are always there tell nothing about what came of a reply. */
const SECTIONS: Readonly<Record<SectionName, "always" | "sometimes">> = {
  persona: "always",
  channel: "always",
  channelNotes: "sometimes",
  episodes: "sometimes",
  pace: "always",
  speaker: "always",
  lore: "sometimes",
  chat: "sometimes",
  replies: "sometimes",
  thread: "sometimes",
  own: "sometimes",
  current: "always",
};

const ORDER = Object.keys(SECTIONS);

export const SOMETIMES_SECTIONS = Object.entries(SECTIONS).flatMap(([name, presence]) =>
  presence === "sometimes" ? [name] : [],
);

/** Orders sections as a prompt has them; what is none comes last. */
export function bySectionOrder(one: string, other: string): number {
  return placeOf(one) - placeOf(other);
}

function placeOf(section: string): number {
  const found = ORDER.indexOf(section);
  return found === -1 ? ORDER.length : found;
}
