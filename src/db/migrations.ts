interface Migration {
  /** The version a database has once this has run. */
  readonly to: number;
  readonly sql: string;
}

const OUTCOMES_FORGETS_AND_TRIALS = `
ALTER TABLE note_candidates ADD COLUMN offer_json TEXT;
ALTER TABLE note_candidates ADD COLUMN trial_decision TEXT;
ALTER TABLE note_candidates ADD COLUMN trial_reason TEXT;
CREATE TABLE reply_outcomes (
  reply_id INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN
    ('viewer_answered', 'others_answered', 'positive', 'negative', 'deleted', 'timed_out', 'good', 'bad', 'none')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (reply_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgets (
  who TEXT PRIMARY KEY,
  forgotten_at INTEGER NOT NULL
) STRICT;
CREATE INDEX identity_aliases_by_main ON identity_aliases (same_as);
CREATE TABLE made_files (
  path TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('backup', 'export')),
  created_at INTEGER NOT NULL
) STRICT;
`;

/** What brings a database of an earlier release to the one that schema.sql describes, in order. */
export const MIGRATIONS: readonly Migration[] = [{ to: 2, sql: OUTCOMES_FORGETS_AND_TRIALS }];

export const SCHEMA_VERSION = 1 + MIGRATIONS.length;
