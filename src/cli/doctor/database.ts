import { existsSync } from "node:fs";
import { attempt } from "../../errors.ts";
import type { Config } from "../../platform/config/load.ts";
import { cleanupState } from "../../platform/database/cleanup.ts";
import { restoreWith } from "../../platform/database/database-fault.ts";
import {
  bytesOnDisk,
  isWhole,
  keptTexts,
  lookAt,
  schemaVersionOf,
} from "../../platform/database/inspect-file.ts";
import { SCHEMA_VERSION } from "../../platform/database/migrations.ts";
import { noticeLists } from "../../platform/database/notices-store.ts";
import type { Db } from "../../platform/database/open-database.ts";
import { runtimeStore, switchStore } from "../../platform/database/runtime-store.ts";
import { plural } from "../../telemetry/figures.ts";
import { HEARTBEAT, heartbeatSchema } from "../../telemetry/heartbeat.ts";
import { when } from "../terminal.ts";
import { type Finding, notChecked, ok, problem, timeText, warning } from "./finding.ts";
import { sizeText } from "./folder.ts";

interface DatabaseGiven {
  readonly config: Config;
  readonly running: boolean;
  /** Whether the bot could make one in the data folder. */
  readonly usable: boolean;
  readonly nowMs: number;
}

interface DatabaseSeen {
  readonly findings: readonly Finding[];
  /** Where the bot that wrote last served its page; null where it is not known. */
  readonly pageUrl: string | null;
}

const HOUR_MS = 3_600_000;
/** The bot removes every five minutes, and a text lives fifteen minutes less than it may. */
const SLACK_MS = 20 * 60_000;
/** Reading so much takes some seconds. */
const READ_BYTES_MAX = 2_000_000_000;
/** While the bot runs it cannot empty its write-ahead log until the reading ends. */
const READ_BYTES_MAX_BESIDE = 250_000_000;

/** The database, from the outside and from what stands in it. */
export function checkDatabase(given: DatabaseGiven): DatabaseSeen {
  const { databaseFile } = given.config;
  if (!given.usable) return alone(notChecked("database", "the data folder cannot be used"));
  if (!existsSync(databaseFile))
    return alone(ok("database", "none yet: the bot makes it at its first start"));
  const { value, fault } = attempt(() => lookAt(databaseFile, (db) => lookInside(db, given)));
  if (fault === null) return value;
  return alone(problem("database", fault.message.replace(/^database: /, ""), fault.mend));
}

function alone(finding: Finding): DatabaseSeen {
  return { findings: [finding], pageUrl: null };
}

function lookInside(db: Db, given: DatabaseGiven): DatabaseSeen {
  const version = schemaVersionOf(db);
  const outside = judgeFile(db, version, given);
  if (outside.state === "problem" || version < SCHEMA_VERSION) return alone(outside);
  const now = () => given.nowMs;
  const { paused, safeMode, readOnly } = switchStore(db, now).read();
  const on = (found: string, mend: string) => warning("switches", found, mend);
  return {
    findings: [
      outside,
      judgeKept(db, given),
      judgeRemoved(db, given),
      // What somebody switched on, and perhaps forgot: a bot that is silent for that reason is not ill.
      ...when(paused, on("the bot is paused: it never answers", "`forgetmenot resume` wakes it")),
      ...when(safeMode, on("safe mode refuses every action", "`forgetmenot safe off` ends it")),
      ...when(
        readOnly,
        on("memory is read-only: nothing is learned", "`forgetmenot memory readonly off` ends it"),
      ),
      ...judgeNotices(db, given),
    ],
    pageUrl: runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value.pageUrl ?? null,
  };
}

function judgeFile(db: Db, version: number, { config, running }: DatabaseGiven): Finding {
  const { databaseFile: file } = config;
  const bytes = bytesOnDisk(file);
  const isRead = bytes <= (running ? READ_BYTES_MAX_BESIDE : READ_BYTES_MAX);
  if (isRead && !isWhole(db)) {
    const mend = `stop the bot, keep a copy of the file, then ${restoreWith(file)}`;
    return problem("database", `${file} is damaged`, mend);
  }
  const read = isRead ? "whole" : "too large to be read whole now";
  const next = version < SCHEMA_VERSION ? `, which the next start brings to ${SCHEMA_VERSION}` : "";
  return ok("database", `${file}: ${read}, version ${version}${next}, ${sizeText(bytes)}`);
}

/** The promise: no word of chat is kept for more than 24 hours. */
function judgeKept(db: Db, { running, nowMs }: DatabaseGiven): Finding {
  const { oldestAtMs, overdue } = keptTexts(db, nowMs - SLACK_MS, nowMs - 24 * HOUR_MS);
  if (overdue === 0) {
    const oldest = oldestAtMs === null ? "none" : `the oldest line is of ${timeText(oldestAtMs)}`;
    return ok("kept_chat", `${oldest}; nothing is older than it may be`);
  }
  const found = `${plural(overdue, "text")} from chat and answers should be gone by now`;
  if (running)
    return problem("kept_chat", found, "restart the bot; if it stays so, please report it");
  const mend = "start the bot: they go before anything else happens";
  return warning("kept_chat", `${found}: the bot was off when they ran out`, mend);
}

function judgeRemoved(db: Db, { running, nowMs }: DatabaseGiven): Finding {
  const { pendingSinceMs, failure } = cleanupState(db, () => nowMs);
  if (pendingSinceMs === null) return ok("removed_chat", "nothing of it is left in the file");
  const found = "bytes of what was removed may be left in unused parts of the file";
  if (failure !== null) {
    const mend = "make sure that the disk has as much room again as the database takes";
    return warning("removed_chat", `${found}; the last try to clean it failed (${failure})`, mend);
  }
  if (!running) return ok("removed_chat", `${found}; the next start cleans it`);
  const isLate = nowMs - pendingSinceMs > HOUR_MS;
  return isLate
    ? warning("removed_chat", `${found}, for more than an hour`, "restart the bot")
    : ok("removed_chat", `${found}; the bot cleans it within minutes`);
}

/** Where the bot does not run, what it told last may be past: the other checks tell how it is now. */
function judgeNotices(db: Db, { running, nowMs }: DatabaseGiven): Finding[] {
  const standing = noticeLists(db, () => nowMs).list();
  return standing.flatMap(({ severity, message, lastAtMs }) => {
    const said = `${timeText(lastAtMs)}: ${message}`;
    if (severity === "info") return [];
    return running
      ? warning("notice", said, "do as it says; it goes once it no longer holds")
      : ok("notice", `${said} (the next start shows whether that still holds)`);
  });
}
