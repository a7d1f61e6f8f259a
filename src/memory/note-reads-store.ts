import type { NoteKind, NoteProperty, NoteScope } from "../catalogue/note-kinds.ts";
import { getCalmDay, openIdentityStore, prepareNameRead } from "../chat/viewer-store.ts";
import type { NoteSource, NoteStatus } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { makeUsageFault } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import type { Property } from "./check-sorted.ts";
import { claimOf, IS_PLAIN, PROVES, prepareEpisodeLookups } from "./episode-store.ts";
import type { KnownNote, NoteLifetime } from "./note-prompt.ts";

/** The content and kind of a note. */
interface NoteFacts {
  readonly channel: string;
  readonly scope: NoteScope;
  /** Null: shared by all personas. */
  readonly persona: string | null;
  readonly kind: NoteKind;
  /** With person tokens, never names. */
  readonly fact: string;
  readonly topics: string;
  readonly confidence: number;
  readonly source: NoteSource;
  /** The given lifetime; null if the kind decides alone. */
  readonly lifetime: NoteLifetime | null;
  /** Local day (2026-05-01) that the fact is about. */
  readonly happensOn: string | null;
}

export interface NewNote extends NoteFacts {
  readonly subjectId: string | null;
  readonly property: Property | null;
  /** Normalised, for recall and for finding duplicates. */
  readonly words: string;
  readonly importance: number;
  readonly status: "active" | "shadow" | "pending";
  readonly expiresAtMs: number | null;
}

/** A note, as the write policy and the streamer's decisions see it. */
export interface StoredNote extends NoteFacts {
  readonly id: number;
  readonly subjectId: string | null;
  readonly property: Property | null;
  /** As of now, whether or not a sweep ran. */
  readonly status: NoteStatus;
  readonly pinned: boolean;
  readonly supersededBy: number | null;
  /** The status before the streamer's last decision; null if there was none, or it was undone. */
  readonly statusBefore: NoteStatus | null;
}

interface NoteTimes {
  readonly importance: number;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  /** When it was last in the prompt of a sent reply. */
  readonly lastUsedAtMs: number | null;
  readonly useCount: number;
  readonly expiresAtMs: number | null;
  /** When it became active first; null if never. */
  readonly activeFromMs: number | null;
  /** When it stopped being active; null if it did not, or expired at `expiresAtMs`. */
  readonly endedAtMs: number | null;
}

/** A whole note. */
export interface NoteRow extends StoredNote, NoteTimes {}

/** A viewer, or the channel if `subjectId` is null. Includes shared notes and those of one persona. */
export interface NoteOwner {
  readonly channel: string;
  readonly subjectId: string | null;
  readonly persona: string | null;
}

/** Returns the owner of a note for the persona that speaks in its channel. */
export function getOwner(
  { channel, subjectId, persona }: StoredNote,
  speaks: string | null,
): NoteOwner {
  return { channel, subjectId, persona: persona ?? speaks };
}

/** True if a note has not expired at `:nowMs`. Pinned notes never expire. */
const LASTS = "(pinned = 1 OR expires_at IS NULL OR expires_at > :nowMs)";
export const IN_FORCE = `status = 'active' AND ${LASTS}`;
const RAN_OUT = "pinned = 0 AND expires_at <= :nowMs AND status IN ('active', 'shadow', 'pending')";
/** The status of a note at `:nowMs`, as the next sweep will write it. */
export const STATUS_NOW = `CASE WHEN ${RAN_OUT} THEN 'expired' ELSE status END`;

/** Notes of an owner. Names every scope, or SQLite cannot use the index on subjects. */
export const OWNED = `channel = :channel AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS :subjectId
  AND (persona IS NULL OR persona = :persona)`;

/** True if a row `v` of `note_evidence` may make its note active. Only notes extracted from chat need proof. */
export const EVIDENCE_PROVES = `(v.method <> 'extracted' OR ${claimOf("v", PROVES)})`;

