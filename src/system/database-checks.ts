import { existsSync } from "node:fs";
import { countArgsBefore } from "../actions/ledger-store.ts";
import { readTextAges } from "../chat/event-reads-store.ts";
import { formatLocalTime } from "../config/local-time.ts";
import { readCleanupState } from "../database/cleanup.ts";
import { describeRestore } from "../database/database-fault.ts";
import { SCHEMA_VERSION } from "../database/migrations.ts";
import { NoticeList } from "../database/notices-store.ts";
import {
  type Db,
  getBytesOnDisk,
  getSchemaVersion,
  isWhole,
  readUnmigrated,
} from "../database/open-database.ts";
import { SwitchStore } from "../database/runtime-store.ts";
import { attempt } from "../errors.ts";
import { countTextsBefore } from "../reply/reply-view-store.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { type ExaminedBot, formatSize, ok, problem, type Seen, warning } from "./check.ts";

const HOUR_MS = 3_600_000;
/**
 * A text counts as overdue this long after its end. The bot removes every five minutes; a text ends fifteen minutes
 * before its limit.
 */
const SLACK_MS = 20 * 60_000;

/** Checks that the database is one of this program, and undamaged. One that is not made yet is fine. */
export function checkDatabase({ config }: ExaminedBot): Seen {
  const file = config.databaseFile;
  if (!existsSync(file)) return ok("none yet: the bot makes it at its first start");
  const { value, fault } = attempt(() =>
    readUnmigrated(file, (db) => {
      const version = getSchemaVersion(db);
      if (!isWhole(db)) {
        const fix = `stop the bot, keep a copy of the file, then ${describeRestore(file)}`;
        return problem(`${file} is damaged`, fix);
      }
      const next =
        version < SCHEMA_VERSION ? `, which the next start brings to ${SCHEMA_VERSION}` : "";
      const size = formatSize(getBytesOnDisk(file));
      return ok(`${file}: undamaged, version ${version}${next}, ${size}`);
    }),
  );
  return fault === null ? value : problem(fault.message.replace(/^database: /, ""), fault.fix);
}

/**
 * Makes a check that calls `look` with the open database. The check returns no findings if the database is missing,
 * unusable or of another version: `checkDatabase` reports that.
 */
function makeDatabaseCheck(
  look: (db: Db, bot: ExaminedBot) => readonly Seen[],
): (bot: ExaminedBot) => readonly Seen[] {
  return (bot) => {
    const { databaseFile } = bot.config;
    if (!existsSync(databaseFile)) return [];
    const { value } = attempt(() =>
      readUnmigrated(databaseFile, (db) =>
        getSchemaVersion(db) === SCHEMA_VERSION ? look(db, bot) : [],
      ),
    );
    return value ?? [];
  };
}

/**
 * Checks the promise that no text of chat is stored for more than 24 hours. Texts that expired while the bot was off
 * are only a warning.
 */
export const checkStoredChat = makeDatabaseCheck((db, { running, now }) => {
  const nowMs = now();
  const chat = readTextAges(db, nowMs - SLACK_MS);
  const { oldestAtMs } = chat;
  const dayAgoMs = nowMs - 24 * HOUR_MS;
  const overdue = chat.overdue + countTextsBefore(db, dayAgoMs) + countArgsBefore(db, dayAgoMs);
  if (overdue === 0) {
    const oldest =
      oldestAtMs === null ? "none" : `the oldest line is of ${formatLocalTime(oldestAtMs)}`;
    return [ok(`${oldest}; nothing is older than it may be`)];
  }
  const found = `${formatPlural(overdue, "text")} from chat and answers should be gone by now`;
  if (running) return [problem(found, "restart the bot; if it stays so, please report it")];
  const why = `${found}: the bot was off when they expired`;
  return [warning(why, "start the bot: it removes them before anything else")];
});

/**
 * Checks that unused parts of the file hold no removed chat. Warns only if cleaning failed, or is an hour late in a
 * running bot.
 */
export const checkRemovedChat = makeDatabaseCheck((db, { running, now }) => {
  const { pendingSinceMs, failure } = readCleanupState(db, now);
  if (pendingSinceMs === null) return [ok("nothing of it is left in the file")];
  const found = "bytes of removed chat may be left in unused parts of the file";
  if (failure !== null) {
    const fix = "make sure that the disk has as much room again as the database takes";
    return [warning(`${found}; the last try to clean it failed (${failure})`, fix)];
  }
  if (!running) return [ok(`${found}; the next start cleans it`)];
  const isLate = now() - pendingSinceMs > HOUR_MS;
  return isLate
    ? [warning(`${found}, for more than an hour`, "restart the bot")]
    : [ok(`${found}; the bot cleans it within minutes`)];
});

/** Lists the switches that are on, and that the user perhaps forgot. */
export const checkSwitches = makeDatabaseCheck((db, { now }) => {
  const { paused, safeMode, readOnly } = new SwitchStore(db, now).read();
  const on = [
    [paused, "the bot is paused: it never answers", "`forgetmenot resume` ends it"],
    [safeMode, "safe mode refuses every action", "`forgetmenot safe off` ends it"],
    [
      readOnly,
      "memory is read-only: it learns nothing",
      "`forgetmenot memory readonly off` ends it",
    ],
  ] as const;
  return on.flatMap(([isOn, found, fix]) => (isOn ? [warning(found, fix)] : []));
});

/**
 * Lists the bot's notices, except mere information. If the bot does not run, they may be past, so they are no warnings.
 */
export const checkNotices = makeDatabaseCheck((db, { running, now }) =>
  new NoticeList(db, now).list().flatMap(({ severity, message, firstAtMs }) => {
    if (severity === "info") return [];
    const notice = `since ${formatLocalTime(firstAtMs)}: ${message}`;
    return running
      ? [warning(notice)]
      : [ok(`${notice} (the next start shows whether that still holds)`)];
  }),
);
