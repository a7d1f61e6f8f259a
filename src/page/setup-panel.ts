// Pure: values in, values out.
import { providerOf } from "../catalogue/providers.ts";
import type { ModelChoice } from "../system/setup-answers.ts";

/** Returns a text for the channel's panel on Twitch: what the bot remembers, for how long, and how to be forgotten. */
export function panelText(
  { name, isSilent }: { name: string; isSilent: boolean },
  { provider, baseUrl }: Pick<ModelChoice, "provider" | "baseUrl">,
): string {
  const company = providerOf(provider);
  const where = company === null || company.address === null ? "on a server" : company.label;
  const isOwnMachine = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(baseUrl ?? "");
  const thinks = isOwnMachine
    ? "A language model on my own computer reads recent chat for that."
    : `A language model (${where}) reads recent chat for that.`;
  return [
    isSilent
      ? "This channel has a bot with a memory. It only listens."
      : `${name} is a chat bot with a memory.`,
    "It remembers what viewers say about themselves, and running jokes, from one stream to the next. It keeps no chat log: messages are deleted after 24 hours at the latest.",
    "Moods are kept for a week, events and jokes for a month, likes for three months, and who you are until you change it.",
    thinks,
    "!memory shows what is stored about you.",
    "!forgetme deletes all of it.",
    "!optout keeps you out of its memory.",
  ].join("\n");
}
