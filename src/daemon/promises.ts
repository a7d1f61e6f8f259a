import type { EventStore } from "../chat/event-store.ts";
import { inThirdPerson } from "../language/third-person.ts";
import type { Memory } from "../memory/memory-loop.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { type SpoolEntry, wishSpool } from "../privacy/wish-spool.ts";
import type { DaemonRights } from "./build-privacy.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";

/** What was promised, or taken away, and is not in the database yet: it survives an end of the program. */
export interface Promises {
  /** Each says what waits of its own. */
  readonly waiting: (() => readonly SpoolEntry[])[];
  /** What the end left undone. */
  readonly ending: { linesLost: number };
  /** Takes away what was to be taken away before the last end; before anything else happens. */
  takeAway(): void;
  /** Takes up the rest, and tells what was lost. */
  takeUp(rights: DaemonRights, memory: Memory): void;
}

interface PromiseParts {
  readonly events: Pick<EventStore, "remove" | "removalsWaiting" | "unwritten">;
  readonly notices: NoticeBoard;
  readonly life: Lifetime;
}

const SPOOL_EVERY_MS = 1_000;

export function keepPromises(
  { config, log }: Pick<DaemonOptions, "config" | "log">,
  { events, notices, life }: PromiseParts,
): Promises {
  const spool = wishSpool(config.dataDir);
  const before = spool.read();
  const ending = { linesLost: 0 };
  const waiting: Promises["waiting"] = [
    () => events.removalsWaiting().map((removal) => ({ kind: "removal", removal }) as const),
  ];
  const write = (more: readonly SpoolEntry[]): void => {
    const entries = [...waiting.flatMap((say) => say()), ...more];
    if (spool.write(entries)) return;
    log.error({ wishes: entries.length }, "what was promised could not be written down anywhere");
  };
  every(SPOOL_EVERY_MS, () => write([]), { life, log });
  life.closers.push(() => {
    const lines = events.unwritten();
    ending.linesLost = lines;
    write(lines > 0 ? [{ kind: "lost", lines }] : []);
  });
  return {
    waiting,
    ending,
    takeAway: () => {
      for (const entry of before) if (entry.kind === "removal") events.remove(entry.removal);
    },
    takeUp: (rights, memory) => {
      for (const entry of before) rights.resume(entry, (wish) => grantLate(memory, wish));
      tellLost(notices, before);
    },
  };
}

/** A wish from before the last end. Nobody waits for its answer any more. */
function grantLate(
  { requests }: Memory,
  { kind, channel, userId, what }: Parameters<DaemonRights["grant"]>[0],
): void {
  if (kind === "remember") {
    requests?.remember(channel, userId, inThirdPerson(what));
    return;
  }
  const number = /^#?(\d{1,12})$/.exec(what)?.[1];
  requests?.forget(channel, userId, number === undefined ? { topic: what } : Number(number));
}

function tellLost(notices: NoticeBoard, entries: readonly SpoolEntry[]): void {
  const lines = entries.reduce((sum, one) => sum + (one.kind === "lost" ? one.lines : 0), 0);
  if (lines === 0) notices.clear("chat_lost");
  if (lines === 0) return;
  notices.raise(
    "chat_lost",
    "warning",
    `${lines} lines of chat could not be written when the bot ended, and are lost to memory; nothing to do, wishes and removals were kept`,
  );
}
