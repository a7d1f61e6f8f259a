import { identityStore } from "../chat/viewer-store.ts";
import { fillNames } from "../language/people.ts";
import {
  type RecallSettings,
  type RecallStore,
  recallStore,
} from "../memory/recall/recall-store.ts";
import { personaFor } from "../platform/config/personas.ts";
import { watchChanges } from "../platform/database/open-database.ts";
import type { ToldNote } from "../privacy/chat-commands.ts";
import type { DaemonOptions, Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

/** The same for a daemon: what another process changes takes along what was read last of anybody. */
export function watchedRecall(
  options: Pick<DaemonOptions, "config" | "now">,
  stores: Pick<Stores, "db" | "suppressions">,
  life: Lifetime,
): RecallStore {
  const recall = openRecall(options, stores);
  const watch = watchChanges(stores.db, recall.dropLast);
  life.closers.push(() => watch.close());
  return recall;
}

/** What prompts show of memory, as configured now. Of whoever opted out nothing is shown, whatever is stored. */
export function openRecall(
  { config, now }: Pick<DaemonOptions, "config" | "now">,
  { db, suppressions }: Pick<Stores, "db" | "suppressions">,
  settings: () => RecallSettings = () => config.memory,
): RecallStore {
  const recall = recallStore(db, {
    settings,
    personaOf: (channel) => personaFor(config, channel).memoryScope,
    accountsOf: identityStore(db, now).accountsOf,
  });
  return {
    ...recall,
    lore: (asked) => (suppressions.isOptedOut(asked.userId) ? [] : recall.lore(asked)),
    loreOrLast: (asked) =>
      suppressions.isOptedOut(asked.userId) ? { notes: [], fresh: true } : recall.loreOrLast(asked),
  };
}

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
