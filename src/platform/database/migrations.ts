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

/** Of notes from before, the daemon hashes the words as of new ones. */
const HASHED_WORDS = `
ALTER TABLE semantic_notes ADD COLUMN word_hashes TEXT;
ALTER TABLE semantic_notes ADD COLUMN hashed_by INTEGER;
DROP INDEX semantic_notes_by_subject;
CREATE INDEX semantic_notes_by_subject ON semantic_notes (channel, scope, subject_id, status, id, persona, kind,
  confidence, pinned, last_confirmed_at, importance, hashed_by, word_hashes);
CREATE INDEX semantic_notes_hashed ON semantic_notes (hashed_by) WHERE scope = 'viewer';
CREATE TRIGGER note_words_changed AFTER UPDATE OF words, topics ON semantic_notes
WHEN NEW.hashed_by IS NOT NULL AND (NEW.words <> OLD.words OR NEW.topics <> OLD.topics)
BEGIN
  UPDATE semantic_notes SET word_hashes = NULL, hashed_by = NULL WHERE id = NEW.id;
END;
`;

/** What no prefix shows does not move one. */
const PREFIX_BUMPS = `
DROP TRIGGER prefix_note_added;
DROP TRIGGER prefix_note_changed;
DROP TRIGGER prefix_note_gone;
DROP TRIGGER prefix_episode_changed;
DROP TRIGGER prefix_episode_added;
DROP TRIGGER prefix_episode_gone;
DROP TRIGGER prefix_session;
DROP TRIGGER prefix_session_added;
CREATE TRIGGER prefix_note_added AFTER INSERT ON semantic_notes
WHEN NEW.scope <> 'viewer' AND NEW.status = 'active'
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;

CREATE TRIGGER prefix_note_changed
AFTER UPDATE OF persona, kind, fact, topics, confidence, importance, status, last_confirmed_at, pinned ON semantic_notes
WHEN NEW.scope <> 'viewer' AND 'active' IN (OLD.status, NEW.status)
  AND (OLD.persona, OLD.kind, OLD.fact, OLD.topics, OLD.confidence, OLD.importance, OLD.status,
       OLD.last_confirmed_at, OLD.pinned)
    IS NOT (NEW.persona, NEW.kind, NEW.fact, NEW.topics, NEW.confidence, NEW.importance, NEW.status,
            NEW.last_confirmed_at, NEW.pinned)
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;

CREATE TRIGGER prefix_note_gone AFTER DELETE ON semantic_notes
WHEN OLD.scope <> 'viewer' AND OLD.status = 'active'
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = OLD.channel;
END;

CREATE TRIGGER prefix_episode_changed AFTER UPDATE OF kind, session_id, ended_at, topic, summary, stage ON episodes
WHEN (OLD.stage <> 'claimed' AND OLD.kind <> 'gap' AND OLD.summary <> '')
  <> (NEW.stage <> 'claimed' AND NEW.kind <> 'gap' AND NEW.summary <> '')
  OR (NEW.stage <> 'claimed' AND NEW.kind <> 'gap' AND NEW.summary <> ''
    AND (OLD.session_id, OLD.ended_at, OLD.topic, OLD.summary)
      IS NOT (NEW.session_id, NEW.ended_at, NEW.topic, NEW.summary))
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;

CREATE TRIGGER prefix_episode_added AFTER INSERT ON episodes
WHEN NEW.stage <> 'claimed' AND NEW.kind <> 'gap' AND NEW.summary <> ''
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;

CREATE TRIGGER prefix_episode_gone AFTER DELETE ON episodes
WHEN OLD.stage <> 'claimed' AND OLD.kind <> 'gap' AND OLD.summary <> ''
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = OLD.channel;
END;

CREATE TRIGGER prefix_session AFTER UPDATE OF ended_at, recap ON stream_sessions
WHEN (OLD.ended_at IS NULL) <> (NEW.ended_at IS NULL) OR OLD.recap IS NOT NEW.recap
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;

CREATE TRIGGER prefix_session_added AFTER INSERT ON stream_sessions
WHEN NEW.ended_at IS NULL OR NEW.recap IS NOT NULL
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;
`;

