// Pure: values in, values out.

/** A command, of this bot or another: `!uptime`, `!so @ben`. */
const COMMAND = /^![\p{L}\p{N}]/u;
const MENTION = /^[@＠]/u;
const SAID = /[\p{L}\p{N}]/u;
/** `12-16` of `25:0-4,12-16/1902:6-10`: where an emote stands, first and last character. */
const SPAN = /(\d{1,4})-(\d{1,4})/g;
/** Made of letters and digits, with a capital letter behind the first: `KEKW`, `monkaS`. */
const EMOTE_WORD = /^[\p{L}\p{N}]+\p{Lu}[\p{L}\p{N}]*$/u;
/** As channels name most of theirs, and words are hardly ever written: `monkaS`, `peepoHappy`. */
const CHANNEL_EMOTE = /^\p{Ll}+\p{Lu}[\p{L}\p{N}]*$/u;

/**
 * Whether a line holds nothing to remember: a command, or emotes alone, emoji among them. Twitch's own emotes are known
 * by the places that its `emotes` tag names, in characters of the line; those of others by their form alone: names in
 * the middle of which a capital letter stands, or one and the same again and again. What may be a word counts as one.
 */
export function fillsNoWindow(line: string, emotes: string | undefined): boolean {
  if (line.trim() === "") return false;
  if (COMMAND.test(line)) return true;
  const words = (emotes === undefined || emotes === "" ? line : withoutEmotes(line, emotes))
    .split(/\s+/u)
    .filter((word) => SAID.test(word) && !MENTION.test(word));
  if (words.length === 0) return !isBareMention(line);
  const isRepeated = words.length > 1 && words.every((word) => word === words[0]);
  return words.every((word) => CHANNEL_EMOTE.test(word) || (isRepeated && EMOTE_WORD.test(word)));
}

/** Whom somebody calls is worth reading. */
function isBareMention(line: string): boolean {
  return line
    .trim()
    .split(/\s+/u)
    .every((word) => MENTION.test(word));
}

function withoutEmotes(line: string, emotes: string): string {
  const letters = [...line];
  for (const [, first, last] of emotes.matchAll(SPAN)) {
    letters.fill(" ", Number(first), Number(last) + 1);
  }
  return letters.join("");
}
