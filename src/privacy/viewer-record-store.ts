import { accountStore, nameReader } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { fillNames, type KeyedHash } from "../language/people.ts";
import { FACTS_OF_OTHERS, notesOfViewers } from "../memory/note-reads-store.ts";

/** Everything that is stored about one viewer, but of the chat of the last 24 hours only a count. */
export type ViewerRecord = ReturnType<ReturnType<typeof viewerRecords>>;

/**
 * Returns a function that reads what is stored about a viewer, by all their accounts, with names as they are now. To find
 * where others name the viewer it reads every sentence; with `isNamingWanted` false it leaves that out.
 */
export function viewerRecords(db: Db, hash: KeyedHash, now: () => number) {
  const rows = { ...viewerRows(db), ...memoryRows(db) };
  const notesOf = notesOfViewers(db, now);
  const accounts = accountStore(db);
  const nameOf = nameReader(db);
  const named = (text: string): string => fillNames(text, nameOf);
  const withStatement = <Row extends { readonly statement: string }>(row: Row): Row => ({
    ...row,
    statement: named(row.statement),
  });
  return (userIds: readonly string[], isNamingWanted = true) => {
    const hashes = userIds.map(hash.person);
    const [ids, whos] = [JSON.stringify(userIds), JSON.stringify(hashes)];
    const either = JSON.stringify([...userIds, ...hashes]);
    const found = userIds.map((userId) => accounts.byId(userId));
    return {
      accounts: userIds.map((userId, n) => {
        const {
          login = null,
          displayName = null,
          firstSeenAtMs = null,
          lastSeenAtMs = null,
        } = found[n] ?? {};
        return { userId, login, displayName, firstSeenAtMs, lastSeenAtMs };
      }),
      optedOut: found.some((viewer) => viewer?.optedOut) || (rows.optOuts(whos) ?? 0) > 0,
      /** How many entries keep their topics from being learned. Nobody can tell which topics those are. */
      suppressedTopics: rows.topics(whos) ?? 0,
      channels: rows.channels(ids),
      /** What Twitch reported about them: raids, subs, gifts, cheers. */
      moments: rows.moments(ids),
      notes: notesOf(ids).map(({ episodeIds, ...note }) => ({
        ...note,
        fact: named(note.fact),
        topics: named(note.topics),
        episodesJson: JSON.stringify(episodeIds),
      })),
      claims: rows.claims(ids).map(withStatement),
      /** Claims about the channel that rest on their words too. */
      carried: rows.carried(ids).map(withStatement),
      episodes: rows.episodes(ids).map((one) => ({
        ...one,
        topic: named(one.topic),
        summary: named(one.summary),
        unproven: named(one.unproven),
      })),
      /** Sentences about others, or about the channel, that name them. */
      namedIn: isNamingWanted ? [...new Set(rows.naming({ ids }))].map(named) : [],
      /** Their messages that are still stored, in all and with their text. */
      ...(rows.lines(ids) ?? { lines: 0, linesWithText: 0 }),
      /** How often they spoke to the bot, and how often it answered. */
      ...(rows.turns(either) ?? { asked: 0, answered: 0 }),
      /** What the model proposed in their turns (`asked` 1), and what it proposed to do to them. */
      actions: rows.actions({ either }),
    };
  };
}

const IDS = "(SELECT value FROM json_each(?))";

interface ChannelRow {
  readonly channel: string;
  readonly userId: string;
  readonly isBroadcaster: number;
  readonly isModerator: number;
  readonly isVip: number;
  readonly isSubscriber: number;
  readonly isFounder: number;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly messages: number;
  readonly streams: number;
  readonly earlierMessages: number;
  readonly streamMessages: number;
  readonly moderatedOn: string | null;
}