/** What a note says of whom, how long it was meant to live; null for notes from before. */
const NOTE_PROPERTIES = `
ALTER TABLE semantic_notes ADD COLUMN property TEXT;
ALTER TABLE semantic_notes ADD COLUMN property_value TEXT;
ALTER TABLE semantic_notes ADD COLUMN property_game TEXT;
ALTER TABLE semantic_notes ADD COLUMN lifetime TEXT CHECK (lifetime IN ('1d', '3d', '7d', '30d', 'permanent'));
`;

/** Words are looked for on the row: an index of their hashes saved microseconds and cost a key and a background job. */
const NO_HASHED_WORDS = `
DROP TRIGGER note_words_changed;
DROP INDEX semantic_notes_hashed;
DROP INDEX semantic_notes_by_subject;
ALTER TABLE semantic_notes DROP COLUMN word_hashes;
ALTER TABLE semantic_notes DROP COLUMN hashed_by;
CREATE INDEX semantic_notes_by_subject ON semantic_notes (channel, scope, subject_id, status);
`;

/** A note whose life was changed may stand in a prefix again, or no longer. */
const PREFIX_EXPIRES = `
DROP TRIGGER prefix_note_changed;
CREATE TRIGGER prefix_note_changed
AFTER UPDATE OF persona, kind, fact, topics, confidence, importance, status, last_confirmed_at, expires_at, pinned
ON semantic_notes
WHEN NEW.scope <> 'viewer' AND 'active' IN (OLD.status, NEW.status)
  AND (OLD.persona, OLD.kind, OLD.fact, OLD.topics, OLD.confidence, OLD.importance, OLD.status,
       OLD.last_confirmed_at, OLD.expires_at, OLD.pinned)
    IS NOT (NEW.persona, NEW.kind, NEW.fact, NEW.topics, NEW.confidence, NEW.importance, NEW.status,
            NEW.last_confirmed_at, NEW.expires_at, NEW.pinned)
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;
`;

/** One row a merge of two accounts, so that each can be undone by itself. */
const MERGES_ONE_BY_ONE = `
CREATE TEMP TABLE merges AS SELECT user_id, same_as, created_at FROM identity_aliases;
DROP TABLE identity_aliases;
CREATE TABLE identity_aliases (
  user_id TEXT NOT NULL,
  same_as TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, same_as),
  CHECK (user_id <> same_as)
) STRICT, WITHOUT ROWID;
CREATE INDEX identity_aliases_by_main ON identity_aliases (same_as);
INSERT INTO identity_aliases (user_id, same_as, created_at) SELECT user_id, same_as, created_at FROM temp.merges;
DROP TABLE temp.merges;
`;

/** What is over stays to be read for a week. */
const NOTICES_CLEARED = `
ALTER TABLE notices ADD COLUMN cleared_at INTEGER;
`;

/** Which event was which reply, when somebody was here before, and an outcome that is no welcome. */
const REPLIES_IN_CHAT = `
ALTER TABLE viewer_channels ADD COLUMN previous_seen_at INTEGER;
ALTER TABLE events ADD COLUMN reply_id INTEGER;
CREATE INDEX events_by_reply ON events (reply_id) WHERE reply_id IS NOT NULL;
CREATE TEMP TABLE outcomes AS SELECT reply_id, kind, created_at FROM reply_outcomes;
DROP TABLE reply_outcomes;
CREATE TABLE reply_outcomes (
  reply_id INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN
    ('viewer_answered', 'went_on', 'others_answered', 'positive', 'negative', 'deleted', 'timed_out', 'good', 'bad',
     'none')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (reply_id, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO reply_outcomes (reply_id, kind, created_at) SELECT reply_id, kind, created_at FROM temp.outcomes;
DROP TABLE temp.outcomes;
`;

