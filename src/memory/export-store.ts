import { peopleIn } from "../language/people.ts";
import type { NoteKind, NoteScope, NoteSource } from "../platform/config/names.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { ExportContent, ExportedNote } from "./export-format.ts";
import { importanceOf } from "./lifetimes.ts";
import type { Lifetime } from "./note-prompt.ts";
import { type PropertyRow, toProperty } from "./property.ts";

export interface ExportParts {
  readonly db: Db;
  /** Nothing about them leaves. */
  readonly isOptedOut: (userId: string) => boolean;
  readonly now: () => number;
}

type EpisodeRow = ExportContent["episodes"][number];

interface NoteRow extends PropertyRow {
  readonly id: number;
  readonly channel: string;
  readonly scope: NoteScope;
  readonly subjectId: string | null;
  readonly persona: string | null;
  readonly kind: NoteKind;
  readonly fact: string;
  readonly topics: string;
  readonly confidence: number;
  readonly importance: number;
  readonly status: ExportedNote["status"];
  readonly source: NoteSource;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lifetime: Lifetime | null;
}

/**
 * What is remembered, as it leaves the program: notes that count, the people that they are about, and of the episodes
 * that they rest on when and where alone. About some people only where `userIds` names them. One snapshot.
 */
export function exportContent(
  { db, isOptedOut, now }: ExportParts,
  userIds: readonly string[] | null,
): ExportContent {
  const rows = statements(db);
  return db.transaction(() => {
    const isWanted = ({ subjectId }: NoteRow): boolean =>
      userIds === null || (subjectId !== null && userIds.includes(subjectId));
    const namesOut = ({ subjectId, fact, topics }: NoteRow): boolean =>
      [...(subjectId === null ? [] : [subjectId]), ...peopleIn(`${fact} ${topics}`)].some(
        isOptedOut,
      );
    const wanted = rows.notes.all().filter((row) => isWanted(row) && !namesOut(row));
    const notes = wanted.map((row) => asExported(row, rows.evidence.all(row.id)));
    const refs = new Set(notes.flatMap(({ evidence }) => evidence.map(({ episode }) => episode)));
    const ids = new Set(notes.flatMap(({ subjectId }) => subjectId ?? []));
    const aliases = rows.aliases
      .all()
      .filter(({ userId, sameAs }) => ids.has(userId) && ids.has(sameAs));
    return {
      exportedAtMs: now(),
      people: rows.people.all().filter(({ userId }) => ids.has(userId)),
      aliases,
      episodes: rows.episodes.all().filter(({ ref }) => refs.has(ref)),
      notes: notes.filter(({ evidence }) => evidence.length > 0),
    };
  })();
}

function asExported(
  { id: _, topics, importance, property, propertyValue, propertyGame, ...row }: NoteRow,
  evidence: ExportedNote["evidence"],
): ExportedNote {
  const level = (["high", "medium", "low"] as const).find((one) => importance >= importanceOf(one));
  return {
    ...row,
    topics: topics === "" ? [] : topics.split(", "),
    importance: level ?? "low",
    property: toProperty({ property, propertyValue, propertyGame }),
    evidence,
  };
}

function statements(db: Db) {
  return {
    notes: db.prepare<[], NoteRow>(
      `SELECT n.id, n.channel, n.scope, n.subject_id AS subjectId, n.persona, n.kind, n.fact, n.topics,
         n.confidence, n.importance, n.status, n.source_kind AS source, n.created_at AS createdAtMs,
         n.last_confirmed_at AS lastConfirmedAtMs, n.expires_at AS expiresAtMs, n.lifetime, n.property,
         n.property_value AS propertyValue, n.property_game AS propertyGame
       FROM semantic_notes n
       WHERE n.status IN ('active', 'shadow', 'pending')
         AND (n.subject_id IS NULL OR EXISTS (SELECT 1 FROM viewers v WHERE v.user_id = n.subject_id))
       ORDER BY n.id`,
    ),
    evidence: db.prepare<[number], ExportedNote["evidence"][number]>(
      `SELECT e.episode_id AS episode, e.method, e.confidence, e.created_at AS createdAtMs
       FROM note_evidence e JOIN episodes p ON p.id = e.episode_id
       WHERE e.note_id = ? AND p.kind <> 'gap' ORDER BY e.episode_id`,
    ),
    episodes: db.prepare<[], EpisodeRow>(
      `SELECT id AS ref, channel, kind, event_count AS eventCount, started_at AS startedAtMs, ended_at AS endedAtMs
       FROM episodes WHERE stage <> 'claimed' AND kind <> 'gap' ORDER BY id`,
    ),
    people: db.prepare<[], ExportContent["people"][number]>(
      "SELECT user_id AS userId, login, display_name AS displayName FROM viewers ORDER BY user_id",
    ),
    aliases: db.prepare<[], ExportContent["aliases"][number]>(
      "SELECT user_id AS userId, same_as AS sameAs FROM identity_aliases ORDER BY user_id",
    ),
  };
}
