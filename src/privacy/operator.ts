import { existsSync } from "node:fs";
import { join } from "node:path";
import { ActionReview } from "../actions/ledger-store.ts";
import { EventLookups } from "../chat/event-reads-store.ts";
import { MomentStore } from "../chat/moment-store.ts";
import {
  AccountStore,
  IdentityStore,
  prepareNameRead,
  readChannelRecords,
} from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import { listBotNames } from "../config/personas.ts";
import { findOrCreateHashKey } from "../config/secrets.ts";
import { makeBackup } from "../database/backup.ts";
import { formatTimeStamp } from "../database/database-fault.ts";
import type { Db } from "../database/open-database.ts";
import { SwitchStore } from "../database/runtime-store.ts";
import { Fault } from "../errors.ts";
import { createForbiddenTest } from "../language/banned.ts";
import { createKeyedHash, fillNames, type KeyedHash } from "../language/people.ts";
import { EpisodeStore } from "../memory/episode-store.ts";
import { readEpisodeRecords } from "../memory/episode-texts-store.ts";
import { parseExport, readExport, sealExport } from "../memory/export-store.ts";
import { type ImportReport, importContent } from "../memory/import-store.ts";
import { NoteOperator } from "../memory/note-operator.ts";
import { NoteReview } from "../memory/note-review-store.ts";
import { getNoteSettings } from "../memory/note-settings.ts";
import { NoteWriter } from "../memory/note-writer.ts";
import { SuppressionStore, suppressionRows } from "../memory/suppression-store.ts";
import { ReplyReview } from "../reply/reply-view-store.ts";
import {
  type Forgotten,
  forgetEverything,
  mergeRecord,
  openStaleCopies,
  readRecordRows,
  recordSaver,
} from "./forget-store.ts";
import { findTextsNaming } from "./texts-store.ts";

/** An open database for the streamer's work, with or without a running daemon. */
export interface OperatorContext {
  readonly config: Config;
  readonly db: Db;
  readonly now: () => number;
}

export function openNoteOperator({ config, db, now }: OperatorContext): NoteOperator {
  return new NoteOperator({
    ...openWriter({ config, db, now }),
    episodes: new EpisodeStore(db, now),
    botNames: listBotNames(config),
  });
}

/** What is stored about one viewer. */
export type ViewerRecord = ReturnType<typeof recordOf>;

/**
 * Reads the stored data about the person who has this account, by all their accounts, with current names. Chat
 * messages, replies and suppressed topics are only counted. An unknown account gives a record without names. Makes the
 * hash key if there is none.
 * `isNamingWanted`: also search texts about others for the person's name, which is slow; false: `namedIn` is empty.
 */
export function recordOf(
  { config, db, now }: OperatorContext,
  userId: string,
  isNamingWanted = true,
) {
  const hash = hashOf(config);
  const userIds = new IdentityStore(db, now).accountsOf(userId);
  const hashes = userIds.map(hash.person);
  const ids = JSON.stringify(userIds);
  const idsAndHashes = JSON.stringify([...userIds, ...hashes]);
  const accounts = new AccountStore(db);
  const found = userIds.map((id) => ({ userId: id, viewer: accounts.findById(id) }));
  const { claims, carried, episodes } = readEpisodeRecords(db, ids);
  const { optOuts, topics } = suppressionRows(db).countOf(hashes);
  const nameOf = prepareNameRead(db);
  const fill = (stored: string): string => fillNames(stored, nameOf);
  return {
    accounts: found.map(({ userId: id, viewer }) => ({
      userId: id,
      login: viewer?.login ?? null,
      displayName: viewer?.displayName ?? null,
      firstSeenAtMs: viewer?.firstSeenAtMs ?? null,
      lastSeenAtMs: viewer?.lastSeenAtMs ?? null,
    })),
    optedOut: optOuts > 0 || found.some(({ viewer }) => viewer?.optedOut === true),
    /** The number of topics that are not learned again. Which ones is not stored. */
    suppressedTopics: topics,
    channels: readChannelRecords(db, ids),
    /** Twitch's reports about them: raids, subs, gifts, cheers. */
    moments: new MomentStore(db).ofViewersEverywhere(ids),
    notes: new NoteReview(db, now).about(userIds),
    claims: claims.map((claim) => ({ ...claim, statement: fill(claim.statement) })),
    carried: carried.map((claim) => ({ ...claim, statement: fill(claim.statement) })),
    episodes: episodes.map((one) => ({
      ...one,
      topic: fill(one.topic),
      summary: fill(one.summary),
      unproven: fill(one.unproven),
    })),
    /** Texts about others, or about the channel, that name them. */
    namedIn: isNamingWanted ? findTextsNaming(db, userIds).map(fill) : [],
    ...(new EventLookups(db).countOf(ids) ?? { lines: 0, linesWithText: 0 }),
    ...new ReplyReview(db).countOf(idsAndHashes),
    actions: new ActionReview(db, now).listOfViewers(idsAndHashes),
  };
}

