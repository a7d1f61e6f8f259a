// Pure: values in, values out.
import { ACTION_NAMES, type ActionClass } from "../platform/config/names.ts";
import { CATALOGUE } from "./catalogue.ts";

/** What Twitch asks of a token before it lets the bot's account, or the streamer's own, do what these classes hold. */
export function scopesFor(classes: readonly ActionClass[], whose: "bot" | "streamer"): string[] {
  const wanted = ACTION_NAMES.map((name) => CATALOGUE[name]).filter(
    (spec) => classes.includes(spec.class) && spec.token === whose,
  );
  return [...new Set(wanted.flatMap(({ scope }) => (scope === null ? [] : [scope])))];
}
