import { boundedMap } from "../bounded-map.ts";
import type { Db } from "../database/open-database.ts";
import { copied } from "../language/clean.ts";
import type { Roles, Speaker } from "./normalise.ts";

/** What one batch of events says about one person in one channel. */
export interface Sighting {
  readonly channel: string;
  person: Speaker;
  readonly firstAtMs: number;
  lastAtMs: number;
  messageCount: number;
  /** The stream_sessions id of the stream going on; null where none is. */
  readonly streamId: number | null;
}

/** Which of those who wait are written: who has waited long enough, whoever is new, or everybody. */
export type PeopleDue = "due" | "newcomers" | "all";

export interface ViewerWriter {
  /** Writes one sighting, or keeps it until `settle`. To be called inside the transaction that writes its events. */
  write(sighting: Sighting): void;
  /** Writes what was kept; also inside a transaction. */
  settle(which: PeopleDue, nowMs: number): void;
  /** Whether `settle` has something to write. */
  isDue(which: PeopleDue, nowMs: number): boolean;
  committed(): void;
  /** The transaction was rolled back: nothing is taken for written any more, nor for kept. */
  rolledBack(): void;
}

/** Who says nothing for so long, and then something, came back. */
const VISIT_GAP_MS = 4 * 3_600_000;
const REMEMBERED_MAX = 10_000;
/** `viewers.last_seen_at` may lag behind by this: people stand all over the table, so that each costs pages of its own. */
const LAST_SEEN_LAG_MS = 60_000;
/** How long counts wait in memory, for the same reason: what a crash may cost them. */
const COUNTS_LAG_MS = 10_000;
/** How long whoever is new waits: six pages for each commit, or for each third one. Reads of this process count them. */
export const NEWCOMERS_LAG_MS = 3_000;

export function viewerWriter(db: Db): ViewerWriter {
  const upsertViewer = db.prepare<[string, string, string, number, number]>(
    `INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE SET login = excluded.login,
       display_name = excluded.display_name, last_seen_at = max(last_seen_at, excluded.last_seen_at)`,
  );
  const upsertInChannel = db.prepare<[Readonly<Record<string, string | number | null>>]>(
    `INSERT INTO viewer_channels (channel, user_id, is_broadcaster, is_moderator, is_vip, is_subscriber,
       is_founder, first_seen_at, last_seen_at, message_count, stream_count, last_stream_id, stream_messages)
     VALUES (:channel, :userId, :broadcaster, :moderator, :vip, :subscriber, :founder, :firstAtMs, :lastAtMs,
       :messageCount, :streamId IS NOT NULL, :streamId, iif(:streamId IS NULL, 0, :messageCount))
     ON CONFLICT (channel, user_id) DO UPDATE SET
       is_broadcaster = excluded.is_broadcaster, is_moderator = excluded.is_moderator,
       is_vip = excluded.is_vip, is_subscriber = excluded.is_subscriber, is_founder = excluded.is_founder,
       previous_seen_at = iif(excluded.first_seen_at - last_seen_at >= ${VISIT_GAP_MS}, last_seen_at, previous_seen_at),
       last_seen_at = max(last_seen_at, excluded.last_seen_at),
       message_count = message_count + excluded.message_count,
       stream_count = stream_count
         + (excluded.last_stream_id IS NOT NULL AND excluded.last_stream_id IS NOT last_stream_id),
       earlier_messages = earlier_messages
         + iif(excluded.last_stream_id IS NOT last_stream_id AND excluded.last_stream_id IS NOT NULL, stream_messages, 0),
       stream_messages = excluded.stream_messages
         + iif(excluded.last_stream_id IS NOT last_stream_id AND excluded.last_stream_id IS NOT NULL, 0, stream_messages),
       last_stream_id = ifnull(excluded.last_stream_id, last_stream_id)`,
  );
  const isKnown = db
    .prepare<[string, string], number>(
      "SELECT 1 FROM viewer_channels WHERE channel = ? AND user_id = ?",
    )
    .pluck();
  const remembered = boundedMap<string, Remembered>(REMEMBERED_MAX, LAST_SEEN_LAG_MS);
  const writeWhole = (key: string, sighting: Sighting): void => {
    const { channel, person, firstAtMs, lastAtMs, messageCount, streamId } = sighting;
    const { userId, login, displayName, roles } = person;
    const { broadcaster, moderator, vip, subscriber } = roles;
    upsertViewer.run(userId, login, displayName, firstAtMs, lastAtMs);
    upsertInChannel.run({
      channel,
      userId,
      broadcaster: Number(broadcaster),
      moderator: Number(moderator),
      vip: Number(vip),
      subscriber: Number(subscriber),
      founder: Number(person.isFounder ?? false),
      firstAtMs,
      lastAtMs,
      messageCount,
      streamId,
    });
    // Whoever was written longer ago is written whole again: thousands who said one line each are nothing to keep.
    const kept = { ...person, login: copied(login), displayName: copied(displayName) };
    remembered.set(key, { person: kept, streamId, writtenAtMs: lastAtMs }, lastAtMs);
  };
  const waiting = waitingSightings(db, writeWhole);
  return {
    ...waiting,
    write: (sighting) => {
      const { channel, person } = sighting;
      const key = `${channel} ${person.userId}`;
      const isNew = isKnown.get(channel, person.userId) === undefined;
      if (isNew || isAsRemembered(remembered.get(key), sighting))
        return waiting.add(key, sighting, isNew);
      waiting.write(key);
      writeWhole(key, sighting);
    },
    rolledBack: () => {
      remembered.clear();
      waiting.rolledBack();
    },
  };
}