/** Returns the `recordOf` a person as JSON text, to be written to a file for them. */
export function makeViewerFile(context: OperatorContext, userId: string): string {
  const record = recordOf(context, userId);
  return `${JSON.stringify({ exportedAtMs: context.now(), record }, null, 2)}\n`;
}

/**
 * Merges the record file, then forgets a viewer. A running daemon notices it and cleans the files; else call
 * `cleanNow`. Throws a Fault if the record file is broken or cannot be written.
 */
export function forgetPerson({ config, db, now }: OperatorContext, userId: string): Forgotten {
  const hash = hashOf(config);
  mergeRecord(db, config.dataDir, hash, now());
  return forgetEverything({ db, hash, now, saveRecord: recordSaver(db, config.dataDir) }, userId);
}

/**
 * Makes the text of an export file; `readExport` says which notes are left out. `userIds`: the viewers whose notes it
 * has; null: notes about all viewers and channels.
 */
export function exportText(
  { config, db, now }: OperatorContext,
  userIds: readonly string[] | null,
): string {
  const { isOptedOut } = new SuppressionStore(db, hashOf(config), now);
  return sealExport(readExport({ db, isOptedOut, now }, userIds));
}

/**
 * Imports notes from the text of an export, and reports what it did. `isDryRun`: reports what it would do, and only
 * merges the record file. Throws a Fault for an unusable file.
 */
export function importText(
  context: OperatorContext,
  text: string,
  isDryRun: boolean,
): ImportReport {
  const parsed = parseExport(text, context.now());
  if (!parsed.ok) {
    throw new Fault(`${parsed.path === "" ? "the file" : parsed.path} ${parsed.problem}`, {
      code: "usage",
      fix: "take a file that `forgetmenot memory export` made; nothing was changed",
    });
  }
  const { config, db, now } = context;
  const hash = hashOf(config);
  mergeRecord(db, config.dataDir, hash, now());
  const forgotten = new Map(readRecordRows(db).forgets.map(({ who, atMs }) => [who, atMs]));
  const parts = {
    ...openWriter(context),
    channels: config.channels,
    forgottenAtMs: (userId: string) => forgotten.get(hash.person(userId)) ?? null,
    isOptedOut: new SuppressionStore(db, hash, now).isOptedOut,
  };
  if (!isDryRun) openStaleCopies(db, now).markDoubtful();
  return importContent(parts, parsed.content, isDryRun);
}

/** Makes a backup in the data folder; returns its path. */
export function backUp({ config: { dataDir, databaseFile } }: OperatorContext): string {
  const path = makeUsualPath(dataDir, "backups", "db");
  makeBackup(path, databaseFile);
  return path;
}

/**
 * Returns an unused path in a folder of the data folder: `backups/forgetmenot-20260103-211500Z.db`. Makes no file or
 * folder. The time is UTC, so that names sort by date.
 */
export function makeUsualPath(dataDir: string, folder: string, extension: string): string {
  const stamp = formatTimeStamp(Date.now());
  for (let nth = 1; ; nth += 1) {
    const name = `forgetmenot-${stamp}${nth === 1 ? "" : `-${nth}`}.${extension}`;
    if (!existsSync(join(dataDir, folder, name))) return join(dataDir, folder, name);
  }
}

/** Creates the keyed hash; also the key, if the data folder has none. */
function hashOf({ dataDir }: Config): KeyedHash {
  return createKeyedHash(findOrCreateHashKey(dataDir));
}

function openWriter({ config, db, now }: OperatorContext) {
  const readOnly = () => new SwitchStore(db, now).read().readOnly;
  const settings = (channel: string) => getNoteSettings(config, channel);
  const isBanned = createForbiddenTest(config.replies.bannedWords);
  const save = recordSaver(db, config.dataDir);
  const suppressions = new SuppressionStore(db, hashOf(config), now, save);
  const writer = new NoteWriter({ db, settings, readOnly, isBanned, suppressions, now });
  return { db, writer, settings, readOnly, now };
}
