import { identityStore } from "../chat/identity-store.ts";
import { ownTextRemover } from "../chat/remove-store.ts";
import type { KeyedHash } from "../language/keyed-hash.ts";
import type { UnnamedPerson } from "../language/unname.ts";
import { removalStore } from "../memory/removal-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { unnamer } from "./unname-store.ts";

/** How many people are going out of every sentence right now, for `status`. */
export const FORGETTING = "forgetting";

/** What went with a person. */
interface Forgotten {
  /** Every account of theirs. */
  readonly userIds: readonly string[];
  readonly notes: number;
}

export interface ForgetStore {
  /**
   * Forgets everything about one person, by any of their accounts, in one transaction over every table. What must
   * outlive it (cooldowns, caps, opt-outs, suppressed topics) stays under a keyed hash. A second time it changes
   * nothing; for somebody who was never seen, the tombstone is all there is. `names`: what the caller knows them by,
   * beside what is stored. `unname` of the store takes their names out of every sentence, then or later. Bytes of what went may be left in the file until it is vacuumed, which is due from now on.
   */
  forget(userId: string, names?: readonly string[]): Forgotten;
  /** Forgets everybody whose hash is among these, as far as this database knows them: after a restore. */
  forgetHashed(whos: ReadonlySet<string>): readonly Forgotten[];
  /** Something of theirs went that their forgetting left for later: what it says of the file holds from now on. */
  finished(userIds: readonly string[]): void;
}

export function forgetStore(
  db: Db,
  hash: KeyedHash,
  now: () => number,
  unname: (people: readonly UnnamedPerson[]) => void = unnamer(db),
): ForgetStore {
  const identities = identityStore(db, now);
  const chat = chatForgetter(db, now);
  const memory = memoryForgetter(db);
  const traces = traceForgetter(db, hash);
  const people = personStatements(db);
  const removal = removalStore(db, now);
  const asPerson = (userId: string): UnnamedPerson => {
    const row = people.names.get(userId);
    return { userId, names: row === undefined ? [] : [row.login, row.displayName] };
  };
  const forget = (userId: string, names: readonly string[]): Forgotten => {
    const before = people.changes.get();
    const userIds = identities.accountsOf(userId);
    const persons = [...userIds.map(asPerson), { userId, names }];
    for (const id of userIds) chat(id);
    // What was learned from their words of the last day goes first, as for every text that is taken away.
    removal.settle();
    const notes = userIds.map(memory).reduce((sum, count) => sum + count, 0);
    for (const id of userIds) {
      traces(id);
      people.unlink.run(id, id);
      people.remove.run(id);
    }
    unname(persons);
    const tombstone = people.changes.get() === before ? people.tombstone : people.renewedTombstone;
    for (const id of userIds) tombstone.run(hash.person(id), now());
    return { userIds, notes };
  };
  return {
    forget: (userId, names = []) => db.transaction(() => forget(userId, names)).immediate(),
    finished: (userIds) => {
      for (const id of userIds) people.renewedTombstone.run(hash.person(id), now());
    },
    forgetHashed: (whos) =>
      db
        .transaction(() => {
          const known = people.everybody.all().filter((id) => whos.has(hash.person(id)));
          return known.map((id) => forget(id, []));
        })
        .immediate(),
  };
}

/** Their lines, and what the bot answered. */
function chatForgetter(db: Db, now: () => number): (userId: string) => void {
  const lines = db.prepare<[number, string]>(
    `UPDATE events SET text = NULL, message_id = NULL, parent_id = NULL, user_id = NULL, memorable = 0,
       removed_at = coalesce(removed_at, ?) WHERE user_id = ?`,
  );
  const answers = db.prepare<[string], Answer>(
    `SELECT channel, text, message_id AS messageId FROM replies
     WHERE created_at >= 0 AND text IS NOT NULL AND user_id = ?`,
  );
  const removeOwn = ownTextRemover(db);
  return (userId) => {
    lines.run(now(), userId);
    for (const { channel, text, messageId } of answers.all(userId)) {
      const said = { texts: [text], ids: messageId === null ? [] : [messageId] };
      removeOwn(channel, said, now());
    }
  };
}

interface Answer {
  readonly channel: string;
  readonly text: string;
  readonly messageId: string | null;
}