/** True if only proof is missing to a channel note: nobody unlearned it, and its kind is one of `:kinds`, a JSON list. */
export const WAITS_FOR_PROOF = `status = 'shadow' AND status_before IS NOT 'active' AND scope IN ('channel', 'bit')
  AND ${LASTS} AND kind IN (SELECT value FROM json_each(:kinds))`;

const STATUS_BEFORE = `CASE WHEN ${RAN_OUT} AND status <> 'active' THEN status ELSE status_before END`;
const NOTES = `SELECT id, channel, scope, subject_id AS subjectId, persona, kind, fact, topics, confidence, importance,
  ${STATUS_NOW} AS status, ${STATUS_BEFORE} AS statusBefore, source_kind AS source, pinned, property AS propertyName,
  property_value AS propertyValue, property_game AS propertyGame, lifetime, happens_on AS happensOn,
  superseded_by AS supersededBy, created_at AS createdAtMs, last_confirmed_at AS lastConfirmedAtMs,
  last_used_at AS lastUsedAtMs, use_count AS useCount, expires_at AS expiresAtMs, active_from AS activeFromMs,
  ended_at AS endedAtMs FROM semantic_notes`;

/** Returns makers of functions from SQL about notes, which may name `:nowMs` and `:calmSince`. */
export function prepareNoteSql(db: Db, now: () => number) {
  return prepareStatements(db, () => ({ nowMs: now(), calmSince: getCalmDay(now()) }));
}

/** Returns a function that reads the notes of a condition, as of `nowMs`. The one select of whole notes. */
export function prepareNoteSelect<Values extends { readonly nowMs: number }>(
  db: Db,
  which: string,
) {
  const rows = prepareStatements(db).all<[Values], NoteRow & PropertyColumns>(`${NOTES} ${which}`);
  return (values: Values): NoteRow[] =>
    rows(values).map(
      ({ propertyName: name, propertyValue: value, propertyGame: game, ...row }) => ({
        ...row,
        property: name === null || value === null ? null : { name, value, game },
        // SQLite has no booleans.
        pinned: Boolean(row.pinned),
      }),
    );
}

interface PropertyColumns {
  readonly propertyName: NoteProperty | null;
  readonly propertyValue: string | null;
  readonly propertyGame: string | null;
}

/** The most expired or stale notes of an owner that a confirmation may bring back, the latest first. */
const RAN_OUT_NOTES_MAX = 200;
/** The most shadow notes of an owner that the model sees. */
const WAITING_SHOWN_MAX = 5;
const DAY_MS = 86_400_000;

