import { identityStore } from "../chat/identity-store.ts";
import {
  type RecallSettings,
  type RecallStore,
  recallStore,
} from "../memory/recall/recall-store.ts";
import { personaFor } from "../platform/config/personas.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

/** What prompts show of memory, as configured now. Of whoever opted out nothing is shown, whatever is stored. */
export function openRecall(
  { config, now }: Pick<DaemonOptions, "config" | "now">,
  { db, suppressions, hasher }: Pick<Stores, "db" | "suppressions" | "hasher">,
  settings: () => RecallSettings = () => config.memory,
): RecallStore {
  const recall = recallStore(db, {
    hasher,
    settings,
    personaOf: (channel) => personaFor(config, channel).memoryScope,
    accountsOf: identityStore(db, now).accountsOf,
  });
  return {
    ...recall,
    lore: (asked) => (suppressions.isOptedOut(asked.userId) ? [] : recall.lore(asked)),
  };
}