/** What was learned about them. Gives how many notes that were. */
function memoryForgetter(db: Db): (userId: string) => number {
  const mine = "(SELECT id FROM semantic_notes WHERE subject_id = @userId)";
  const steps = [
    `UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE note_id IN ${mine}`,
    `UPDATE semantic_notes SET superseded_by = NULL WHERE superseded_by IN ${mine}`,
    // A talk of theirs alone with the bot is about them, whomever its summary names.
    `UPDATE episodes SET topic = '', summary = '' WHERE (topic <> '' OR summary <> '')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_participants o WHERE o.episode_id = episodes.id AND o.user_id <> @userId)`,
    "DELETE FROM episode_claims WHERE subject_id = @userId",
  ].map((sql) => db.prepare<[{ userId: string }]>(sql));
  const notes = db.prepare<[string]>("DELETE FROM semantic_notes WHERE subject_id = ?");
  // Episodes that were nothing but what was asked for or written about them.
  const wishes = db.prepare<[string]>(
    `DELETE FROM episodes WHERE kind IN ('request', 'operator', 'import')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = ?)
       AND NOT EXISTS (SELECT 1 FROM episode_claims c WHERE c.episode_id = episodes.id)
       AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = episodes.id)`,
  );
  const participation = db.prepare<[string]>("DELETE FROM episode_participants WHERE user_id = ?");
  return (userId) => {
    for (const step of steps) step.run({ userId });
    const { changes } = notes.run(userId);
    wishes.run(userId);
    participation.run(userId);
    return changes;
  };
}

/** What cooldowns and caps are read from stays, under a keyed hash: nobody gets around them by being forgotten. */
function traceForgetter(db: Db, hash: KeyedHash): (userId: string) => void {
  const steps = [
    "UPDATE replies SET user_id = @who, text = NULL WHERE user_id = @userId",
    `UPDATE action_log SET decision = 'refuse', reason = 'forgotten', counted_at = NULL
     WHERE decision = 'hold' AND (requested_by = @userId OR target_id = @userId)`,
    // Without a reply the key tells who asked.
    `UPDATE action_log SET requested_by = @who, args_json = NULL, idempotency_key =
       CASE WHEN reply_id IS NULL THEN 'forgotten:' || id ELSE idempotency_key END
     WHERE requested_by = @userId`,
    "UPDATE action_log SET target_id = @who, args_json = NULL WHERE target_id = @userId",
  ].map((sql) => db.prepare<[{ userId: string; who: string }]>(sql));
  return (userId) => {
    for (const step of steps) step.run({ userId, who: hash.person(userId) });
  };
}

function personStatements(db: Db) {
  return {
    names: db.prepare<[string], { login: string; displayName: string }>(
      "SELECT login, display_name AS displayName FROM viewers WHERE user_id = ?",
    ),
    remove: db.prepare<[string]>("DELETE FROM viewers WHERE user_id = ?"),
    unlink: db.prepare<[string, string]>(
      "DELETE FROM identity_aliases WHERE user_id = ? OR same_as = ?",
    ),
    changes: db.prepare<[], number>("SELECT total_changes()").pluck(),
    tombstone: db.prepare<[string, number]>(
      "INSERT INTO forgets (who, forgotten_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
    ),
    renewedTombstone: db.prepare<[string, number]>(
      `INSERT INTO forgets (who, forgotten_at) VALUES (?, ?)
       ON CONFLICT (who) DO UPDATE SET forgotten_at = excluded.forgotten_at`,
    ),
    everybody: db
      .prepare<[], string>(
        `SELECT user_id FROM viewers UNION SELECT user_id FROM episode_participants
         UNION SELECT subject_id FROM episode_claims WHERE subject_id IS NOT NULL
         UNION SELECT subject_id FROM semantic_notes WHERE subject_id IS NOT NULL
         UNION SELECT user_id FROM events WHERE user_id IS NOT NULL UNION SELECT user_id FROM replies
         UNION SELECT requested_by FROM action_log WHERE requested_by IS NOT NULL
         UNION SELECT target_id FROM action_log WHERE target_id IS NOT NULL
         UNION SELECT user_id FROM identity_aliases UNION SELECT same_as FROM identity_aliases`,
      )
      .pluck(),
  };
}