/** How well a claim was proved; how often a recap was asked for in vain. */
const PROVED_CLAIMS = `
ALTER TABLE episode_claims ADD COLUMN is_weak INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episode_claims ADD COLUMN carriers INTEGER NOT NULL DEFAULT 1;
ALTER TABLE stream_sessions ADD COLUMN recap_tries INTEGER NOT NULL DEFAULT 0;
`;

/** Whose yes an action waited for, which message it takes away, and what it made; the language that a channel speaks. */
const CONSENT = `
ALTER TABLE action_log ADD COLUMN message_id TEXT;
ALTER TABLE action_log ADD COLUMN waits_for TEXT CHECK (waits_for IN ('requester', 'streamer'));
ALTER TABLE action_log ADD COLUMN ended_as TEXT CHECK (ended_as IN ('yes', 'declined', 'unanswered', 'withdrawn', 'replaced'));
ALTER TABLE action_log ADD COLUMN result TEXT;
CREATE INDEX action_log_asked ON action_log (channel, created_at) WHERE waits_for = 'requester';
UPDATE action_log SET waits_for = 'streamer' WHERE decision = 'hold' OR answer IS NOT NULL;
ALTER TABLE channel_state ADD COLUMN language TEXT;
`;

/** Chat that memory has no use for. */
const NO_WINDOW = `
ALTER TABLE events ADD COLUMN no_window INTEGER NOT NULL DEFAULT 0;
DROP INDEX events_waiting;
CREATE INDEX events_waiting ON events (channel, id) WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL;
`;

/** Indexes of chat that a line touches few pages of. */
const CHUNKED_CHAT = `
DROP INDEX events_by_user;
DROP INDEX events_by_message;
CREATE INDEX events_by_user ON events (id >> 12, user_id);
CREATE UNIQUE INDEX events_by_message ON events (id >> 12, message_id)
  WHERE message_id IS NOT NULL AND kind <> 'deletion';
CREATE VIEW event_chunks (chunk) AS
  WITH RECURSIVE found (chunk) AS (
    SELECT max(id) >> 12 FROM events
    UNION ALL
    SELECT chunk - 1 FROM found WHERE chunk > (SELECT min(id) >> 12 FROM events)
  )
  SELECT chunk FROM found;
`;

/** Whom a line may name is looked up by login; those with a display name of another sort have an index. */
const OWN_NAMES = `
CREATE INDEX viewers_by_own_name ON viewers (last_seen_at) WHERE lower(display_name) <> login;
`;

/** What the bot said is taken back by its words, whenever somebody is forgotten: few rows of many. */
const OWN_CHAT = `
CREATE INDEX events_own ON events (channel, id) WHERE kind = 'bot' AND text IS NOT NULL;
`;

/** Who asked comes first: what is kept about a person, and forgetting them, ask for every channel. */
const REPLIES_BY_PERSON = `
DROP INDEX replies_by_viewer;
CREATE INDEX replies_by_viewer ON replies (user_id, channel, id);
`;

/** What brings a database of an earlier release to the one that schema.sql describes, in order. */
export const MIGRATIONS: readonly Migration[] = [
  { to: 2, sql: OUTCOMES_FORGETS_AND_TRIALS },
  { to: 3, sql: PREFIX_BUMPS },
  { to: 4, sql: HASHED_WORDS },
  {
    to: 5,
    sql: [
      NOTE_PROPERTIES,
      MERGES_ONE_BY_ONE,
      NO_HASHED_WORDS,
      PREFIX_EXPIRES,
      PROVED_CLAIMS,
      CONSENT,
      NOTICES_CLEARED,
      REPLIES_IN_CHAT,
    ].join(""),
  },
  { to: 6, sql: [NO_WINDOW, CHUNKED_CHAT, OWN_NAMES, OWN_CHAT, REPLIES_BY_PERSON].join("") },
];

export const SCHEMA_VERSION = 1 + MIGRATIONS.length;
