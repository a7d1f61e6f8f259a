import { ActionReview } from "../actions/ledger-store.ts";
import { prepareEventLookups } from "../chat/event-reads-store.ts";
import { prepareMomentReads } from "../chat/moment-store.ts";
import { channelRecords, openAccountStore, prepareNameRead } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { fillNames, type KeyedHash } from "../language/people.ts";
import { readEpisodeRecords } from "../memory/episode-texts-store.ts";
import { NoteReview } from "../memory/note-review-store.ts";
import { suppressionRows } from "../memory/suppression-store.ts";
import { ReplyReview } from "../reply/reply-view-store.ts";
import { findSentencesNaming } from "./texts-store.ts";

/** Everything that is stored about one viewer. Of the chat of the last 24 hours it has only a count. */
export type ViewerRecord = ReturnType<ReturnType<typeof prepareViewerRecords>>;

/**
 * Returns a function that reads all stored data about a viewer, by all their accounts, with current names. With
 * `isNamingWanted` it also reads every sentence, to find those that name the viewer.
 */
export function prepareViewerRecords(db: Db, hash: KeyedHash, now: () => number) {
  const accounts = openAccountStore(db);
  const nameOf = prepareNameRead(db);
  const fill = (stored: string): string => fillNames(stored, nameOf);
  return (userIds: readonly string[], isNamingWanted = true) => {
    const hashes = userIds.map(hash.person);
    const ids = JSON.stringify(userIds);
    const idsAndHashes = JSON.stringify([...userIds, ...hashes]);
    const found = userIds.map((userId) => ({ userId, viewer: accounts.byId(userId) }));
    const { claims, carried, episodes } = readEpisodeRecords(db, ids);
    const { optOuts, topics } = suppressionRows(db).countOf(hashes);
    return {
      accounts: found.map(({ userId, viewer }) => ({
        userId,
        login: viewer?.login ?? null,
        displayName: viewer?.displayName ?? null,
        firstSeenAtMs: viewer?.firstSeenAtMs ?? null,
        lastSeenAtMs: viewer?.lastSeenAtMs ?? null,
      })),
      optedOut: optOuts > 0 || found.some(({ viewer }) => viewer?.optedOut === true),
      /** The number of topics that are not learned again. Which ones is not stored. */
      suppressedTopics: topics,
      channels: channelRecords(db)(ids),
      /** Twitch's reports about them: raids, subs, gifts, cheers. */
      moments: prepareMomentReads(db).record(ids),
      notes: new NoteReview(db, now).about(userIds),
      claims: claims.map((claim) => ({ ...claim, statement: fill(claim.statement) })),
      carried: carried.map((claim) => ({ ...claim, statement: fill(claim.statement) })),
      episodes: episodes.map((one) => ({
        ...one,
        topic: fill(one.topic),
        summary: fill(one.summary),
        unproven: fill(one.unproven),
      })),
      /** Sentences about others, or about the channel, that name them. */
      namedIn: isNamingWanted ? findSentencesNaming(db, userIds).map(fill) : [],
      ...(prepareEventLookups(db).countOf(ids) ?? { lines: 0, linesWithText: 0 }),
      ...new ReplyReview(db).countOf(idsAndHashes),
      actions: new ActionReview(db, now).ofViewers(idsAndHashes),
    };
  };
}
