import { setImmediate as breathe } from "node:timers/promises";
import { toConfig } from "../../src/config/load.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import type { Db } from "../../src/database/open-database.ts";
import { Counters } from "../../src/database/runtime-store.ts";
import { makeFence } from "../../src/language/fence.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import { openLog } from "../../src/log.ts";
import { Memory } from "../../src/memory/memory-loop.ts";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";
import type { Llm } from "../../src/models/model-port.ts";

/** Opens the memory of one channel, which runs on the clock of the caller. */
export function openClockedMemory(
  db: Db,
  {
    channel,
    now,
    llm,
    flush,
    isOver,
  }: {
    readonly channel: string;
    readonly now: () => number;
    readonly llm: Llm;
    readonly flush: () => boolean;
    readonly isOver: (channel: string) => boolean;
  },
): Memory {
  const log = openLog("silent");
  return new Memory({
    config: toConfig({ channel, bot: { login: "automark" } }, "."),
    db,
    llm,
    fence: makeFence("testmarker"),
    switches: () => ({ paused: false, safeMode: false, readOnly: false }),
    flush,
    breathe: () => breathe(),
    isOver,
    counters: new Counters(db),
    notices: new NoticeBoard(db, now, log),
    suppressions: new SuppressionStore(db, createKeyedHash("a key for tests"), now),
    now,
    log,
  });
}
