import { z } from "zod";
import { formatLocalTime } from "../config/local-time.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import { RuntimeStore } from "../database/runtime-store.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";

/** The runtime value that the daemon writes every 15 seconds, for other processes to read. */
export const HEARTBEAT = "daemon";
export const HEARTBEAT_EVERY_MS = 15_000;

export const heartbeatSchema = z.strictObject({
  pid: z.int(),
  version: z.string(),
  startedAtMs: z.int(),
  mode: z.string(),
  provider: z.string(),
  model: z.string(),
  /** Address of the local page; null if there is none. */
  pageUrl: z.string().nullable(),
  /** null if anonymous. */
  botLogin: z.string().nullable(),
  channels: z.array(
    z.strictObject({
      channel: z.string(),
      joined: z.boolean(),
      pace: z.string(),
      messagesPerMinute: z.int(),
    }),
  ),
});

export type Heartbeat = z.output<typeof heartbeatSchema>;

/** Returns the last address of the daemon's page; null if it has none or never ran. */
export function readPageUrl(db: Db, now: () => number): string | null {
  return new RuntimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value.pageUrl ?? null;
}

const ORDERLY = "orderly_end";
const CRASHED = "crashed";

/** Notifies the streamer if the last run was cut off, and records how this one ends. */
export function watchEnd(runtime: RuntimeStore, notices: NoticeBoard, log: Log) {
  const before = runtime.read(HEARTBEAT, heartbeatSchema);
  const isOrderly = runtime.read(ORDERLY, z.boolean())?.value === true;
  const hasCrashNotice = notices
    .list()
    .some(({ kind, severity }) => kind === CRASHED && severity === "error");
  if (before !== null && !isOrderly && !hasCrashNotice) {
    notices.raise(
      CRASHED,
      "info",
      `The bot was cut off after ${formatLocalTime(before.updatedAtMs)} (power, a kill, a crash), and the last seconds of chat may be missing. Nothing to do.`,
    );
  }
  runtime.write(ORDERLY, false);
  let isCrash = false;
  return {
    /** Records an uncaught error: its kind and place, without its message. */
    crashed: (thrown: unknown): void => {
      isCrash = true;
      const { bug, at } = describeBug(thrown);
      log.error({ bug, at }, "the bot ends: an error that nobody caught");
      notices.raise(
        CRASHED,
        "error",
        `The bot stopped because of a bug (${bug}${at === null ? "" : ` ${at}`}). Start it again with \`forgetmenot run\`, and report this line.`,
      );
    },
    orderly: (): void => {
      if (!isCrash) notices.clear(CRASHED);
      runtime.write(ORDERLY, true);
    },
  };
}
