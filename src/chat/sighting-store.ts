import type { Db } from "../platform/database/open-database.ts";
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

export interface ViewerWriter {
  /** Writes one sighting, or only counts it, until `settle`. To be called inside the transaction that writes its events. */
  write(sighting: Sighting): void;
  /** Writes what was only counted; also inside a transaction. */
  settle(): void;
  /** Whether something has been counted for `COUNTS_LAG_MS`. */
  isDue(nowMs: number): boolean;
  hasCounts(): boolean;
  committed(): void;
  /** The transaction was rolled back: nothing is taken for written any more, nor for counted. */
  rolledBack(): void;
}

/** Who says nothing for so long, and then something, came back. */
const VISIT_GAP_MS = 4 * 3_600_000;
const REMEMBERED_MAX = 10_000;
/** `viewers.last_seen_at` may lag behind by this: people stand all over the table, so that each costs pages of its own. */
const LAST_SEEN_LAG_MS = 60_000;
/** How long counts wait in memory, for the same reason: what a crash may cost them. Whoever is new is written at once. */
const COUNTS_LAG_MS = 10_000;

export function viewerWriter(db: Db): ViewerWriter {
  const upsertViewer = db.prepare<[string, string, string, number, number]>(
    `INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE SET login = excluded.login,
       display_name = excluded.display_name, last_seen_at = max(last_seen_at, excluded.last_seen_at)`,
  );
  const upsertInChannel = db.prepare<(string | number | null)[]>(
    `INSERT INTO viewer_channels (channel, user_id, is_broadcaster, is_moderator, is_vip, is_subscriber,
       first_seen_at, last_seen_at, message_count, stream_count, last_stream_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ? IS NOT NULL, ?)
     ON CONFLICT (channel, user_id) DO UPDATE SET
       is_broadcaster = excluded.is_broadcaster, is_moderator = excluded.is_moderator,
       is_vip = excluded.is_vip, is_subscriber = excluded.is_subscriber,
       previous_seen_at = iif(excluded.first_seen_at - last_seen_at >= ${VISIT_GAP_MS}, last_seen_at, previous_seen_at),
       last_seen_at = max(last_seen_at, excluded.last_seen_at),
       message_count = message_count + excluded.message_count,
       stream_count = stream_count
         + (excluded.last_stream_id IS NOT NULL AND excluded.last_stream_id IS NOT last_stream_id),
       last_stream_id = ifnull(excluded.last_stream_id, last_stream_id)`,
  );
  const isKnown = db
    .prepare<[string, string], number>(
      "SELECT 1 FROM viewer_channels WHERE channel = ? AND user_id = ?",
    )
    .pluck();
  const remembered = new Map<string, Remembered>();
  const counts = sightingCounts(db);

  const writeWhole = (key: string, sighting: Sighting): void => {
    const { channel, person, firstAtMs, lastAtMs, messageCount, streamId } = sighting;
    const { userId, login, displayName, roles } = person;
    const { broadcaster, moderator, vip, subscriber } = roles;
    upsertViewer.run(userId, login, displayName, firstAtMs, lastAtMs);
    upsertInChannel.run(
      channel,
      userId,
      ...[broadcaster, moderator, vip, subscriber].map(Number),
      firstAtMs,
      lastAtMs,
      messageCount,
      streamId,
      streamId,
    );
    // Whoever was written longer ago is written whole again: thousands who said one line each are nothing to keep.
    for (const [known, { writtenAtMs }] of remembered) {
      if (lastAtMs - writtenAtMs < LAST_SEEN_LAG_MS && remembered.size < REMEMBERED_MAX) break;
      remembered.delete(known);
    }
    remembered.delete(key);
    remembered.set(key, { person, streamId, writtenAtMs: lastAtMs });
  };
  return {
    write: (sighting) => {
      const { channel, person } = sighting;
      const key = `${channel} ${person.userId}`;
      const isHere = isKnown.get(channel, person.userId) !== undefined;
      if (isHere && isAsRemembered(remembered.get(key), sighting)) return counts.add(key, sighting);
      counts.write(key);
      writeWhole(key, sighting);
    },
    settle: counts.settle,
    isDue: counts.isDue,
    hasCounts: counts.hasAny,
    committed: counts.committed,
    rolledBack: () => {
      remembered.clear();
      counts.rolledBack();
    },
  };
}

/** What people said since it was last written, in memory: each person's row stands on a page of its own. */
function sightingCounts(db: Db) {
  const countAgain = db.prepare<[number, number, string, string]>(
    `UPDATE viewer_channels SET last_seen_at = max(last_seen_at, ?), message_count = message_count + ?
     WHERE channel = ? AND user_id = ?`,
  );
  /** What waits to be written, and that as it is once the transaction is committed. */
  let counted: ReadonlyMap<string, Sighting> = new Map();
  let counting = new Map<string, Sighting>();

  const add = (key: string, sighting: Sighting): void => {
    const known = counting.get(key);
    const lastAtMs = Math.max(known?.lastAtMs ?? 0, sighting.lastAtMs);
    const messageCount = (known?.messageCount ?? 0) + sighting.messageCount;
    counting.set(key, { ...(known ?? sighting), lastAtMs, messageCount });
  };
  const write = (key: string): void => {
    const waiting = counting.get(key);
    if (waiting === undefined) return;
    const { channel, person, lastAtMs, messageCount } = waiting;
    // Of whoever was forgotten meanwhile there is no row, and none is made.
    countAgain.run(lastAtMs, messageCount, channel, person.userId);
    counting.delete(key);
  };
  return {
    add,
    write,
    settle: () => {
      for (const key of [...counting.keys()]) write(key);
    },
    isDue: (nowMs: number) => {
      const [oldest] = counting.values();
      return oldest !== undefined && nowMs - oldest.firstAtMs >= COUNTS_LAG_MS;
    },
    hasAny: () => counting.size > 0,
    committed: () => {
      counted = new Map(counting);
    },
    rolledBack: () => {
      counting = new Map(counted);
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