/** Reads notes by owner and number. */
export function openNoteReader(db: Db, now: () => number) {
  const sql = prepareNoteSql(db, now);
  const episodes = prepareEpisodeLookups(db);
  const select = <Values extends object>(which: string) => {
    const rows = prepareNoteSelect<Values & { nowMs: number }>(db, `WHERE ${which} ORDER BY id`);
    return (values: Values) => rows({ ...values, nowMs: now() });
  };
  const withId = select<{ id: number }>("id = :id");
  const replacedBy = select<{ id: number }>("superseded_by = :id");
  const made = sql.all<
    [NoteOwner & { scope: NoteScope; sessionId: number | null }],
    { id: number; importance: number; episodeId: number }
  >(
    `SELECT n.id, n.importance, (SELECT min(episode_id) FROM note_evidence v WHERE v.note_id = n.id) AS episodeId
     FROM semantic_notes n
     WHERE n.channel = :channel AND n.scope = :scope AND n.subject_id IS :subjectId
       AND (n.persona IS NULL OR n.persona = :persona) AND n.status IN ('active', 'shadow', 'pending')
       AND n.source_kind = 'extracted' AND (:sessionId IS NOT NULL OR n.created_at > :nowMs - ${DAY_MS})
     ORDER BY n.importance, n.id`,
  );
  const sessionOf = (episodeId: number): number | null =>
    episodes.find(episodeId)?.sessionId ?? null;
  const proof = sql.value<[{ noteId: number }], number>(
    `SELECT 1 FROM note_evidence v JOIN semantic_notes s ON s.id = v.note_id
     WHERE v.note_id = :noteId AND (s.status <> 'shadow' OR s.status_before IS NOT 'active') AND ${EVIDENCE_PROVES} LIMIT 1`,
  );
  const belongs = sql.value<[id: number, channel: string, userId: string], number>(
    `SELECT 1 FROM semantic_notes WHERE id = ? AND channel = ? AND scope = 'viewer' AND subject_id = ?
       AND status IN ('active', 'shadow', 'pending', 'stale')`,
  );
  return {
    /** Throws a Fault if no note has this id. */
    get: (id: number): NoteRow => {
      const [row] = withId({ id });
      if (row !== undefined) return row;
      throw makeUsageFault(
        `there is no note ${id}`,
        "see `forgetmenot memory list` for the numbers",
      );
    },
    /** Every note of an owner, of any status. */
    all: select<NoteOwner>(OWNED),
    active: select<NoteOwner>(`${OWNED} AND ${IN_FORCE}`),
    /** Notes that a new one may confirm or replace. */
    known: select<NoteOwner>(
      `${OWNED} AND (status IN ('active', 'shadow', 'pending') OR id IN (SELECT id FROM semantic_notes
         WHERE ${OWNED} AND status IN ('stale', 'expired') ORDER BY last_confirmed_at DESC, id DESC LIMIT ${RAN_OUT_NOTES_MAX}))`,
    ),
    /** Facts that the streamer rejected. */
    rejected: sql.values<[NoteOwner], string>(
      `SELECT fact FROM semantic_notes WHERE ${OWNED} AND status = 'rejected'`,
    ),
    /** Notes that this one replaced, oldest first. */
    replacedBy: (id: number) => replacedBy({ id }),
    /** Notes that the extraction prompt shows: the active ones and the latest in the shadow. */
    shown: sql.all<[NoteOwner], KnownNote>(
      `SELECT id, scope, subject_id AS subjectId, fact, status FROM semantic_notes
       WHERE ${OWNED} AND ${LASTS} AND (status = 'active' OR id IN (SELECT id FROM semantic_notes
         WHERE ${OWNED} AND ${LASTS} AND status = 'shadow'
         ORDER BY last_confirmed_at DESC, id DESC LIMIT ${WAITING_SHOWN_MAX})) ORDER BY id`,
    ),
    /**
     * Returns the remaining notes that the stream of an episode made in a scope, least important first. Outside
     * streams it takes the last day, since a stream's cap would never end there.
     */
    madeFor: (owner: NoteOwner, scope: NoteScope, episodeId: number) => {
      const sessionId = sessionOf(episodeId);
      return made({ ...owner, scope, sessionId }).filter(
        (note) => sessionOf(note.episodeId) === sessionId,
      );
    },
    /** True if evidence of the note may make it active. */
    isProven: (noteId: number) => proof({ noteId }) !== null,
    /** True if the note is about this viewer, in this channel. */
    belongsTo: (id: number, channel: string, userId: string) =>
      belongs(id, channel, userId) !== null,
    /** The facts of all notes about a viewer. */
    factsAbout: sql.all<[userId: string], { id: number; fact: string }>(
      "SELECT id, fact FROM semantic_notes WHERE subject_id = ? ORDER BY id",
    ),
    /** The texts of all notes about a viewer in a channel. */
    textsAbout: sql.all<[channel: string, userId: string], { id: number; text: string }>(
      `SELECT id, fact || ' ' || topics AS text FROM semantic_notes
       WHERE channel = ? AND scope = 'viewer' AND subject_id = ?`,
    ),
  };
}

/** A note as the user sees it, with names. */
export interface NoteView extends NoteFacts, NoteTimes {
  readonly id: number;
  /** Display name; null for the channel. */
  readonly about: string | null;
  readonly status: NoteStatus;
  readonly pinned: boolean;
  readonly supersededBy: number | null;
  readonly property: NoteProperty | null;
  readonly propertyValue: string | null;
  readonly propertyGame: string | null;
  /** The number of episodes in its evidence. */
  readonly evidence: number;
}

