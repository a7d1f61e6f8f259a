-- The one description of a fresh ForgetMeNot database. Numbered migrations bring an older one to exactly this;
-- a test compares the two. PRAGMA user_version holds the number.
--
-- Times are integers, epoch milliseconds UTC. Booleans are 0 or 1. People are Twitch user ids, never logins:
-- stored sentences name them by a token, {u:ID}. No index covers any text: an index is a copy of what it covers.
-- Every foreign key has an index on the child's side, or deleting a parent would read the whole child table.

-- What is known of each channel -------------------------------------------------------------------------------

CREATE TABLE channel_state (
  channel TEXT PRIMARY KEY,                 -- login, lower case
  twitch_id TEXT,
  title TEXT NOT NULL DEFAULT '',
  category TEXT NOT NULL DEFAULT '',
  is_live INTEGER,                          -- null: not known
  refreshed_at INTEGER,
  prefix_version INTEGER NOT NULL DEFAULT 0, -- bumped by the triggers at the end of this file
  language TEXT                             -- that Twitch says the channel speaks, by its code
) STRICT;

CREATE TABLE stream_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  recap TEXT,
  recap_tries INTEGER NOT NULL DEFAULT 0    -- answers of a model that said nothing
) STRICT;
CREATE INDEX stream_sessions_by_channel ON stream_sessions (channel, started_at);

-- People ------------------------------------------------------------------------------------------------------

