import { keyedHash } from "../language/keyed-hash.ts";
import { forbiddenWords } from "../language/slurs.ts";
import { episodeStore } from "../memory/episode-store.ts";
import { type NoteOperator, noteOperator } from "../memory/note-operator-store.ts";
import { noteSettings } from "../memory/note-settings.ts";
import { noteWriter } from "../memory/note-writer-store.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { botNames } from "../platform/config/personas.ts";
import { hashKey } from "../platform/config/secrets.ts";
import type { Db } from "../platform/database/open-database.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import { existingDatabase } from "./existing-database.ts";

export interface ChangeOptions {
  readonly config: string;
  readonly json?: true;
}

/** What a command that changes notes works with. */
export interface Desk {
  readonly config: Config;
  readonly db: Db;
  readonly operator: NoteOperator;
}

/** Opens the database that a configuration names for the streamer's changes, and closes it behind `work`. */
export function withOperator({ config: file }: ChangeOptions, work: (desk: Desk) => void): void {
  const config = loadConfig(file);
  const db = existingDatabase(config.databaseFile);
  try {
    work({ config, db, operator: openOperator(config, db) });
  } finally {
    db.close();
  }
}

function openOperator(config: Config, db: Db): NoteOperator {
  const now = Date.now;
  const readOnly = () => switchStore(db, now).read().readOnly;
  const settings = (channel: string) => noteSettings(config, channel);
  const banned = forbiddenWords(config.replies);
  const suppressions = suppressionStore(db, keyedHash(hashKey(config.dataDir)), now);
  const writer = noteWriter({ db, settings, readOnly, banned, suppressions, now });
  const episodes = episodeStore(db, now);
  return noteOperator({
    db,
    writer,
    episodes,
    settings,
    botNames: botNames(config),
    readOnly,
    now,
  });
}