/** Reads who a viewer is in the channels, and what they asked and got. Parameters are JSON lists of ids or hashes. */
function viewerRows(db: Db) {
  const sql = statements(db);
  return {
    optOuts: sql.value<[string], number>(
      `SELECT count(*) FROM suppressions WHERE who IN ${IDS} AND topic IS NULL`,
    ),
    topics: sql.value<[string], number>(
      `SELECT count(*) FROM suppressions WHERE who IN ${IDS} AND topic IS NOT NULL`,
    ),
    channels: sql.all<[string], ChannelRow>(
      `SELECT channel, user_id AS userId, is_broadcaster AS isBroadcaster, is_moderator AS isModerator,
         is_vip AS isVip, is_subscriber AS isSubscriber, first_seen_at AS firstSeenAtMs,
         is_founder AS isFounder, last_seen_at AS lastSeenAtMs, message_count AS messages, stream_count AS streams,
         earlier_messages AS earlierMessages, stream_messages AS streamMessages, moderated_on AS moderatedOn
       FROM viewer_channels WHERE user_id IN ${IDS} ORDER BY channel, user_id`,
    ),
    lines: sql.one<[string], { lines: number; linesWithText: number }>(
      `SELECT count(*) AS lines, count(text) AS linesWithText FROM events
       WHERE id >> 12 IN (SELECT chunk FROM event_chunks) AND user_id IN ${IDS}`,
    ),
    turns: sql.one<[string], { asked: number; answered: number }>(
      `SELECT count(*) AS asked, count(CASE WHEN state = 'sent' THEN 1 END) AS answered FROM replies
       WHERE user_id IN ${IDS}`,
    ),
    actions: sql.all<
      [{ either: string }],
      { action: string; decision: string; reason: string; createdAtMs: number; asked: number }
    >(
      `SELECT action, decision, reason, created_at AS createdAtMs,
         requested_by IN (SELECT value FROM json_each(@either)) AS asked
       FROM action_log WHERE requested_by IN (SELECT value FROM json_each(@either))
         OR target_id IN (SELECT value FROM json_each(@either)) ORDER BY id`,
    ),
  };
}

interface ClaimRow {
  readonly episodeId: number;
  readonly statement: string;
  readonly withdrawnAtMs: number | null;
}

/** Reads what memory has about a viewer. */
function memoryRows(db: Db) {
  const sql = statements(db);
  return {
    moments: sql.all<
      [string],
      { channel: string; kind: string; amount: number | null; atMs: number }
    >(
      `SELECT channel, kind, amount, at AS atMs FROM moments WHERE user_id IN ${IDS} ORDER BY at, id`,
    ),
    claims: sql.all<[string], ClaimRow>(
      `SELECT episode_id AS episodeId, statement, withdrawn_at AS withdrawnAtMs FROM episode_claims
       WHERE subject_id IN ${IDS} ORDER BY episode_id, n`,
    ),
    carried: sql.all<[string], ClaimRow>(
      `SELECT DISTINCT c.episode_id AS episodeId, c.statement, c.withdrawn_at AS withdrawnAtMs
       FROM claim_carriers s JOIN episode_claims c ON c.episode_id = s.episode_id AND c.n = s.n
       WHERE s.user_id IN ${IDS} ORDER BY c.episode_id, c.n`,
    ),
    episodes: sql.all<
      [string],
      {
        id: number;
        channel: string;
        kind: string;
        topic: string;
        summary: string;
        unproven: string;
        endedAtMs: number;
      }
    >(
      `SELECT DISTINCT e.id, e.channel, e.kind, e.topic, e.summary, e.unproven, e.ended_at AS endedAtMs
       FROM episode_participants p JOIN episodes e ON e.id = p.episode_id
       WHERE p.user_id IN ${IDS} ORDER BY e.id`,
    ),
    // No index covers any text: this reads every sentence.
    naming: sql.values<[{ ids: string }], string>(
      `WITH token AS (SELECT '{u:' || value || '}' AS text FROM json_each(@ids))
       SELECT s.text FROM (
         SELECT summary AS text FROM episodes UNION ALL SELECT unproven FROM episodes UNION ALL SELECT recap FROM stream_sessions
         UNION ALL SELECT statement FROM episode_claims
           WHERE coalesce(subject_id, '') NOT IN (SELECT value FROM json_each(@ids))
         UNION ALL ${FACTS_OF_OTHERS}
       ) AS s JOIN token ON instr(s.text, token.text) > 0`,
    ),
  };
}
