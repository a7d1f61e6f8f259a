import type { Db } from "../platform/database/open-database.ts";
import type { Person } from "./resolve.ts";

export type PeopleStore = ReturnType<typeof peopleStore>;

type SeenPerson = Person & { readonly lastSeenAtMs: number };

const DAY_MS = 86_400_000;
/** Twitch deletes no older message: https://dev.twitch.tv/docs/api/reference#delete-chat-messages */
const DELETABLE_MS = 6 * 3_600_000;

/** People as targets. `flush` is the event store's: what is still buffered counts in every answer. */
export function peopleStore(db: Db, flush: () => void, now: () => number) {
  const people = (from: string) => {
    const found = db.prepare<[Record<string, string | number>], PersonRow>(
      `SELECT v.user_id AS userId, v.login, v.display_name AS displayName, v.last_seen_at AS lastSeenAtMs,
         c.is_broadcaster AS broadcaster, c.is_moderator AS moderator, c.is_vip AS vip FROM ${from}`,
    );
    return (by: Record<string, string | number>): SeenPerson[] => {
      flush();
      return found.all(by).map(toPerson);
    };
  };
  const roles = "LEFT JOIN viewer_channels AS c ON c.user_id = v.user_id AND c.channel = @channel";
  const withLogin = people(`viewers AS v ${roles} WHERE v.login = @login`);
  const byId = people(`viewers AS v ${roles} WHERE v.user_id = @userId`);
  const ofToday = people(
    `viewer_channels AS c JOIN viewers AS v ON v.user_id = c.user_id
     WHERE c.channel = @channel AND c.last_seen_at > @sinceMs`,
  );
  const lastMessage = db
    .prepare<[string, string, number, number], string>(
      `SELECT message_id FROM events WHERE id >> 12 IN (SELECT chunk FROM event_chunks) AND user_id = ? AND channel = ?
         AND kind IN ('message', 'action', 'cheer') AND message_id IS NOT NULL AND removed_at IS NULL
         AND created_at > ? AND id < ? ORDER BY id DESC LIMIT 1`,
    )
    .pluck();
  return {
    /** Everybody who was ever seen with this login. */
    withLogin: (channel: string, login: string) => withLogin({ channel, login }),
    byId: (channel: string, userId: string) => byId({ channel, userId })[0] ?? null,
    /** All who wrote in a channel within a day: whom a name can mean. Also those whose words are gone. */
    ofToday: (channel: string) => ofToday({ channel, sinceMs: now() - DAY_MS }),
    /** Twitch's id of what a person said last (before an event) and that can still be deleted; null where there is none. */
    lastMessageId: (channel: string, userId: string, beforeEventId: number | null) => {
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
  const seen = { broadcaster: broadcaster === 1, moderator: moderator === 1, vip: vip === 1 };
  return { ...person, roles: broadcaster === null ? null : seen };
}
