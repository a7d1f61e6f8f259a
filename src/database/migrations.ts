/** The version of the release before this one: the only one that is migrated. */
export const EARLIER_VERSION = 6;
export const SCHEMA_VERSION = 7;

/** Brings a database of EARLIER_VERSION to what schema.sql describes. */
export const MIGRATION = `
ALTER TABLE viewer_channels ADD COLUMN is_founder INTEGER NOT NULL DEFAULT 0;
ALTER TABLE viewer_channels ADD COLUMN earlier_messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE viewer_channels ADD COLUMN stream_messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE viewer_channels ADD COLUMN moderated_on TEXT;
UPDATE viewer_channels SET earlier_messages = message_count WHERE stream_count > 0;
ALTER TABLE episodes ADD COLUMN unproven TEXT NOT NULL DEFAULT '';
CREATE INDEX episodes_unproven ON episodes (ended_at) WHERE unproven <> '';
CREATE INDEX episodes_failed ON episodes (id) WHERE status = 'failed';
CREATE INDEX semantic_notes_expired ON semantic_notes (expires_at) WHERE status = 'expired';
CREATE INDEX replies_by_age ON replies (created_at);
DROP INDEX replies_by_channel;
DROP INDEX replies_spoken;
DROP INDEX replies_unfinished;
DROP INDEX llm_calls_by_model;
ALTER TABLE episode_claims ADD COLUMN how TEXT NOT NULL DEFAULT 'plainly';
ALTER TABLE episode_claims ADD COLUMN happens_on TEXT;
ALTER TABLE episode_claims ADD COLUMN borrowed_ids_json TEXT NOT NULL DEFAULT '[]';
CREATE TABLE claim_carriers (
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (episode_id, n, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_carriers_by_user ON claim_carriers (user_id);
ALTER TABLE semantic_notes ADD COLUMN happens_on TEXT;
ALTER TABLE semantic_notes ADD COLUMN active_from INTEGER;
ALTER TABLE semantic_notes ADD COLUMN ended_at INTEGER;
UPDATE semantic_notes SET active_from = created_at
  WHERE status IN ('active', 'superseded')
    OR (status IN ('stale', 'expired') AND coalesce(status_before, 'active') = 'active');
UPDATE semantic_notes AS old SET ended_at = CASE status
    WHEN 'superseded' THEN
      coalesce((SELECT n.created_at FROM semantic_notes n WHERE n.id = old.superseded_by), last_confirmed_at)
    WHEN 'expired' THEN coalesce(expires_at, last_confirmed_at)
    ELSE last_confirmed_at END
  WHERE active_from IS NOT NULL AND status <> 'active';
CREATE TABLE moments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  session_id INTEGER REFERENCES stream_sessions (id),
  kind TEXT NOT NULL,
  user_id TEXT NOT NULL,
  amount INTEGER,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX moments_by_user ON moments (user_id, channel, at);
CREATE INDEX moments_by_channel ON moments (channel, at);
CREATE INDEX moments_by_kind ON moments (channel, kind, at);
CREATE INDEX moments_by_session ON moments (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX moments_by_age ON moments (at);
DROP TABLE made_files;
DROP TRIGGER removed_answer;
DROP TRIGGER removed_args;
DROP TRIGGER removed_line;
CREATE TRIGGER removed_line AFTER UPDATE OF text ON events
WHEN OLD.text IS NOT NULL AND NEW.text IS NOT OLD.text AND NEW.removed_at IS NOT NULL
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;
CREATE TRIGGER removed_from_memory AFTER DELETE ON removed_support
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.people', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;
CREATE TRIGGER gone_line AFTER UPDATE OF text ON events WHEN OLD.text IS NOT NULL AND NEW.text IS NOT OLD.text
BEGIN
  INSERT INTO counters (name, value) VALUES ('gone.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER gone_answer AFTER UPDATE OF text ON replies WHEN OLD.text IS NOT NULL AND NEW.text IS NOT OLD.text
BEGIN
  INSERT INTO counters (name, value) VALUES ('gone.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER gone_args AFTER UPDATE OF args_json ON action_log
WHEN OLD.args_json IS NOT NULL AND NEW.args_json IS NOT OLD.args_json
BEGIN
  INSERT INTO counters (name, value) VALUES ('gone.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;
DROP TRIGGER removed_summary;
CREATE TRIGGER removed_summary AFTER UPDATE OF topic, summary, unproven ON episodes
WHEN (OLD.summary <> '' AND NEW.summary <> OLD.summary) OR (OLD.topic <> '' AND NEW.topic <> OLD.topic)
  OR (OLD.unproven <> '' AND NEW.unproven <> OLD.unproven)
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;
ALTER TABLE reply_outcomes RENAME TO old_outcomes;
CREATE TABLE reply_outcomes (
  reply_id INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN
    ('good', 'bad', 'deleted', 'timed_out', 'viewer_answered', 'others_answered')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (reply_id, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO reply_outcomes SELECT * FROM old_outcomes
  WHERE kind NOT IN ('went_on', 'positive', 'negative', 'none');
DROP TABLE old_outcomes;
`;
