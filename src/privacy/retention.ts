import { LEDGER_DOWN } from "../actions/ledger-store.ts";
import { TEXT_LIFETIME_MS } from "../chat/event-removal-store.ts";
import type { EventStore } from "../chat/event-store.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import type { Counters } from "../database/runtime-store.ts";
import { expireUnproven } from "../memory/episode-texts-store.ts";
import { REST_EVENTS_MIN } from "../memory/windows.ts";
import type { ReplyStore } from "../reply/reply-store.ts";

const HOUR_MS = 3_600_000;
/** Rows in one slice: about 2 ms here, so that a sweep never holds up chat. */
const SLICE_ROWS = 250;

/** Arguments of actions may quote chat that was this much older than they are. */
const ARGS_HEAD_START_MS = 5 * 60_000;

/** The lifetime of unproven sentences, which only the page shows. */
const UNPROVEN_KEPT_MS = 30 * 24 * HOUR_MS;
/** Costs of model calls have no text. The report compares them with a year before. */
const CALLS_KEPT_MS = 400 * 24 * HOUR_MS;

export interface Swept {
  /** How many texts of chat and replies were removed. */
  readonly textsExpired: number;
  /** How many events were deleted. */
  readonly eventsPruned: number;
  /** How many of the deleted events were never summarised: they are deleted all the same. */
  readonly unsummarised: number;
  /** False if a reader kept the write-ahead log busy; the next sweep tries again. */
  readonly walTruncated: boolean;
}

/** Removes at most `limit` rows from before `beforeMs`. Returns how many. */
type Expire = (beforeMs: number, limit: number) => number;

export interface RetentionParts {
  readonly events: EventStore;
  readonly replies: ReplyStore;
  readonly ledger: { readonly expireArgs: Expire };
  readonly calls: { readonly expire: Expire };
  readonly moments: { readonly expire: Expire };
  readonly db: Db;
  readonly counters: Counters;
  readonly notices: NoticeBoard;
  readonly now: () => number;
  /** Lets other work in between two slices. */
  readonly breathe: () => Promise<void>;
  /** Empties the write-ahead log. Returns false if a reader keeps it busy. */
  readonly emptyWal: () => boolean | Promise<boolean>;
}

/**
 * Removes what is past its lifetime: texts of chat and replies, arguments of actions, notices, moments, unproven
 * sentences and model calls. Deletes expired events only from the table's old end. Then truncates the write-ahead log.
 * Works in slices: chat continues between them. Raises a notice if eight or more deleted events were never summarised.
 */
export async function sweep(parts: RetentionParts): Promise<Swept> {
  const nowMs = parts.now();
  const { retention } = parts.events;
  parts.events.flush();
  await runSlices(parts, () => retention.capExpiryTimes(nowMs + TEXT_LIFETIME_MS, SLICE_ROWS));
  const eventTexts = await runSlices(parts, () => retention.expireTexts(nowMs, SLICE_ROWS));
  const replyTexts = await runSlices(parts, () =>
    parts.replies.expireTexts(nowMs - TEXT_LIFETIME_MS, SLICE_ROWS),
  );
  let unsummarised = 0;
  const eventsPruned = await runSlices(parts, () => {
    const slice = retention.pruneOldest(nowMs, SLICE_ROWS);
    unsummarised += slice.unsummarised;
    return slice.pruned;
  });
  const argsBeforeMs = nowMs - TEXT_LIFETIME_MS + ARGS_HEAD_START_MS;
  try {
    await runSlices(parts, () => parts.ledger.expireArgs(argsBeforeMs, SLICE_ROWS));
  } catch {
    // A ledger that is out of order stops actions; it must not stop the sweep.
    parts.notices.raise("database:actions", "error", LEDGER_DOWN);
  }
  parts.notices.expire();
  await runSlices(parts, () => parts.moments.expire(nowMs, SLICE_ROWS));
  await runSlices(parts, () => expireUnproven(parts.db, nowMs - UNPROVEN_KEPT_MS, SLICE_ROWS));
  await runSlices(parts, () => parts.calls.expire(nowMs - CALLS_KEPT_MS, SLICE_ROWS));
  if (eventsPruned > 0) parts.counters.bump("retention.pruned", eventsPruned);
  if (unsummarised > 0) parts.counters.bump("retention.unsummarised", unsummarised);
  // A few messages after a stream are often too little for an episode.
  if (unsummarised >= REST_EVENTS_MIN)
    parts.notices.raise(
      "memory_gap",
      "warning",
      "Some chat was deleted after its time before it could become memory. Type `forgetmenot doctor`: it says whether the model answers.",
    );
  return {
    textsExpired: eventTexts + replyTexts,
    eventsPruned,
    unsummarised,
    walTruncated: await parts.emptyWal(),
  };
}

/** Calls `slice` until it returns 0, and lets other work run in between. Returns the sum. */
async function runSlices(parts: RetentionParts, slice: () => number): Promise<number> {
  let total = 0;
  for (let done = slice(); done > 0; done = slice()) {
    total += done;
    await parts.breathe();
  }
  return total;
}
