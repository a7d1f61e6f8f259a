import type { Db } from "../db/open.ts";
import { fillNames } from "../text/people.ts";
import { normalWords } from "../text/words.ts";

/** A note as the streamer sees it: names put in. */
export interface NoteView {
  readonly id: number;
  readonly channel: string;
  readonly scope: string;
  /** Display name; null for the channel. */
  readonly about: string | null;
  readonly kind: string;
  readonly fact: string;
  readonly topics: string;
  readonly confidence: number;
  readonly status: string;
  readonly supersededBy: number | null;
  readonly source: string;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  readonly expiresAtMs: number | null;
  readonly evidence: number;
}

interface EvidenceView {
  readonly episodeId: number;
  readonly episodeKind: string;
  readonly topic: string;
  /** What the episode claims that supports the note; null where the claim was withdrawn. */
  readonly claim: string | null;
  readonly method: string;
  readonly model: string | null;
  readonly createdAtMs: number;
}

export interface NoteDetail extends NoteView {
  readonly evidenceRows: readonly EvidenceView[];
  /** Notes that this one took the place of. */
  readonly superseded: readonly number[];
}

interface NoteFilter {
  /** Login of a viewer; null for everybody. */
  readonly viewer: string | null;
  readonly channel: string | null;
  /** One status, or null for those that count: active, shadow and pending. */
  readonly status: string | null;
  /** Words that a note has to hold one of; "" for all. */
  readonly words: string;
  readonly limit: number;
}

export interface NoteReviewStore {
  /** Newest first. */
  notes(filter: NoteFilter): NoteView[];
  /** A note with the chain of what it rests on: note → episode → claim. */
  note(id: number): NoteDetail | null;
}

const COLUMNS = `n.id, n.channel, n.scope, v.display_name AS about, n.subject_id AS subjectId, n.kind, n.fact, n.topics,
  n.words, n.confidence, n.status, n.superseded_by AS supersededBy, n.source_kind AS source,
  n.created_at AS createdAtMs, n.last_confirmed_at AS lastConfirmedAtMs, n.expires_at AS expiresAtMs,
  (SELECT count(*) FROM note_evidence e WHERE e.note_id = n.id) AS evidence`;
const FROM = "FROM semantic_notes n LEFT JOIN viewers v ON v.user_id = n.subject_id";
/** What a search by words looks through. */
const SEARCHED_MAX = 5_000;

type NoteRow = NoteView & { readonly subjectId: string | null; readonly words: string };

/** What the streamer can see of notes. Serves command line and page alike. */
export function noteReviewStore(db: Db): NoteReviewStore {
  const rows = statements(db);
  const nameOf = (userId: string): string | null => rows.name.get(userId) ?? null;
  const view = ({ subjectId, words: _, ...row }: NoteRow): NoteView => ({
    ...row,
    about: subjectId === null ? null : (row.about ?? "someone"),
    fact: fillNames(row.fact, nameOf),
  });
  return {
    notes: ({ words, limit, ...filter }) => {
      const asked = new Set(normalWords(words));
      const found = rows.list.all({ ...filter, limit: asked.size === 0 ? limit : SEARCHED_MAX });
      const matches = (row: NoteRow): boolean =>
        asked.size === 0 || row.words.split(" ").some((word) => asked.has(word));
      return found.filter(matches).slice(0, limit).map(view);
    },
    note: (id) => {
      const row = rows.one.get(id);
      if (row === undefined) return null;
      return {
        ...view(row),
        evidenceRows: rows.evidence.all(id).map((one) => ({
          ...one,
          topic: fillNames(one.topic, nameOf),
          claim: one.claim === null ? null : fillNames(one.claim, nameOf),
        })),
        superseded: rows.superseded.all(id),
      };
    },
  };
}

function statements(db: Db) {
  return {
    list: db.prepare<[Omit<NoteFilter, "words">], NoteRow>(
      `SELECT ${COLUMNS} ${FROM}
       WHERE (:channel IS NULL OR n.channel = :channel)
         AND (:viewer IS NULL OR n.subject_id IN (SELECT user_id FROM viewers WHERE login = :viewer))
         AND CASE WHEN :status IS NULL THEN n.status IN ('active', 'shadow', 'pending') ELSE n.status = :status END
       ORDER BY n.id DESC LIMIT :limit`,
    ),
    one: db.prepare<[number], NoteRow>(`SELECT ${COLUMNS} ${FROM} WHERE n.id = ?`),
    name: db
      .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
      .pluck(),
    evidence: db.prepare<[number], EvidenceView>(
      `SELECT e.episode_id AS episodeId, p.kind AS episodeKind, p.topic,
         (SELECT c.statement FROM episode_claims c
          WHERE c.episode_id = e.episode_id AND c.n = e.claim_n AND c.withdrawn_at IS NULL) AS claim,
         e.method, e.model, e.created_at AS createdAtMs
       FROM note_evidence e JOIN episodes p ON p.id = e.episode_id
       WHERE e.note_id = ? ORDER BY e.created_at, e.episode_id`,
    ),
    superseded: db
      .prepare<[number], number>(
        "SELECT id FROM semantic_notes WHERE superseded_by = ? ORDER BY id",
      )
      .pluck(),
  };
}