interface NoteFilter {
  /** The accounts of one person; null for all viewers. */
  readonly accounts: readonly string[] | null;
  readonly channel: string | null;
  /** One status as of now; null for active, shadow and pending. */
  readonly status: string | null;
  /** One kind or scope; null for all. */
  readonly kind: string | null;
  readonly scope: string | null;
  /** Only notes that were active at this time, epoch ms; null for those of now. */
  readonly atMs?: number | null;
  readonly limit: number;
}

/** SQL for notes as `n` with their viewers as `v`. */
export const NOTES_AND_NAMES = "semantic_notes n LEFT JOIN viewers v ON v.user_id = n.subject_id";

/** Shows notes to the user as of a time, for the command line and the page. */
export function openNoteReviewStore(db: Db, nowMs: number) {
  const sql = prepareNoteSql(db, () => nowMs);
  const nameOf = prepareNameRead(db);
  const evidenceCount = sql.value<[noteId: number], number>(
    "SELECT count(*) FROM note_evidence WHERE note_id = ?",
  );
  const show = ({ subjectId, statusBefore: _, property, ...row }: NoteRow): NoteView => ({
    ...row,
    about: subjectId === null ? null : (nameOf(subjectId) ?? "someone"),
    fact: fillNames(row.fact, nameOf),
    property: property?.name ?? null,
    propertyValue: property?.value ?? null,
    propertyGame: property?.game ?? null,
    evidence: evidenceCount(row.id) ?? 0,
  });
  const list = prepareNoteSelect<{ nowMs: number } & Record<string, string | number | null>>(
    db,
    `WHERE (:channel IS NULL OR channel = :channel)
       AND (:accounts IS NULL OR subject_id IN (SELECT value FROM json_each(:accounts)))
       AND CASE WHEN :atMs IS NOT NULL THEN active_from <= :atMs AND coalesce(ended_at, :atMs + 1) > :atMs
           AND (pinned = 1 OR coalesce(expires_at, :atMs + 1) > :atMs)
         WHEN :status IS NULL THEN ${STATUS_NOW} IN ('active', 'shadow', 'pending') ELSE ${STATUS_NOW} = :status END
       AND (:kind IS NULL OR kind = :kind) AND (:scope IS NULL OR scope = :scope)
     ORDER BY id DESC LIMIT :limit`,
  );
  const scopes = sql.all<[{ channel: string | null }], { scope: string; count: number }>(
    `SELECT scope, count(*) AS count FROM semantic_notes
     WHERE ${IN_FORCE} AND (:channel IS NULL OR channel = :channel) GROUP BY scope ORDER BY scope`,
  );
  const withId = prepareNoteSelect<{ nowMs: number; id: number }>(db, "WHERE id = :id");
  const readDetails = prepareNoteDetails(db);
  const facts = sql.all<[{ ids: string }], { id: number; fact: string; status: string }>(
    `SELECT id, fact, ${STATUS_NOW} AS status FROM semantic_notes
     WHERE id IN (SELECT value FROM json_each(:ids))`,
  );
  return {
    /** Newest first. */
    notes: ({ accounts, atMs = null, ...filter }: NoteFilter): NoteView[] =>
      list({ ...filter, atMs, accounts: accounts && JSON.stringify(accounts), nowMs }).map(show),
    /** Returns the number of active notes by scope. */
    countsByScope: (channel: string | null): Readonly<Record<string, number>> =>
      Object.fromEntries(scopes({ channel }).map(({ scope, count }) => [scope, count])),
    /** Returns a note with its evidence: note → episode → claim. Null for an unknown id. */
    note: (id: number) => {
      const [row] = withId({ id, nowMs });
      return row === undefined ? null : { ...show(row), ...readDetails(id) };
    },
    /** Returns the fact and status of each note that exists, by id. */
    facts: (ids: readonly number[]): ReadonlyMap<number, { fact: string; status: string }> =>
      new Map(
        facts({ ids: JSON.stringify(ids) }).map(({ id, fact, status }) => [
          id,
          { fact: fillNames(fact, nameOf), status },
        ]),
      ),
  };
}

