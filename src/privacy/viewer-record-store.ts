import { accountStore, nameReader, type Viewer } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import type { KeyedHash } from "../language/people.ts";
import { fillNames } from "../language/people.ts";
import { FACTS_OF_OTHERS, type NoteOfViewer, notesOfViewers } from "../memory/note-view-store.ts";

/** Everything that is kept about one person, but for the chat of the last 24 hours, of which there is only a count. */
export interface ViewerRecord {
  readonly accounts: readonly AccountRecord[];
  readonly optedOut: boolean;
  /** How many entries keep topics of theirs from being learned; which topics those are nobody can tell. */
  readonly suppressedTopics: number;
  readonly channels: readonly ChannelRecord[];
  /** What Twitch reported of them: raids, subs, gifts, cheers. */
  readonly moments: readonly MomentRecord[];
  readonly notes: readonly NoteOfViewer[];
  readonly claims: readonly ClaimRecord[];
  /** Claims about the channel that they were one of those to say. */
  readonly carried: readonly ClaimRecord[];
  /** Episodes that they took part in. */
  readonly episodes: readonly EpisodeRecord[];
  /** Sentences about others, or about the channel, that name them. */
  readonly namedIn: readonly string[];
  /** Their lines of chat that are still there, all told and with their words. */
  readonly lines: number;
  readonly linesWithText: number;
  /** Times that they spoke to the bot, and how often it answered. */
  readonly asked: number;
  readonly answered: number;
  /** What the model proposed in their turns, and what it proposed to do to them. */
  readonly actions: readonly ActionRecord[];
}

interface AccountRecord {
  readonly userId: string;
  readonly login: string | null;
  readonly displayName: string | null;
  readonly firstSeenAtMs: number | null;
  readonly lastSeenAtMs: number | null;
}

interface ChannelRecord {
  readonly channel: string;
  readonly userId: string;
  readonly isBroadcaster: number;
  readonly isModerator: number;
  readonly isVip: number;
  readonly isSubscriber: number;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly isFounder: number;
  readonly messages: number;
  readonly streams: number;
  /** Messages during earlier streams, and during the last one. */
  readonly earlierMessages: number;
  readonly streamMessages: number;
  /** Local day of the last timeout, ban or deletion. */
  readonly moderatedOn: string | null;
}

interface MomentRecord {
  readonly channel: string;
  readonly kind: string;
  readonly amount: number | null;
  readonly atMs: number;
}

interface ClaimRecord {
  readonly episodeId: number;
  readonly statement: string;
  readonly withdrawnAtMs: number | null;
}

interface EpisodeRecord {
  readonly id: number;
  readonly channel: string;
  readonly kind: string;
  readonly topic: string;
  readonly summary: string;
  readonly unproven: string;
  readonly endedAtMs: number;
}

interface ActionRecord {
  readonly action: string;
  readonly decision: string;
  readonly reason: string;
  readonly asked: number;
  readonly createdAtMs: number;
}

/**
 * Reads what is kept about a person, by all of their accounts. Names stand in its sentences as they are now. Where others
 * name them is found by reading every sentence there is, so it is left out unless wanted.
 */
export function viewerRecords(
  db: Db,
  hash: KeyedHash,
): (userIds: readonly string[], isNamingWanted?: boolean) => ViewerRecord {
  const rows = statements(db);
  const accounts = accountStore(db);
  const nameOf = nameReader(db);
  const named = (text: string): string => fillNames(text, nameOf);
  return (userIds, isNamingWanted = true) => {
    const whos = userIds.map(hash.person);
    const ids = JSON.stringify(userIds);
    const either = JSON.stringify([...userIds, ...whos]);
    const found = userIds.map((userId) => accounts.byId(userId));
    const counts = rows.lines.get(ids) ?? { lines: 0, linesWithText: 0 };
    const turns = rows.turns.get(either) ?? { asked: 0, answered: 0 };
    return {
      accounts: found.map((viewer, n) => accountRecord(viewer, userIds[n] ?? "")),
      optedOut:
        found.some((viewer) => viewer?.optedOut === true) ||
        (rows.optedOut.get(JSON.stringify(whos)) ?? 0) > 0,
      suppressedTopics: rows.topics.get(JSON.stringify(whos)) ?? 0,
      channels: rows.channels.all(ids),
      moments: rows.moments.all(ids),
      notes: rows.notes
        .all(ids)
        .map((note) => ({ ...note, fact: named(note.fact), topics: named(note.topics) })),
      claims: rows.claims
        .all(ids)
        .map((claim) => ({ ...claim, statement: named(claim.statement) })),
      carried: rows.carried
        .all(ids)
        .map((claim) => ({ ...claim, statement: named(claim.statement) })),
      episodes: rows.episodes.all(ids).map((one) => ({
        ...one,
        topic: named(one.topic),
        summary: named(one.summary),
        unproven: named(one.unproven),
      })),
      namedIn: isNamingWanted ? [...new Set(rows.naming.all({ ids }))].map(named) : [],
      ...counts,
      ...turns,
      actions: rows.actions.all({ either }),
    };
  };
}

