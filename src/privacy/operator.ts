import { join } from "node:path";
import { identityStore } from "../chat/identity-store.ts";
import { Fault } from "../errors.ts";
import { type KeyedHash, keyedHash } from "../language/keyed-hash.ts";
import { forbiddenWords } from "../language/slurs.ts";
import { episodeStore } from "../memory/episode-store.ts";
import { type ExportContent, parseExport, sealExport } from "../memory/export-format.ts";
import { exportContent } from "../memory/export-store.ts";
import { type ImportReport, importContent } from "../memory/import-store.ts";
import { type NoteOperator, noteOperator } from "../memory/note-operator-store.ts";
import { noteSettings } from "../memory/note-settings.ts";
import { noteWriter } from "../memory/note-writer-store.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import type { Config } from "../platform/config/load.ts";
import { botNames } from "../platform/config/personas.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { timeStamp } from "../platform/database/database-fault.ts";
import type { Db } from "../platform/database/open-database.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import { forgetStore } from "./forget-store.ts";
import { makeBackup } from "./make-backup.ts";
import { tombstoneStore } from "./tombstone-store.ts";
import { sealViewerExport } from "./viewer-export.ts";
import { type ViewerRecord, viewerRecords } from "./viewer-record-store.ts";

/** A database that the streamer works on, beside the daemon or without one. */
export interface OperatorDesk {
  readonly config: Config;
  readonly db: Db;
  readonly now: () => number;
}

/** What the streamer can do with notes. */
export function openNoteOperator({ config, db, now }: OperatorDesk): NoteOperator {
  return noteOperator({
    ...writing({ config, db, now }),
    episodes: episodeStore(db, now),
    botNames: botNames(config),
  });
}

/** Everything that is kept about the person who has this account. */
export function recordOf(desk: OperatorDesk, userId: string, isNamingWanted = true): ViewerRecord {
  const userIds = identityStore(desk.db, desk.now).accountsOf(userId);
  return viewerRecords(desk.db, hashOf(desk.config))(userIds, isNamingWanted);
}

/** The same as a file for that person. No line of chat is in it. */
export function viewerFile(desk: OperatorDesk, userId: string): string {
  const hash = hashOf(desk.config);
  const userIds = identityStore(desk.db, desk.now).accountsOf(userId);
  const record = viewerRecords(desk.db, hash)(userIds);
  return sealViewerExport({
    whos: userIds.map(hash.person),
    exportedAtMs: desk.now(),
    record,
  });
}

/** Forgets everything about a person; a running daemon hears of it and cleans its files. Says how many notes went. */
export function forgetPerson({ config, db, now }: OperatorDesk, userId: string): number {
  return forgetStore(db, hashOf(config), now).forget(userId).notes;
}

/** All notes, or those about some people, as the text of an export file. */
export function exportText(
  { config, db, now }: OperatorDesk,
  userIds: readonly string[] | null,
): string {
  const { isOptedOut } = suppressionStore(db, hashOf(config), now);
  return sealExport(exportContent({ db, isOptedOut, now }, userIds));
}

/** Takes notes from the text of an export, or tells what would happen. Throws a Fault for one that will not do. */
export function importText(desk: OperatorDesk, text: string, isDryRun: boolean): ImportReport {
  const parsed = parseExport(text, desk.now());
  if (!parsed.ok) {
    throw new Fault(`${parsed.path === "" ? "the file" : parsed.path} ${parsed.problem}`, {
      code: "usage",
      mend: "take a file that `forgetmenot memory export` made; nothing was changed",
    });
  }
  return importMemory(desk, parsed.content, isDryRun);
}

/** The same for an export that was read. */
export function importMemory(
  desk: OperatorDesk,
  content: ExportContent,
  isDryRun: boolean,
): ImportReport {
  const { config, db, now } = desk;
  const hash = hashOf(config);
  const forgotten = new Map(
    tombstoneStore(db)
      .read()
      .forgets.map(({ who, atMs }) => [who, atMs]),
  );
  const parts = {
    ...writing(desk),
    channels: config.channels,
    forgottenAtMs: (userId: string) => forgotten.get(hash.person(userId)) ?? null,
    isOptedOut: suppressionStore(db, hash, now).isOptedOut,
    merge: identityStore(db, now).merge,
  };
  return importContent(parts, content, isDryRun);
}

/** Makes a backup in the data folder; gives its path. */
export function backUp({ config, db, now }: OperatorDesk): string {
  const { dataDir, databaseFile } = config;
  const path = usualPath(dataDir, "backups", "db");
  makeBackup(path, { db, databaseFile, hash: hashOf(config), now });
  return path;
}

/**
 * Where a file goes that nobody named: `backups/forgetmenot-20260103-211500Z.db` in the data folder, by UTC, so that
 * they stand in order.
 */
export function usualPath(dataDir: string, folder: string, extension: string): string {
  return join(dataDir, folder, `forgetmenot-${timeStamp(Date.now())}.${extension}`);
}

function hashOf({ dataDir }: Config): KeyedHash {
  return keyedHash(hashKey(dataDir));
}

/** What writes a note, under the write policy. */
function writing({ config, db, now }: OperatorDesk) {
  const readOnly = () => switchStore(db, now).read().readOnly;
  const settings = (channel: string) => noteSettings(config, channel);
  const banned = forbiddenWords(config.replies);
  const suppressions = suppressionStore(db, hashOf(config), now);
  const writer = noteWriter({ db, settings, readOnly, banned, suppressions, now });
  return { db, writer, settings, readOnly, now };
}
