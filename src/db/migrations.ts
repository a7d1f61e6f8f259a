interface Migration {
  /** The version a database has once this has run. */
  readonly to: number;
  readonly sql: string;
}

const OUTCOMES_FORGETS_AND_TRIALS = `
ALTER TABLE note_candidates ADD COLUMN offer_json TEXT;
ALTER TABLE semantic_notes ADD COLUMN status_before TEXT;
ALTER TABLE note_candidates ADD COLUMN trial_decision TEXT;
ALTER TABLE note_candidates ADD COLUMN trial_reason TEXT;
CREATE TRIGGER offer_forgotten AFTER UPDATE OF fact ON note_candidates
WHEN NEW.fact IS NULL AND NEW.offer_json IS NOT NULL
BEGIN
  UPDATE note_candidates SET offer_json = NULL WHERE id = NEW.id;
END;
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
CREATE INDEX semantic_notes_waiting ON semantic_notes (last_confirmed_at, expires_at) WHERE status IN ('shadow', 'pending');
CREATE INDEX viewers_opted_out ON viewers (last_seen_at) WHERE opted_out = 1;
CREATE INDEX identity_aliases_by_main ON identity_aliases (same_as);
CREATE TABLE made_files (
  path TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('backup', 'export', 'viewer')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER removed_line AFTER UPDATE OF text ON events WHEN OLD.text IS NOT NULL AND NEW.text IS NOT OLD.text
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_answer AFTER UPDATE OF text ON replies WHEN OLD.text IS NOT NULL AND NEW.text IS NOT OLD.text
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_args AFTER UPDATE OF args_json ON action_log
WHEN OLD.args_json IS NOT NULL AND NEW.args_json IS NOT OLD.args_json
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_summary AFTER UPDATE OF topic, summary ON episodes
WHEN (OLD.summary <> '' AND NEW.summary <> OLD.summary) OR (OLD.topic <> '' AND NEW.topic <> OLD.topic)
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_claim_text AFTER UPDATE OF statement ON episode_claims WHEN NEW.statement <> OLD.statement
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_claim AFTER DELETE ON episode_claims
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_fact AFTER UPDATE OF fact ON semantic_notes WHEN NEW.fact <> OLD.fact
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_note AFTER DELETE ON semantic_notes
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_recap AFTER UPDATE OF recap ON stream_sessions WHEN OLD.recap IS NOT NULL AND NEW.recap IS NOT OLD.recap
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_viewer AFTER DELETE ON viewers
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.people', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_person AFTER INSERT ON forgets
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.people', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_person_again AFTER UPDATE OF forgotten_at ON forgets
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.people', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;
-- What an earlier release removed was not counted.
INSERT INTO counters (name, value) VALUES ('removed.texts', 1);
UPDATE episode_claims SET statement = '' WHERE withdrawn_at IS NOT NULL;
`;

/** What brings a database of an earlier release to the one that schema.sql describes, in order. */
export const MIGRATIONS: readonly Migration[] = [{ to: 2, sql: OUTCOMES_FORGETS_AND_TRIALS }];

export const SCHEMA_VERSION = 1 + MIGRATIONS.length;