/** Returns a function that reads the evidence of a note, and the notes before and after it. */
function prepareNoteDetails(db: Db) {
  const sql = prepareStatements(db);
  const evidence = sql.all<
    [noteId: number],
    Record<"episodeId" | "createdAtMs", number> &
      Record<"model", string | null> & { claimN: number | null; method: string }
  >(
    `SELECT episode_id AS episodeId, claim_n AS claimN, method, model, created_at AS createdAtMs
     FROM note_evidence WHERE note_id = ? ORDER BY created_at, episode_id`,
  );
  const successors = sql.values<[number], number>(
    `WITH RECURSIVE chain (id, next) AS (
       SELECT id, superseded_by FROM semantic_notes WHERE id = ?
       UNION
       SELECT s.id, s.superseded_by FROM semantic_notes s JOIN chain ON s.id = chain.next
     ) SELECT next FROM chain WHERE next IS NOT NULL`,
  );
  const superseded = sql.values<[number], number>(
    "SELECT id FROM semantic_notes WHERE superseded_by = ? ORDER BY id",
  );
  const episodes = prepareEpisodeLookups(db);
  const nameOf = prepareNameRead(db);
  return (id: number) => ({
    evidenceRows: evidence(id).map(({ claimN, ...row }) => {
      const { kind = "", topic = "" } = episodes.find(row.episodeId) ?? {};
      const claim = claimN === null ? null : episodes.statementOf(row.episodeId, claimN);
      return {
        ...row,
        episodeKind: kind,
        topic: fillNames(topic, nameOf),
        /** The claim that supports the note; null if it was withdrawn. */
        claim: claim && fillNames(claim, nameOf),
      };
    }),
    /** Notes that it replaced. */
    superseded: superseded(id),
    /** The notes that replaced it, one after the other. */
    successors: successors(id),
  });
}

/** SQL for the channels that have notes, one index step each. */
export const NOTE_CHANNELS = `WITH RECURSIVE c (channel) AS (SELECT min(channel) FROM semantic_notes UNION ALL
    SELECT (SELECT min(channel) FROM semantic_notes WHERE channel > c.channel) FROM c WHERE channel IS NOT NULL)
  SELECT channel FROM c WHERE channel IS NOT NULL`;

/** SQL for the number of notes about the viewer `v` at `:nowMs`. */
export const NOTES_OF_VIEWER = `(SELECT count(*) FROM semantic_notes n WHERE n.subject_id = v.user_id
  AND ${STATUS_NOW} IN ('active', 'shadow', 'pending'))`;

/** SQL for a value that changes with the newest notes. */
export const NOTES_MARK = `(SELECT group_concat(id || status || pinned || last_confirmed_at) FROM
  (SELECT id, status, pinned, last_confirmed_at FROM semantic_notes ORDER BY id DESC LIMIT 50))`;

/** Reads the notes about viewers, given as a JSON list of ids, with their episodes. */
export function prepareNotesOfViewers(db: Db, now: () => number) {
  const notes = prepareNoteSelect<{ nowMs: number; ids: string }>(
    db,
    "WHERE subject_id IN (SELECT value FROM json_each(:ids)) ORDER BY id",
  );
  const evidenceOf = evidenceReader(db);
  return (ids: string) =>
    notes({ ids, nowMs: now() }).map((note) => ({
      ...note,
      episodeIds: evidenceOf(note.id).map(({ episode }) => episode),
    }));
}

/** Returns a function that counts the superseded notes about a viewer, with all their accounts. */
export function prepareReplacedCount(
  db: Db,
  now: () => number,
): (channel: string, userId: string) => number {
  const replaced = prepareStatements(db).value<[channel: string, ids: string], number>(
    `SELECT count(*) FROM semantic_notes
     WHERE channel = ? AND subject_id IN (SELECT value FROM json_each(?)) AND status = 'superseded'`,
  );
  const { accountsOf } = openIdentityStore(db, now);
  return (channel, userId) => replaced(channel, JSON.stringify(accountsOf(userId))) ?? 0;
}

