import { z } from "zod";
import { command, optionalCommand } from "./fields.ts";

const commands = z
  .strictObject({
    memory: optionalCommand("!memory").describe(
      "What the bot knows about whoever asks; null: off.",
    ),
    remember: optionalCommand("!remember").describe(
      "Keeps a fact about whoever says it; null: off.",
    ),
    forget: optionalCommand("!forget").describe(
      "Forgets one note of whoever says it, or all about a topic, for good; null: off.",
    ),
    forgetme: command("!forgetme").describe(
      "Forgets everything about whoever says it. It cannot be switched off.",
    ),
    optout: command("!optout").describe(
      "Forgets everything about whoever says it, and keeps nothing from then on. It cannot be switched off.",
    ),
    optin: optionalCommand("!optin").describe("Undoes the opt-out; null: off."),
  })
  .prefault({});

/** What viewers may ask for in chat, without any model. */
export const rightsSchema = z.strictObject({ commands }).prefault({});

export type RightsCommands = z.output<typeof rightsSchema>["commands"];

interface Named {
  readonly rights: { readonly commands: RightsCommands };
  readonly replies: { readonly command: string | null; readonly moderatorCommand: string };
}

/** Commands of one name: only one of them would be heard. */
export function commandProblems({ rights, replies }: Named): { path: string[]; message: string }[] {
  const taken = new Set([replies.command?.toLowerCase(), replies.moderatorCommand]);
  return Object.entries(rights.commands).flatMap(([key, name]) => {
    if (name === null) return [];
    const isTaken = taken.has(name);
    taken.add(name);
    return isTaken
      ? [{ path: ["rights", "commands", key], message: `${name} is another command's name` }]
      : [];
  });
}
