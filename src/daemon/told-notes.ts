import { fillNames } from "../language/people.ts";
import type { ToldNote } from "../privacy/memory-lines.ts";
import { openRecall } from "./build-recall.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

/** More notes than anybody can have. */
const NOTES_MAX = 100_000;
const NO_TALK = { message: { id: null, text: "" }, recent: [], category: "", others: [] };

/** Gives a function that reads exactly what a prompt for a viewer could hold of them, whatever is talked of. */
export function toldNotes(
  options: Pick<DaemonOptions, "config" | "now">,
  stores: Pick<Stores, "db" | "suppressions">,
): (channel: string, userId: string) => readonly ToldNote[] {
  const { config, now } = options;
  const recall = openRecall(options, stores, () => ({ ...config.memory, topics: "add" }));
  return (channel, userId) =>
    recall
      .lore({
        channel,
        userId,
        nowMs: now(),
        limit: NOTES_MAX,
        conversation: NO_TALK,
        withRepeated: true,
      })
      .map(({ id, fact }) => ({ id, fact: fillNames(fact, recall.displayName) }));
}
