import { openLog } from "../log.ts";
import { isLocked } from "../platform/database/lock.ts";
import { noticeBoard } from "../platform/database/notices-store.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import { readStatus, type Status } from "../telemetry/status.ts";
import type { Desk } from "./desk.ts";
import type { Pulse } from "./layout.tsx";

/** What stands at the side of every page: whether the bot is there, and what waits. */
export function pulseOf({ db, nowMs, browse, config }: Desk): Pulse {
  const now = () => nowMs;
  const beat = runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value ?? null;
  const { paused, safeMode, readOnly } = switchStore(db, now).read();
  const isWrong = noticeBoard(db, now, openLog("silent"))
    .list()
    .some(({ severity }) => severity === "error");
  const joined = beat?.channels.filter((one) => one.joined) ?? [];
  const off = [safeMode ? "safe mode" : "", readOnly ? "read-only" : ""].filter(
    (one) => one !== "",
  );
  const state = {
    more: off.length > 0 ? off.join(", ") : `mode ${config.mode}`,
    ...browse.tallies(),
  };
  if (joined.length === 0) return { state: "bad", word: "Not in chat", ...state };
  if (paused) return { state: "warn", word: "Paused", ...state };
  const channel = `#${joined.map((one) => one.channel).join(", #")}`;
  return { state: isWrong ? "warn" : "good", word: channel, ...state };
}

export function statusNow({ db, nowMs, config }: Desk): Status {
  return readStatus({
    db,
    now: () => nowMs,
    log: openLog("silent"),
    running: isLocked(config.dataDir),
  });
}