/** Reads the facts of all notes, of any status. `isStreamers`: 1 if the streamer wrote it about the channel. */
export function readAllFacts(db: Db) {
  return prepareStatements(db).all<
    [],
    { id: number; fact: string; property: string | null; isStreamers: number }
  >(
    `SELECT id, fact, property, subject_id IS NULL AND source_kind = 'operator' AS isStreamers
     FROM semantic_notes ORDER BY id`,
  )();
}

/** Returns a function that reads the evidence of a note, by episode. */
export function evidenceReader(db: Db) {
  return prepareStatements(db).all<
    [noteId: number],
    { episode: number; method: NoteSource; confidence: number; createdAtMs: number }
  >(
    `SELECT episode_id AS episode, method, confidence, created_at AS createdAtMs
     FROM note_evidence WHERE note_id = ? ORDER BY episode_id`,
  );
}

/** Returns a function that reads the newest note's id; 0 if there is none. */
export function prepareNewestNote(db: Db): () => number {
  const newest = prepareStatements(db).value<[], number>("SELECT max(id) FROM semantic_notes");
  return () => newest() ?? 0;
}

/** Counts notes for status and report. Each query names the condition of a partial index, or it would read every note. */
export function prepareNoteSums(db: Db, now: () => number) {
  const count = (of: string): (() => number) => {
    const sum = prepareNoteSql(db, now).value<[object], number>(`SELECT ${of}`);
    return () => sum({}) ?? 0;
  };
  const waiting = "semantic_notes n WHERE status IN ('shadow', 'pending')";
  const waitingForRegulars = prepareNoteSql(db, now).value<[{ kinds: string }], number>(
    `SELECT count(*) FROM ${waiting} AND ${WAITS_FOR_PROOF}
       AND EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = n.id AND ${claimOf("v", IS_PLAIN)})`,
  );
  return {
    active: count(
      `(SELECT count(*) FROM semantic_notes WHERE status = 'active') - (SELECT count(*) FROM semantic_notes
         WHERE status = 'active' AND expires_at IS NOT NULL AND expires_at <= :nowMs AND pinned = 0)`,
    ),
    pending: count(`count(*) FROM ${waiting} AND ${STATUS_NOW} = 'pending'`),
    /** Counts channel notes of these kinds that wait for their carriers to return as known viewers. */
    waitingForRegulars: (kinds: readonly string[]): number =>
      waitingForRegulars({ kinds: JSON.stringify(kinds) }) ?? 0,
    /** Counted up to a hundred. */
    toReview: count(
      `count(*) FROM (SELECT 1 FROM ${waiting} AND ${STATUS_NOW} <> 'expired' LIMIT 100)`,
    ),
  };
}

interface NoteSpan {
  /** A JSON list. */
  readonly channels: string;
  readonly fromMs: number;
  readonly lateMs: number;
  readonly nowMs: number;
  /** Counts end here: a report among very many notes stays fast. */
  readonly countMax: number;
}

/** The most facts that a report names. */
const NEWS_MAX = 25;