interface Waiting extends Sighting {
  readonly isNew: boolean;
}

/** Who is new, and what others said since it was last written, in memory: each person's row stands on a page of its own. */
function waitingSightings(db: Db, writeWhole: (key: string, sighting: Sighting) => void) {
  const countAgain = db.prepare<[Readonly<Record<string, string | number | null>>]>(
    `UPDATE viewer_channels SET last_seen_at = max(last_seen_at, :lastAtMs), message_count = message_count + :messageCount,
       stream_messages = stream_messages + iif(:streamId IS NULL, 0, :messageCount)
     WHERE channel = :channel AND user_id = :userId`,
  );
  /** What waits to be written, the oldest first, and that as it is once the transaction is committed. */
  let kept: ReadonlyMap<string, Waiting> = new Map();
  let waiting = new Map<string, Waiting>();

  const add = (key: string, sighting: Sighting, isNew: boolean): void => {
    const found = waiting.get(key);
    // Whoever was forgotten meanwhile begins anew.
    const known = found?.isNew === isNew ? found : undefined;
    const firstAtMs = known?.firstAtMs ?? sighting.firstAtMs;
    const lastAtMs = Math.max(known?.lastAtMs ?? 0, sighting.lastAtMs);
    const messageCount = (known?.messageCount ?? 0) + sighting.messageCount;
    waiting.set(key, { ...sighting, firstAtMs, lastAtMs, messageCount, isNew });
  };
  const write = (key: string): void => {
    const sighting = waiting.get(key);
    if (sighting === undefined) return;
    const { channel, person, lastAtMs, messageCount, streamId, isNew } = sighting;
    if (isNew) writeWhole(key, sighting);
    // Of whoever was forgotten meanwhile there is no row, and none is made.
    else countAgain.run({ lastAtMs, messageCount, streamId, channel, userId: person.userId });
    waiting.delete(key);
  };
  /** Those of a kind are written together, once the oldest of them has waited long enough. */
  const due = (which: PeopleDue, nowMs: number): string[] => {
    const hasWaited = (one: Waiting | undefined, lagMs: number): boolean =>
      one !== undefined && nowMs - one.firstAtMs >= lagMs;
    const [oldest] = waiting.values();
    if (which === "all" || hasWaited(oldest, COUNTS_LAG_MS)) return [...waiting.keys()];
    const newcomers = [...waiting].filter(([, { isNew }]) => isNew);
    const isDue = which === "newcomers" || hasWaited(newcomers[0]?.[1], NEWCOMERS_LAG_MS);
    return isDue ? newcomers.map(([key]) => key) : [];
  };
  return {
    add,
    write,
    isDue: (which: PeopleDue, nowMs: number) => due(which, nowMs).length > 0,
    settle: (which: PeopleDue, nowMs: number) => {
      for (const key of due(which, nowMs)) write(key);
    },
    committed: () => {
      kept = new Map(waiting);
    },
    rolledBack: () => {
      waiting = new Map(kept);
    },
  };
}

/** What was last written whole of a person in a channel. */
interface Remembered {
  readonly person: Speaker;
  readonly streamId: number | null;
  readonly writtenAtMs: number;
}

/** Whether only the counts can be new. */
function isAsRemembered(known: Remembered | undefined, sighting: Sighting): boolean {
  if (known === undefined) return false;
  const { person } = sighting;
  const lagMs = sighting.lastAtMs - known.writtenAtMs;
  return (
    lagMs < LAST_SEEN_LAG_MS &&
    known.streamId === sighting.streamId &&
    known.person.login === person.login &&
    known.person.displayName === person.displayName &&
    known.person.isFounder === person.isFounder &&
    isSameRoles(known.person.roles, person.roles)
  );
}

function isSameRoles(one: Roles, other: Roles): boolean {
  return (
    one.broadcaster === other.broadcaster &&
    one.moderator === other.moderator &&
    one.vip === other.vip &&
    one.subscriber === other.subscriber
  );
}
