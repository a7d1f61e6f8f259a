import type { Db } from "../platform/database/open-database.ts";
import type { Person } from "./resolve.ts";

interface SeenPerson extends Person {
  readonly lastSeenAtMs: number;
}

export interface PeopleStore {
  /** Everybody who was ever seen with this login. */
  withLogin(channel: string, login: string): SeenPerson[];
  byId(channel: string, userId: string): SeenPerson | null;
  /**
   * Those who spoke last in a channel: whom a display name can mean. Also those whose words are gone: a name of theirs
   * that is made of other words must be known for a name.
   */
  speakers(channel: string): SeenPerson[];
  /** All who wrote in a channel within a day. */
  ofToday(channel: string): SeenPerson[];
  /**
   * Twitch's id of what a person said last, before an event if one is given, as long as it can still be deleted; null
   * where there is none.
   */
  lastMessageId(channel: string, userId: string, beforeEventId: number | null): string | null;
}

const SPEAKER_EVENTS_MAX = 2_000;
const DAY_MS = 86_400_000;
/** Twitch deletes no older message: https://dev.twitch.tv/docs/api/reference#delete-chat-messages */
const DELETABLE_MS = 6 * 3_600_000;

/** People as targets. `flush` is the event store's: what is still buffered counts in every answer. */
export function peopleStore(db: Db, flush: () => void, now: () => number): PeopleStore {
  const columns = `v.user_id AS userId, v.login, v.display_name AS displayName, v.last_seen_at AS lastSeenAtMs,
    c.is_broadcaster AS broadcaster, c.is_moderator AS moderator, c.is_vip AS vip`;
  const roles = "LEFT JOIN viewer_channels AS c ON c.user_id = v.user_id AND c.channel = @channel";
  const withLogin = db.prepare<[{ channel: string; login: string }], PersonRow>(
    `SELECT ${columns} FROM viewers AS v ${roles} WHERE v.login = @login`,
  );
  const byId = db.prepare<[{ channel: string; userId: string }], PersonRow>(
    `SELECT ${columns} FROM viewers AS v ${roles} WHERE v.user_id = @userId`,
  );
  const speakers = db.prepare<[{ channel: string }], PersonRow>(
    `SELECT ${columns} FROM (SELECT DISTINCT user_id FROM (SELECT user_id FROM events
         WHERE channel = @channel AND user_id IS NOT NULL ORDER BY id DESC LIMIT ${SPEAKER_EVENTS_MAX})) AS s
       JOIN viewers AS v ON v.user_id = s.user_id ${roles}`,
  );
  const ofToday = db.prepare<[{ channel: string; sinceMs: number }], PersonRow>(
    `SELECT ${columns} FROM viewer_channels AS c JOIN viewers AS v ON v.user_id = c.user_id
     WHERE c.channel = @channel AND c.last_seen_at > @sinceMs`,
  );
  const lastMessage = db
    .prepare<[string, string, number, number], string>(
      `SELECT message_id FROM events WHERE user_id = ? AND channel = ?
         AND kind IN ('message', 'action', 'cheer') AND message_id IS NOT NULL AND removed_at IS NULL
         AND created_at > ? AND id < ? ORDER BY id DESC LIMIT 1`,
    )
    .pluck();
  return {
    withLogin: (channel, login) => {
      flush();
      return withLogin.all({ channel, login }).map(toPerson);
    },
    byId: (channel, userId) => {
      flush();
      const row = byId.get({ channel, userId });
      return row === undefined ? null : toPerson(row);
    },
    speakers: (channel) => {
      flush();
      return speakers.all({ channel }).map(toPerson);
    },
    ofToday: (channel) => {
      flush();
      return ofToday.all({ channel, sinceMs: now() - DAY_MS }).map(toPerson);
    },
    lastMessageId: (channel, userId, beforeEventId) => {
      flush();
      const before = beforeEventId ?? Number.MAX_SAFE_INTEGER;
      return lastMessage.get(userId, channel, now() - DELETABLE_MS, before) ?? null;
    },
  };
}

interface PersonRow extends Omit<SeenPerson, "roles"> {
  readonly broadcaster: number | null;
  readonly moderator: number | null;
  readonly vip: number | null;
}

function toPerson({ broadcaster, moderator, vip, ...person }: PersonRow): SeenPerson {
  const roles =
    broadcaster === null
      ? null
      : { broadcaster: broadcaster === 1, moderator: moderator === 1, vip: vip === 1 };
  return { ...person, roles };
}