CREATE TABLE viewers (
  user_id TEXT PRIMARY KEY,
  login TEXT NOT NULL,
  display_name TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  opted_out INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX viewers_by_login ON viewers (login);
CREATE INDEX viewers_opted_out ON viewers (last_seen_at) WHERE opted_out = 1;
CREATE INDEX viewers_by_own_name ON viewers (last_seen_at) WHERE lower(display_name) <> login;

CREATE TABLE viewer_channels (
  channel TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES viewers (user_id) ON DELETE CASCADE,
  is_broadcaster INTEGER NOT NULL DEFAULT 0,
  is_moderator INTEGER NOT NULL DEFAULT 0,
  is_vip INTEGER NOT NULL DEFAULT 0,
  is_subscriber INTEGER NOT NULL DEFAULT 0,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  stream_count INTEGER NOT NULL DEFAULT 0,
  last_stream_id INTEGER,                   -- the stream that stream_count counted last
  previous_seen_at INTEGER,                 -- when they were last here before this visit
  is_founder INTEGER NOT NULL DEFAULT 0,
  earlier_messages INTEGER NOT NULL DEFAULT 0, -- written during streams before last_stream_id
  stream_messages INTEGER NOT NULL DEFAULT 0, -- written during the stream last_stream_id
  moderated_on TEXT,                        -- local day (2026-05-01) of the last timeout, ban or deletion; null: none
  PRIMARY KEY (channel, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX viewer_channels_by_user ON viewer_channels (user_id);
CREATE INDEX viewer_channels_by_age ON viewer_channels (channel, last_seen_at);

-- One row a merge, as the streamer said it: two accounts of one person, the second leads. Undone one by one.
CREATE TABLE identity_aliases (
  user_id TEXT NOT NULL,
  same_as TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, same_as),
  CHECK (user_id <> same_as)
) STRICT, WITHOUT ROWID;
CREATE INDEX identity_aliases_by_main ON identity_aliases (same_as);

-- Raw chat: lives 24 hours ------------------------------------------------------------------------------------

-- AUTOINCREMENT: an id is never used twice, also after everything was pruned. Order of ids is order of arrival.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  kind TEXT NOT NULL,
  user_id TEXT,                             -- who spoke, or whom the moderation concerns
  message_id TEXT,                          -- Twitch's id; of the message concerned for a deletion
  parent_id TEXT,                           -- the message this one answers
  text TEXT,                                -- null: had none, ran out, or was removed
  to_bot INTEGER NOT NULL DEFAULT 0,
  memorable INTEGER NOT NULL DEFAULT 0,     -- 1: may become memory (not the bot's, not another bot's, has text)
  amount INTEGER,                           -- bits, months, gifts, raiders or seconds, by kind
  sent_at INTEGER,                          -- Twitch's timestamp; does not order anything
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  removed_at INTEGER,                       -- when a deletion, time-out, ban or wish took the text
  episode_id INTEGER REFERENCES episodes (id),
  reply_id INTEGER,                         -- of the bot's own: which reply it is; no foreign key: replies may go first
  no_window INTEGER NOT NULL DEFAULT 0      -- 1: emotes alone, or a command: no window takes it
) STRICT;
CREATE INDEX events_by_reply ON events (reply_id) WHERE reply_id IS NOT NULL;
CREATE INDEX events_own ON events (channel, id) WHERE kind = 'bot' AND text IS NOT NULL;
CREATE INDEX events_by_channel ON events (channel, id) WHERE text IS NOT NULL;
-- By person and by message within chunks of 4,096 rows: what is written together then stands on a few pages, where an
-- index over all of the table has another page written for each line. A lookup names the chunks: `event_chunks`.
CREATE INDEX events_by_user ON events (id >> 12, user_id);
-- A message is stored once in a chunk; one that is seen again on its border may be there twice. Lookups name both
-- conditions, or they scan.
CREATE UNIQUE INDEX events_by_message ON events (id >> 12, message_id)
  WHERE message_id IS NOT NULL AND kind <> 'deletion';
-- The newest first; as many as chat of a day has, a hundred and more where 400 lines a minute never end.
CREATE VIEW event_chunks (chunk) AS
  WITH RECURSIVE found (chunk) AS (
    SELECT max(id) >> 12 FROM events
    UNION ALL
    SELECT chunk - 1 FROM found WHERE chunk > (SELECT min(id) >> 12 FROM events)
  )
  SELECT chunk FROM found;
CREATE INDEX events_waiting ON events (channel, id) WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL;
CREATE INDEX events_with_text ON events (expires_at) WHERE text IS NOT NULL;
CREATE INDEX events_by_episode ON events (episode_id) WHERE episode_id IS NOT NULL;

-- Moments: what Twitch itself reported; no chat text, a year ------------------------------------------------------

CREATE TABLE moments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  session_id INTEGER REFERENCES stream_sessions (id), -- null: outside streams
  kind TEXT NOT NULL,                       -- raid, sub, resub, gift, mystery_gift, streak, announcement, cheer
  user_id TEXT NOT NULL,                    -- who did it; no foreign key: a newcomer's row is written later
  amount INTEGER,                           -- raiders, months, gifts, streams in a row or bits, by kind
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX moments_by_user ON moments (user_id, channel, at);
CREATE INDEX moments_by_channel ON moments (channel, at);
CREATE INDEX moments_by_kind ON moments (channel, kind, at);
CREATE INDEX moments_by_session ON moments (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX moments_by_age ON moments (at);

-- Memory ------------------------------------------------------------------------------------------------------

CREATE TABLE episodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('window', 'direct', 'request', 'operator', 'import', 'gap')),
  session_id INTEGER REFERENCES stream_sessions (id),
  event_count INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  topic TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL DEFAULT '',
  stage TEXT NOT NULL DEFAULT 'claimed' CHECK (stage IN ('claimed', 'summarised', 'extracted')),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'done', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL,
  unproven TEXT NOT NULL DEFAULT ''         -- sentences without known carriers: only the page shows them; 30 days
) STRICT;
CREATE INDEX episodes_by_channel ON episodes (channel, ended_at);
CREATE INDEX episodes_by_session ON episodes (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX episodes_to_do ON episodes (channel, next_attempt_at) WHERE status = 'pending';
CREATE INDEX episodes_failed ON episodes (id) WHERE status = 'failed';
CREATE INDEX episodes_unproven ON episodes (ended_at) WHERE unproven <> '';

CREATE TABLE episode_participants (
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  PRIMARY KEY (episode_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_participants_by_user ON episode_participants (user_id);

CREATE TABLE episode_claims (
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('viewer', 'channel', 'bit')),
  subject_id TEXT,
  statement TEXT NOT NULL,
  event_ids_json TEXT NOT NULL,             -- no foreign keys: events go
  withdrawn_at INTEGER,
  is_weak INTEGER NOT NULL DEFAULT 0,       -- 1: little of it stood in the lines that proved it
  carriers INTEGER NOT NULL DEFAULT 1,      -- how many people said it
  how TEXT NOT NULL DEFAULT 'plainly',      -- plainly, joking, quoting, roleplay, past, wish: as the model read it
  happens_on TEXT,                          -- local day (2026-05-01) that it is about; null: none
  borrowed_ids_json TEXT NOT NULL DEFAULT '[]', -- events of others that lent it a word
  PRIMARY KEY (episode_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_claims_by_subject ON episode_claims (subject_id) WHERE subject_id IS NOT NULL;

-- Who said what is claimed about the channel: a note in the shadow becomes active when they return as known viewers.
CREATE TABLE claim_carriers (
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (episode_id, n, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_carriers_by_user ON claim_carriers (user_id);

-- Events whose text was removed after it was summarised, until memory has forgotten what it learned from them.
CREATE TABLE removed_support (
  event_id INTEGER PRIMARY KEY,             -- no foreign keys: events go
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX removed_support_by_episode ON removed_support (episode_id);

CREATE TRIGGER support_removed AFTER UPDATE OF removed_at ON events
WHEN NEW.removed_at IS NOT NULL AND NEW.episode_id IS NOT NULL
  AND (SELECT stage FROM episodes WHERE id = NEW.episode_id) <> 'claimed'
BEGIN
  INSERT INTO removed_support (event_id, episode_id) VALUES (NEW.id, NEW.episode_id)
  ON CONFLICT (event_id) DO NOTHING;
END;

CREATE TABLE semantic_notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('viewer', 'channel', 'bit')),
  subject_id TEXT,
  persona TEXT,                             -- null: shared by all personas
  kind TEXT NOT NULL,
  fact TEXT NOT NULL,
  topics TEXT NOT NULL DEFAULT '',
  words TEXT NOT NULL DEFAULT '',           -- normalised, for recall
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  importance REAL NOT NULL DEFAULT 0,
  status TEXT NOT NULL CHECK (status IN
    ('active', 'shadow', 'pending', 'rejected', 'superseded', 'stale', 'expired')),
  superseded_by INTEGER REFERENCES semantic_notes (id),
  source_kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_confirmed_at INTEGER NOT NULL,
  last_used_at INTEGER,
  use_count INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER,
  pinned INTEGER NOT NULL DEFAULT 0,
  status_before TEXT,                       -- what the streamer approved or rejected it from, for undo; of a faded note, as what it waited; 'active' in the shadow: a moderator unlearned it
  property TEXT,                            -- what a person has one or few of: home, job, rank …; null: none, or not told
  property_value TEXT,                      -- its value, in words of the fact
  property_game TEXT,                       -- the game that a rank or a main character belongs to
  lifetime TEXT CHECK (lifetime IN ('1d', '3d', '7d', '30d', 'permanent')), -- as given; null: by kind
  happens_on TEXT,                          -- local day (2026-05-01) that the fact is about; null: none
  active_from INTEGER,                      -- when it became active first; null: never
  ended_at INTEGER,                         -- when it stopped being active; null: it has not, or ran out at expires_at
  CHECK ((scope = 'viewer') = (subject_id IS NOT NULL))
) STRICT;
CREATE INDEX semantic_notes_by_subject ON semantic_notes (channel, scope, subject_id, status);
CREATE INDEX semantic_notes_by_person ON semantic_notes (subject_id) WHERE subject_id IS NOT NULL;
CREATE INDEX semantic_notes_by_successor ON semantic_notes (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX semantic_notes_by_creation ON semantic_notes (channel, created_at);
CREATE INDEX semantic_notes_expiring ON semantic_notes (expires_at) WHERE status = 'active' AND expires_at IS NOT NULL;
CREATE INDEX semantic_notes_aging ON semantic_notes (last_confirmed_at) WHERE status = 'active';
CREATE INDEX semantic_notes_expired ON semantic_notes (expires_at) WHERE status = 'expired';
CREATE INDEX semantic_notes_waiting ON semantic_notes (last_confirmed_at, expires_at) WHERE status IN ('shadow', 'pending');

CREATE TABLE note_evidence (
  note_id INTEGER NOT NULL REFERENCES semantic_notes (id) ON DELETE CASCADE,
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  claim_n INTEGER,
  method TEXT NOT NULL CHECK (method IN ('extracted', 'viewer_request', 'operator', 'import')),
  confidence REAL NOT NULL,
  model TEXT,
  prompt_version TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (note_id, episode_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_evidence_by_episode ON note_evidence (episode_id);

CREATE TABLE note_candidates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  fact TEXT,                                -- null where the reason is sensitive, banned, suppressed or opted out
  decision TEXT NOT NULL,                   -- write, confirm, supersede, drop; evict: a note that made room for it
  reason TEXT NOT NULL,
  note_id INTEGER REFERENCES semantic_notes (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  offer_json TEXT,                          -- the rest of what was offered; null where the fact is
  trial_decision TEXT,                      -- unused; earlier versions wrote it
  trial_reason TEXT                         -- unused; earlier versions wrote it
) STRICT;
CREATE INDEX note_candidates_by_episode ON note_candidates (episode_id);
CREATE INDEX note_candidates_by_note ON note_candidates (note_id) WHERE note_id IS NOT NULL;
CREATE INDEX note_candidates_by_age ON note_candidates (created_at);

-- What was offered holds topics and whom it was about: it goes with the fact.
CREATE TRIGGER offer_forgotten AFTER UPDATE OF fact ON note_candidates
WHEN NEW.fact IS NULL AND NEW.offer_json IS NOT NULL
BEGIN
  UPDATE note_candidates SET offer_json = NULL WHERE id = NEW.id;
END;

-- Replies and actions -----------------------------------------------------------------------------------------

CREATE TABLE replies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  user_id TEXT NOT NULL,
  "trigger" TEXT NOT NULL,
  event_id INTEGER,                         -- what it answers; no foreign key: events go
  state TEXT NOT NULL CHECK (state IN
    ('thinking', 'sending', 'sent', 'shadow', 'silent', 'refused', 'unknown')),
  reason TEXT,                              -- one code, where nothing was sent
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  message_id TEXT,
  model TEXT,
  finish TEXT,
  latency_ms INTEGER,
  token_usage_json TEXT,                    -- the trail: ids and numbers only
  text TEXT                                 -- lives 24 hours
) STRICT;
CREATE INDEX replies_by_viewer ON replies (user_id, channel, id);
CREATE INDEX replies_by_age ON replies (created_at);
CREATE INDEX replies_with_text ON replies (created_at) WHERE text IS NOT NULL;
CREATE INDEX replies_by_message ON replies (message_id) WHERE message_id IS NOT NULL;

-- What came of a sent reply, gathered by code.
CREATE TABLE reply_outcomes (
  reply_id INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN
    ('good', 'bad', 'deleted', 'timed_out', 'viewer_answered', 'others_answered')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (reply_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE action_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  reply_id INTEGER REFERENCES replies (id),
  channel TEXT NOT NULL,
  action TEXT NOT NULL,
  class TEXT NOT NULL,
  target_id TEXT,
  args_json TEXT,                           -- free text in it lives 24 hours
  decision TEXT NOT NULL CHECK (decision IN ('run', 'refuse', 'hold', 'dry_run')),
  reason TEXT NOT NULL,
  requested_by TEXT,
  created_at INTEGER NOT NULL,
  counted_at INTEGER,                       -- when it counts for cooldowns and caps: a run, a dry run, one that waits
  expires_at INTEGER,                       -- until when a held one waits for its answer
  answer TEXT CHECK (answer IN ('approve', 'refuse')), -- the streamer's; the daemon acts on it
  executed_at INTEGER,
  outcome TEXT,                             -- done, failed or unknown, once executed
  error TEXT,
  idempotency_key TEXT NOT NULL UNIQUE,
  message_id TEXT,                          -- Twitch's id of the message that a deletion takes away
  waits_for TEXT CHECK (waits_for IN ('requester', 'streamer')), -- whose answer a held one waits for
  ended_as TEXT CHECK (ended_as IN ('yes', 'declined', 'unanswered', 'withdrawn', 'replaced')), -- how its wait ended
  result TEXT                               -- what it made: a clip's link, a poll's id
) STRICT;
CREATE INDEX action_log_by_channel ON action_log (channel, created_at);
CREATE INDEX action_log_by_reply ON action_log (reply_id) WHERE reply_id IS NOT NULL;
CREATE INDEX action_log_runs ON action_log (channel, action, counted_at) WHERE counted_at IS NOT NULL;
CREATE INDEX action_log_open ON action_log (id) WHERE decision = 'run' AND outcome IS NULL;
CREATE INDEX action_log_held ON action_log (id) WHERE decision = 'hold';
CREATE INDEX action_log_asked ON action_log (channel, created_at) WHERE waits_for = 'requester';
CREATE INDEX action_log_with_args ON action_log (created_at) WHERE args_json IS NOT NULL;
CREATE INDEX action_log_by_requester ON action_log (requested_by) WHERE requested_by IS NOT NULL;
CREATE INDEX action_log_by_target ON action_log (target_id) WHERE target_id IS NOT NULL;

-- Rights, switches, notices, money ----------------------------------------------------------------------------

CREATE TABLE suppressions (
  who TEXT NOT NULL,                        -- keyed hash of a user id; the key is not in this file
  topic TEXT,                               -- keyed hash of a topic's normal form; null means everything
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX suppressions_once ON suppressions (who, ifnull(topic, ''));

-- Who asked to be forgotten, and when: a restored backup is made to forget them again.
CREATE TABLE forgets (
  who TEXT PRIMARY KEY,                     -- keyed hash of a user id; the key is not in this file
  forgotten_at INTEGER NOT NULL
) STRICT;

CREATE TABLE switches (
  name TEXT PRIMARY KEY CHECK (name IN ('paused', 'safe_mode', 'read_only')),
  is_on INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL
) STRICT;

CREATE TABLE notices (
  kind TEXT PRIMARY KEY,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
  message TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  cleared_at INTEGER                        -- since when it does not hold any more; it stays to be read for a week
) STRICT;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT;

CREATE TABLE runtime (
  name TEXT PRIMARY KEY,
  value_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE policy_history (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  policy_json TEXT NOT NULL,
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE llm_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  purpose TEXT NOT NULL,
  model TEXT NOT NULL,
  prompt_tokens INTEGER,
  cached_tokens INTEGER,
  output_tokens INTEGER,
  estimated_tokens INTEGER NOT NULL,
  latency_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  dollars REAL,                             -- null: no price is known for the model
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX llm_calls_by_age ON llm_calls (created_at);

-- What a prompt's prefix is made of bumps its channel's version -------------------------------------------------

CREATE TRIGGER prefix_state AFTER UPDATE OF title, category, is_live ON channel_state
WHEN OLD.title IS NOT NEW.title OR OLD.category IS NOT NEW.category OR OLD.is_live IS NOT NEW.is_live
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;

-- Only active notes of the channel stand in a prefix; what is written again as it was moves nothing.
CREATE TRIGGER prefix_note_added AFTER INSERT ON semantic_notes
WHEN NEW.scope <> 'viewer' AND NEW.status = 'active'
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = NEW.channel;
END;

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

CREATE TRIGGER prefix_note_gone AFTER DELETE ON semantic_notes
WHEN OLD.scope <> 'viewer' AND OLD.status = 'active'
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1 WHERE channel = OLD.channel;
END;

-- Of episodes, those that were summarised and have a summary.
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

-- Of streams, which one runs now, and the recaps.
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

-- A rename shows at once where a token stands for the name.
CREATE TRIGGER prefix_renamed AFTER UPDATE OF display_name ON viewers
WHEN OLD.display_name <> NEW.display_name
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1
  WHERE channel IN (SELECT channel FROM viewer_channels WHERE user_id = NEW.user_id);
END;

-- So does a forget. Before: the rows that say where the viewer was seen go with the viewer.
CREATE TRIGGER prefix_forgotten BEFORE DELETE ON viewers
BEGIN
  UPDATE channel_state SET prefix_version = prefix_version + 1
  WHERE channel IN (SELECT channel FROM viewer_channels WHERE user_id = OLD.user_id);
END;

-- Removals are counted, whoever removes: until a VACUUM their bytes may be left in unused parts of the file ------------
-- Text that merely ran out is not counted: events leave as the oldest prefix, which secure_delete cleans.

CREATE TRIGGER removed_line AFTER UPDATE OF text ON events
WHEN OLD.text IS NOT NULL AND NEW.text IS NOT OLD.text AND NEW.removed_at IS NOT NULL
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.texts', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER removed_summary AFTER UPDATE OF topic, summary, unproven ON episodes
WHEN (OLD.summary <> '' AND NEW.summary <> OLD.summary) OR (OLD.topic <> '' AND NEW.topic <> OLD.topic)
  OR (OLD.unproven <> '' AND NEW.unproven <> OLD.unproven)
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

-- A removal reached memory: its claims and notes were withdrawn.
CREATE TRIGGER removed_from_memory AFTER DELETE ON removed_support
BEGIN
  INSERT INTO counters (name, value) VALUES ('removed.people', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

-- Text that ran out, and answers and arguments that went: open pages follow. No VACUUM is due for these.
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
