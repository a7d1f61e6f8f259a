import { IdentityStore } from "../../chat/viewer-store.ts";
import { type Config, memoizeOn } from "../../config/load.ts";
import { findPersona } from "../../config/personas.ts";
import type { Db } from "../../database/open-database.ts";
import { forbiddenWordFinder } from "../../language/banned.ts";
import { fillNames } from "../../language/people.ts";
import {
  openRecallStore,
  type RecallParts,
  type RecallSettings,
  type RecallStore,
} from "./recall-store.ts";

interface RecallOptions {
  readonly config: Config;
  readonly now: () => number;
}

interface RecallSource {
  readonly db: Db;
  readonly suppressions: { readonly isOptedOut: (userId: string) => boolean };
}

/** Opens recall for prompts, with the current settings. Shows nothing about viewers who opted out. */
export function openRecall(
  { config, now }: RecallOptions,
  { db, suppressions: { isOptedOut }, onUnread }: RecallSource & Pick<RecallParts, "onUnread">,
  settings: () => RecallSettings = () => config.memory,
): RecallStore {
  const banned = memoizeOn(
    () => [config.replies],
    () => forbiddenWordFinder(config.replies),
  );
  const recall = openRecallStore(db, {
    ...(onUnread && { onUnread }),
    settings,
    personaOf: (channel) => findPersona(config, channel).memoryScope,
    accountsOf: new IdentityStore(db, now).accountsOf,
    banned: (name) => banned()(name),
  });
  return {
    ...recall,
    aboutStreamer: (channel, streamerId, nowMs) =>
      isOptedOut(streamerId) ? [] : recall.aboutStreamer(channel, streamerId, nowMs),
    lore: (asked) => (isOptedOut(asked.userId) ? [] : recall.lore(asked)),
    loreOrLast: (asked) =>
      isOptedOut(asked.userId) ? { notes: [], fresh: true } : recall.loreOrLast(asked),
  };
}

/** A note as its viewer may see it. */
export interface OwnNote {
  readonly id: number;
  readonly fact: string;
  /** Separated by commas. */
  readonly topics?: string;
}

/** More notes than any viewer can have. */
const NOTES_MAX = 100_000;
const NO_TALK = { message: { text: "" }, recent: [], category: "", others: [] };

/** Returns a function that reads all that a prompt for a viewer could contain about them, for any topic. */
export function ownNoteReader(
  options: RecallOptions,
  source: RecallSource,
): (channel: string, userId: string) => OwnNote[] {
  const recall = openRecall(options, source, () => ({ ...options.config.memory, topics: "add" }));
  return (channel, userId) =>
    recall
      .lore({ channel, userId, nowMs: options.now(), limit: NOTES_MAX, conversation: NO_TALK })
      .map(({ id, fact, topics }) => ({
        id,
        fact: fillNames(fact, recall.displayName),
        topics: fillNames(topics, recall.displayName),
      }));
}