/** Reads what became of notes in a time span and some channels: the first facts, with person tokens, and their number. */
export function prepareNoteNews(db: Db, span: NoteSpan) {
  const here = "channel IN (SELECT value FROM json_each(:channels))";
  const rows = <T>(sql: string): T[] => prepareStatements(db).all<[NoteSpan], T>(sql)(span);
  const number = (where: string): number =>
    prepareStatements(db).value<[NoteSpan], number>(
      `SELECT count(*) FROM (SELECT 1 FROM semantic_notes WHERE ${where} LIMIT :countMax)`,
    )(span) ?? 0;
  const learned = `created_at BETWEEN :fromMs AND :lateMs AND ${STATUS_NOW} IN ('active', 'pending')`;
  // A partial index serves each part, and so `+channel` names none.
  const selectEnded = (status: string): string =>
    `SELECT id FROM semantic_notes WHERE status ${status} AND expires_at BETWEEN :fromMs AND :lateMs`;
  const faded = `id IN (${selectEnded("= 'expired'")} UNION ALL ${selectEnded("= 'active'")}
    UNION ALL ${selectEnded("IN ('shadow', 'pending')")}) AND ${STATUS_NOW} = 'expired'`;
  return {
    /** `before`: the fact that it replaced, or null. */
    learned: rows<{ id: number; fact: string; status: string; before: string | null }>(
      `SELECT id, fact, status,
         (SELECT old.fact FROM semantic_notes old WHERE old.superseded_by = n.id ORDER BY old.id LIMIT 1) AS "before"
       FROM semantic_notes n WHERE ${here} AND ${learned} ORDER BY created_at, id LIMIT ${NEWS_MAX}`,
    ),
    learnedCount: number(`${here} AND ${learned}`),
    faded: rows<{ id: number; fact: string; total: number }>(
      `SELECT id, fact, count(*) OVER () AS total FROM semantic_notes
       WHERE +${here} AND ${faded} ORDER BY expires_at, id LIMIT ${NEWS_MAX}`,
    ),
    pending: number(`+${here} AND status IN ('shadow', 'pending') AND ${STATUS_NOW} = 'pending'`),
  };
}

/** The seed's SQL: the ten best by confidence over age. It ignores the message, importance and pins. */
const SEED_LORE = `
SELECT id, kind, fact, topics, created_at AS createdAtMs,
  confidence * (1.0 / (1 + max(0, :nowMs - last_confirmed_at) / 86400000.0 / 7)) AS score
FROM semantic_notes
WHERE channel = :channel AND scope = 'viewer' AND subject_id = :userId AND status = 'active'
ORDER BY score DESC, last_confirmed_at DESC, id DESC LIMIT 10`;

/** Reads notes as a replay or demo needs them. */
export function prepareReplayedNotes(db: Db) {
  const sql = prepareStatements(db);
  const episodes = prepareEpisodeLookups(db);
  const text =
    "SELECT id, subject_id AS subjectId, fact || ' ' || topics AS text FROM semantic_notes";
  const active = sql.all<
    [],
    { id: number; scope: NoteScope; subjectId: string | null; fact: string; createdAtMs: number }
  >(
    `SELECT id, scope, subject_id AS subjectId, fact, created_at AS createdAtMs FROM semantic_notes
     WHERE status = 'active' ORDER BY id`,
  );
  const evidence = sql.all<[noteId: number], { episodeId: number; claimN: number | null }>(
    "SELECT episode_id AS episodeId, claim_n AS claimN FROM note_evidence WHERE note_id = ? ORDER BY episode_id",
  );
  const { replacedBy } = openNoteReader(db, () => 0);
  return {
    /** Active notes with the episodes of their evidence whose claim still exists. */
    active: () =>
      active().map((note) => ({
        ...note,
        /** The fact that it replaced; null if none. */
        before: replacedBy(note.id)[0]?.fact ?? null,
        episodes: evidence(note.id)
          .filter((one) => one.claimN === null || episodes.statementOf(one.episodeId, one.claimN))
          .flatMap(({ episodeId }) => episodes.find(episodeId) ?? []),
      })),
    /** Active notes of one subject in a channel, with topics. */
    held: sql.all<
      [channel: string, subjectId: string | null],
      { id: number; subjectId: string | null; text: string }
    >(
      `${text} WHERE channel = ? AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS ?
         AND status = 'active' ORDER BY id`,
    ),
    one: sql.one<[id: number], { id: number; subjectId: string | null; text: string }>(
      `${text} WHERE id = ?`,
    ),
    /** The notes about a viewer, as the seed chose them. */
    seed: sql.all<
      [{ channel: string; userId: string; nowMs: number }],
      {
        id: number;
        kind: NoteKind;
        fact: string;
        topics: string;
        createdAtMs: number;
        score: number;
      }
    >(SEED_LORE),
  };
}
