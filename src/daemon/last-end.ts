import { z } from "zod";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import { localTime } from "../platform/config/local-time.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import type { Stores } from "./stores.ts";

/** Its name among the runtime values. */
const ORDERLY = "orderly_end";
/** The kinds of its notices. */
const CRASHED = "crashed";
const CUT_OFF = "cut_off";

/** How the last run ended is told at the start of the next one. */
export function lastEnd({ runtime, notices }: Stores, log: Log) {
  const before = runtime.read(HEARTBEAT, heartbeatSchema);
  const orderly = runtime.read(ORDERLY, z.boolean());
  if (before !== null && orderly?.value !== true && !wasToldOfCrash()) {
    notices.raise(
      CUT_OFF,
      "info",
      `the bot did not end by itself, it was cut off after ${localTime(before.updatedAtMs)} (power, a kill, a crash); nothing to do, the last seconds of chat may be missing`,
    );
  }
  runtime.write(ORDERLY, false);

  function wasToldOfCrash(): boolean {
    return notices.list().some(({ kind }) => kind === CRASHED);
  }

  let isCrash = false;
  return {
    /** An error that nobody caught: what kind and where, and none of its words. */
    crashed: (thrown: unknown): void => {
      isCrash = true;
      const { bug, at } = describeBug(thrown);
      log.error({ bug, at }, "the bot ends: an error that nobody caught");
      notices.raise(
        CRASHED,
        "error",
        `the bot ended by an error of its own (${bug}${at === null ? "" : ` ${at}`}); start it again, and please report this line`,
      );
    },
    orderly: (): void => {
      notices.clear(CUT_OFF);
      if (!isCrash) notices.clear(CRASHED);
      runtime.write(ORDERLY, true);
    },
  };
}