function accountRecord(viewer: Viewer | null, userId: string): AccountRecord {
  if (viewer === null)
    return { userId, login: null, displayName: null, firstSeenAtMs: null, lastSeenAtMs: null };
  const { optedOut: _, ...account } = viewer;
  return account;
}

const IDS = "(SELECT value FROM json_each(?))";

function statements(db: Db) {
  return { ...personRows(db), ...memoryRows(db), ...traceRows(db) };
}

function personRows(db: Db) {
  return {
    optedOut: db
      .prepare<[string], number>(
        `SELECT count(*) FROM suppressions WHERE who IN ${IDS} AND topic IS NULL`,
      )
      .pluck(),
    topics: db
      .prepare<[string], number>(
        `SELECT count(*) FROM suppressions WHERE who IN ${IDS} AND topic IS NOT NULL`,
      )
      .pluck(),
    channels: db.prepare<[string], ChannelRecord>(
      `SELECT channel, user_id AS userId, is_broadcaster AS isBroadcaster, is_moderator AS isModerator,
         is_vip AS isVip, is_subscriber AS isSubscriber, first_seen_at AS firstSeenAtMs,
         is_founder AS isFounder, last_seen_at AS lastSeenAtMs, message_count AS messages, stream_count AS streams,
         earlier_messages AS earlierMessages, stream_messages AS streamMessages, moderated_on AS moderatedOn
       FROM viewer_channels WHERE user_id IN ${IDS} ORDER BY channel, user_id`,
    ),
  };
}

function memoryRows(db: Db) {
  return {
    moments: db.prepare<[string], MomentRecord>(
      `SELECT channel, kind, amount, at AS atMs FROM moments WHERE user_id IN ${IDS} ORDER BY at, id`,
    ),
    notes: notesOfViewers(db),
    claims: db.prepare<[string], ClaimRecord>(
      `SELECT episode_id AS episodeId, statement, withdrawn_at AS withdrawnAtMs FROM episode_claims
       WHERE subject_id IN ${IDS} ORDER BY episode_id, n`,
    ),
    carried: db.prepare<[string], ClaimRecord>(
      `SELECT DISTINCT c.episode_id AS episodeId, c.statement, c.withdrawn_at AS withdrawnAtMs
       FROM claim_carriers s JOIN episode_claims c ON c.episode_id = s.episode_id AND c.n = s.n
       WHERE s.user_id IN ${IDS} ORDER BY c.episode_id, c.n`,
    ),
    episodes: db.prepare<[string], EpisodeRecord>(
      `SELECT DISTINCT e.id, e.channel, e.kind, e.topic, e.summary, e.unproven, e.ended_at AS endedAtMs
       FROM episode_participants p JOIN episodes e ON e.id = p.episode_id
       WHERE p.user_id IN ${IDS} ORDER BY e.id`,
    ),
    // No index covers any text: this reads what the operator waits for, once.
    naming: db
      .prepare<[{ ids: string }], string>(
        `WITH token AS (SELECT '{u:' || value || '}' AS text FROM json_each(@ids))
         SELECT s.text FROM (
           SELECT summary AS text FROM episodes UNION ALL SELECT unproven FROM episodes UNION ALL SELECT recap FROM stream_sessions
           UNION ALL SELECT statement FROM episode_claims
             WHERE coalesce(subject_id, '') NOT IN (SELECT value FROM json_each(@ids))
           UNION ALL ${FACTS_OF_OTHERS}
         ) AS s JOIN token ON instr(s.text, token.text) > 0`,
      )
      .pluck(),
  };
}

function traceRows(db: Db) {
  return {
    lines: db.prepare<[string], { lines: number; linesWithText: number }>(
      `SELECT count(*) AS lines, count(text) AS linesWithText FROM events
       WHERE id >> 12 IN (SELECT chunk FROM event_chunks) AND user_id IN ${IDS}`,
    ),
    turns: db.prepare<[string], { asked: number; answered: number }>(
      `SELECT count(*) AS asked, count(CASE WHEN state = 'sent' THEN 1 END) AS answered FROM replies
       WHERE user_id IN ${IDS}`,
    ),
    actions: db.prepare<[{ either: string }], ActionRecord>(
      `SELECT action, decision, reason, created_at AS createdAtMs,
         requested_by IN (SELECT value FROM json_each(@either)) AS asked
       FROM action_log WHERE requested_by IN (SELECT value FROM json_each(@either))
         OR target_id IN (SELECT value FROM json_each(@either)) ORDER BY id`,
    ),
  };
}
